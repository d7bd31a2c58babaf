"""Comparisons of systems two at a time: counts, win rates, connectedness (STATISTICS.md 1.5, 3 iii)."""

import math
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np
from numpy.typing import ArrayLike

from stats.core.bootstrap import Floats, Ints
from stats.core.estimate import Caution, Estimate, Reason, undefined
from stats.core.intervals import proportion, wilson, z_value
from stats.scores.clusters import Clustering, cluster_totals, wilson_on_effective_n


class Result(IntEnum):
    """Which of the two shown won; `both bad` is a tie."""

    FIRST = 0
    SECOND = 1
    TIE = 2


@dataclass(frozen=True)
class Comparisons:
    """L comparisons of k systems: codes of the first and second shown, and the result, all (L,)."""

    first: Ints
    second: Ints
    result: Ints
    systems: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.first.shape == self.second.shape == self.result.shape:
            raise ValueError("first, second and result must have one length")
        if (self.first == self.second).any():
            raise ValueError("a system cannot be compared with itself")

    @property
    def k(self) -> int:
        """Number of systems."""
        return len(self.systems)

    def table(self) -> Floats:
        """(3, k, k) counts: [result, first shown, second shown]."""
        k = self.k
        flat = np.bincount((self.result * k + self.first) * k + self.second, minlength=3 * k * k)
        return flat.reshape(3, k, k).astype(np.float64)

    def take(self, rows: Ints) -> "Comparisons":
        """Some of the comparisons, repeats allowed."""
        return Comparisons(self.first[rows], self.second[rows], self.result[rows], self.systems)

    def among(self, members: Ints) -> "tuple[Comparisons, Ints]":
        """Comparisons of the `members` (codes) with each other, recoded in their order; and their rows."""
        codes = np.full(self.k, -1)
        codes[members] = np.arange(len(members))
        first, second = codes[self.first], codes[self.second]
        rows = np.flatnonzero((first >= 0) & (second >= 0))
        names = tuple(self.systems[member] for member in members)
        return Comparisons(first[rows], second[rows], self.result[rows], names), rows


def wins_and_ties(table: ArrayLike) -> tuple[Floats, Floats]:
    """(k, k) wins of the row over the column, and (k, k) symmetric ties, from (3, k, k) counts."""
    first, second, tie = np.asarray(table, dtype=np.float64)
    return first + second.T, tie + tie.T


@dataclass(frozen=True)
class Record:
    """What one system did: wins, losses, ties, number of opponents, and rates that differ."""

    wins: int
    losses: int
    ties: int
    opponents: int
    win_rate: Estimate
    half_tie_rate: Estimate
    half_tie_rate_macro: float | None

    @property
    def comparisons(self) -> int:
        """All comparisons of the system."""
        return self.wins + self.losses + self.ties


def records(table: ArrayLike, *, level: float = 0.95) -> list[Record]:
    """One record per system from (3, k, k) counts.

    `win_rate` is wins / all comparisons (ties credit nobody); `half_tie_rate` credits half a tie to each;
    `half_tie_rate_macro` averages that over opponents, which makes up for unequal numbers of comparisons.
    """
    wins, ties = wins_and_ties(table)
    found = []
    for i in range(len(wins)):
        won, lost, tied = wins[i], wins[:, i], ties[i]
        n = won + lost + tied
        w, total, met = round(won.sum()), round(n.sum()), n > 0
        record = Record(
            wins=w,
            losses=round(lost.sum()),
            ties=round(tied.sum()),
            opponents=int(np.count_nonzero(n)),
            win_rate=proportion(w, total, level=level, denom_rule="wins / all comparisons"),
            half_tie_rate=_half_tie(won.sum(), tied.sum(), total, level),
            half_tie_rate_macro=float(((won[met] + tied[met] / 2) / n[met]).mean()) if met.any() else None,
        )
        found.append(record)
    return found


def clustered_rates(
    comparisons: Comparisons,
    clusters: Ints,
    system: int,
    *,
    level: float = 0.95,
    way: Clustering = Clustering.SKEWED,
) -> tuple[Estimate, Estimate]:
    """Win rate and half-tie rate of a system when comparisons of a cluster (L,) are alike.

    Wilson on the effective number of comparisons.
    """
    own = (comparisons.first == system) | (comparisons.second == system)
    first, result = comparisons.first[own] == system, comparisons.result[own]
    won = np.where(first, result == Result.FIRST, result == Result.SECOND).astype(np.float64)
    codes = np.unique(clusters[own], return_inverse=True)[1]
    half = won + (result == Result.TIE) / 2
    rates = [
        wilson_on_effective_n(cluster_totals(values, codes), level=level, way=way) for values in (won, half)
    ]
    return replace(rates[0], denom_rule="wins / all comparisons"), rates[1]


def _half_tie(won: float, tied: float, n: int, level: float) -> Estimate:
    """(wins + ties / 2) / comparisons with a normal interval from the variance of the scores 1, 1/2, 0."""
    method = "half_tie_wald"
    if n == 0:
        return undefined(method, Reason.NO_ITEMS, n=0, level=level)
    value = (won + tied / 2) / n
    if n == 1:
        return Estimate(value=value, method=method, level=level, n=n, reason=Reason.FEW_EVENTS)
    se = math.sqrt(max(0.0, (won + tied / 4) / n - value**2) / (n - 1))
    half = z_value(level) * se
    ends = (max(0.0, value - half), min(1.0, value + half))
    warnings: tuple[Caution, ...] = ()
    if se == 0:  # all results alike: as for a share of that value
        ends, warnings = wilson(value * n, n, level=level), (Caution.NO_SPREAD,)
    return Estimate(
        value=value, ci=ends, level=level, method=method, se=se, k=won + tied / 2, n=n, warnings=warnings
    )


def components(table: ArrayLike) -> Ints:
    """(k,) which systems were compared with each other, if only through others: codes from 0."""
    from scipy.sparse.csgraph import connected_components

    wins, ties = wins_and_ties(table)
    return np.asarray(connected_components((wins + ties) > 0, directed=False)[1], dtype=np.int64)


def connection_problem(table: ArrayLike) -> Reason | None:
    """Why finite strengths do not exist: NOT_CONNECTED, SEPARATION, or nothing.

    Every system must reach every other through wins; a tie is an edge both ways (Ford 1957).
    """
    from scipy.sparse.csgraph import connected_components

    wins, ties = wins_and_ties(table)
    if connected_components((wins + ties) > 0, directed=True, connection="strong")[0] <= 1:
        return None
    return Reason.NOT_CONNECTED if components(table).max(initial=0) > 0 else Reason.SEPARATION
