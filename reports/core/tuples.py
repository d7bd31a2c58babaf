"""One frozen tuple to a table: which runs of a track may appear together.

Re2Math (B.5): a comparison names its whole frozen tuple, and entries of different tuples are not compared. Runs
of no tuple count as one of their own, so that nothing undeclared slips in with what was declared.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from accounts.refusal import Refused
from benchmark.models import FrozenTuple, Release, Run
from reports.core.datasets import PLAIN

UNDECLARED = "none"


class MixedTuples(Refused):
    """Runs of several frozen tuples and none named; `names` are those that can be, `where` are the runs in words."""

    def __init__(self, where: str, found: Mapping[str, list[str]]) -> None:
        self.names = [name or UNDECLARED for name in found]
        listed = "; ".join(f"{name or UNDECLARED}: {', '.join(systems)}" for name, systems in found.items())
        super().__init__(
            f"The runs of {where} belong to different frozen tuples, and entries of different tuples "
            f"never share a table. Name one ({listed}).",
            code="mixed_tuples",
            field="tuple",
        )


@dataclass(frozen=True)
class TupleInfo:
    """The entries of a frozen tuple other than the release, as a score prints them; the date in ISO form."""

    name: str
    split: str
    retrieval: str
    materialisation: str
    scoring: str
    evaluated_on: str


def tuples_of(release: Release, track: str, condition: str = PLAIN) -> dict[str, list[str]]:
    """The names of the tuples of a track's runs ("" for runs of none), each with its systems; one query."""
    rows = Run.objects.filter(release=release, track=track, condition=condition, outputs__isnull=False)
    found: dict[str, list[str]] = defaultdict(list)
    pairs = rows.order_by("system__slug").values_list("tupled__tuple__name", "system__slug").distinct()
    for name, system in pairs:
        found[name or ""].append(system)
    return dict(sorted(found.items()))


def tuples_of_release(release: Release) -> list[str]:
    """The names of all tuples of a release's runs, "none" for runs of none; empty unless one has to be chosen."""
    rows = Run.objects.filter(release=release, outputs__isnull=False).order_by().distinct()
    found = sorted(name or "" for name in rows.values_list("tupled__tuple__name", flat=True))
    return [name or UNDECLARED for name in found] if any(found) else []


def one_tuple(
    release: Release, track: str, wanted: str = "", condition: str = PLAIN
) -> tuple[TupleInfo | None, frozenset[str] | None]:
    """The tuple of a track's table, and its systems where others have to be left out.

    `wanted` names a tuple, or "none" for runs of no tuple. Raises Refused with code mixed_tuples when the runs
    belong to several and none is named, or no_tuple for one that is not there.
    """
    found = tuples_of(release, track, condition)
    if not wanted and len(found) > 1:
        raise MixedTuples(f"track {track}", found)
    name = ("" if wanted == UNDECLARED else wanted) if wanted else next(iter(found), "")
    if name not in found:
        there = ", ".join(known or UNDECLARED for known in found) or UNDECLARED
        raise Refused(
            f"Track {track} has no runs in the tuple {wanted!r}; there are: {there}.",
            code="no_tuple",
            field="tuple",
        )
    systems = None
    if len(found) > 1:
        # systems of the tuple that released no output on the track: no row of a table, and a line below it
        runs = Run.objects.filter(release=release, track=track, condition=condition, outputs__isnull=True)
        withheld = runs.filter(tupled__tuple__name=name) if name else runs.filter(tupled__isnull=True)
        systems = frozenset([*found[name], *withheld.values_list("system__slug", flat=True)])
    if not name:
        return None, systems
    row = FrozenTuple.objects.get(release=release, name=name)
    info = TupleInfo(
        row.name, row.split, row.retrieval, row.materialisation, row.scoring, row.evaluated_on.isoformat()
    )
    return info, systems
