"""The cited source, the citing paper and the source that an output selected, as citations to compare. Pure."""

from functools import lru_cache

from benchmark.citations.identity import Identity, Match, same_work
from benchmark.citations.reading import Citation, read_citation, read_source
from benchmark.protocols.re2math.schema import Citation as Stored
from benchmark.protocols.re2math.schema import CitingPaper, ProofGap, Source


def cited_source(stored: Stored) -> Citation:
    """The source that the authors cited at the gap."""
    return read_citation(stored.citation_content, doi_field=stored.doi, arxiv_field=stored.arxiv_id)


def citing_paper(paper: CitingPaper) -> Citation:
    """The paper with the gap. Releases give its title and identifier, not its authors."""
    return read_source(title=paper.title, year=citing_year(paper), identifier=paper.paper_id)


def citing_year(paper: CitingPaper) -> int | None:
    """The year of publication, None if the release does not know it."""
    return None if paper.publication_date == "Unknown" else int(paper.publication_date[:4])


def selected(source: Source) -> Citation:
    """The source that an output names."""
    return read_source(
        title=source.title, authors=source.authors, year=source.year, identifier=source.identifier
    )


def matches_cited(gap: ProofGap, source: Source) -> Match:
    """Whether an output's source is the one that the authors cited."""
    return same_work(selected(source), cited_source(gap.z))


@lru_cache(maxsize=100_000)
def is_cited(stored: Stored, source: Source) -> bool:
    """Whether the source is certainly the cited one. Kept, because a score asks it of every candidate."""
    return same_work(selected(source), cited_source(stored)).identity == Identity.SAME


def matches_citing(gap: ProofGap, source: Source) -> Match:
    """Whether an output's source is the citing paper itself, which is no source for its own gap (C.2)."""
    return same_work(selected(source), citing_paper(gap.paper))
