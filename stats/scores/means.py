"""The mean of values on a bounded scale, and shares and means of outputs that come in clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from stats.core.estimate import Caution, Estimate, Reason, undefined
from stats.core.intervals import proportion, t_value
from stats.scores.clusters import ClusterTotals, linearised_se, wilson_on_effective_n

Scale = tuple[float, float]


def mean_estimate(values: Sequence[float], method: str, scale: Scale) -> Estimate:
    """The mean with a t interval over its units, cut at the ends of the scale; none below two units.

    Where all values are equal the interval has no width, with a warning: it bounds nothing that others would give.
    """
    if not values:
        return undefined(method, Reason.NO_ITEMS, n=0)
    n = len(values)
    mean = sum(values) / n
    if n < 2:
        return Estimate(value=mean, method=method, n=n)
    se = (sum((value - mean) ** 2 for value in values) / (n - 1) / n) ** 0.5
    return _with_t_interval(Estimate(value=mean, se=se, method=method, n=n), n - 1, scale)


def clustered_mean(totals: ClusterTotals, method: str) -> Estimate:
    """The mean of values in [0, 1] over all outputs, with a t interval over their clusters (C - 1 degrees).

    With one output to a cluster this is `mean_estimate`; one cluster alone has no interval.
    """
    if totals.n == 0:
        return undefined(method, Reason.NO_ITEMS, n=0)
    se = linearised_se(totals)
    found = Estimate(value=totals.mean, se=se, method=method, n=totals.n, clusters=totals.clusters)
    return found if se is None else _with_t_interval(found, totals.clusters - 1, (0.0, 1.0))


def clustered_share(totals: ClusterTotals) -> Estimate:
    """The share of outputs with a property, from values in [0, 1] (0 or 1 by expert, averaged over experts).

    Wilson where each output is a cluster of its own with 0 or 1: independent trials. Elsewhere Wilson on the
    effective number of outputs (STATISTICS.md 3 vii); one cluster of several outputs has no interval.
    """
    if totals.n and totals.sizes.max() == 1 and np.isin(totals.sums, (0.0, 1.0)).all():
        return replace(proportion(int(totals.sums.sum()), totals.n), clusters=totals.clusters)
    found = wilson_on_effective_n(totals)
    return replace(found, ci=None) if totals.clusters == 1 < totals.n else found


def _with_t_interval(found: Estimate, degrees: int, scale: Scale) -> Estimate:
    assert found.value is not None
    assert found.se is not None
    half = t_value(0.95, degrees) * found.se
    whole = found.value - half, found.value + half
    ends = max(whole[0], scale[0]), min(whole[1], scale[1])
    warnings = (Caution.NO_SPREAD,) if found.se == 0 else (Caution.TRUNCATED,) if ends != whole else ()
    return replace(found, ci=ends, warnings=warnings)
