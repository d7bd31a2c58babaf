"""Cluster bootstrap and jackknife of strengths, for comparisons that share a problem."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from stats import davidson
from stats.bootstrap import Floats, Ints, generator, percentile_interval
from stats.davidson import DavidsonFit, ranks_left_open
from stats.estimate import Estimate, Reason
from stats.intervals import t_value
from stats.pairwise import Comparisons

REPLICATES = 1_000
UNMOVED = 1e-9  # a standard error below this is rounding


@dataclass(frozen=True)
class StrengthDraws:
    """Strengths (R, k) of the resamples that have a finite fit, and how many have none (`lost`)."""

    strengths: Floats
    lost: int

    def intervals(self, level: float = 0.95) -> list[tuple[float, float] | None]:
        """Percentile intervals of the k strengths."""
        return [percentile_interval(column, level) for column in self.strengths.T]

    def ranks(self, fitted: DavidsonFit, level: float = 0.95) -> list[tuple[int, int]]:
        """(best, worst) rank of every system that the data leave open.

        i and j are told apart when their difference exceeds c_i standard errors of the resampled ones; c_i is
        the `level` quantile of the largest deviation of i from any other in those units (bootstrap max-T:
        Mogstad, Romano, Shaikh and Wilhelm 2024). A difference that no resample moves tells nothing.
        """
        k, deviations = len(fitted.strengths), self.strengths - fitted.strengths
        errors, critical = np.full((k, k), np.inf), np.full(k, np.inf)
        if len(deviations) < 2:
            return ranks_left_open(fitted.strengths, errors, critical)
        for i in range(k):
            moved = deviations[:, [i]] - deviations
            spread = moved.std(axis=0, ddof=1)
            errors[i] = np.where(spread > UNMOVED, spread, np.inf)
            largest = np.quantile(np.abs(moved / errors[i]).max(axis=1), level)
            critical[i] = max(float(largest), UNMOVED)
        return ranks_left_open(fitted.strengths, errors, critical)


def clustered_strengths(
    comparisons: Comparisons,
    clusters: Ints,
    fitted: DavidsonFit,
    *,
    seed: int,
    replicates: int = REPLICATES,
) -> StrengthDraws:
    """Fits to resampled clusters; none with a single cluster.

    `clusters` (L,) are consecutive codes. Each replicate adds up the result tables of resampled clusters
    and fits again from the estimate.
    """
    again = _Refit(comparisons, clusters, fitted)
    rng, tried = generator(seed), replicates if again.count > 1 else 0
    drawn = (
        np.bincount(rng.integers(again.count, size=again.count), minlength=again.count) for _ in range(tried)
    )
    found = again(drawn)
    draws: Floats = np.array([one for one in found if one is not None]).reshape(-1, comparisons.k)
    return StrengthDraws(draws, tried - len(draws))


def jackknife_strengths(
    comparisons: Comparisons, clusters: Ints, fitted: DavidsonFit, *, level: float = 0.95
) -> list[Estimate]:
    """Strengths with the standard error of leaving out one cluster at a time, and Student's interval.

    se^2 = (C - 1) / C sum (b_(c) - mean)^2 with C - 1 degrees of freedom. No interval (SEPARATION) where a
    single cluster decides whether the strengths are finite.
    """
    again, method = _Refit(comparisons, clusters, fitted), "davidson_newton, cluster jackknife"
    count = again.count
    refits = again(_without(count)) if count > 1 else []
    left = np.array([strengths for strengths in refits if strengths is not None])
    n, values = len(comparisons.result), fitted.strengths.tolist()
    if count < 2 or len(left) < count:
        reason = Reason.SEPARATION if count > 1 else Reason.FEW_EVENTS
        return [
            Estimate(value=b, method=method, level=level, n=n, clusters=count, reason=reason) for b in values
        ]
    errors = np.sqrt((count - 1) / count * ((left - left.mean(axis=0)) ** 2).sum(axis=0)).tolist()
    t = t_value(level, count - 1)
    return [
        Estimate(value=b, ci=(b - t * se, b + t * se), level=level, method=method, se=se, n=n, clusters=count)
        for b, se in zip(values, errors, strict=True)
    ]


def _without(count: int) -> Iterator[Ints]:
    for left_out in range(count):
        drawn = np.ones(count, dtype=np.int64)
        drawn[left_out] = 0
        yield drawn


class _Refit:
    """Strengths when clusters count a number of times; None without a finite fit."""

    def __init__(self, comparisons: Comparisons, clusters: Ints, fitted: DavidsonFit) -> None:
        k = comparisons.k
        self.shape = (3, k, k)
        cells = (comparisons.result * k + comparisons.first) * k + comparisons.second
        self.count = int(clusters.max(initial=-1)) + 1
        # Distinct (cluster, cell) with their counts: a problem compares few of all pairs.
        kinds, self.times = np.unique(clusters * (3 * k * k) + cells, return_counts=True)
        self.cluster, self.cell = np.divmod(kinds, 3 * k * k)
        self.start = np.concatenate([fitted.strengths, [] if fitted.log_nu is None else [fitted.log_nu]])

    def __call__(self, draws: Iterable[Ints]) -> list[Floats | None]:
        """Of each draw (C,), in order; a batch of tables is in memory at a time."""
        waiting, found = iter(draws), list[Floats | None]()
        while batch := list(islice(waiting, davidson.batch_size(self.shape[1]))):
            fits = davidson.fit_all(np.stack([self._table(drawn) for drawn in batch]), start=self.start)
            found += [again.strengths if isinstance(again, DavidsonFit) else None for again in fits]
        return found

    def _table(self, drawn: Ints) -> Floats:
        weights = self.times * drawn[self.cluster]
        table = np.bincount(self.cell, weights=weights, minlength=math.prod(self.shape))
        return np.asarray(table.reshape(self.shape))
