"""Intraclass correlations from a two-way analysis of variance (Shrout and Fleiss 1979)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from stats.core.bootstrap import Floats, Ints
from stats.core.estimate import Caution, Estimate, Reason, undefined
from stats.core.intervals import z_value
from stats.core.jackknife import fisher_interval, leave_one_out

FORMS = ("icc_1_1", "icc_2_1", "icc_3_1", "icc_1_k", "icc_2_k", "icc_3_k")
_TINY = 1e-12


@dataclass(frozen=True)
class MeanSquares:
    """Mean squares of n items by k raters: between items, between raters, residual, within items."""

    n: int
    k: int
    rows: float
    columns: float
    error: float
    within: float


def mean_squares(scores: ArrayLike) -> MeanSquares:
    """Analysis of variance of a complete (n, k) table. Raises ValueError below 2 x 2."""
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or min(table.shape) < 2:
        raise ValueError(f"an intraclass correlation needs at least 2 items and 2 raters, got {table.shape}")
    n, k = table.shape
    grand = table.mean()
    rows = k * float(((table.mean(axis=1) - grand) ** 2).sum())
    columns = n * float(((table.mean(axis=0) - grand) ** 2).sum())
    residual = table - table.mean(axis=1, keepdims=True) - table.mean(axis=0, keepdims=True) + grand
    error = float((residual**2).sum())
    return MeanSquares(
        n=n,
        k=k,
        rows=rows / (n - 1),
        columns=columns / (k - 1),
        error=error / ((n - 1) * (k - 1)),
        within=(columns + error) / (n * (k - 1)),
    )


def intraclass(
    scores: ArrayLike, *, level: float = 0.95, clusters: Ints | None = None, beyond_one: bool = False
) -> dict[str, Estimate]:
    """All six forms of FORMS: (model, unit) with k the mean of the k raters.

    `clusters` (n,) are consecutive codes of items that are alike; then one cluster at a time is left out, instead of
    the F distribution of independent items. A form whose denominator is not positive is undefined; `beyond_one` keeps
    those below zero, whose correlations exceed 1, for figures that were published before.
    """
    s = mean_squares(scores)
    if clusters is not None:
        return _clustered(scores, s, clusters, level, beyond_one)
    one_way = _quotient(s.rows - s.within, s.rows + (s.k - 1) * s.within)
    mixed = _quotient(s.rows - s.error, s.rows + (s.k - 1) * s.error)
    singles = {
        1: (one_way, _f_ends(s, s.within, s.n * (s.k - 1), level)),
        2: _random(s, level),
        3: (mixed, _f_ends(s, s.error, (s.n - 1) * (s.k - 1), level)),
    }
    found = {}
    for model, (value, ends) in singles.items():
        found[f"icc_{model}_1"] = _estimate(f"icc_{model}_1", value, ends, s, level)
        low, high = (_spearman_brown(end, s.k) for end in ends or (None, None))
        stepped = None if low is None or high is None else (low, high)
        found[f"icc_{model}_k"] = _estimate(f"icc_{model}_k", _spearman_brown(value, s.k), stepped, s, level)
    return {form: found[form] for form in FORMS}


Ends = tuple[float, float] | None


def _estimate(form: str, value: float | None, ends: Ends, squares: MeanSquares, level: float) -> Estimate:
    if value is None:
        return undefined(form, Reason.ZERO_DENOM, n=squares.n, level=level)
    usable = ends is not None and all(map(math.isfinite, ends)) and ends[0] <= value <= ends[1] > ends[0]
    return Estimate(
        value=value,
        ci=ends if usable else None,
        level=level,
        method=form,
        n=squares.n,
        reason=None if usable else Reason.FEW_EVENTS,
        warnings=() if squares.error > _TINY else (Caution.NO_SPREAD,),
    )


def _clustered(
    scores: ArrayLike, squares: MeanSquares, clusters: Ints, level: float, beyond_one: bool
) -> dict[str, Estimate]:
    table = np.asarray(scores, dtype=np.float64)
    table = table - table.mean()
    n, k = table.shape
    per_item = np.column_stack([np.ones(n), table.sum(axis=1) ** 2, (table**2).sum(axis=1), table])
    rows = np.zeros((int(clusters.max()) + 1, k + 3))
    np.add.at(rows, clusters, per_item)
    found = {}
    for at, form in enumerate(FORMS):
        value = float(_values(rows.sum(axis=0)[None], beyond_one)[0, at])
        if not math.isfinite(value):
            found[form] = undefined(form, Reason.ZERO_DENOM, n=n, level=level)
            continue

        def value_of(sums: Floats, at: int = at) -> Floats:
            return _values(sums, beyond_one)[:, at]

        error = leave_one_out(value_of, rows, np.ones(len(rows), dtype=np.int64))
        moved = error is not None and error[0] > 0
        found[form] = Estimate(
            value=value,
            ci=fisher_interval(value, *error, level) if error is not None and moved else None,
            level=level,
            method=f"{form}, cluster jackknife",
            se=None if error is None else error[0],
            n=n,
            clusters=len(rows),
            reason=None if moved else Reason.FEW_EVENTS,
            warnings=() if squares.error > _TINY else (Caution.NO_SPREAD,),
        )
    return found


def _values(sums: Floats, beyond_one: bool) -> Floats:
    """(R, 6) the forms from sums over items (R, k + 3): 1, squared sum of the item, sum of squares, each rater's.

    NaN where a form is undefined.
    """
    n, of_items, squares, columns = sums[:, 0], sums[:, 1], sums[:, 2], sums[:, 3:]
    k = columns.shape[1]
    with np.errstate(invalid="ignore", divide="ignore"):
        grand = columns.sum(axis=1) ** 2 / (n * k)
        between, raters = of_items / k - grand, (columns**2).sum(axis=1) / n - grand
        msr, within = between / (n - 1), (squares - of_items / k) / (n * (k - 1))
        msc, mse = raters / (k - 1), (squares - grand - between - raters) / ((n - 1) * (k - 1))
        over = [within, mse + (msc - mse) / n, mse]
        above = [msr - within, msr - mse, msr - mse]
        below = np.column_stack([a + times * b for times in (k, 1) for a, b in zip(above, over, strict=True)])
        values = np.column_stack([*above, *above]) / below
    return np.where(np.isfinite(values) & (beyond_one | (below > _TINY)), values, np.nan)


def _spearman_brown(value: float | None, k: int) -> float | None:
    """The reliability of the mean of k raters from that of one."""
    if value is None or 1 + (k - 1) * value <= _TINY:
        return None
    return k * value / (1 + (k - 1) * value)


def _quotient(above: float, below: float) -> float | None:
    return None if below <= _TINY else above / below


def _f_quantile(level: float, first: float, second: float) -> float:
    from scipy.stats import f

    z_value(level)
    return float(f.ppf(0.5 + level / 2, first, second))


def _f_ends(s: MeanSquares, noise: float, degrees: int, level: float) -> Ends:
    if noise <= _TINY:
        return None
    ratio = s.rows / noise
    low = ratio / _f_quantile(level, s.n - 1, degrees)
    high = ratio * _f_quantile(level, degrees, s.n - 1)
    return (low - 1) / (low + s.k - 1), (high - 1) / (high + s.k - 1)


def _random(s: MeanSquares, level: float) -> tuple[float | None, Ends]:
    """ICC(2,1); the interval uses Satterthwaite's degrees of freedom."""
    n, k = s.n, s.k
    value = _quotient(s.rows - s.error, s.rows + (k - 1) * s.error + k * (s.columns - s.error) / n)
    if value is None or s.error <= _TINY:
        return value, None
    a = k * value * s.columns / s.error
    b = n * (1 + (k - 1) * value) - k * value
    below = (n - 1) * a * a + b * b
    if below <= _TINY:
        return value, None
    degrees = (k - 1) * (n - 1) * (a + b) ** 2 / below
    upper, lower = _f_quantile(level, n - 1, degrees), _f_quantile(level, degrees, n - 1)
    noise = k * s.columns + (k * n - k - n) * s.error
    low = n * (s.rows - upper * s.error) / (upper * noise + n * s.rows)
    high = n * (lower * s.rows - s.error) / (noise + n * lower * s.rows)
    return value, (low, high)
