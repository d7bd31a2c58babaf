"""Means of items that come in clusters (several instances of one citing paper).

The estimate is a ratio with a random denominator: sum of values over number of items (STATISTICS.md 1.1,
3 vii). The headline interval is Wilson on the effective sample size; the percentile bootstrap over
clusters is the papers' method and undercovers for few successes.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import ArrayLike

from stats.core.bootstrap import (
    DEFAULT_REPLICATES,
    Floats,
    Ints,
    generator,
    percentile_interval,
    resampled_sums,
)
from stats.core.estimate import Caution, Estimate, Reason, undefined
from stats.core.intervals import t_value, wilson, z_value

FEW_CLUSTERS = 20
FEW_SUCCESSES = 5


@dataclass(frozen=True)
class ClusterTotals:
    """Per cluster: the sum of its items' values and its number of items, both of shape (C,)."""

    sums: Floats
    sizes: Ints

    def __post_init__(self) -> None:
        if self.sums.shape != self.sizes.shape or self.sums.ndim != 1:
            raise ValueError("cluster sums and sizes must be two vectors of one length")
        if (self.sizes < 0).any():
            raise ValueError("a cluster's size cannot be negative")

    @property
    def n(self) -> int:
        """Number of items."""
        return int(self.sizes.sum())

    @property
    def clusters(self) -> int:
        """Number of clusters."""
        return len(self.sizes)

    @property
    def mean(self) -> float:
        """The ratio estimate; only meaningful when n > 0."""
        return float(self.sums.sum() / self.sizes.sum())


def cluster_totals(values: ArrayLike, clusters: Sequence[Hashable] | Ints) -> ClusterTotals:
    """Add up item values (n,) by their cluster names (n,), or by codes from `cluster_codes`.

    An item whose cluster is None or "" is a cluster of its own. Raises ValueError on unequal lengths.
    """
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.shape != (len(clusters),):
        raise ValueError(f"{numbers.size} values but {len(clusters)} cluster names")
    codes = clusters if isinstance(clusters, np.ndarray) else cluster_codes(clusters)
    kinds = int(codes.max(initial=-1)) + 1
    sums = np.bincount(codes, weights=numbers, minlength=kinds).astype(np.float64)
    return ClusterTotals(sums, np.bincount(codes, minlength=kinds).astype(np.int64))


def cluster_codes(clusters: Sequence[Hashable]) -> Ints:
    """Consecutive numbers for cluster names, in order of first appearance."""
    factor: defaultdict[Hashable, int] = defaultdict(count().__next__)
    keys: Iterable[Hashable] = clusters
    if not {None, ""}.isdisjoint(clusters):
        keys = (("alone", at) if name in (None, "") else name for at, name in enumerate(clusters))
    return np.fromiter(map(factor.__getitem__, keys), dtype=np.int64, count=len(clusters))


def linearised_se(totals: ClusterTotals) -> float | None:
    """sqrt(C/(C-1) sum e_c^2) / sum m_c with e_c = s_c - r m_c; None below two clusters."""
    number = totals.clusters
    if number < 2 or totals.n == 0:
        return None
    residuals = totals.sums - totals.mean * totals.sizes
    return math.sqrt(number / (number - 1) * float(residuals @ residuals)) / totals.n


def _effect_is_unknown(totals: ClusterTotals) -> bool:
    """Whether items of one cluster cannot be seen to be alike: all of them have the property, none has, or there is
    one cluster."""
    return totals.n > 0 and (totals.clusters == 1 or totals.sums.sum() in (0, totals.n))


def design_effect(totals: ClusterTotals, *, reaches_unseen: bool = True) -> float:
    """Variance against that of n independent 0/1 items, floored at 1.

    Where it cannot be estimated, clusters are counted and not their items, which may succeed and fail together; without
    `reaches_unseen` it is 1 there, as in artifacts by `methods` before 6.
    """
    if reaches_unseen and _effect_is_unknown(totals):
        return totals.n / totals.clusters
    se = linearised_se(totals)
    p = totals.mean if totals.n else 0.0
    independent = p * (1 - p) / (totals.n - 1) if totals.n > 1 else 0.0
    if se is None or independent <= 0:
        return 1.0
    return max(1.0, se * se / independent)


def wilson_on_effective_n(
    totals: ClusterTotals, *, level: float = 0.95, reaches_unseen: bool = True
) -> Estimate:
    """The headline: share of successes with Wilson on n / design effect.

    Below 20 clusters the normal quantile gives way to Student's t with C - 1 degrees of freedom where the effect was
    estimated (see `design_effect` for `reaches_unseen`).
    """
    method = "wilson_n_eff"
    if totals.n == 0:
        return undefined(method, Reason.NO_ITEMS, n=0, level=level)
    effective = totals.n / design_effect(totals, reaches_unseen=reaches_unseen)
    few = totals.clusters < FEW_CLUSTERS
    estimated = totals.clusters > 1 and not (reaches_unseen and _effect_is_unknown(totals))
    quantile = t_value(level, totals.clusters - 1) if few and estimated else z_value(level)
    value = totals.mean
    return Estimate(
        value=value,
        ci=wilson(value * effective, effective, level=level, quantile=quantile),
        level=level,
        method=method,
        se=linearised_se(totals),
        k=float(totals.sums.sum()),
        n=totals.n,
        clusters=totals.clusters,
        warnings=(Caution.FEW_CLUSTERS,) if few else (),
    )


def cluster_bootstrap(
    totals: ClusterTotals, *, seed: int, replicates: int = DEFAULT_REPLICATES, level: float = 0.95
) -> Estimate:
    """The papers' interval: percentiles of the ratio over resampled clusters."""
    method = "cluster_bootstrap_percentile"
    if totals.n == 0:
        return undefined(method, Reason.NO_ITEMS, n=0, level=level)
    sums = resampled_sums(
        np.column_stack([totals.sums, totals.sizes]), replicates=replicates, rng=generator(seed)
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        ratios = sums[:, 0] / sums[:, 1]
    ends = percentile_interval(ratios, level)
    successes, failures = totals.sums, totals.sizes - totals.sums
    degenerate = (
        min(successes.sum(), failures.sum()) < FEW_SUCCESSES or np.count_nonzero(successes) < FEW_SUCCESSES
    )
    cautions = [Caution.DEGENERATE_BOOTSTRAP] if degenerate else []
    if totals.clusters < FEW_CLUSTERS:
        cautions.append(Caution.FEW_CLUSTERS)
    return Estimate(
        value=totals.mean,
        ci=ends,
        level=level,
        method=method,
        se=linearised_se(totals),
        k=float(totals.sums.sum()),
        n=totals.n,
        clusters=totals.clusters,
        reason=Reason.DEGENERATE_BOOTSTRAP if ends is None else None,
        warnings=tuple(cautions),
        seed=seed,
        replicates=replicates,
    )


def paired_difference(
    first: ArrayLike,
    second: ArrayLike,
    clusters: Sequence[Hashable],
    *,
    seed: int,
    replicates: int = DEFAULT_REPLICATES,
    level: float = 0.95,
) -> Estimate:
    """Mean of `first - second` over the same items (n,), resampling clusters of (s1, s2, m) patterns."""
    method = "paired_cluster_bootstrap_percentile"
    codes = cluster_codes(clusters)
    one, two = cluster_totals(first, codes), cluster_totals(second, codes)
    if one.n == 0:
        return undefined(method, Reason.NO_ITEMS, n=0, level=level)
    rows = np.column_stack([one.sums, two.sums, one.sizes])
    sums = resampled_sums(rows, replicates=replicates, rng=generator(seed))
    ends = percentile_interval((sums[:, 0] - sums[:, 1]) / sums[:, 2], level)
    difference = ClusterTotals(one.sums - two.sums, one.sizes)
    discordant = np.count_nonzero(difference.sums)
    return Estimate(
        value=difference.mean,
        ci=ends,
        level=level,
        method=method,
        se=linearised_se(difference),
        n=one.n,
        clusters=one.clusters,
        reason=Reason.DEGENERATE_BOOTSTRAP if ends is None else None,
        warnings=(Caution.DEGENERATE_BOOTSTRAP,) if discordant < FEW_SUCCESSES else (),
        seed=seed,
        replicates=replicates,
    )
