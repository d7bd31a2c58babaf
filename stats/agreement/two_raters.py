"""What two raters' scores of the same items have in common: correlations, root mean square difference, bias.

Correlations without clusters have the intervals of `stats.scores.correlation`; everything else, and everything with
clusters, leaves out one unit at a time (`stats.core.jackknife`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from stats.core.bootstrap import Floats, Ints
from stats.core.estimate import Caution, Estimate, Reason
from stats.core.intervals import wilson
from stats.core.jackknife import (
    Function,
    fisher_interval,
    leave_one_out,
    share_interval,
    t_quantile,
    unseen_share,
)
from stats.scores.correlation import kendall_tau_b, pearson, spearman

RELATIONS = ("pearson", "spearman", "kendall_tau_b", "rmse", "bias", "within_one_level")
_TAU_WORK = 2_000_000  # items times clusters for which tau-b is computed again without each cluster


def relations(
    first: Ints, second: Ints, points: Floats, *, clusters: Ints | None = None, level: float = 0.95
) -> dict[str, Estimate]:
    """RELATIONS of category codes (n,), n >= 1, on a scale with these `points` (q,).

    `bias` is the mean of first minus second; `within_one_level` the share of items on which the two are the same or
    neighbouring categories. `clusters` (n,) are consecutive codes of items that are alike.
    """
    from scipy.stats import rankdata

    x, y = points[first], points[second]
    units = np.arange(len(x)) if clusters is None else clusters
    near = (np.abs(first - second) <= 1).astype(np.float64)
    reach = float(np.ptp(points)) if len(points) else 0.0
    found = {
        "pearson": pearson(x, y, level=level),
        "spearman": spearman(x, y, level=level),
        "kendall_tau_b": kendall_tau_b(x, y, level=level),
    }
    if clusters is not None:
        found["pearson"] = _clustered(found["pearson"], _moments(x, y), units, level)
        found["spearman"] = _clustered(found["spearman"], _moments(rankdata(x), rankdata(y)), units, level)
        found["kendall_tau_b"] = _clustered_tau(found["kendall_tau_b"], x, y, clusters, level)
    found["rmse"] = bounded_mean("rmse", (x - y) ** 2, units, level, reach**2, root=True)
    found["bias"] = bounded_mean("bias", x - y, units, level, reach)
    found["within_one_level"] = share_by_unit("within_one_level", near, np.ones(len(near)), units, level)
    if clusters is not None:
        count = int(clusters.max(initial=-1)) + 1
        found = {name: replace(estimate, clusters=count) for name, estimate in found.items()}
    return found


def pooled_share(agreeing: Floats, pairs: Floats, units: Ints, *, level: float = 0.95) -> Estimate:
    """Agreeing pairs of labels of each item (n,) over all its pairs, all items pooled; `units` as clusters."""
    return share_by_unit("percent_pooled", agreeing, pairs, units, level)


def _sums(rows: ArrayLike, units: Ints) -> tuple[Floats, Ints]:
    table = np.asarray(rows, dtype=np.float64)
    # bincount adds in the order of the rows, as np.add.at does, and sooner
    found: Floats = np.column_stack([np.bincount(units, weights=column) for column in table.T])
    return found, np.ones(len(found), dtype=np.int64)


def _moments(x: ArrayLike, y: ArrayLike) -> Floats:
    one, two = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    one, two = one - one.mean(), two - two.mean()
    return np.column_stack([np.ones(len(one)), one, two, one * one, two * two, one * two])


def _clustered(plain: Estimate, moments: Floats, units: Ints, level: float) -> Estimate:
    def correlation(sums: Floats) -> Floats:
        n, x, y, xx, yy, xy = sums.T
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray((xy - x * y / n) / np.sqrt((xx - x * x / n) * (yy - y * y / n)))

    return _with_error(plain, leave_one_out(correlation, *_sums(moments, units)), level)


def _clustered_tau(plain: Estimate, x: Floats, y: Floats, clusters: Ints, level: float) -> Estimate:
    from scipy.stats import kendalltau

    count = int(clusters.max(initial=-1)) + 1
    if plain.value is None or count * len(x) > _TAU_WORK:
        return replace(plain, ci=None, reason=plain.reason or Reason.TOO_LARGE)

    # One row per cluster: the sums are a count of ones, a zero names the cluster that is left out.
    def without(rows: Floats) -> Floats:
        kept = [clusters != at for at in np.flatnonzero(rows == 0) % count]
        return np.array([kendalltau(x[rows], y[rows]).statistic for rows in kept])

    return _with_error(plain, leave_one_out(without, np.eye(count), np.ones(count, dtype=np.int64)), level)


def _with_error(plain: Estimate, error: tuple[float, float] | None, level: float) -> Estimate:
    if plain.value is None:
        return plain
    method = f"{plain.method.split('_')[0]}, cluster jackknife"
    if error is None or error[0] == 0:
        return replace(plain, ci=None, method=method, reason=Reason.FEW_EVENTS)
    ends = fisher_interval(plain.value, *error, level)
    return replace(plain, ci=ends, se=error[0], method=method, reason=None)


def _ratio(sums: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums[:, 0] / sums[:, 1])


def bounded_mean(
    name: str,
    values: Floats,
    units: Ints,
    level: float,
    reach: float,
    *,
    root: bool = False,
    weights: Floats | None = None,
) -> Estimate:
    """The mean of bounded values, or its square root, with Student's t on the mean, cut at 0 for the root.

    Where all values are equal, units that went unseen may lie `reach` away; with a reach of 0 nobody knows how far.
    """
    w = np.ones(len(values)) if weights is None else weights
    rows, ones = _sums(np.column_stack([values * w, w]), units)
    mean, error = float(np.average(values, weights=w)), leave_one_out(_ratio, rows, ones)
    shown: Callable[[float], float] = (lambda v: math.sqrt(max(0.0, v))) if root else float
    plain = Estimate(value=shown(mean), method=f"{name}, jackknife", level=level, n=len(values))
    if error is None:
        return replace(plain, reason=Reason.FEW_EVENTS)
    if error[0] > 0:
        half = t_quantile(level, error[1]) * error[0]
        se = error[0] / (2 * math.sqrt(mean)) if root else error[0]
        return replace(plain, ci=(shown(mean - half), shown(mean + half)), se=se)
    if reach == 0:
        return replace(plain, se=0.0, reason=Reason.ONE_VALUE, warnings=(Caution.NO_SPREAD,))
    unseen = unseen_share(len(rows), level)
    ends = (shown(mean * (1 - unseen)) if root else mean - unseen * reach, shown(mean + unseen * reach))
    return replace(plain, ci=ends, se=0.0, warnings=(Caution.NO_SPREAD,))


def share_by_unit(name: str, hits: Floats, sizes: Floats, units: Ints, level: float) -> Estimate:
    """Sum of `hits` over sum of `sizes`, both (n,) with 0 <= hits <= sizes; Wilson's interval on effective trials."""
    rows, ones = _sums(np.column_stack([hits, sizes]), units)
    k, n = float(hits.sum()), float(sizes.sum())
    function: Function = _ratio
    error = leave_one_out(function, rows, ones)
    plain = Estimate(value=k / n, method=f"{name}, jackknife", level=level, k=k, n=round(n))
    if error is None:
        return replace(plain, reason=Reason.FEW_EVENTS)
    if error[0] > 0:
        return replace(plain, ci=share_interval(k / n, *error, level), se=error[0])
    ends = wilson(k / n * len(rows), len(rows), level=level)
    return replace(plain, ci=ends, se=0.0, warnings=(Caution.NO_SPREAD,))
