"""What two raters' scores of the same items have in common: correlations, root mean square difference, bias.

Every interval leaves out one unit at a time, an item or a cluster (`stats.core.jackknife`): those of textbooks need
scores that are normal, or without ties (ADR 0069).
"""

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
    jackknife_error,
    leave_one_out,
    share_left_out,
    t_quantile,
    unseen_share,
)
from stats.scores.correlation import kendall_tau_b, pearson, spearman

RELATIONS = ("pearson", "spearman", "kendall_tau_b", "rmse", "bias", "within_one_level")
_SMALL = 50  # items of a unit whose pairs are looked at one by one
_TAU_CELLS = 4_000_000  # of the table of both raters' values
_TINY = 1e-12


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
    unit = "item" if clusters is None else "cluster"
    found = {
        "pearson": _left_out(pearson(x, y, level=level), _moments(x, y), _correlation, units, unit),
        "spearman": _left_out(
            spearman(x, y, level=level), _moments(rankdata(x), rankdata(y)), _correlation, units, unit
        ),
        "kendall_tau_b": _tau(kendall_tau_b(x, y, level=level), first, second, units, unit),
    }
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


def _sums(rows: ArrayLike, units: Ints, most: int = 0) -> tuple[Floats, Ints]:
    table = np.asarray(rows, dtype=np.float64)
    # bincount adds in the order of the rows, as np.add.at does, and sooner
    found: Floats = np.column_stack(
        [np.bincount(units, weights=column, minlength=most) for column in table.T]
    )
    return found, np.ones(len(found), dtype=np.int64)


def _moments(x: ArrayLike, y: ArrayLike) -> Floats:
    one, two = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    one, two = one - one.mean(), two - two.mean()
    return np.column_stack([np.ones(len(one)), one, two, one * one, two * two, one * two])


def _correlation(sums: Floats) -> Floats:
    n, x, y, xx, yy, xy = sums.T
    own, other = xx - x * x / n, yy - y * y / n
    # Where all values are equal, rounding leaves a little.
    varied = (own > _TINY * xx) & (other > _TINY * yy)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(varied, np.clip((xy - x * y / n) / np.sqrt(own * other), -1, 1), np.nan)


def _left_out(plain: Estimate, rows: Floats, function: Function, units: Ints, unit: str) -> Estimate:
    """The estimate with the error of leaving out one unit of `rows` (n, d) at a time."""
    if plain.value is None:
        return plain
    return _with_error(plain, leave_one_out(function, *_sums(rows, units)), unit)


def _tau(plain: Estimate, first: Ints, second: Ints, units: Ints, unit: str) -> Estimate:
    if plain.value is None:
        return plain
    if len(np.unique(first)) * len(np.unique(second)) > _TAU_CELLS:
        return replace(plain, ci=None, reason=Reason.TOO_LARGE)
    own = _order(first, second)
    # (units, 4) the columns of `_order`, over the pairs within each unit
    sizes, by_unit = np.bincount(units), np.argsort(units, kind="stable")
    within = np.zeros((len(sizes), 4))
    some, a, b = units[by_unit], first[by_unit], second[by_unit]
    small = sizes <= _SMALL
    for apart in range(1, int(sizes[small].max(initial=1))):
        at = np.flatnonzero((some[apart:] == some[:-apart]) & small[some[apart:]])
        x, y = (np.sign(codes[at + apart] - codes[at]) for codes in (a, b))
        within += _sums(np.column_stack([x * y, np.ones(len(at)), x == 0, y == 0]), some[at], len(sizes))[0]
    for large in np.flatnonzero(~small):
        items = units == large
        within[large] = _order(first[items], second[items]).sum(axis=0) / 2
    # these were taken away twice
    without = own.sum(axis=0) / 2 - _sums(own, units)[0] + within
    concordance, pairs, tied, also_tied = without.T
    with np.errstate(invalid="ignore", divide="ignore"):
        left = concordance / np.sqrt((pairs - tied) * (pairs - also_tied))
    error = jackknife_error(np.nan_to_num(left, nan=0.0), np.ones(len(left), dtype=np.int64))
    return _with_error(plain, error, unit)


def _order(first: Ints, second: Ints) -> Floats:
    """Of each item (n, 4) over the others: pairs in the same order minus those in opposite order, all pairs, those that
    are tied by the first rater, and by the second."""
    a, b = (np.unique(codes, return_inverse=True)[1] for codes in (first, second))
    p, q, n = int(a.max()) + 1, int(b.max()) + 1, len(a)
    below = np.zeros((p + 1, q + 1))
    below[1:, 1:] = np.bincount(a * q + b, minlength=p * q).reshape(p, q).cumsum(axis=0).cumsum(axis=1)
    rows, columns = below[:, -1], below[-1]
    same = below[a, b] + n - rows[a + 1] - columns[b + 1] + below[a + 1, b + 1]
    opposite = rows[a] - below[a, b + 1] + columns[b] - below[a + 1, b]
    tied = [np.bincount(codes)[codes] - 1.0 for codes in (a, b)]
    return np.column_stack([same - opposite, np.full(n, n - 1.0), *tied])


def _with_error(plain: Estimate, error: tuple[float, float] | None, unit: str) -> Estimate:
    assert plain.value is not None
    method = f"{plain.method.split('_')[0]}, {unit} jackknife"
    if error is None or error[0] == 0:
        return replace(plain, ci=None, method=method, reason=Reason.FEW_EVENTS)
    ends = fisher_interval(plain.value, *error, plain.level)
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
        return replace(plain, ci=share_left_out(k / n, error, len(rows), level), se=error[0])
    ends = wilson(k / n * len(rows), len(rows), level=level)
    return replace(plain, ci=ends, se=0.0, warnings=(Caution.NO_SPREAD,))
