"""Intervals for one proportion."""

import math
from statistics import NormalDist

from stats.core.estimate import Estimate, Reason, undefined


def z_value(level: float = 0.95) -> float:
    """The two-sided normal quantile: 1.959963984540054 for 0.95. Raises ValueError outside (0, 1)."""
    if not 0 < level < 1:
        raise ValueError(f"a confidence level lies strictly between 0 and 1, got {level}")
    return NormalDist().inv_cdf(0.5 + level / 2)


def t_value(level: float, degrees: float) -> float:
    """The two-sided quantile of Student's t with `degrees` > 0 degrees of freedom."""
    from scipy.special import stdtrit

    if degrees <= 0:
        raise ValueError(f"Student's t needs degrees of freedom, got {degrees}")
    z_value(level)
    return float(stdtrit(degrees, 0.5 + level / 2))


def wilson(
    successes: float, n: float, *, level: float = 0.95, quantile: float | None = None
) -> tuple[float, float]:
    """Wilson score interval without continuity correction (Wilson 1927), in [0, 1].

    Both counts may be fractional (an effective sample size). `quantile` replaces the normal quantile,
    for few clusters by Student's t. Raises ValueError unless 0 <= successes <= n and n > 0.
    """
    if not n > 0 or not 0 <= successes <= n:
        raise ValueError(f"Wilson needs 0 <= successes <= n and n > 0, got {successes} of {n}")
    z = z_value(level) if quantile is None else quantile
    p = successes / n
    scale = 1 + z * z / n
    centre = (p + z * z / (2 * n)) / scale
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / scale
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == n else min(1.0, centre + half)
    return low, high


def clopper_pearson(successes: float, n: float, *, level: float = 0.95) -> tuple[float, float]:
    """Exact interval from the beta quantiles (Clopper and Pearson 1934), in [0, 1].

    Both counts may be fractional (an effective sample size). Raises ValueError as `wilson` does.
    """
    from scipy.special import betaincinv

    if n <= 0 or not 0 <= successes <= n:
        raise ValueError(f"Clopper-Pearson needs 0 <= successes <= n and n > 0, got {successes} of {n}")
    z_value(level)
    tail = (1 - level) / 2
    low = 0.0 if successes == 0 else float(betaincinv(successes, n - successes + 1, tail))
    high = 1.0 if successes == n else float(betaincinv(successes + 1, n - successes, 1 - tail))
    return low, high


def proportion(successes: int, n: int, *, level: float = 0.95, denom_rule: str | None = None) -> Estimate:
    """`successes / n` with its Wilson interval; undefined (NO_ITEMS) when n = 0."""
    if n == 0 and successes == 0:
        return undefined("wilson", Reason.NO_ITEMS, n=0, level=level)
    ends = wilson(successes, n, level=level)
    p = successes / n
    return Estimate(
        value=p,
        ci=ends,
        level=level,
        method="wilson",
        se=math.sqrt(p * (1 - p) / n),
        k=successes,
        n=n,
        denom_rule=denom_rule,
    )


def missing_bounds(successes: int, available: int, unavailable: int) -> tuple[float, float] | None:
    """Worst and best value of the proportion if the unavailable judgments had been made.

    48 of 197 with 3 unavailable lies between 48/200 and 51/200.
    """
    total = available + unavailable
    if total == 0:
        return None
    return successes / total, (successes + unavailable) / total
