"""Ranked retrieval with one target per query (STATISTICS.md 1.3)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from stats.core.bootstrap import DEFAULT_REPLICATES, generator, percentile_interval, resampled_sums
from stats.core.estimate import Estimate, Reason, undefined
from stats.core.intervals import proportion
from stats.scores.means import reaching_unseen

MISS = 0


def hit_at(ranks: ArrayLike, k: int, *, level: float = 0.95) -> Estimate:
    """Share of queries whose target is at rank k or better; ranks (n,) from 1, 0 for a miss."""
    found = _hits(ranks, k)
    return proportion(int(found.sum()), len(found), level=level)


def precision_at(ranks: ArrayLike, k: int, *, level: float = 0.95) -> Estimate:
    """Hit@k / k: with one target per query at most one of the k results is right."""
    hit = hit_at(ranks, k, level=level)
    if hit.value is None or hit.ci is None:
        return hit
    ends = (hit.ci[0] / k, hit.ci[1] / k)
    se = None if hit.se is None else hit.se / k
    return replace(hit, value=hit.value / k, ci=ends, se=se, method="wilson / k", k=None)


def mrr_at(
    ranks: ArrayLike, k: int, *, seed: int, level: float = 0.95, replicates: int = DEFAULT_REPLICATES
) -> Estimate:
    """Mean of 1/rank for ranks up to k and 0 otherwise, percentile bootstrap over queries.

    Where all queries gain the same, no sample of them tells anything: then the interval is that of `reaching_unseen`.
    """
    method = "query_bootstrap_percentile"
    places = np.asarray(ranks, dtype=np.int64)
    found = _hits(places, k)
    if not len(found):
        return undefined(method, Reason.NO_ITEMS, n=0, level=level)
    gains = np.where(found, 1 / np.maximum(places, 1), 0.0)
    sums = resampled_sums(gains[:, None], replicates=replicates, rng=generator(seed))[:, 0]
    n = len(gains)
    estimate = Estimate(
        value=float(gains.mean()),
        ci=percentile_interval(sums / n, level),
        level=level,
        method=method,
        se=float(gains.std(ddof=1)) / math.sqrt(n) if n > 1 else None,
        n=n,
        seed=seed,
        replicates=replicates,
    )
    return estimate if np.ptp(gains) else reaching_unseen(estimate, n, (0.0, 1.0))


def _hits(ranks: ArrayLike, k: int) -> np.ndarray:
    places = np.asarray(ranks, dtype=np.int64)
    if k < 1:
        raise ValueError(f"k must be 1 or more, got {k}")
    if (places < 0).any():
        raise ValueError("a rank is 1 or more, or 0 for a miss")
    return np.asarray((places > MISS) & (places <= k))


def mrr_bounds(p_at_1: float, hit_at_10: float, hit_at_20: float) -> tuple[float, float]:
    """Limits that P@1, Hit@10 and Hit@20 set to MRR@20; a published value outside them is impossible."""
    low = p_at_1 + (hit_at_10 - p_at_1) / 10 + (hit_at_20 - hit_at_10) / 20
    return low, p_at_1 + (hit_at_10 - p_at_1) / 2 + (hit_at_20 - hit_at_10) / 11
