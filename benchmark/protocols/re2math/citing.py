"""The cited source, the citing paper and the source that an output selected, as citations to compare. Pure."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from benchmark.citations.identity import Identity, Match, certainly_other, same_work
from benchmark.citations.keys import Key, source_keys, work_keys
from benchmark.citations.reading import Citation, plain_line, read_citation, read_source
from benchmark.overlaps import cluster_of
from benchmark.protocols.re2math.schema import CitingPaper, ProofGap, Source, StoredCitation
from benchmark.settling.case import OpenCase, open_case


@lru_cache(maxsize=10_000)
def cited_source(stored: StoredCitation) -> Citation:
    """The source that the authors cited at the gap. Kept, because every candidate is compared with it."""
    return read_citation(stored.citation_content, doi_field=stored.doi, arxiv_field=stored.arxiv_id)


def citing_paper(paper: CitingPaper) -> Citation:
    """The paper with the gap. Releases give its title and identifier, not its authors."""
    return read_source(title=paper.title, year=citing_year(paper), identifier=paper.paper_id)


def citing_year(paper: CitingPaper) -> int | None:
    """The year of publication, None if the release does not know it."""
    return None if paper.publication_date == "Unknown" else int(paper.publication_date[:4])


def passage_of(payload: Mapping[str, Any]) -> list[Any] | None:
    """The paper, the blocks before the citation, and its key: a second gap with all three is a duplicate.

    None where the proof begins with the gap, so that there are no blocks to compare.
    """
    passage = passage_of_gap(ProofGap.model_validate(payload))
    return list(passage) if passage else None


def passage_of_gap(gap: ProofGap) -> tuple[str, list[str], str] | None:
    """As `passage_of`, of an instance that has been read."""
    blocks = [" ".join(block.split()) for block in gap.x.local_context]
    return (cluster_of(gap.paper.paper_id), blocks, gap.z.citation_key) if blocks else None


@lru_cache(maxsize=100_000)
def selected(source: Source) -> Citation:
    """The source that an output names. Kept, because systems that search one index are shown the same sources."""
    return read_source(
        title=source.title, authors=source.authors, year=source.year, identifier=source.identifier
    )


def matches_cited(gap: ProofGap, source: Source) -> Match:
    """Whether an output's source is the one that the authors cited."""
    return same_work(selected(source), cited_source(gap.z))


def cited_is_among(stored: StoredCitation, sources: Iterable[Source]) -> bool:
    """Whether one of the sources is certainly the cited one, as `same_work` says; most others are told by keys."""
    known = _cited_keys(stored)
    return any(
        same_work(selected(source), cited_source(stored)).identity == Identity.SAME
        for source in sources
        if not known.isdisjoint(_keys_of(source.title, source.identifier))
    )


@lru_cache(maxsize=100_000)
def cited_case(stored: StoredCitation, source: Source) -> OpenCase | None:
    """The question whether a source is the cited one; None where the matcher can tell. Kept, as `selected` is."""
    cited, found = cited_source(stored), selected(source)
    if certainly_other(found, cited):
        return None
    match = same_work(found, cited)
    if match.identity != Identity.ASK:
        return None
    given = {
        "Title": plain_line(source.title),
        "Authors": plain_line(source.authors),
        "Year": source.year,
        "Identifier": source.identifier,
    }
    stored_fields = {
        "Citation": cited.text,
        "DOI": ", ".join(sorted(cited.dois)),
        "arXiv id": ", ".join(sorted(cited.arxiv_ids)),
    }
    return open_case(given, stored_fields, match.reason)


@lru_cache(maxsize=10_000)
def _cited_keys(stored: StoredCitation) -> frozenset[Key]:
    """Kept, because a score asks for the citation of an instance once for every system."""
    return work_keys(cited_source(stored))


# Kept, because systems that search one index are shown the same sources.
_keys_of = lru_cache(maxsize=100_000)(source_keys)


def matches_citing(gap: ProofGap, source: Source) -> Match:
    """Whether an output's source is the citing paper itself, which cannot be a source for its own gap (C.2)."""
    return same_work(selected(source), citing_paper(gap.paper))
