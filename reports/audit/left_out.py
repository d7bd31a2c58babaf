"""What a draw left out of a stratum, and what other audits found of it. No rows here.

A draw records which systems it was from and which campaigns it left out. Draws before 30 November 2026 did not: what
they left out is inferred from the sizes of their strata, and another draw of as many outputs can be mistaken for it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from reports.audit.results import Truth, system_of
from reports.core.datasets import DrawnItem

MOST_TRIED = 10  # audits of which some may be left out by another: above, all or none of them are
MOST_ABSENT = 5  # systems not hit by a draw of which some may be judged later: above, all of them are


@dataclass(frozen=True)
class DrawnAudit:
    """One campaign's draw and what its experts found.

    `systems` are those that had outputs in the frame, None where that was not recorded; `leaves_out` names the
    campaigns whose outputs were left out of it.
    """

    drawn: Sequence[DrawnItem]
    truth: Truth
    systems: Collection[str] | None = None
    leaves_out: Collection[str] = ()

    @property
    def campaigns(self) -> set[str]:
        """The name of the campaign, if it drew anything."""
        return {item.campaign for item in self.drawn}


@dataclass(frozen=True)
class LeftOut:
    """How many outputs of a stratum a draw left out, what the audits `by` found of them, and `spare`: those of the
    stratum that no draw could take."""

    count: int
    found: Mapping[str, tuple[DrawnItem, Truth]]
    spare: Collection[str]
    by: Sequence[DrawnAudit]

    @property
    def is_accounted_for(self) -> bool:
        """Whether the draw left out nothing, or what others had drawn and at most as many as there are of `spare`."""
        others = set(self.spare) - self.found.keys()
        return self.count == 0 or 0 <= self.count - len(self.found) <= len(others)


def left_out(
    audit: DrawnAudit,
    others: Sequence[DrawnAudit],
    inside: Mapping[str, str],
    frame: int | None,
    never: Collection[str],
    hit: Collection[str],
    methods: int,
) -> LeftOut:
    """What `audit` left out of the outputs `inside` a stratum (subject to `system/bucket`), of which `frame` could be
    drawn, None where it drew nothing: then it leaves out what the `others` found there.

    `never` are outputs that no draw could take, `hit` the systems of which the audit drew anything anywhere. Where the
    draw was not recorded, systems that it did not hit may have been judged after it (not with `methods` before 8), and
    it may have left out some of the others (before 14: all of them).
    """

    def without(absent: Collection[str], by: Sequence[DrawnAudit] | None = None) -> LeftOut:
        present = {subject for subject, at in inside.items() if system_of(at) not in absent}
        spare = present.intersection(never)
        if by is None:
            by = _left_out_by(audit, others, present, frame or 0, spare) if methods > 13 else others
        subjects = present - {item.subject for item in audit.drawn}
        # what the last audit found counts, of those that have a label (before 14: of all)
        found: dict[str, tuple[DrawnItem, Truth]] = {}
        for one in by:
            for item in one.drawn:
                is_new = item.subject not in found or item.subject in one.truth
                if item.subject in subjects and (is_new or methods < 14):
                    found[item.subject] = item, one.truth
        return LeftOut(len(found) if frame is None else len(present) - frame, found, spare, by)

    if frame is None:
        return without((), others)
    systems = {system_of(at) for at in inside.values()}
    if audit.systems is not None:
        recorded = [one for one in others if one.campaigns & set(audit.leaves_out)]
        return without(systems.difference(audit.systems), recorded)
    found = without(())
    if methods > 7 and not found.is_accounted_for:
        # all systems that were not hit may have been judged later, or else (not before 14) some of them
        missed = sorted(systems.difference(hit))
        fewest = 0 if methods > 13 and len(missed) <= MOST_ABSENT else len(missed)
        for absent in (some for n in range(len(missed), fewest - 1, -1) for some in combinations(missed, n)):
            found = without(absent)
            if found.is_accounted_for:
                break
    return found


def _left_out_by(
    audit: DrawnAudit,
    others: Sequence[DrawnAudit],
    inside: Collection[str],
    frame: int,
    spare: Collection[str],
) -> Sequence[DrawnAudit]:
    """Those of `others` whose outputs may be what was left out `inside` a stratum; all others if none can be.

    What a draw leaves out it does not draw. Those with the larger frames come first: they were drawn earlier, and of
    what was left out as many may be nobody's as there are of `spare` besides.
    """
    number = len(inside) - frame
    if number <= 0:
        return others
    mine = {item.subject for item in audit.drawn}
    possible = []
    for other in others:
        theirs = {item.subject for item in other.drawn if item.subject in inside}
        if theirs and not theirs & mine:
            frames = {item.stratum: item.stratum_size for item in other.drawn if item.subject in theirs}
            possible.append((sum(frames.values()), theirs, other))
    possible.sort(key=lambda row: -row[0])
    larger = [row for row in possible if row[0] > frame]
    nobodies = set(spare)
    for rows, nobody in ((larger, nobodies), (possible, set[str]()), (possible, nobodies)):
        fewest = 1 if len(rows) <= MOST_TRIED else len(rows)
        found: list[tuple[int, Sequence[DrawnAudit]]] = [] if number > len(nobody) else [(number, ())]
        for many in range(len(rows), fewest - 1, -1):
            for some in combinations(rows, many):
                union = set().union(*(theirs for _, theirs, _ in some))
                nobodys = number - len(union)
                if 0 <= nobodys <= len(nobody - union):
                    found.append((nobodys, [other for _, _, other in some]))
        if found:
            return min(found, key=lambda row: row[0])[1]
    return others
