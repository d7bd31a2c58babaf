"""The rows of a label table as comparisons of systems."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stats.bootstrap import Ints
from stats.clusters import cluster_codes
from stats.groups import group_codes, refuse_repeats
from stats.pairwise import Comparisons, Result
from stats.position_bias import SwapCounts
from stats.raw_rows import TableError
from stats.tables import Table

RESULTS = {"first": Result.FIRST, "second": Result.SECOND, "tie": Result.TIE, "both_bad": Result.TIE}
# Two presentations of one comparison agree in these and differ in order.
_SAME_JUDGMENT = (
    "release",
    "campaign",
    "question",
    "subject",
    "rater_kind",
    "rater",
    "judge_version",
    "vote",
)


@dataclass(frozen=True)
class Presentations:
    """Every answered presentation, the judgment it belongs to, and its cluster (None without clusters)."""

    comparisons: Comparisons
    judgment: Ints
    clusters: Ints | None
    both_bad: int
    left_out: dict[str, int]


@dataclass(frozen=True)
class Settled:
    """One comparison per judgment, after both orders were put together."""

    comparisons: Comparisons
    clusters: Ints | None
    swaps: SwapCounts
    order_flips: int


def presentations(table: Table) -> Presentations:
    """Read `system` as left|right as shown and `value` as the slot that won.

    Raises TableError for another form of the pair, another value, or a repeated answer.
    """
    refuse_repeats(table)
    state = table["state"]
    answered = table.select(state.is_in("answered"))
    first, second, systems = _pairs(answered)
    values = answered["value"]
    strange = ~values.is_in(*RESULTS)
    _refuse(answered, strange, "value", "must be first, second, tie or both_bad")
    results = np.array([RESULTS.get(value, Result.TIE) for value in values.values], dtype=np.int64)
    judgment = _judgments(answered, first, second, len(systems))
    clusters = answered["cluster"]
    return Presentations(
        comparisons=Comparisons(first, second, results[values.codes], systems),
        judgment=judgment,
        clusters=None if clusters.is_empty else cluster_codes(clusters.texts()),
        both_bad=int(values.is_in("both_bad").sum()),
        left_out={name: int(state.is_in(name).sum()) for name in ("abstain", "unavailable")},
    )


def _refuse(table: Table, wrong: np.ndarray, column: str, message: str) -> None:
    if wrong.any():
        row = int(np.argmax(wrong))
        text = table[column].values[table[column].codes[row]]
        raise TableError(f"{message}, not {text!r}", line=int(table.lines[row]), column=column)


def _pairs(table: Table) -> tuple[Ints, Ints, tuple[str, ...]]:
    column = table["system"]
    split = [[name.strip() for name in text.split("|")] for text in column.values]
    good = [len(pair) == 2 and all(pair) and pair[0] != pair[1] for pair in split]
    _refuse(table, ~np.array(good, dtype=bool)[column.codes], "system", "must be two systems, left|right")
    used = np.unique(column.codes)
    systems = sorted({name for code in used for name in split[code]})
    places = {name: code for code, name in enumerate(systems)}
    ends = np.array(
        [[places.get(pair[0], 0), places.get(pair[-1], 0)] for pair in split], dtype=np.int64
    ).reshape(-1, 2)[column.codes]
    return ends[:, 0], ends[:, 1], tuple(systems)


def _judgments(table: Table, first: Ints, second: Ints, k: int) -> Ints:
    """Codes of judgments: the same rater on the same unordered pair of the same subject."""
    same = group_codes(table, _SAME_JUDGMENT)
    low, high = np.minimum(first, second), np.maximum(first, second)
    joint = (same * max(1, k) + low) * max(1, k) + high
    return np.unique(joint, return_inverse=True)[1].astype(np.int64)


def settle(shown: Presentations) -> Settled:
    """Put the two orders of one judgment together: decisive only if both name the same system.

    A judgment shown once stays; more than two presentations are refused.
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
    one, two = result[twice], _as_seen_from(shown.comparisons, lead[twice], other)
    result[twice] = np.where(one == two, one, Result.TIE)
    kept = shown.comparisons.take(lead)
    swapped = shown.comparisons.first[lead[twice]] != shown.comparisons.first[other]
    return Settled(
        comparisons=Comparisons(kept.first, kept.second, result, kept.systems),
        clusters=None if shown.clusters is None else shown.clusters[lead],
        swaps=_swap_counts(one[swapped], two[swapped]),
        order_flips=int((one != two).sum()),
    )


def _as_seen_from(comparisons: Comparisons, lead: Ints, other: Ints) -> Ints:
    """Results of `other` in the slots of `lead`."""
    result = comparisons.result[other]
    turned = np.where(result == Result.TIE, Result.TIE, 1 - result)
    return np.asarray(np.where(comparisons.first[lead] == comparisons.first[other], result, turned))


def _swap_counts(one: Ints, two: Ints) -> SwapCounts:
    """`two` is already turned: naming another system than `one` means that the same slot won twice."""
    first = int(((one == Result.FIRST) & (two == Result.SECOND)).sum())
    second = int(((one == Result.SECOND) & (two == Result.FIRST)).sum())
    agree = int((one == two).sum())
    return SwapCounts(agree, first, second, len(one) - agree - first - second)
