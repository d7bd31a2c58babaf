"""Filters: which statements a search considers at all, decided before anything is ranked."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

UNKNOWN = -(2**31)  # the year or the number of citations of a statement that has none
_SEPARATOR = "\t"
FACETS = {
    "document": "documents",
    "source": "sources",
    "kind": "kinds",
    "licence": "licences",
    "author": "authors",
    "category": "categories",
}


@dataclass(frozen=True)
class Filters:
    """What a statement must have. An empty field restricts nothing; of several values one is enough.

    Bounds are inclusive. A statement without a year is left out as soon as a year is bounded, unless unknown years are
    included; citations likewise.
    """

    documents: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    licences: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    not_documents: tuple[str, ...] = ()
    year_from: int | None = None
    year_to: int | None = None
    citations_min: int | None = None
    citations_max: int | None = None
    include_unknown_years: bool = False
    include_unknown_citations: bool = False


@dataclass(frozen=True)
class Columns:
    """What filters read: for facet number f, "field TAB value" in `names`, the statements that have it."""

    names: Sequence[str]
    starts: NDArray[np.int64]
    rows: NDArray[np.int32]
    years: NDArray[np.int32]
    citations: NDArray[np.int32]

    def accepted(self, filters: Filters) -> NDArray[np.bool_] | None:
        """True for each statement that passes; None where the filters restrict nothing."""
        if filters == Filters():
            return None
        accepted = np.ones(len(self.years), bool)
        for facet, field in FACETS.items():
            values = getattr(filters, field)
            if values:
                accepted &= self.having(facet, values)
        if filters.not_documents:
            accepted &= ~self.having("document", filters.not_documents)
        years = filters.year_from, filters.year_to, filters.include_unknown_years
        citations = filters.citations_min, filters.citations_max, filters.include_unknown_citations
        for column, (low, high, unknown) in ((self.years, years), (self.citations, citations)):
            if low is None and high is None:
                continue
            within = np.ones(len(column), bool)
            if low is not None:
                within &= column >= low
            if high is not None:
                within &= column <= high
            accepted &= np.where(column == UNKNOWN, unknown, within)
        return accepted

    def having(self, facet: str, values: Sequence[str]) -> NDArray[np.bool_]:
        """True for each statement that has one of the values of a facet."""
        having = np.zeros(len(self.years), bool)
        for value in values:
            name = facet_name(facet, value)
            at = bisect_left(self.names, name)
            if at < len(self.names) and self.names[at] == name:
                having[self.rows[self.starts[at] : self.starts[at + 1]]] = True
        return having


def facet_name(facet: str, value: str) -> str:
    """How a value of a field is written among the names; line breaks would end a name."""
    return facet + _SEPARATOR + value.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")


def facets_of(values: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """The names of all values that a statement has: {"author": (...), ...}, each once; empty values are none."""
    return {facet_name(facet, value): 1 for facet, found in values.items() for value in found if value}
