"""Which items a reviewer must not get, so that what they do get never reveals who wrote it (docs/adr/0025). Pure.

A conflict of interest with a system excludes its outputs, so every other output is known not to be its work. So of
every problem enough other systems must be left; and a problem of which the reviewer had an output before the conflict
counted is excluded as a whole, because an output that is missing later would be known to be its work.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Why(StrEnum):
    """Why an item is not for a reviewer, in the words of the plan of assignment."""

    CONFLICT = "with a conflict of interest"
    FEW = "for whom too few authors would be possible"
    HAD = "had the problem before the conflict applied"


@dataclass(frozen=True)
class Targets:
    """What a reviewer is in conflict with: slugs of systems, keys of papers and of problems."""

    systems: frozenset[str] = frozenset()
    papers: frozenset[str] = frozenset()
    problems: frozenset[str] = frozenset()


@dataclass(frozen=True)
class DrawnItem:
    """An item: its problem and paper, and `by`, the systems whose work it shows: none, one, or two."""

    item: int
    problem: str
    paper: str
    by: frozenset[str]


@dataclass(frozen=True)
class Ground:
    """The items of a campaign, the systems that answered each problem, and the least number of possible authors."""

    items: tuple[DrawnItem, ...]
    authors: Mapping[str, frozenset[str]]
    least: int

    @property
    def systems(self) -> frozenset[str]:
        """Every system that answered one of the problems."""
        return frozenset[str]().union(*self.authors.values())


def exclusions(ground: Ground, targets: Targets, had: Mapping[str, frozenset[str]]) -> dict[int, Why]:
    """By item, why this reviewer must not get it.

    `had` names the problems of which they had an output, each with the systems that were excluded at that time.
    """
    present = targets.systems & ground.systems
    found = {}
    for drawn in ground.items:
        problem, reason = drawn.problem, None
        if problem in targets.problems or drawn.paper in targets.papers:
            reason = Why.CONFLICT
        elif not drawn.by:
            continue  # an instance of a construction audit: nobody's answer is shown
        elif drawn.by & targets.systems:
            reason = Why.CONFLICT
        elif len(ground.authors.get(problem, frozenset()) - targets.systems) < ground.least:
            reason = Why.FEW
        elif problem in had and present - had[problem]:
            reason = Why.HAD
        if reason:
            found[drawn.item] = reason
    return found
