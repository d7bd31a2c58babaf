"""The audit-corrected score as a statement about new items: the clusters (papers, problems) are a sample too.

The value is the design estimate. Its variance is that of the estimated cluster totals, audited labels at their
design weights, so that clusters vary with their unaudited part as well. Two corrections keep the interval wide
where clusters are few or successes rare; both were chosen by measuring (docs/coverage.md):

* The variance is at least that of independent items, times a design effect with an assumed correlation within
  clusters. The assumption fades with the number of clusters in which successes, or failures, were found.
* Degrees of freedom of Student's t follow the concentration of the residuals: one cluster that holds most of the
  variance says little about it (Satterthwaite's approximation with the residuals' kurtosis).

The interval is Wilson's on the effective sample size, so it never leaves [0, 1] and has a width without successes.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from stats.audit.corrected import undefined_score
from stats.audit.pooling import PRIOR
from stats.core.bootstrap import Floats
from stats.core.estimate import Caution, Estimate, Reason
from stats.core.intervals import t_value, wilson
from stats.core.strata import Stratum, population, post_stratified_mean

METHOD = "superpopulation_wilson_t"
FEW_CLUSTERS = 30
ASSUMED_CORRELATION = 0.2
FADES_OVER = 2  # clusters with successes after which half of the assumption is left
LEAST_DEGREES = 5


def superpopulation_score(
    strata: Sequence[Stratum],
    units: ArrayLike,
    audited: ArrayLike,
    positives: ArrayLike,
    *,
    level: float = 0.95,
) -> Estimate:
    """The corrected score's value for new items from the same source.

    `units`, `audited` and `positives` are (C, H) counts per cluster and stratum: all units, those whose label is
    known, and the successes among these. Raises ValueError when they do not add up to the strata. A single cluster
    says nothing about others: no interval, reason FEW_EVENTS.
    """
    refused = undefined_score(strata, method=METHOD, level=level)
    if refused is not None:
        return refused
    size, known, found = (np.asarray(table, dtype=np.float64) for table in (units, audited, positives))
    if not size.shape == known.shape == found.shape or size.ndim != 2 or size.shape[1] != len(strata):
        raise ValueError("clusters need units, audited and positives of shape (C, H)")
    if (found > known).any() or (known > size).any() or (found < 0).any():
        raise ValueError("a cluster needs 0 <= positives <= audited <= units")
    expected = np.array([[s.size, s.sampled, s.successes] for s in strata])
    if not np.array_equal(np.column_stack([table.sum(axis=0) for table in (size, known, found)]), expected):
        raise ValueError("the clusters do not add up to the strata")
    used = np.array([stratum.size > 0 for stratum in strata])
    size, known, found = size[:, used], known[:, used], found[:, used]
    value, clusters = post_stratified_mean(strata), int((size.sum(axis=1) > 0).sum())
    cautions = (Caution.FEW_CLUSTERS,) if clusters < FEW_CLUSTERS else ()
    ends = None
    if clusters > 1:
        effective, degrees = _effective(value, size, known, found, clusters)
        quantile = t_value(level, max(1, degrees))
        low, high = wilson(value * effective, effective, level=level, quantile=quantile)
        ends = (min(low, value), max(high, value))
    return Estimate(
        value=value,
        ci=ends,
        level=level,
        method=METHOD,
        n=sum(stratum.sampled for stratum in strata),
        population=population(strata),
        clusters=clusters,
        denom_rule="superpopulation",
        reason=None if ends else Reason.FEW_EVENTS,
        warnings=cautions,
    )


def _effective(value: float, units: Floats, known: Floats, found: Floats, clusters: int) -> tuple[float, int]:
    """Independent items that would be as informative, and degrees of freedom of the variance."""
    total, n = units.sum(axis=0), known.sum(axis=0)
    rates, population_size = found.sum(axis=0) / n, units.sum()
    estimated = ((found - known * rates) * (total / n) + units * rates).sum(axis=1)
    sizes = units.sum(axis=1)
    residuals = estimated - value * sizes
    squares = float(residuals @ residuals)
    # The jackknife: a cluster with most of the units makes the value, and has a small residual for that alone.
    without = residuals / (1 - sizes / population_size)
    variance = (clusters - 1) / clusters * float(without @ without) / population_size**2

    smooth = (found.sum(axis=0) + PRIOR) / (n + 2 * PRIOR)
    share = total / population_size
    rate = float(share @ smooth)
    independent = float((share**2 * (1 - n / total) / n) @ (smooth * (1 - smooth)))
    with_both = min((found.sum(axis=1) > 0).sum(), ((known - found).sum(axis=1) > 0).sum())
    alike = float(sizes @ sizes) / sizes.sum() - 1
    assumed = 1 + ASSUMED_CORRELATION * alike * FADES_OVER / (FADES_OVER + float(with_both))
    independent += rate * (1 - rate) / population_size * assumed

    degrees = clusters - 1
    if squares > 0:
        kurtosis = clusters * float((residuals**4).sum()) / squares**2
        concentrated = 2 * clusters / max(kurtosis - 1, 1e-9)
        degrees = min(degrees, int(max(LEAST_DEGREES, concentrated)))
    if variance >= independent and 0 < value < 1:
        return max(1.0, value * (1 - value) / variance), degrees
    return max(1.0, rate * (1 - rate) / independent), degrees
