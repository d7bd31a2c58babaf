"""The mean of values on a bounded scale, and shares and means of outputs that come in clusters."""

from collections.abc import Hashable, Sequence
from dataclasses import replace

import numpy as np

from stats.core.bootstrap import Ints
from stats.core.estimate import Caution, Estimate, Reason, undefined
from stats.core.intervals import proportion, t_value
from stats.core.jackknife import share_interval, unseen_share
from stats.scores.clusters import (
    Clustering,
    ClusterTotals,
    cluster_totals,
    clustered_se,
    wilson_on_effective_n,
)

Scale = tuple[float, float]


def mean_estimate(
    values: Sequence[float],
    method: str,
    scale: Scale,
    *,
    way: Clustering = Clustering.SKEWED,
    level: float = 0.95,
) -> Estimate:
    """The mean of independent values with an interval on the scale.

    Where all values are equal it is that of `reaching_unseen`; INDEPENDENT leaves it without width, as once.
    """
    method = _named(method, way)
    if not values:
        return undefined(method, Reason.NO_ITEMS, n=0, level=level)
    n = len(values)
    mean = sum(values) / n
    if n < 2:
        alone = Estimate(value=mean, method=method, level=level, n=n)
        return reaching_unseen(alone, n, scale) if way == Clustering.SKEWED else alone
    se = (sum((value - mean) ** 2 for value in values) / (n - 1) / n) ** 0.5
    found = Estimate(value=mean, se=se, method=method, level=level, n=n)
    return _with_interval(found, n, n, scale, way)


def mean_by_cluster(
    values: Sequence[float],
    clusters: Sequence[Hashable] | Ints,
    method: str,
    scale: Scale,
    way: Clustering = Clustering.SKEWED,
) -> Estimate:
    """`mean_estimate` where every value has a cluster of its own, else `clustered_mean`, whose method says so."""
    totals = cluster_totals(values, clusters)
    if totals.clusters == totals.n:
        return mean_estimate(values, method, scale, way=way)
    return clustered_mean(totals, f"{method}, by cluster", scale, way)


def share_by_cluster(
    values: Sequence[float], clusters: Sequence[Hashable] | Ints, way: Clustering = Clustering.SKEWED
) -> Estimate:
    """`share_of` these successes (1; others are 0)."""
    return share_of(cluster_totals(values, clusters), way)


def share_of(totals: ClusterTotals, way: Clustering = Clustering.SKEWED) -> Estimate:
    """The share of successes: Wilson, on the effective number where some share a cluster."""
    plain = proportion(int(totals.sums.sum()), totals.n)
    if totals.clusters == totals.n:
        return plain
    found = wilson_on_effective_n(totals, way=way)
    return replace(
        plain, ci=found.ci, se=found.se, method=found.method, clusters=found.clusters, warnings=found.warnings
    )


def clustered_mean(
    totals: ClusterTotals,
    method: str,
    scale: Scale = (0.0, 1.0),
    way: Clustering = Clustering.SKEWED,
) -> Estimate:
    """The mean of values on a scale over all outputs, with the error of their clusters.

    With one output to a cluster this is `mean_estimate`; one cluster alone has no interval.
    """
    method = _named(method, way)
    if totals.n == 0:
        return undefined(method, Reason.NO_ITEMS, n=0)
    se = clustered_se(totals, way)
    found = Estimate(value=totals.mean, se=se, method=method, n=totals.n, clusters=totals.clusters)
    if se is None:
        return found
    unseen = totals.clusters if way == Clustering.EVEN else totals.effective_clusters
    return _with_interval(found, totals.clusters, unseen, scale, way)


def clustered_share(totals: ClusterTotals, way: Clustering = Clustering.SKEWED) -> Estimate:
    """The share of outputs with a property, from values in [0, 1] (0 or 1 by expert, averaged over experts).

    Wilson where each output is a cluster of its own with 0 or 1: independent trials. Elsewhere Wilson on the
    effective number of outputs (STATISTICS.md 3 vii); one cluster of several outputs has no interval.
    """
    if totals.n and totals.sizes.max() == 1 and np.isin(totals.sums, (0.0, 1.0)).all():
        return replace(proportion(int(totals.sums.sum()), totals.n), clusters=totals.clusters)
    found = wilson_on_effective_n(totals, way=way)
    return replace(found, ci=None) if totals.clusters == 1 < totals.n else found


def reaching_unseen(found: Estimate, units: float, scale: Scale) -> Estimate:
    """The estimate of a mean to which all `units` gave one value, with the interval that this allows.

    Units with another value that went unseen (`unseen_share`) would move the mean to an end of the scale. For values of
    0 this is the exact interval of a proportion.
    """
    assert found.value is not None
    share = unseen_share(units, found.level)
    low, high = (found.value + share * (end - found.value) for end in scale)
    se = None if found.se is None else 0.0
    return replace(found, ci=(low, high), se=se, warnings=(*found.warnings, Caution.NO_SPREAD))


def has_width(width: float, scale: Scale) -> bool:
    """Whether a width or a standard error is more than the rounding of numbers on this scale."""
    return width > 1e-12 * (scale[1] - scale[0])


def _named(method: str, way: Clustering) -> str:
    return f"{method}, wilson" if way == Clustering.SKEWED else method


def _with_interval(found: Estimate, units: int, unseen: float, scale: Scale, way: Clustering) -> Estimate:
    """With Wilson's interval on as many trials as would have the error of a share, and Student's t (ADR 0070).

    `unseen` is how many units could have shown another value. Before SKEWED with Student's t on the mean, cut at the
    ends of the scale.
    """
    assert found.value is not None
    assert found.se is not None
    if way > Clustering.INDEPENDENT and not has_width(found.se, scale):
        return reaching_unseen(found, unseen, scale)
    if way == Clustering.SKEWED:
        low, width = scale[0], scale[1] - scale[0]
        share = min(1.0, max(0.0, (found.value - low) / width))
        ends = share_interval(share, found.se / width, units - 1, found.level)
        return replace(
            found, ci=(min(found.value, low + ends[0] * width), max(found.value, low + ends[1] * width))
        )
    half = t_value(found.level, units - 1) * found.se
    whole = found.value - half, found.value + half
    cut = max(whole[0], scale[0]), min(whole[1], scale[1])
    warnings = (Caution.NO_SPREAD,) if found.se == 0 else (Caution.TRUNCATED,) if cut != whole else ()
    return replace(found, ci=cut, warnings=warnings)
