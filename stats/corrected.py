"""Audit-corrected scores: what the share of successes is once the audited errors are put right.

Population: N judged outputs of one system, each in a stratum h (the judge's bucket), of which n_h were
drawn at random and labelled by an expert. The value is the design estimate; the interval draws the
unaudited labels from Beta-Binomial posteriors (STATISTICS.md 3 i), because Wald intervals fail when
audits find few errors.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from stats.beta_binomial import beta_binomial, central_range, convolve
from stats.bootstrap import Floats, Ints, generator, percentile_interval
from stats.estimate import Caution, Estimate, Reason
from stats.intervals import clopper_pearson, t_value, z_value
from stats.strata import Stratum, design_se, population, post_stratified_mean, unaudited_bounds

JEFFREYS = 0.5
MIN_EVENTS = 5


def corrected_score(strata: Sequence[Stratum], *, level: float = 0.95, prior: float = JEFFREYS) -> Estimate:
    """Share of true successes among these N outputs, target `finite`, interval `bb_jeffreys`.

    The interval is exact: quantiles of the posterior number of successes, by convolution of the strata's
    Beta-Binomial counts instead of by drawing from them; it has no seed.
    A stratum without any audited unit gives no value: reason EMPTY_STRATUM and logical bounds.
    A full census has no sampling error: the interval is the value, with the caution CENSUS.
    """
    method = "bb_jeffreys" if prior == JEFFREYS else f"bb_beta({prior:g})"
    refusal = _refusal(strata, method=method, level=level)
    if refusal is not None:
        return refusal
    total = population(strata)
    census = all(stratum.is_census for stratum in strata)
    value = post_stratified_mean(strata)
    ends: tuple[float, float] | None = (value, value)
    if not census:
        low, high = _posterior_range(strata, prior, level)
        ends = (low / total, high / total)
    return Estimate(
        value=value,
        ci=ends,
        level=level,
        method=method,
        se=design_se(strata),
        n=sum(stratum.sampled for stratum in strata),
        population=total,
        denom_rule="finite",
        warnings=(Caution.CENSUS,) if census else (),
    )


def _posterior_range(strata: Sequence[Stratum], prior: float, level: float) -> tuple[int, int]:
    """Ends of the central posterior interval for the number of successes in the population."""
    audited = sum(stratum.successes for stratum in strata)
    unaudited = [
        beta_binomial(s.size - s.sampled, prior + s.successes, prior + s.sampled - s.successes)
        for s in strata
        if not s.is_census
    ]
    low, high = central_range(convolve(unaudited), level)
    return audited + low, audited + high


def _posterior_rates(stratum: Stratum, draws: int, prior: float, rng: np.random.Generator) -> Floats:
    return rng.beta(prior + stratum.successes, prior + stratum.sampled - stratum.successes, size=draws)


def _refusal(strata: Sequence[Stratum], *, method: str, level: float) -> Estimate | None:
    z_value(level)
    total = population(strata)
    if total == 0:
        reason = Reason.NO_ITEMS
    elif any(stratum.is_unaudited for stratum in strata):
        reason = Reason.EMPTY_STRATUM
    else:
        return None
    return Estimate(
        value=None,
        method=method,
        level=level,
        reason=reason,
        n=sum(stratum.sampled for stratum in strata),
        population=total,
        bounds=unaudited_bounds(strata),
    )


def superpopulation_score(
    strata: Sequence[Stratum],
    cluster_positives: ArrayLike,
    cluster_unaudited: ArrayLike,
    cluster_sizes: ArrayLike,
    *,
    seed: int,
    level: float = 0.95,
    replicates: int = 2_000,
) -> Estimate:
    """The same value read as a statement about new items: also the clusters (papers) are a sample.

    `cluster_positives` (C,) audited successes per cluster, `cluster_unaudited` (C, H) unaudited units per
    cluster and stratum, `cluster_sizes` (C,) units per cluster. Each replicate draws the stratum rates,
    imputes the unaudited labels, resamples clusters and takes the ratio.
    """
    method = "bb_jeffreys_superpopulation"
    refusal = _refusal(strata, method=method, level=level)
    if refusal is not None:
        return refusal
    positives = np.asarray(cluster_positives, dtype=np.int64)
    unaudited = np.asarray(cluster_unaudited, dtype=np.int64)
    sizes = np.asarray(cluster_sizes, dtype=np.int64)
    _check_clusters(strata, positives, unaudited, sizes)
    rng = generator(seed)
    rates = np.column_stack([_posterior_rates(s, replicates, JEFFREYS, rng) for s in strata])
    ratios = np.empty(replicates)
    for number, row in enumerate(rates):
        times = np.bincount(rng.integers(len(sizes), size=len(sizes)), minlength=len(sizes))
        successes = times @ positives + _imputed_successes(times, unaudited, row, rng)
        ratios[number] = successes / (times @ sizes)
    return Estimate(
        value=post_stratified_mean(strata),
        ci=percentile_interval(ratios, level),
        level=level,
        method=method,
        n=sum(stratum.sampled for stratum in strata),
        population=population(strata),
        clusters=len(sizes),
        denom_rule="superpopulation",
        seed=seed,
        replicates=replicates,
    )


def _imputed_successes(times: Ints, unaudited: Ints, rates: Floats, rng: np.random.Generator) -> int:
    """Successes among the unaudited units of clusters that were drawn `times` (C,) each.

    A cluster drawn twice brings the same imputed labels twice. Within a stratum all units share one rate,
    so clusters drawn equally often are imputed together.
    """
    total = 0
    for units, rate in zip(unaudited.T, rates, strict=True):
        by_times = np.rint(np.bincount(times, weights=units)).astype(np.int64)
        total += int(np.arange(len(by_times)) @ rng.binomial(by_times, rate))
    return total


def _check_clusters(strata: Sequence[Stratum], positives: Ints, unaudited: Ints, sizes: Ints) -> None:
    if unaudited.shape != (len(sizes), len(strata)) or positives.shape != sizes.shape:
        raise ValueError("clusters need positives (C,), unaudited (C, H) and sizes (C,)")
    expected = [stratum.size - stratum.sampled for stratum in strata]
    if unaudited.sum(axis=0).tolist() != expected or int(sizes.sum()) != population(strata):
        raise ValueError("the clusters do not add up to the strata")


def wald_score(strata: Sequence[Stratum], *, kind: str = "t", level: float = 0.95) -> Estimate:
    """Design estimate with a `normal`, `t` (sum n_h - H degrees of freedom), `logit` or `beta` interval.

    `beta` is Clopper-Pearson on the effective sample size (Korn and Graubard 1998; R survey's
    `svyciprop(method = "beta")`). Offered only where it holds: every stratum that is not a census has at
    least 5 successes and 5 failures; otherwise the value stands without an interval, reason FEW_EVENTS.
    """
    if kind not in _DESIGN_ENDS:
        raise ValueError(f"kind must be one of {', '.join(_DESIGN_ENDS)}; got {kind!r}")
    method = f"wald_{kind}"
    refusal = _refusal(strata, method=method, level=level)
    if refusal is not None:
        return refusal
    value, se = post_stratified_mean(strata), design_se(strata)
    n = sum(stratum.sampled for stratum in strata)
    holds = se is not None and all(stratum.is_census or _has_events(stratum) for stratum in strata)
    ends = None
    if holds and se is not None:
        ends = (value, value) if se == 0 else _DESIGN_ENDS[kind](value, se, n, n - len(strata), level)
    return Estimate(
        value=value,
        ci=ends,
        level=level,
        method=method,
        se=se,
        n=n,
        population=population(strata),
        denom_rule="finite",
        reason=None if ends is not None else Reason.FEW_EVENTS,
    )


def _has_events(stratum: Stratum) -> bool:
    return min(stratum.successes, stratum.sampled - stratum.successes) >= MIN_EVENTS


def _normal_ends(value: float, se: float, n: int, degrees: int, level: float) -> tuple[float, float]:
    half = z_value(level) * se
    return max(0.0, value - half), min(1.0, value + half)


def _t_ends(value: float, se: float, n: int, degrees: int, level: float) -> tuple[float, float]:
    half = t_value(level, degrees) * se
    return max(0.0, value - half), min(1.0, value + half)


def _logit_ends(value: float, se: float, n: int, degrees: int, level: float) -> tuple[float, float]:
    middle, half = math.log(value / (1 - value)), z_value(level) * se / (value * (1 - value))
    return 1 / (1 + math.exp(half - middle)), 1 / (1 + math.exp(-half - middle))


def _beta_ends(value: float, se: float, n: int, degrees: int, level: float) -> tuple[float, float]:
    shrink = (t_value(level, n - 1) / t_value(level, degrees)) ** 2
    effective = value * (1 - value) / (se * se) * shrink
    return clopper_pearson(value * effective, effective, level=level)


_DESIGN_ENDS = {"normal": _normal_ends, "t": _t_ends, "logit": _logit_ends, "beta": _beta_ends}


def most_errors_missed(size: int, sampled: int, *, alpha: float = 0.05) -> int:
    """Largest number of successes among `size` units that `sampled` clean audits leave possible.

    The one-sided hypergeometric bound: the largest D with P(no success seen | D) >= alpha.
    """
    if not 0 <= sampled <= size:
        raise ValueError(f"needs 0 <= sampled <= size, got {sampled} of {size}")
    chance = 1.0
    for count in range(size - sampled):
        chance *= (size - sampled - count) / (size - count)
        if chance < alpha:
            return count
    return size - sampled
