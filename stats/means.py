"""The mean of values on a bounded scale."""

from __future__ import annotations

from collections.abc import Sequence

from stats.estimate import Caution, Estimate, Reason, undefined
from stats.intervals import t_value


def mean_estimate(values: Sequence[float], method: str, scale: tuple[float, float]) -> Estimate:
    """The mean with a t interval over its units, cut at the ends of the scale; none below two units.

    Where all values are equal the interval has no width, which is said: it bounds nothing that others would give.
    """
    if not values:
        return undefined(method, Reason.NO_ITEMS, n=0)
    n = len(values)
    mean = sum(values) / n
    if n < 2:
        return Estimate(value=mean, method=method, n=n)
    se = (sum((value - mean) ** 2 for value in values) / (n - 1) / n) ** 0.5
    half = t_value(0.95, n - 1) * se
    ends = max(mean - half, scale[0]), min(mean + half, scale[1])
    cut = ends != (mean - half, mean + half)
    warnings = (Caution.NO_SPREAD,) if se == 0 else (Caution.TRUNCATED,) if cut else ()
    return Estimate(value=mean, ci=ends, se=se, method=method, n=n, warnings=warnings)
