"""Percent agreement, Fleiss' kappa and Gwet's AC1/AC2 for any number of raters with missing ratings.

Observed agreement is the mean over items with at least two ratings; category shares are averaged over
items with at least one (Gwet 2014, ch. 2; STATISTICS.md 3 ii).

q is the number of declared categories. `sums` are the 3 + q columns of `item_sums`, added up over items. Functions take
any leading axes and give nan for 0/0.
"""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from stats.core.bootstrap import Floats

Weighting = Literal["identity", "linear", "quadratic", "ordinal"]


def weights(kind: Weighting, points: Floats) -> Floats:
    """Agreement weights (q, q): 1 on the diagonal, falling with the distance of the categories.

    `ordinal` are Gwet's ordinal weights on ranks, not Krippendorff's ordinal metric.
    """
    q = len(points)
    if kind == "identity" or q < 2:
        return np.eye(q)
    if kind == "ordinal":
        ranks = np.arange(q)
        width = np.abs(ranks[:, None] - ranks[None, :]) + 1
        return np.asarray(1 - width * (width - 1) / (q * (q - 1)))
    gaps = np.abs(points[:, None] - points[None, :]) / (points.max() - points.min())
    if kind == "linear":
        return np.asarray(1 - gaps)
    if kind == "quadratic":
        return np.asarray(1 - gaps**2)
    raise ValueError(f"unknown weights {kind!r}: identity, linear, quadratic or ordinal")


def item_sums(counts: ArrayLike, agreement_weights: Floats) -> Floats:
    """(items, 3 + q) from counts (items, q): weighted pairwise agreement, 1 if pairable, 1 if rated, shares.

    A pairable item has two ratings or more; `shares` are those of its categories.
    """
    n = np.asarray(counts, dtype=np.float64)
    ratings = n.sum(axis=1)
    pairable, rated = ratings >= 2, ratings >= 1
    plain = np.array_equal(agreement_weights, np.eye(n.shape[1]))
    agreeing = np.einsum("ij,ij->i", n, n if plain else n @ agreement_weights) - ratings
    sums = np.empty((len(n), 3 + n.shape[1]))
    sums[:, 0] = np.where(pairable, agreeing / np.where(pairable, ratings * (ratings - 1), 1), 0)
    sums[:, 1], sums[:, 2] = pairable, rated
    np.divide(n, np.where(rated, ratings, 1)[:, None], out=sums[:, 3:])
    return sums


def percent(sums: Floats) -> Floats:
    """Mean over pairable items of agreeing pairs / pairs."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(sums[..., 1] > 0, sums[..., 0] / sums[..., 1], np.nan))


def fleiss(sums: Floats) -> Floats:
    """(P - sum p_j^2) / (1 - sum p_j^2) with item-averaged shares p_j."""
    return _corrected(sums, (_shares(sums) ** 2).sum(axis=-1))


def gwet(sums: Floats, agreement_weights: Floats) -> Floats:
    """AC1 (identity weights) or AC2: chance is T_w / (q (q - 1)) sum p_k (1 - p_k)."""
    shares = _shares(sums)
    q = shares.shape[-1]
    if q < 2:
        return np.asarray(np.where(sums[..., 1] > 0, 1.0, np.nan))
    scale = agreement_weights.sum() / (q * (q - 1))
    return _corrected(sums, scale * (shares * (1 - shares)).sum(axis=-1))


def _shares(sums: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums[..., 3:] / sums[..., 2:3])


def _corrected(sums: Floats, chance: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        value = (percent(sums) - chance) / (1 - chance)
    return np.asarray(np.where(chance < 1 - 1e-12, value, np.nan))


def specific_agreement(counts: ArrayLike) -> Floats:
    """(q,) per category: of the pairs with one rating in it, the share whose other rating is too.

    For two raters and two categories these are p_pos and p_neg (Cicchetti and Feinstein 1990).
    """
    n = np.asarray(counts, dtype=np.float64)
    others = n.sum(axis=1, keepdims=True) - 1
    inside, named = (n * (n - 1)).sum(axis=0), (n * np.maximum(others, 0)).sum(axis=0)
    return np.asarray(np.divide(inside, named, out=np.full(n.shape[1], np.nan), where=named > 0))
