"""Strengths by the cluster jackknife and ranks by the cluster bootstrap, for comparisons that share a problem."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import IntEnum
from itertools import islice

import numpy as np

from stats.core.bootstrap import Floats, Ints, generator
from stats.core.estimate import Caution, Estimate, Reason
from stats.core.intervals import t_value
from stats.pairs import davidson
from stats.pairs.davidson import DavidsonFit, ranks_left_open
from stats.pairs.pairwise import Comparisons
from stats.scores.clusters import Clustering

REPLICATES = 1_000
REFITTED = 60  # clusters from which on one Newton step takes the place of a fit without each
UNMOVED = 1e-9  # a standard error below this is rounding
FEWEST = 0.05  # degrees of freedom below which a difference is taken to rest on one cluster
_LEAST_DEGREES = 0.5


class RankErrors(IntEnum):
    """How ranges of ranks take the errors of resampled strengths; all but the last are for older artifacts.

    KNOWN takes them for exact (`methods` below 16), OF_ALL for as uncertain as all clusters make them (16), OF_PAIR as
    those that tell about the two systems. Intervals of strengths go by all clusters but with the last.
    """

    KNOWN = 1
    OF_ALL = 2
    OF_PAIR = 3


@dataclass(frozen=True)
class StrengthDraws:
    """Strengths (R, k) of the resamples of so many clusters that have a finite fit, how many have none (`lost`), and
    how many clusters tell about each difference (k, k)."""

    strengths: Floats
    lost: int
    clusters: int
    effective: Floats

    def ranks(
        self, fitted: DavidsonFit, level: float = 0.95, *, way: RankErrors = RankErrors.OF_PAIR
    ) -> list[tuple[int, int]]:
        """(best, worst) rank of every system that the data leave open.

        i and j are told apart when their difference exceeds c standard errors of the resampled ones. Its tail is that
        of the `level` quantile of the largest deviation of i from any other in those units (bootstrap max-T:
        Mogstad, Romano, Shaikh and Wilhelm 2024), taken for normal; c has the same tail of Student's t, with the
        effective number of clusters less one: resampled errors of few clusters are uncertain and too small, and those
        of a system in a single cluster are not its errors. A difference that no resample moves tells nothing.
        """
        from scipy.special import ndtr, stdtrit

        k, deviations = len(fitted.strengths), self.strengths - fitted.strengths
        margins = np.full((k, k), np.inf)
        if len(deviations) < 2:
            return ranks_left_open(fitted.strengths, margins)
        degrees = self.effective - 1 if way == RankErrors.OF_PAIR else np.full((k, k), self.clusters - 1.0)
        for i in range(k):
            moved = deviations[:, [i]] - deviations
            spread = moved.std(axis=0, ddof=1)
            tells = (spread > UNMOVED) & (degrees[i] > FEWEST)
            errors = np.where(tells, spread, np.inf)
            critical = np.quantile(np.abs(moved / errors).max(axis=1), level)
            if way != RankErrors.KNOWN:
                critical = -stdtrit(np.maximum(degrees[i], FEWEST), ndtr(-critical))
            margins[i] = np.where(tells, np.maximum(critical, UNMOVED) * spread, np.inf)
        return ranks_left_open(fitted.strengths, margins)


def clustered_strengths(
    comparisons: Comparisons,
    clusters: Ints,
    fitted: DavidsonFit,
    *,
    seed: int,
) -> StrengthDraws:
    """Fits to resampled clusters; none with a single cluster.

    `clusters` (L,) are consecutive codes. Each replicate adds up the result tables of resampled clusters
    and fits again from the estimate.
    """
    again = _Refit(comparisons, clusters, fitted)
    rng, tried = generator(seed), REPLICATES if again.count > 1 else 0
    drawn = (
        np.bincount(rng.integers(again.count, size=again.count), minlength=again.count) for _ in range(tried)
    )
    found = again(drawn)
    draws: Floats = np.array([one for one in found if one is not None]).reshape(-1, comparisons.k)
    effective = davidson.effective_clusters(fitted, comparisons.first, comparisons.second, clusters)
    return StrengthDraws(draws, tried - len(draws), again.count, effective)


def jackknife_strengths(
    comparisons: Comparisons,
    clusters: Ints,
    fitted: DavidsonFit,
    *,
    level: float = 0.95,
    way: Clustering = Clustering.SKEWED,
    effective: Floats | None = None,
) -> list[Estimate]:
    """Strengths with the standard error of leaving out one cluster at a time, and Student's interval.

    se^2 = (C - 1) / C sum (b_(c) - mean)^2. Below REFITTED clusters each b_(c) is a fit of its own, and there is no
    interval (SEPARATION) where a single cluster decides whether the strengths are finite; from there on it is one
    Newton step, which measures the same. Percentiles of the cluster bootstrap cover .92 to .94 with 30 and 60 clusters,
    this .94 to .96 (docs/coverage.md). The degrees of freedom are those of the clusters that tell about each strength,
    `effective` (k,), less one; without it, for artifacts by older methods, C - 1.
    """
    count = int(clusters.max(initial=-1)) + 1
    degrees = [count - 1.0] * comparisons.k
    if effective is not None:
        degrees = np.maximum(effective - 1, _LEAST_DEGREES).tolist()
    if not 1 < count < REFITTED:
        return [
            clustered_parameter(comparisons, clusters, fitted, place, level=level, way=way, degrees=own)
            for place, own in enumerate(degrees)
        ]
    refits = _Refit(comparisons, clusters, fitted)(1 - np.eye(count, dtype=np.int64))
    left = np.array([strengths for strengths in refits if strengths is not None])
    if len(left) < count:
        nothing = _estimate(fitted, 0, comparisons, count, None, level, 0)
        return [replace(nothing, value=float(b), reason=Reason.SEPARATION) for b in fitted.strengths]
    errors = np.sqrt((count - 1) / count * ((left - left.mean(axis=0)) ** 2).sum(axis=0))
    return [
        _estimate(fitted, place, comparisons, count, float(se), level, own)
        for place, (se, own) in enumerate(zip(errors, degrees, strict=True))
    ]


def clustered_parameter(
    comparisons: Comparisons,
    clusters: Ints,
    fitted: DavidsonFit,
    place: int,
    *,
    level: float = 0.95,
    way: Clustering = Clustering.SKEWED,
    degrees: float | None = None,
) -> Estimate:
    """One parameter (its place in the covariance) with the error of leaving out clusters, each in one Newton step.

    Student's t with so many `degrees` of freedom, by default C - 1; no interval (FEW_EVENTS) with a single cluster.
    """
    cells = (comparisons.first, comparisons.second, comparisons.result)
    covariance = davidson.clustered_covariance(fitted, *cells, clusters, way)
    se = None if covariance is None else math.sqrt(covariance[place, place])
    count = int(clusters.max(initial=-1)) + 1
    return _estimate(fitted, place, comparisons, count, se, level, count - 1 if degrees is None else degrees)


def _estimate(
    fitted: DavidsonFit,
    place: int,
    comparisons: Comparisons,
    count: int,
    se: float | None,
    level: float,
    degrees: float,
) -> Estimate:
    """If all clusters are alike they leave no error: then the model's is taken, and NO_SPREAD says so."""
    found = Estimate(
        value=fitted.parameter(place),
        level=level,
        method="davidson_newton, cluster jackknife",
        n=len(comparisons.result),
        clusters=count,
        reason=Reason.FEW_EVENTS if se is None else None,
    )
    if se is None:
        return found
    alike, value = se < UNMOVED, fitted.parameter(place)
    error = math.sqrt(fitted.covariance[place, place]) if alike else se
    half = t_value(level, degrees) * error
    return replace(
        found,
        ci=(value - half, value + half),
        se=error,
        warnings=(Caution.NO_SPREAD,) if alike else (),
    )


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
