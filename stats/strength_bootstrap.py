"""Cluster bootstrap of strengths, for comparisons that share a problem."""

from __future__ import annotations

import numpy as np

from stats import davidson
from stats.bootstrap import Floats, Ints, generator, percentile_interval
from stats.davidson import DavidsonFit
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
    start = np.concatenate([fitted.strengths, [] if fitted.log_nu is None else [fitted.log_nu]])
    found = []
    for _ in range(replicates if count > 1 else 0):
        times = np.bincount(rng.integers(count, size=count), minlength=count)
        again = davidson.fit((times @ tables).reshape(3, k, k), start=start)
        if isinstance(again, DavidsonFit):
            found.append(again.strengths)
    draws: Floats = np.array(found).reshape(-1, k)
    lost = (replicates if count > 1 else 0) - len(found)
    return [percentile_interval(draws[:, i], level) for i in range(k)], lost


def _cluster_tables(comparisons: Comparisons, clusters: Ints) -> Floats:
    """(clusters, 3 k k) counts."""
    k = comparisons.k
    width = 3 * k * k
    cells = (comparisons.result * k + comparisons.first) * k + comparisons.second
    count = int(clusters.max(initial=-1)) + 1
    flat = np.bincount(clusters * width + cells, minlength=count * width)
    return flat.reshape(count, width).astype(np.float64)
