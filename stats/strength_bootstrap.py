"""Cluster bootstrap and jackknife of strengths, for comparisons that share a problem."""

from __future__ import annotations

import numpy as np

from stats import davidson
from stats.bootstrap import Floats, Ints, generator, percentile_interval
from stats.davidson import DavidsonFit
from stats.estimate import Estimate, Reason
from stats.intervals import t_value
from stats.pairwise import Comparisons

REPLICATES = 1_000


def clustered_strengths(
    comparisons: Comparisons,
    clusters: Ints,
    fitted: DavidsonFit,
    *,
    seed: int,
    level: float = 0.95,
    replicates: int = REPLICATES,
) -> tuple[list[tuple[float, float] | None], int]:
    """Percentile intervals of the k strengths, and how many resamples had no finite fit.

    `clusters` (L,) are consecutive codes. Each replicate adds up the result tables of resampled clusters
    and fits again from the estimate.
    """
    tables = _cluster_tables(comparisons, clusters)
    rng, count, k = generator(seed), len(tables), comparisons.k
    start = _start(fitted)
    found = []
    for _ in range(replicates if count > 1 else 0):
        times = np.bincount(rng.integers(count, size=count), minlength=count)
        again = davidson.fit((times @ tables).reshape(3, k, k), start=start)
        if isinstance(again, DavidsonFit):
            found.append(again.strengths)
    draws: Floats = np.array(found).reshape(-1, k)
    lost = (replicates if count > 1 else 0) - len(found)
    return [percentile_interval(draws[:, i], level) for i in range(k)], lost


def jackknife_strengths(
    comparisons: Comparisons, clusters: Ints, fitted: DavidsonFit, *, level: float = 0.95
) -> list[Estimate]:
    """Strengths with the standard error of leaving out one cluster at a time, and Student's interval.

    se^2 = (C - 1) / C sum (b_(c) - mean)^2 with C - 1 degrees of freedom. No interval (SEPARATION) where a
    single cluster decides whether the strengths are finite.
    """
    tables, k = _cluster_tables(comparisons, clusters), comparisons.k
    count, total, method = len(tables), tables.sum(axis=0), "davidson_newton, cluster jackknife"
    again = [
        davidson.fit((total - table).reshape(3, k, k), start=_start(fitted))
        for table in (tables if count > 1 else [])
    ]
    left = np.array([one.strengths for one in again if isinstance(one, DavidsonFit)])
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


def _start(fitted: DavidsonFit) -> Floats:
    return np.concatenate([fitted.strengths, [] if fitted.log_nu is None else [fitted.log_nu]])


def _cluster_tables(comparisons: Comparisons, clusters: Ints) -> Floats:
    """(clusters, 3 k k) counts."""
    k = comparisons.k
    width = 3 * k * k
    cells = (comparisons.result * k + comparisons.first) * k + comparisons.second
    count = int(clusters.max(initial=-1)) + 1
    flat = np.bincount(clusters * width + cells, minlength=count * width)
    return flat.reshape(count, width).astype(np.float64)
