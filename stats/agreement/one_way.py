"""The one-way intraclass correlation where items have different numbers of labels, from raters nobody tells apart."""

import math
from dataclasses import replace

import numpy as np

from stats.core.bootstrap import Floats, Ints
from stats.core.estimate import Caution, Estimate, Reason, undefined
from stats.core.jackknife import fisher_interval, leave_one_out
from stats.tables.ratings import Ratings

METHOD = "icc_1_1, one-way with unequal numbers, jackknife"


def one_way_correlation(ratings: Ratings, *, clusters: Ints | None = None, level: float = 0.95) -> Estimate:
    """ICC(1,1) = (MSB - MSW) / (MSB + (k0 - 1) MSW) over the items with two or more labels.

    k0 = (N - sum m_i^2 / N) / (n - 1) is the usual number of labels of an item (Donner 1986); with equal numbers this
    is Shrout and Fleiss' form. `clusters` (n_items,) are consecutive codes; then one cluster at a time is left out.
    """
    m = np.bincount(ratings.item, minlength=ratings.n_items).astype(np.float64)
    kept = m >= 2
    if kept.sum() < 2:
        return undefined(METHOD, Reason.INCOMPLETE, n=int(kept.sum()), level=level)
    x = ratings.points[ratings.value] - ratings.points.mean()
    total, squares = (np.bincount(ratings.item, weights=w, minlength=ratings.n_items) for w in (x, x * x))
    rows = np.column_stack([np.ones(len(m)), m, m * m, total, total**2 / np.maximum(m, 1), squares])[kept]
    if clusters is not None:
        codes = np.unique(clusters[kept], return_inverse=True)[1]
        sums = np.zeros((int(codes.max()) + 1, rows.shape[1]))
        np.add.at(sums, codes, rows)
        rows = sums
    ones = np.ones(len(rows), dtype=np.int64)
    value = float(_from_sums(rows.sum(axis=0)[None])[0])
    n = int(kept.sum())
    if math.isnan(value):
        return undefined(METHOD, Reason.ONE_CATEGORY, n=n, level=level)
    found = Estimate(
        value=value, method=METHOD, level=level, n=n, clusters=None if clusters is None else len(rows)
    )
    error = leave_one_out(_from_sums, rows, ones)
    if error is None or error[0] == 0:
        caution = (Caution.NO_SPREAD,) if error else ()
        return replace(found, reason=Reason.FEW_EVENTS, warnings=caution)
    return replace(found, ci=fisher_interval(value, *error, level), se=error[0])


def _from_sums(sums: Floats) -> Floats:
    """From (R, 6) sums over items of 1, m, m^2, S, S^2 / m and the squares of their labels."""
    n, labels, label_squares, total, between, squares = sums.T
    with np.errstate(invalid="ignore", divide="ignore"):
        usual = (labels - label_squares / labels) / (n - 1)
        msb = (between - total**2 / labels) / (n - 1)
        msw = np.maximum(0.0, squares - between) / (labels - n)
        whole = msb + (usual - 1) * msw
        tiny = 1e-12 * np.maximum(squares / labels, 1e-300)
        return np.asarray(np.where(whole > tiny, (msb - msw) / whole, np.nan))
