"""Krippendorff's alpha from coincidences (Krippendorff 2004, ch. 11; STATISTICS.md 3 ii).

All functions take arrays with any leading axes (bootstrap replicates) and give nan where alpha is 0/0.
"""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from stats.core.bootstrap import Floats, Ints

Metric = Literal["nominal", "ordinal", "interval", "ratio"]


def coincidences(counts: ArrayLike) -> Floats:
    """Each unit's part of the coincidence matrix: (units, q) counts to (units, q, q).

    o_ck = n_uc (n_uk - [c = k]) / (m_u - 1); units with fewer than two ratings give zeros.
    """
    n = np.asarray(counts, dtype=np.float64)
    pairs = n[:, :, None] * n[:, None, :]
    diagonal = np.arange(n.shape[1])
    pairs[:, diagonal, diagonal] -= n
    ratings = n.sum(axis=1)
    scale = np.where(ratings >= 2, 1 / np.maximum(ratings - 1, 1), 0.0)
    return pairs * scale[:, None, None]


def distances(metric: Metric, margins: Floats, points: Floats) -> Floats:
    """Squared differences delta (..., q, q) between categories.

    `margins` (..., q) are the pairable ratings per category; only the ordinal metric depends on them.
    """
    if metric == "nominal":
        return 1 - np.eye(len(points))
    if metric == "ordinal":
        middle = np.cumsum(margins, axis=-1) - margins / 2
        return np.asarray((middle[..., :, None] - middle[..., None, :]) ** 2)
    gaps = points[:, None] - points[None, :]
    if metric == "interval":
        return np.asarray(gaps**2)
    if metric == "ratio":
        sums = np.abs(points[:, None] + points[None, :])
        return np.asarray(np.divide(gaps, sums, out=np.zeros_like(gaps), where=sums > 0) ** 2)
    raise ValueError(f"unknown metric {metric!r}: nominal, ordinal, interval or ratio")


def alpha(observed: Floats, metric: Metric, points: Floats) -> Floats:
    """1 - D_o / D_e from a summed coincidence matrix (..., q, q)."""
    margins = observed.sum(axis=-1)
    n = margins.sum(axis=-1)
    delta = distances(metric, margins, points)
    seen = (observed * delta).sum(axis=(-2, -1))
    expected = np.einsum("...c,...ck,...k->...", margins, np.broadcast_to(delta, observed.shape), margins)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(expected > 0, 1 - (n - 1) * seen / expected, np.nan))


def moments(counts: ArrayLike, points: Floats) -> Floats:
    """(units, 4): per pairable unit the number, sum and sum of squares of its ratings, and twice the sum
    of squared differences of its pairs over m - 1. Enough for interval alpha on any number of values.
    """
    n = np.asarray(counts, dtype=np.float64)
    centred = points - points.mean() if len(points) else points
    ratings = n.sum(axis=1)
    pairable = ratings >= 2
    first, second = n @ centred, n @ centred**2
    spread = 2 * (ratings * second - first**2) / np.maximum(ratings - 1, 1)
    return np.column_stack([ratings, first, second, spread]) * pairable[:, None]


def label_moments(item: Ints, value: Ints, points: Floats, n_items: int) -> Floats:
    """`moments` (n_items, 4) from labels (L,) without a table of categories."""
    x = (points - points.mean())[value]
    m = np.bincount(item, minlength=n_items).astype(np.float64)
    first, second = (np.bincount(item, weights=power, minlength=n_items) for power in (x, x * x))
    spread = 2 * (m * second - first**2) / np.maximum(m - 1, 1)
    return np.asarray(np.column_stack([m, first, second, spread]) * (m >= 2)[:, None])


def interval_alpha(sums: Floats) -> Floats:
    """Interval alpha from summed moments (..., 4)."""
    n, first, second, spread = np.moveaxis(sums, -1, 0)
    expected = 2 * (n * second - first**2)
    tiny = 1e-12 * np.maximum(np.abs(n * second), 1e-300)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(expected > tiny, 1 - (n - 1) * spread / expected, np.nan))
