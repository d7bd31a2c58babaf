"""Means of items that come in clusters (several instances of one citing paper).

The estimate is a ratio with a random denominator: sum of values over number of items (STATISTICS.md 1.1,
3 vii). The headline interval is Wilson on the effective sample size; the percentile bootstrap over
clusters is the papers' method and undercovers for few successes. Where clusters differ in size, the linearised error
of 3 vii is too small (ADR 0067).
"""

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import count
from typing import NamedTuple

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


class Clustering(IntEnum):
    """How intervals over clusters are made. All but the last are for artifacts by `methods` before 6, 10 and 11.

    Where it cannot be estimated how alike the items of a cluster are, INDEPENDENT counts the items and the others count
    clusters. EVEN has the linearised error, which is that of clusters of one size. UNEVEN takes means for normal, with
    Student's t; SKEWED gives them Wilson's interval (ADR 0070).
    """

    INDEPENDENT = 1
    EVEN = 2
    UNEVEN = 3
    SKEWED = 4


@dataclass(frozen=True)
class ClusterTotals:
    """Per cluster: the sum of its items' values, its number of items, and the sum of the squared values, all (C,).

    Without `squares` the values are 0 and 1.
    """

    sums: Floats
    sizes: Ints
    squares: Floats | None = None

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
    def effective_clusters(self) -> float:
        """So many clusters of one size would weigh as much: n^2 / sum m_c^2; only meaningful when n > 0."""
        return self.n**2 / float(self.sizes @ self.sizes)

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
    sums, squares = (
        np.bincount(codes, weights=weights, minlength=kinds).astype(np.float64)
        for weights in (numbers, numbers**2)
    )
    return ClusterTotals(sums, np.bincount(codes, minlength=kinds).astype(np.int64), squares)


def cluster_codes(clusters: Sequence[Hashable]) -> Ints:
    """Consecutive numbers for cluster names, in order of first appearance."""
    factor: defaultdict[Hashable, int] = defaultdict(count().__next__)
    keys: Iterable[Hashable] = clusters
    if not {None, ""}.isdisjoint(clusters):
        keys = (("alone", at) if name in (None, "") else name for at, name in enumerate(clusters))
    return np.fromiter(map(factor.__getitem__, keys), dtype=np.int64, count=len(clusters))


def clustered_se(totals: ClusterTotals, way: Clustering = Clustering.SKEWED) -> float | None:
    """The standard error of the mean; None below two clusters.

    The linearised one is sqrt(C/(C-1) sum e_c^2) / sum m_c with e_c = s_c - r m_c. A large cluster makes the mean, and
    has a small e_c for that alone. So UNEVEN takes the larger of two errors that equal it where clusters have one size:
    the jackknife's, with each e_c divided by the share of items that are not in c, and that of variance components.
    """
    number, sizes = totals.clusters, totals.sizes
    if number < 2 or totals.n == 0:
        return None
    residuals = totals.sums - totals.mean * sizes
    if way < Clustering.UNEVEN or sizes.max() == totals.n:
        return math.sqrt(number / (number - 1) * float(residuals @ residuals)) / totals.n
    without = residuals / (1 - sizes / totals.n)
    jackknife = (number - 1) / number * float(without @ without) / totals.n**2
    # Searle 1971; 0 where clusters have less in common than chance gives them, or only one item each
    components, found = 0.0, mean_squares(totals)
    if found is not None and found.between > found.within:
        common = (found.between - found.within) / found.size
        components = common / totals.effective_clusters + found.within / totals.n
    return math.sqrt(max(jackknife, components))


class MeanSquares(NamedTuple):
    """Between and within clusters, and the size of clusters that their difference is divided by."""

    between: float
    within: float
    size: float


def mean_squares(totals: ClusterTotals) -> MeanSquares | None:
    """One-way analysis of variance with clusters of unequal size; None where none has two items or there is one."""
    kept = totals.sizes > 0
    sums, sizes = totals.sums[kept], totals.sizes[kept]
    squares = sums if totals.squares is None else totals.squares[kept]
    number, n = len(sizes), totals.n
    if number < 2 or n == number:
        return None
    means = sums / sizes
    return MeanSquares(
        between=float(sizes @ (means - totals.mean) ** 2) / (number - 1),
        within=max(0.0, float(squares.sum() - sums @ means)) / (n - number),
        size=(n - n / totals.effective_clusters) / (number - 1),
    )


def _effect_is_unknown(totals: ClusterTotals) -> bool:
    """Whether items of one cluster cannot be seen to be alike: all of them have the property, none has, or there is
    one cluster."""
    return totals.n > 0 and (totals.clusters == 1 or totals.sums.sum() in (0, totals.n))


def design_effect(totals: ClusterTotals, way: Clustering = Clustering.SKEWED) -> float:
    """Variance against that of n independent 0/1 items, floored at 1.

    Where it cannot be estimated, clusters are counted and not their items, which may succeed and fail together.
    """
    if way > Clustering.INDEPENDENT and _effect_is_unknown(totals):
        return totals.n / (totals.clusters if way == Clustering.EVEN else totals.effective_clusters)
    se = clustered_se(totals, way)
    p = totals.mean if totals.n else 0.0
    independent = p * (1 - p) / (totals.n - 1) if totals.n > 1 else 0.0
    if se is None or independent <= 0:
        return 1.0
    return max(1.0, se * se / independent)


def are_few(totals: ClusterTotals, way: Clustering = Clustering.SKEWED) -> bool:
    """Whether the clusters are too few for their number to be taken as large."""
    number = totals.clusters if way < Clustering.UNEVEN else totals.effective_clusters
    return number < FEW_CLUSTERS


def wilson_on_effective_n(
    totals: ClusterTotals, *, level: float = 0.95, way: Clustering = Clustering.SKEWED
) -> Estimate:
    """The headline: share of successes with Wilson on n / design effect.

    Where clusters weigh less than 20 of one size, the normal quantile gives way to Student's t with C - 1 degrees of
    freedom where the effect was estimated.
    """
    method = "wilson_n_eff"
    if totals.n == 0:
        return undefined(method, Reason.NO_ITEMS, n=0, level=level)
    effective = totals.n / design_effect(totals, way)
    few = are_few(totals, way)
    estimated = totals.clusters > 1 and not (way > Clustering.INDEPENDENT and _effect_is_unknown(totals))
    quantile = t_value(level, totals.clusters - 1) if few and estimated else z_value(level)
    value = totals.mean
    return Estimate(
        value=value,
        ci=wilson(value * effective, effective, level=level, quantile=quantile),
        level=level,
        method=method,
        se=clustered_se(totals, way),
        k=float(totals.sums.sum()),
        n=totals.n,
        clusters=totals.clusters,
        warnings=(Caution.FEW_CLUSTERS,) if few else (),
    )


def cluster_bootstrap(
    totals: ClusterTotals,
    *,
    seed: int,
    replicates: int = DEFAULT_REPLICATES,
    level: float = 0.95,
    way: Clustering = Clustering.SKEWED,
) -> Estimate:
    """The papers' interval: percentiles of the ratio over resampled clusters. `way` decides about the caution alone."""
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
    if are_few(totals, way):
        cautions.append(Caution.FEW_CLUSTERS)
    return Estimate(
        value=totals.mean,
        ci=ends,
        level=level,
        method=method,
        se=clustered_se(totals, Clustering.EVEN),
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
        se=clustered_se(difference, Clustering.EVEN),
        n=one.n,
        clusters=one.clusters,
        reason=Reason.DEGENERATE_BOOTSTRAP if ends is None else None,
        warnings=(Caution.DEGENERATE_BOOTSTRAP,) if discordant < FEW_SUCCESSES else (),
        seed=seed,
        replicates=replicates,
    )
