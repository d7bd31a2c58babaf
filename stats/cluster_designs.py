"""Means over crossed clusters (papers and raters), resampled within strata (domains), or macro means."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from stats.bootstrap import DEFAULT_REPLICATES, generator, percentile_interval, resampled_sums
from stats.clusters import FEW_CLUSTERS, ClusterTotals, cluster_codes, cluster_totals, linearised_se
from stats.estimate import Caution, Estimate, Reason, undefined
from stats.intervals import t_value, wilson


def two_way_mean(
    values: ArrayLike, first: Sequence[Hashable], second: Sequence[Hashable], *, level: float = 0.95
) -> Estimate:
    """Mean of values (n,) in [0, 1] whose errors are shared along two kinds of clusters, with Wilson on n_eff.

    The variance is the sum of both one-way variances minus that of their intersection (Cameron, Gelbach and
    Miller 2011), at least the larger one-way variance and at least that of independent items. The quantile is
    Student's with the smaller number of clusters minus 1, because the variance of few clusters is vague.
    """
    method = "wilson_n_eff_two_way"
    numbers = np.asarray(values, dtype=np.float64)
    n, few = len(numbers), min(len(set(first)), len(set(second)))
    if n == 0:
        return undefined(method, Reason.NO_ITEMS, n=0, level=level)
    if numbers.min() < 0 or numbers.max() > 1:
        raise ValueError("a share needs values between 0 and 1")
    mean = float(numbers.mean())
    if few < 2:
        return Estimate(value=mean, method=method, level=level, n=n, reason=Reason.FEW_EVENTS, clusters=few)
    one, other, both = (
        (linearised_se(cluster_totals(numbers, names)) or 0.0) ** 2
        for names in (first, second, list(zip(first, second, strict=True)))
    )
    independent = mean * (1 - mean) / (n - 1)
    variance = max(one + other - both, one, other, independent)
    effective = n if variance == 0 else n * independent / variance
    return Estimate(
        value=mean,
        ci=wilson(mean * effective, effective, level=level, quantile=t_value(level, few - 1)),
        level=level,
        method=method,
        se=float(np.sqrt(variance)),
        k=float(numbers.sum()),
        n=n,
        clusters=few,
        warnings=(Caution.FEW_CLUSTERS,) if few < FEW_CLUSTERS else (),
    )


def stratified_cluster_bootstrap(
    totals: ClusterTotals,
    strata: Sequence[Hashable],
    *,
    seed: int,
    replicates: int = DEFAULT_REPLICATES,
    level: float = 0.95,
) -> Estimate:
    """Percentiles of the ratio over clusters resampled within their strata (C,), for a balanced design.

    Between-stratum differences then add no error. A cluster lies in one stratum; a stratum of one cluster
    adds no spread and is flagged FEW_CLUSTERS.
    """
    method = "stratified_cluster_bootstrap_percentile"
    if len(strata) != totals.clusters:
        raise ValueError(f"{totals.clusters} clusters but {len(strata)} strata")
    if totals.n == 0:
        return undefined(method, Reason.NO_ITEMS, n=0, level=level)
    rows, rng = np.column_stack([totals.sums, totals.sizes]), generator(seed)
    codes = cluster_codes(strata)
    groups = [rows[codes == code] for code in range(int(codes.max()) + 1)]
    sums = np.sum([resampled_sums(group, replicates=replicates, rng=rng) for group in groups], axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        ends = percentile_interval(sums[:, 0] / sums[:, 1], level)
    lonely = any(len(group) == 1 for group in groups)
    return Estimate(
        value=totals.mean,
        ci=ends,
        level=level,
        method=method,
        k=float(totals.sums.sum()),
        n=totals.n,
        clusters=totals.clusters,
        reason=Reason.DEGENERATE_BOOTSTRAP if ends is None else None,
        warnings=(Caution.FEW_CLUSTERS,) if lonely or totals.clusters < FEW_CLUSTERS else (),
        seed=seed,
        replicates=replicates,
    )


def macro_mean(totals: ClusterTotals, *, level: float = 0.95) -> Estimate:
    """Mean over clusters of the means within them: every paper, or every domain, weighs the same.

    The interval is Student's over the clusters' means, cut off at [0, 1]; it speaks about new clusters, so
    for a fixed set of domains only the value is of use. Empty clusters are left out.
    """
    method = "macro_mean"
    means = totals.sums[totals.sizes > 0] / totals.sizes[totals.sizes > 0]
    count = len(means)
    if not count:
        return undefined(method, Reason.NO_ITEMS, n=0, level=level)
    value = float(means.mean())
    if count < 2:
        return Estimate(
            value=value, method=method, level=level, n=totals.n, clusters=1, reason=Reason.FEW_EVENTS
        )
    se = float(means.std(ddof=1)) / math.sqrt(count)
    half = t_value(level, count - 1) * se
    return Estimate(
        value=value,
        ci=(max(0.0, value - half), min(1.0, value + half)),
        level=level,
        method=method,
        se=se,
        n=totals.n,
        clusters=count,
    )
