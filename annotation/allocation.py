"""Which reviewers get which items: expertise, conflicts and capacity kept, load as even as it can be.

The problem is a minimum-cost flow: each item sends `wanted` units to different reviewers, each reviewer's
k-th item costs more than the one before, and a unit that no reviewer can take falls into a shortfall at a
price above everything else. So the fewest possible places stay empty, and every one of them is reported with
its reason. The matrix is that of a network, whose vertices are whole numbers, so a linear program solves it.
"""

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

SHORTFALL_COST = 1e6
CONFIDENCE_GAIN = 0.05  # less than one step of load, so that confidence never costs balance


@dataclass(frozen=True)
class Vacancy:
    """An item with `wanted` free places. `taken_by` holds everyone who ever had a place on it."""

    item: int
    domain: str
    by: frozenset[str]  # the systems whose work it is: one, or the two of a pair
    paper: str
    wanted: int
    taken_by: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Candidate:
    """A reviewer: confidence 1-3 by domain, conflicts, places held now, and the most they may hold."""

    reviewer: int
    confidence: Mapping[str, int]
    systems: frozenset[str] = frozenset()
    papers: frozenset[str] = frozenset()
    load: int = 0
    capacity: int | None = None


@dataclass(frozen=True)
class Unmet:
    """Places of an item that nobody can take, and why."""

    item: int
    wanted: int
    placed: int
    reason: str


@dataclass(frozen=True)
class Plan:
    """Who gets what, before anything is written."""

    pairs: tuple[tuple[int, int], ...] = ()  # (item, reviewer)
    unmet: tuple[Unmet, ...] = ()
    loads: Mapping[int, int] = field(default_factory=dict)  # reviewer to places held afterwards

    @property
    def sha256(self) -> str:
        """Fingerprint of the pairs: a plan is applied only if it is still the one that was looked at."""
        return hashlib.sha256(repr(self.pairs).encode()).hexdigest()


def refusal(vacancy: Vacancy, candidate: Candidate) -> str:
    """Why this reviewer cannot take this item, or "" if they can."""
    if vacancy.domain not in candidate.confidence:
        return "without expertise in the domain"
    if vacancy.by & candidate.systems:
        return "in conflict with the system"
    if vacancy.paper and vacancy.paper in candidate.papers:
        return "in conflict with the paper"
    if candidate.reviewer in vacancy.taken_by:
        return "had this item already"
    return ""


def allocate(vacancies: Sequence[Vacancy], candidates: Sequence[Candidate], seed: int) -> Plan:
    """The plan that fills most places, then balances load, then prefers confidence; same seed, same plan."""
    vacancies = sorted((v for v in vacancies if v.wanted > 0), key=lambda v: v.item)
    candidates = sorted(candidates, key=lambda c: c.reviewer)
    edges = [(v, c) for v in vacancies for c in candidates if not refusal(v, c)]
    chosen = _solve(vacancies, edges, seed) if edges else []
    pairs = tuple(sorted((v.item, c.reviewer) for v, c in chosen))
    return Plan(pairs, tuple(_unmet(vacancies, candidates, pairs)), _loads(candidates, pairs))


def _loads(candidates: Iterable[Candidate], pairs: Iterable[tuple[int, int]]) -> dict[int, int]:
    loads = {candidate.reviewer: candidate.load for candidate in candidates}
    for _, reviewer in pairs:
        loads[reviewer] += 1
    return loads


def _unmet(
    vacancies: Sequence[Vacancy], candidates: Sequence[Candidate], pairs: Sequence[tuple[int, int]]
) -> Iterable[Unmet]:
    placed: dict[int, int] = {}
    for item, _ in pairs:
        placed[item] = placed.get(item, 0) + 1
    for vacancy in vacancies:
        got = placed.get(vacancy.item, 0)
        if got < vacancy.wanted:
            yield Unmet(vacancy.item, vacancy.wanted, got, _explain(vacancy, candidates))


def _explain(vacancy: Vacancy, candidates: Sequence[Candidate]) -> str:
    counts: dict[str, int] = {}
    for candidate in candidates:
        reason = refusal(vacancy, candidate)
        counts[reason] = counts.get(reason, 0) + 1
    fitting = counts.pop("", 0)
    others = ", ".join(f"{count} {reason}" for reason, count in sorted(counts.items()))
    if fitting >= vacancy.wanted:
        return f"{fitting} of {len(candidates)} reviewers fit, but their capacity is used up"
    return f"{fitting} of {len(candidates)} reviewers fit" + (f" ({others})" if others else "")


def _solve(
    vacancies: Sequence[Vacancy], edges: Sequence[tuple[Vacancy, Candidate]], seed: int
) -> list[tuple[Vacancy, Candidate]]:
    import numpy as np  # heavy imports stay out of the web process until a plan is made
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    slots = _slots(vacancies, edges)
    item_row = {vacancy.item: row for row, vacancy in enumerate(vacancies)}
    reviewer_row = {r: len(vacancies) + k for k, r in enumerate(sorted({c.reviewer for _, c in edges}))}
    first_short, first_slot = len(edges), len(edges) + len(vacancies)
    columns = first_slot + len(slots)
    entries: list[tuple[int, int, float]] = []
    for column, (vacancy, candidate) in enumerate(edges):
        entries += [(item_row[vacancy.item], column, 1), (reviewer_row[candidate.reviewer], column, 1)]
    entries += [(row, first_short + row, 1) for row in range(len(vacancies))]
    entries += [(reviewer_row[slot.reviewer], first_slot + k, -1) for k, slot in enumerate(slots)]
    rows, cols, values = zip(*entries, strict=True)
    solution = linprog(
        np.array(
            [_edge_cost(v, c, seed) for v, c in edges]
            + [SHORTFALL_COST] * len(vacancies)
            + [slot.cost for slot in slots]
        ),
        A_eq=csr_array((values, (rows, cols)), shape=(len(vacancies) + len(reviewer_row), columns)),
        b_eq=np.array([v.wanted for v in vacancies] + [0] * len(reviewer_row)),
        bounds=[(0, 1)] * len(edges)
        + [(0, v.wanted) for v in vacancies]
        + [(0, slot.width) for slot in slots],
        method="highs-ds",
    )
    if solution.x is None:
        raise RuntimeError(f"the assignment could not be solved: {solution.message}")
    return [edge for edge, share in zip(edges, solution.x, strict=False) if share > 0.5]


@dataclass(frozen=True)
class _Slot:
    """Room for `width` more items with one reviewer, each at `cost`."""

    reviewer: int
    cost: float
    width: int


def _slots(vacancies: Sequence[Vacancy], edges: Sequence[tuple[Vacancy, Candidate]]) -> list[_Slot]:
    """Single slots of rising cost well past the mean load, then one wide slot for the rest."""
    reachable: dict[int, int] = {}
    people = {candidate.reviewer: candidate for _, candidate in edges}
    for _, candidate in edges:
        reachable[candidate.reviewer] = reachable.get(candidate.reviewer, 0) + 1
    mean = math.ceil(sum(v.wanted for v in vacancies) / len(people))
    slots: list[_Slot] = []
    for reviewer, candidate in people.items():
        room = reachable[reviewer]
        if candidate.capacity is not None:
            room = min(room, max(0, candidate.capacity - candidate.load))
        single = min(room, 3 * mean + 10)
        slots += [_Slot(reviewer, candidate.load + k, 1) for k in range(single)]
        if room > single:
            slots.append(_Slot(reviewer, candidate.load + room, room - single))
    return slots


def _edge_cost(vacancy: Vacancy, candidate: Candidate, seed: int) -> float:
    """Confidence lowers the cost a little; a seeded crumb decides between equals."""
    lot = hashlib.sha256(f"{seed}\x1f{vacancy.item}\x1f{candidate.reviewer}".encode()).digest()
    crumb = int.from_bytes(lot[:4], "big") / 2**32 / 100
    return crumb - CONFIDENCE_GAIN * candidate.confidence[vacancy.domain]
