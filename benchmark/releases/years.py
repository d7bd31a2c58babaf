"""The year after which a problem may be given no source: that of its paper, as far as it is known."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from django.db.models import QuerySet

from benchmark.citations.identifiers import arxiv_year
from benchmark.models import Instance, Paper


@dataclass(frozen=True)
class Years:
    """Where the upper years of problems come from. Nothing is cut off for the problems without one."""

    problems: int
    by_date: Annotated[int, "Problems whose year is that of their paper's publication date."]
    by_number: Annotated[
        int, "Problems whose paper has no date, so that the year is that of its arXiv number."
    ]
    without: Annotated[Sequence[str], "The keys of the problems without a year."]


def last_year(paper: Paper | None) -> int | None:
    """The year of the publication date, else of the arXiv number, else None."""
    if paper is None:
        return None
    return paper.year or arxiv_year(str(paper.identifiers.get("arxiv", "")))


CITING_YEAR, PUBLICATION_YEAR = "citing-year", "publication-year"
# The year of a problem's paper that bounds its sources. The released code of Re2Math knows the publication date only.
YEAR_POLICIES: Mapping[str, Callable[[Paper], int | None]] = {
    "": lambda paper: None,
    CITING_YEAR: last_year,
    PUBLICATION_YEAR: lambda paper: paper.year,
}


def years_of(instances: QuerySet[Instance], bounds: Mapping[str, int | None] | None = None) -> Years:
    """The upper years of these problems: those of a frozen artifact by key, or without `bounds` those of the papers."""
    by_date, by_number = 0, 0
    without = []
    for instance in instances.select_related("paper").defer("payload").order_by("key"):
        year = last_year(instance.paper) if bounds is None else bounds.get(instance.key)
        if year is None:
            without.append(instance.key)
        elif instance.paper is not None and instance.paper.year == year:
            by_date += 1
        else:
            by_number += 1
    return Years(by_date + by_number + len(without), by_date, by_number, without)
