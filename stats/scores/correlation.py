"""How far two scores order the same things alike (STATISTICS.md 1.4)."""

import math

import numpy as np
from numpy.typing import ArrayLike

from stats.core.bootstrap import Floats
from stats.core.estimate import Estimate, Reason, undefined
from stats.core.intervals import z_value


def pearson(first: ArrayLike, second: ArrayLike, *, level: float = 0.95) -> Estimate:
    """Product-moment correlation of two vectors (n,) with Fisher's interval."""
    return _correlation("pearson_fisher", *_pair(first, second), level, ranks=False)


def spearman(first: ArrayLike, second: ArrayLike, *, level: float = 0.95) -> Estimate:
    """Correlation of average ranks, ties included, with the interval of Bonett and Wright (2000)."""
    from scipy.stats import rankdata

    one, two = (np.asarray(rankdata(values), dtype=np.float64) for values in _pair(first, second))
    return _correlation("spearman_bonett_wright", one, two, level, ranks=True)


def kendall_tau_b(first: ArrayLike, second: ArrayLike, *, level: float = 0.95) -> Estimate:
    """Kendall's tau-b, corrected for ties, with the interval of Fieller, Hartley and Pearson (1957)."""
    from scipy.stats import kendalltau

    one, two = _pair(first, second)
    reason = _refusal(one, two)
    if reason is not None:
        return undefined("kendall_tau_b", reason, n=len(one), level=level)
    tau = float(np.clip(kendalltau(one, two).statistic, -1, 1))
    return _with_interval("kendall_tau_b", tau, len(one), 0.437, 4, level)


def _pair(first: ArrayLike, second: ArrayLike) -> tuple[Floats, Floats]:
    one, two = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if one.shape != two.shape or one.ndim != 1:
        raise ValueError("a correlation needs two vectors of one length")
    return one, two


def _refusal(one: Floats, two: Floats) -> Reason | None:
    if len(one) < 2:
        return Reason.NO_ITEMS
    return Reason.ZERO_DENOM if np.ptp(one) == 0 or np.ptp(two) == 0 else None


def _correlation(method: str, one: Floats, two: Floats, level: float, *, ranks: bool) -> Estimate:
    """Fisher's z with variance (1 + rho^2 / 2) / (n - 3) for ranks, 1 / (n - 3) for scores."""
    n, reason = len(one), _refusal(one, two)
    if reason is not None:
        return undefined(method, reason, n=n, level=level)
    rho = float(np.clip(np.corrcoef(one, two)[0, 1], -1, 1))
    return _with_interval(method, rho, n, 1 + rho * rho / 2 if ranks else 1.0, 3, level)


def _with_interval(method: str, value: float, n: int, spread: float, lost: int, level: float) -> Estimate:
    """Fisher's z with variance spread / (n - lost); no interval where that does not exist."""
    if n <= lost or abs(value) == 1:
        return Estimate(value=value, method=method, level=level, n=n, reason=Reason.FEW_EVENTS)
    half = z_value(level) * math.sqrt(spread / (n - lost))
    ends = (math.tanh(math.atanh(value) - half), math.tanh(math.atanh(value) + half))
    return Estimate(value=value, ci=ends, level=level, method=method, n=n)
