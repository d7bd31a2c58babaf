"""Intraclass correlations from a two-way analysis of variance (Shrout and Fleiss 1979)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from stats.estimate import Estimate, Reason, undefined
from stats.intervals import z_value

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


def intraclass(scores: ArrayLike, *, level: float = 0.95) -> dict[str, Estimate]:
    """All six forms of FORMS: (model, unit) with k the mean of the k raters."""
    squares = mean_squares(scores)
    singles = {1: _one_way(squares, level), 2: _random(squares, level), 3: _mixed(squares, level)}
    found = {}
    for model, (value, ends) in singles.items():
        found[f"icc_{model}_1"] = _estimate(f"icc_{model}_1", value, ends, squares, level)
        found[f"icc_{model}_k"] = _averaged(f"icc_{model}_k", value, ends, squares, level)
    return {form: found[form] for form in FORMS}


Ends = tuple[float, float] | None


def _estimate(form: str, value: float | None, ends: Ends, squares: MeanSquares, level: float) -> Estimate:
    if value is None:
        return undefined(form, Reason.ZERO_DENOM, n=squares.n, level=level)
    return Estimate(value=value, ci=ends, level=level, method=form, n=squares.n)


def _averaged(form: str, value: float | None, ends: Ends, squares: MeanSquares, level: float) -> Estimate:
    """Spearman-Brown: the reliability of the mean of k raters."""
    step = [_spearman_brown(x, squares.k) for x in (value, *(ends or ()))]
    low, high = (step[1], step[2]) if ends is not None else (None, None)
    stepped = (low, high) if low is not None and high is not None else None
    return _estimate(form, step[0], stepped, squares, level)


def _spearman_brown(value: float | None, k: int) -> float | None:
    if value is None or 1 + (k - 1) * value <= _TINY:
        return None
    return k * value / (1 + (k - 1) * value)


def _quotient(above: float, below: float) -> float | None:
    return None if below <= _TINY else above / below


def _f_quantile(level: float, first: float, second: float) -> float:
    from scipy.stats import f

    z_value(level)
    return float(f.ppf(0.5 + level / 2, first, second))


def _one_way(s: MeanSquares, level: float) -> tuple[float | None, Ends]:
    value = _quotient(s.rows - s.within, s.rows + (s.k - 1) * s.within)
    return value, _f_ends(s, s.within, s.n * (s.k - 1), level)


def _mixed(s: MeanSquares, level: float) -> tuple[float | None, Ends]:
    value = _quotient(s.rows - s.error, s.rows + (s.k - 1) * s.error)
    return value, _f_ends(s, s.error, (s.n - 1) * (s.k - 1), level)


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
