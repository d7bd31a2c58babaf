"""The rows of a label table as comparisons of systems."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from stats.core.bootstrap import Ints
from stats.pairs.pairwise import Comparisons, Result
from stats.pairs.position_bias import SwapCounts
from stats.scores.clusters import cluster_codes
from stats.tables.columns import Table
from stats.tables.groups import SAME_JUDGMENT, group_codes, refuse_repeats
from stats.tables.labels import independent
from stats.tables.raw_rows import TableError

RESULTS = {"first": Result.FIRST, "second": Result.SECOND, "tie": Result.TIE, "both_bad": Result.TIE}
OrderRule = Literal["agree", "net"]
# What the two orders of a comparison come to, both in the slots of the first.
ORDER_RULES: Mapping[OrderRule, Callable[[Ints, Ints], Ints]] = {
    "agree": lambda one, two: np.where(one == two, one, Result.TIE),
    "net": lambda one, two: np.select(
        [one == two, one == Result.TIE, two == Result.TIE], [one, two, one], Result.TIE
    ),
}


@dataclass(frozen=True)
class Presentations:
    """Every answered presentation: its judgment, its rater, and its cluster or problem."""

    comparisons: Comparisons
    judgment: Ints
    rater: Ints
    raters: tuple[str, ...]
    clusters: Ints
    both_bad: int
    left_out: dict[str, int]

    @property
    def shared_clusters(self) -> Ints | None:
        """The clusters, None when every presentation has one of its own: then they are independent."""
        return self.clusters if len(np.unique(self.clusters)) < len(self.clusters) else None


@dataclass(frozen=True)
class Settled:
    """One comparison per judgment, after both orders were put together.

    `swap_table` (3, 3) counts judgments shown in both orders by what each order said, in the terms of
    `Result` for the system first in the alphabet; rows are the presentations that showed it first. `clusters`
    is None when no two judgments share one: then they are independent. `cluster_swaps` are the swaps of each cluster.
    """

    comparisons: Comparisons
    rater: Ints
    raters: tuple[str, ...]
    clusters: Ints | None
    swaps: SwapCounts
    cluster_swaps: Sequence[SwapCounts]
    swap_table: Ints
    order_flips: int


def presentations(table: Table, *, among: Sequence[str] = ()) -> Presentations:
    """Read `system` as left|right as shown and `value` as the slot that won.

    `among` keeps the comparisons of these systems with each other. Raises TableError for a system that does
    not occur, another form of the pair, another value, or a repeated answer.
    """
    table, others = independent(table)
    refuse_repeats(table, also=("system",))  # several pairs of systems may answer one problem
    if among:
        column, wanted = table["system"], frozenset(among)
        used = {name for code in np.unique(column.codes) for name in _split(column.values[code])}
        if absent := sorted(wanted - used):
            raise TableError(f"no comparison shows {', '.join(absent)}", column="system")
        table = table.select(
            column.is_in(*(text for text in column.values if wanted.issuperset(_split(text))))
        )
    state = table["state"]
    answered = table.select(state.is_in("answered"))
    first, second, systems = system_pairs(answered)
    raters = answered["rater"]
    values = answered["value"]
    # A judgment is what one rater says about an unordered pair about one subject.
    same, k = group_codes(answered, SAME_JUDGMENT), max(1, len(systems))
    joint = (same * k + np.minimum(first, second)) * k + np.maximum(first, second)
    judgment = np.unique(joint, return_inverse=True)[1].astype(np.int64)
    return Presentations(
        comparisons=Comparisons(first, second, pair_results(answered), systems),
        judgment=judgment,
        rater=raters.codes.astype(np.int64),
        raters=raters.values,
        clusters=pair_clusters(answered),
        both_bad=int(values.is_in("both_bad").sum()),
        left_out={
            **{name: int(state.is_in(name).sum()) for name in ("abstain", "unavailable")},
            **others,
        },
    )


def pair_results(answered: Table) -> Ints:
    """(rows,) the `Result` of answered presentations. Raises TableError for another value."""
    values = answered["value"]
    _refuse(answered, ~values.is_in(*RESULTS), "value", "must be first, second, tie or both_bad")
    return np.array([RESULTS.get(value, Result.TIE) for value in values.values], dtype=np.int64)[values.codes]


def pair_clusters(table: Table) -> Ints:
    """What judgments may share: their cluster, without such a column their problem."""
    filled = (name for name in ("cluster", "instance") if not table[name].is_empty)
    return cluster_codes(table[next(filled, "subject")].texts())


def _refuse(table: Table, wrong: np.ndarray, column: str, message: str) -> None:
    if wrong.any():
        row = int(np.argmax(wrong))
        text = table[column].values[table[column].codes[row]]
        raise TableError(f"{message}, not {text!r}", line=int(table.lines[row]), column=column)


def _split(text: str) -> list[str]:
    return [name.strip() for name in text.split("|")]


def system_pairs(table: Table) -> tuple[Ints, Ints, tuple[str, ...]]:
    """(rows,) codes of the systems shown first and second, and the names; TableError for another form."""
    column = table["system"]
    split = [_split(text) for text in column.values]
    good = [len(pair) == 2 and all(pair) and pair[0] != pair[1] for pair in split]
    _refuse(table, ~np.array(good, dtype=bool)[column.codes], "system", "must be two systems, left|right")
    used = np.unique(column.codes)
    systems = sorted({name for code in used for name in split[code]})
    places = {name: code for code, name in enumerate(systems)}
    ends = np.array(
        [[places.get(pair[0], 0), places.get(pair[-1], 0)] for pair in split], dtype=np.int64
    ).reshape(-1, 2)[column.codes]
    return ends[:, 0], ends[:, 1], tuple(systems)


def settle(shown: Presentations, rule: OrderRule = "agree") -> Settled:
    """Put the two orders of one judgment together by one of ORDER_RULES.

    "agree": decisive only if both name the same system, else a tie. "net": the votes are added, so one decisive order
    and a tie are decisive, and only opposite orders (or two ties) are a tie. A judgment shown once stays; more than two
    presentations are refused.
    """
    counts = np.bincount(shown.judgment)
    if (counts > 2).any():
        raise TableError("a comparison has more than two presentations: number repeated judgments in vote")
    order = np.argsort(shown.judgment, kind="stable")
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
    lead = order[starts] if len(counts) else np.empty(0, dtype=np.int64)
    twice = counts == 2
    other = order[starts[twice] + 1] if len(counts) else lead
    result = shown.comparisons.result[lead].copy()
    swapped = shown.comparisons.first[lead[twice]] != shown.comparisons.first[other]
    one, two = result[twice], shown.comparisons.result[other]
    two = np.where(swapped & (two != Result.TIE), 1 - two, two)  # in the slots of the first order
    result[twice] = ORDER_RULES[rule](one, two)
    kept, clusters = shown.comparisons.take(lead), shown.clusters[lead]
    shared = len(np.unique(clusters)) < len(clusters)
    low_first = kept.first < kept.second
    by_cluster: list[Ints] = []  # the swapped places of each cluster that has any
    if shared and swapped.any():
        places, own = np.flatnonzero(swapped), clusters[twice]
        places = places[np.argsort(own[places], kind="stable")]
        by_cluster = np.split(places, np.flatnonzero(np.diff(own[places])) + 1)
    # Both are in the slots of `one`: turned to the lower system's, the order that showed it first in rows.
    turn, low = np.array([Result.SECOND, Result.FIRST, Result.TIE]), low_first[twice][swapped]
    rows = np.where(low, one[swapped], turn[two[swapped]])
    columns = np.where(low, two[swapped], turn[one[swapped]])
    return Settled(
        comparisons=Comparisons(kept.first, kept.second, result, kept.systems),
        rater=shown.rater[lead],
        raters=shown.raters,
        clusters=clusters if shared else None,
        swaps=_swap_counts(one[swapped], two[swapped]),
        cluster_swaps=[_swap_counts(one[own], two[own]) for own in by_cluster],
        swap_table=np.bincount(3 * rows + columns, minlength=9).reshape(3, 3).astype(np.int64),
        order_flips=int((one != two).sum()),
    )


def _swap_counts(one: Ints, two: Ints) -> SwapCounts:
    """`two` is already turned: naming another system than `one` means that the same slot won twice."""
    first = int(((one == Result.FIRST) & (two == Result.SECOND)).sum())
    second = int(((one == Result.SECOND) & (two == Result.FIRST)).sum())
    agree = int((one == two).sum())
    return SwapCounts(agree, first, second, len(one) - agree - first - second)
