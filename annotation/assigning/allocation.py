"""Which reviewers get which items: expertise, respecting conflicts and capacity, with the load as even as possible.

The problem is a minimum-cost flow: each item sends `wanted` units to different reviewers, each reviewer's
k-th item costs more than the one before, and a unit that no reviewer can take falls into a shortfall at a
price above everything else. So the fewest possible places stay empty, and every one of them is reported with
its reason. The matrix is that of a network, whose vertices are whole numbers, so a linear program solves it.

Two rules about outputs of one problem keep that. APART adds a bound of one for each reviewer and problem; these
bounds lie inside the reviewers' rows, so the rows on that side are nested and the matrix stays totally
unimodular. TOGETHER makes a problem's vacancies one unit that weighs as much as it has items; units of one
weight are a network again, and weights are served from the heaviest down, each on the loads that the ones
before left. That is exact when every problem has equally many outputs, and a greedy order otherwise.
"""

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

SHORTFALL_COST = 1e6
CONFIDENCE_GAIN = 0.05  # less than one step of load, so that confidence never costs balance


@dataclass(frozen=True)
class Vacancy:
    """An item with `wanted` free places. `taken_by` lists everyone who ever had a place on it."""

    item: int
    domain: str
    wanted: int
    taken_by: frozenset[int] = frozenset()
    problem: int = 0
    weight: int = 1  # items that come with it


@dataclass(frozen=True)
class Candidate:
    """A reviewer: confidence 1-3 by domain, places held now, and the most they may hold.

    `excluded` says for items why they must not get them, `undecided` that a conflict of interest of theirs has to be
    decided first; `problems` are those of which they ever had an output.
    """

    reviewer: int
    confidence: Mapping[str, int]
    excluded: Mapping[int, str] = field(default_factory=dict)
    undecided: bool = False
    load: int = 0
    capacity: int | None = None
    problems: frozenset[int] = frozenset()


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


class Rule(StrEnum):
    """Who may have several outputs of one problem."""

    FREE = "free"
    TOGETHER = "together"
    APART = "apart"


def refusal(vacancy: Vacancy, candidate: Candidate, rule: str = Rule.FREE) -> str:
    """Why this reviewer cannot take this item, or "" if they can."""
    if vacancy.domain not in candidate.confidence:
        return "without expertise in the domain"
    if candidate.undecided:
        return "waiting for a decision about a conflict of interest"
    if vacancy.item in candidate.excluded:
        return str(candidate.excluded[vacancy.item])
    if candidate.reviewer in vacancy.taken_by:
        return "have already had this item"
    if rule == Rule.APART and vacancy.problem in candidate.problems:
        return "have had another answer to the problem"
    return ""


def allocate(
    vacancies: Sequence[Vacancy], candidates: Sequence[Candidate], seed: int, rule: str = Rule.FREE
) -> Plan:
    """The plan that fills most places, then balances load, then prefers confidence; same seed, same plan."""
    vacancies = sorted((v for v in vacancies if v.wanted > 0), key=lambda v: v.item)
    candidates = sorted(candidates, key=lambda c: c.reviewer)
    if rule == Rule.TOGETHER:
        pairs = _by_problem(vacancies, candidates, seed)
    else:
        edges = [(v, c) for v in vacancies for c in candidates if not refusal(v, c, rule)]
        chosen = _solve(vacancies, edges, seed, apart=rule == Rule.APART) if edges else []
        pairs = tuple(sorted((v.item, c.reviewer) for v, c in chosen))
    placed, unmet = Counter(item for item, _ in pairs), []
    for vacancy in vacancies:
        if placed[vacancy.item] >= vacancy.wanted:
            continue
        counts = Counter(refusal(vacancy, candidate, rule) for candidate in candidates)
        fitting = counts.pop("", 0)
        reason = f"{fitting} of {len(candidates)} reviewers fit"
        if fitting >= vacancy.wanted:
            reason += f", but {_STRAINED[Rule(rule)]}"
        elif counts:
            reason += f" ({', '.join(f'{count} {why}' for why, count in sorted(counts.items()))})"
        unmet.append(Unmet(vacancy.item, vacancy.wanted, placed[vacancy.item], reason))
    return Plan(pairs, tuple(unmet), _loads(candidates, pairs))


def _by_problem(
    vacancies: Sequence[Vacancy], candidates: Sequence[Candidate], seed: int
) -> tuple[tuple[int, int], ...]:
    """Whole problems to reviewers, heaviest first."""
    problems: dict[int, list[Vacancy]] = {}
    for vacancy in vacancies:
        problems.setdefault(vacancy.problem, []).append(vacancy)
    units = {_unit(members).item: members for members in problems.values()}
    pairs: list[tuple[int, int]] = []
    for weight in sorted({len(members) for members in units.values()}, reverse=True):
        loads = _loads(candidates, pairs)
        now = [replace(candidate, load=loads[candidate.reviewer]) for candidate in candidates]
        same = [_unit(members) for members in units.values() if len(members) == weight]
        edges = [
            (unit, candidate)
            for unit in same
            for candidate in now
            if not any(refusal(member, candidate) for member in units[unit.item])
        ]
        for unit, candidate in _solve(same, edges, seed) if edges else []:
            given = Counter(item for item, _ in pairs)
            pairs += [
                (member.item, candidate.reviewer)
                for member in units[unit.item]
                if given[member.item] < member.wanted
            ]
    return tuple(sorted(pairs))


def _unit(members: Sequence[Vacancy]) -> Vacancy:
    """A problem's vacancies as one, named by the first of them."""
    most = max(member.wanted for member in members)
    return replace(members[0], wanted=most, weight=len(members))


def _loads(candidates: Iterable[Candidate], pairs: Iterable[tuple[int, int]]) -> dict[int, int]:
    loads = {candidate.reviewer: candidate.load for candidate in candidates}
    for _, reviewer in pairs:
        loads[reviewer] += 1
    return loads


_STRAINED = {
    Rule.FREE: "their capacity is used up",
    Rule.TOGETHER: "not enough capacity for all answers to the problem",
    Rule.APART: "each may take only one answer to a problem, or their capacity is used up",
}


def _solve(
    vacancies: Sequence[Vacancy],
    edges: Sequence[tuple[Vacancy, Candidate]],
    seed: int,
    *,
    apart: bool = False,
) -> list[tuple[Vacancy, Candidate]]:
    import numpy as np  # heavy imports stay out of the web process until a plan is made
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    slots = _slots(vacancies, edges)
    item_row = {vacancy.item: row for row, vacancy in enumerate(vacancies)}
    reviewer_row = {r: len(vacancies) + k for k, r in enumerate(sorted({c.reviewer for _, c in edges}))}
    first_short, first_slot = len(edges), len(edges) + len(vacancies)
    width = first_slot + len(slots)
    entries: list[tuple[int, int, float]] = []
    costs: list[float] = []
    for column, (vacancy, candidate) in enumerate(edges):
        # confidence lowers the cost a little; a tiny seeded term breaks ties
        lot = hashlib.sha256(f"{seed}\x1f{vacancy.item}\x1f{candidate.reviewer}".encode()).digest()
        crumb = int.from_bytes(lot[:4], "big") / 2**32 / 100
        costs.append(crumb - CONFIDENCE_GAIN * candidate.confidence[vacancy.domain])
        entries += [(item_row[vacancy.item], column, 1), (reviewer_row[candidate.reviewer], column, 1)]
    entries += [(row, first_short + row, 1) for row in range(len(vacancies))]
    entries += [(reviewer_row[slot.reviewer], first_slot + k, -1) for k, slot in enumerate(slots)]
    rows, cols, values = zip(*entries, strict=True)
    groups: dict[tuple[int, int], list[int]] = {}
    for column, (vacancy, candidate) in enumerate(edges if apart else ()):
        groups.setdefault((candidate.reviewer, vacancy.problem), []).append(column)
    # of each group a reviewer takes one column at most
    bounded = [columns for columns in groups.values() if len(columns) > 1]
    at = [(row, column) for row, group in enumerate(bounded) for column in group]
    at_rows, at_columns = zip(*at, strict=True) if at else ((), ())
    terms = {
        "c": np.array([*costs, *[SHORTFALL_COST] * len(vacancies), *(slot.cost for slot in slots)]),
        "A_eq": csr_array((values, (rows, cols)), shape=(len(vacancies) + len(reviewer_row), width)),
        "b_eq": np.array([v.wanted for v in vacancies] + [0] * len(reviewer_row)),
        "A_ub": csr_array((np.ones(len(at)), (at_rows, at_columns)), shape=(len(bounded), width))
        if at
        else None,
        "b_ub": np.ones(len(bounded)) if at else None,
        "bounds": [(0, 1)] * len(edges)
        + [(0, v.wanted) for v in vacancies]
        + [(0, slot.width) for slot in slots],
    }
    solution = linprog(**terms, method="highs-ds")
    if solution.x is None:  # of some small plans the solver says after its presolve that it does not know
        solution = linprog(**terms, method="highs-ds", options={"presolve": False})
    if solution.x is None:
        raise RuntimeError(f"the assignment could not be solved: {solution.message}")
    return [edge for edge, share in zip(edges, solution.x, strict=False) if share > 0.5]


@dataclass(frozen=True)
class _Slot:
    """Room for `width` more vacancies with one reviewer, each at `cost`."""

    reviewer: int
    cost: float
    width: int


def _slots(vacancies: Sequence[Vacancy], edges: Sequence[tuple[Vacancy, Candidate]]) -> list[_Slot]:
    """Single slots of rising cost well past the mean load, then one wide slot for the rest."""
    people = {candidate.reviewer: candidate for _, candidate in edges}
    reachable = Counter(candidate.reviewer for _, candidate in edges)
    mean = math.ceil(sum(v.wanted for v in vacancies) / len(people))
    weight = vacancies[0].weight  # the same for all that are solved together
    slots: list[_Slot] = []
    for reviewer, candidate in people.items():
        room = reachable[reviewer]
        if candidate.capacity is not None:
            room = min(room, max(0, candidate.capacity - candidate.load) // weight)
        single = min(room, 3 * mean + 10)
        slots += [_Slot(reviewer, candidate.load + k * weight, 1) for k in range(single)]
        if room > single:
            slots.append(_Slot(reviewer, candidate.load + room * weight, room - single))
    return slots
