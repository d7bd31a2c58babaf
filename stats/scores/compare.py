"""Two or more systems on the same items (STATISTICS.md 3 viii)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from stats.core.estimate import Estimate, Reason, undefined
from stats.core.intervals import wilson


@dataclass(frozen=True)
class McNemar:
    """Tests of b against c, the items on which exactly one of two systems succeeds."""

    exact: float
    mid_p: float
    chi2: float | None
    chi2_p: float | None


def mcnemar(b: int, c: int) -> McNemar:
    """Exact, mid-p and chi-squared tests (McNemar 1947; mid-p: Fagerland et al. 2013); p = 1 if b + c = 0."""
    from scipy.special import bdtr, chdtrc
    from scipy.stats import binom

    if b < 0 or c < 0:
        raise ValueError(f"counts cannot be negative, got {b} and {c}")
    n, low = b + c, min(b, c)
    if n == 0:
        return McNemar(1.0, 1.0, None, None)
    exact = min(1.0, 2 * float(bdtr(low, n, 0.5)))
    point = float(binom.pmf(low, n, 0.5))
    mid_p = 1 - point if b == c else 2 * float(bdtr(low, n, 0.5)) - point
    chi2 = (b - c) ** 2 / n
    return McNemar(exact, mid_p, chi2, float(chdtrc(1, chi2)))


def paired_newcombe(
    both: float,
    first: float,
    second: float,
    neither: float,
    *,
    level: float = 0.95,
    quantile: float | None = None,
) -> Estimate:
    """Difference of paired proportions, Newcombe 1998 (paired) method 10.

    Counts of items on which both, only the first, only the second, or neither succeeds; they may be fractional
    (effective numbers of items), and `quantile` replaces the normal quantile (Student's t for few clusters).
    """
    method = "newcombe_paired_10"
    n = both + first + second + neither
    if min(both, first, second, neither) < 0:
        raise ValueError("counts cannot be negative")
    if n == 0:
        return undefined(method, Reason.NO_ITEMS, n=0, level=level)
    p1, p2 = (both + first) / n, (both + second) / n
    low1, high1 = wilson(min(n, both + first), n, level=level, quantile=quantile)
    low2, high2 = wilson(min(n, both + second), n, level=level, quantile=quantile)
    # The correlation of the two answers, continuity corrected where positive; 0 when a margin is empty.
    margins = (both + first) * (second + neither) * (both + second) * (first + neither)
    cross = both * neither - first * second
    if cross > 0:
        cross = max(cross - n / 2, 0.0)
    phi = cross / math.sqrt(margins) if margins else 0.0
    down = _root(p1 - low1, high2 - p2, phi)
    up = _root(high1 - p1, p2 - low2, phi)
    value = p1 - p2
    ends = (max(-1.0, value - down), min(1.0, value + up))
    return Estimate(value=value, ci=ends, level=level, method=method, n=round(n))


def _root(one: float, other: float, phi: float) -> float:
    return math.sqrt(max(0.0, one * one - 2 * phi * one * other + other * other))


def unpaired_newcombe(first: Estimate, second: Estimate) -> Estimate:
    """Difference of independent proportions from the ends of their intervals (Newcombe 1998, unpaired, method 10)."""
    method, n = "newcombe_unpaired_10", (first.n or 0) + (second.n or 0)
    if first.value is None or second.value is None or first.ci is None or second.ci is None:
        return undefined(method, Reason.NO_ITEMS, n=n, level=first.level)
    value = first.value - second.value
    down = math.hypot(first.value - first.ci[0], second.ci[1] - second.value)
    up = math.hypot(first.ci[1] - first.value, second.value - second.ci[0])
    ends = (value - down, value + up)
    return Estimate(value=value, ci=ends, level=first.level, method=method, n=n)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values, in the given order (Holm 1979)."""
    order = np.argsort(p_values, kind="stable")
    raised = np.asarray(p_values, dtype=np.float64)[order] * np.arange(len(order), 0, -1)
    return _back(np.minimum(1, np.maximum.accumulate(raised)), order)


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values that control the false discovery rate, in the given order (1995)."""
    order = np.argsort(p_values, kind="stable")
    m = len(order)
    raised = np.asarray(p_values, dtype=np.float64)[order] * m / np.arange(1, m + 1)
    return _back(np.minimum(1, np.minimum.accumulate(raised[::-1])[::-1]), order)


def _back(adjusted: np.ndarray, order: np.ndarray) -> list[float]:
    found = np.empty(len(order))
    found[order] = adjusted
    return [float(p) for p in found]


def cochran_q(successes: ArrayLike) -> tuple[float, int, float] | None:
    """(Q, degrees of freedom, p) of an items x systems table of 0/1 (Cochran 1950); None where 0/0."""
    from scipy.special import chdtrc

    table = np.asarray(successes, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] < 2:
        raise ValueError("Cochran's Q needs items x systems with at least two systems")
    k = table.shape[1]
    columns, rows = table.sum(axis=0), table.sum(axis=1)
    below = k * rows.sum() - float(rows @ rows)
    if below == 0:
        return None
    q = (k - 1) * (k * float(columns @ columns) - columns.sum() ** 2) / below
    return float(q), k - 1, float(chdtrc(k - 1, q))
