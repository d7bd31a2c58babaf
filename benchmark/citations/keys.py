"""Keys of a work: two citations that `same_work` calls the same have one in common. Pure.

Reading a citation whole and comparing two costs a hundred times what comparing keys does, and of the sources that a
search returns nearly all are other works. The claim holds because `same_work` says SAME in two places only: where a
single DOI or arXiv identifier of both is equal, and where the titles are word for word, or letter for letter, equal.
"""

from collections.abc import Iterable

from benchmark.citations.folding import words
from benchmark.citations.reading import Citation, arxiv_ids_of_source, dois_of_source, name_of_source

Key = tuple[str, str]  # kind and value


def work_keys(citation: Citation) -> frozenset[Key]:
    """The keys of a citation that was read."""
    return _keys(citation.title, citation.dois, citation.arxiv_ids)


def source_keys(title: str, identifier: str) -> frozenset[Key]:
    """The keys of a source given in fields, equal to those of `read_source` and without reading its authors."""
    return _keys(name_of_source(title), dois_of_source(identifier), arxiv_ids_of_source(identifier))


def _keys(title: str, dois: Iterable[str], arxiv_ids: Iterable[str]) -> frozenset[Key]:
    letters = "".join(words(title))
    return frozenset(
        (
            *((("title", letters),) if letters else ()),
            *(("doi", found) for found in dois),
            *(("arxiv", found) for found in arxiv_ids),
        )
    )
