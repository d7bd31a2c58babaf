"""Ranked retrieval with one target per query (STATISTICS.md 1.3)."""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from stats.core.estimate import Estimate
from stats.core.intervals import proportion
from stats.scores.means import mean_estimate

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


def mrr_at(ranks: ArrayLike, k: int, *, level: float = 0.95) -> Estimate:
    """Mean of 1/rank for ranks up to k and 0 otherwise, over independent queries."""
    places = np.asarray(ranks, dtype=np.int64)
    gains = np.where(_hits(places, k), 1 / np.maximum(places, 1), 0.0)
    return mean_estimate(gains.tolist(), "reciprocal_ranks", (0.0, 1.0), level=level)


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
