"""Audit-corrected scores: what the share of successes is once the audited errors are corrected.

Population: N judged outputs, each in a stratum h (the judge's bucket, or a system's part of it), of which n_h were
drawn at random and labelled by an expert. The value is the design estimate; the interval comes from Beta-Binomial
posteriors of the unaudited labels (STATISTICS.md 3 i), because Wald intervals fail when audits find few errors.
"""

from collections.abc import Sequence

import numpy as np

from stats.audit.pooling import pools, unaudited_range
from stats.core.bootstrap import generator
from stats.core.estimate import Caution, Estimate, Reason
from stats.core.intervals import z_value
from stats.core.strata import Stratum, design_se, population, post_stratified_mean, unaudited_bounds


def corrected_score(strata: Sequence[Stratum], *, level: float = 0.95) -> Estimate:
    """Share of true successes among these N outputs, target `finite`.

    The interval is exact: quantiles of the posterior number of successes, without random numbers. Strata of one
    group share one spread (stats/audit/pooling.py): method `bb_pooled` and the caution BORROWED, and RATES_DIFFER where
    the audits show that the group's rates are not one. Otherwise the method is `bb_jeffreys`.
    A stratum without any audited unit gives no value: reason EMPTY_STRATUM and logical bounds.
    A full census has no sampling error: the interval is the value, with the caution CENSUS. Audits that found no
    sampled stratum mixed are marked NO_SPREAD: `se` is 0, the interval is not.
    """
    groups = [stratum.group for stratum in strata]
    sizes, sampled = [s.size for s in strata], [s.sampled for s in strata]
    refused = undefined_score(strata, method="bb_jeffreys", level=level)
    if refused is not None:
        return refused
    total, value = population(strata), post_stratified_mean(strata)
    pooled = pools(sizes, sampled, groups)
    cautions: list[Caution] = [] if pooled else [Caution.CENSUS]
    borrowing = any(len(pool.cells) > 1 for pool in pooled)
    ends: tuple[float, float] = (value, value)
    if pooled:
        low, high = unaudited_range(pooled, np.array([[s.mean for s in strata]]), level)
        audited = sum(stratum.successes for stratum in strata)
        # The value is among the ends up to the rounding of a sum in another order.
        ends = (min(value, (audited + low[0]) / total), max(value, (audited + high[0]) / total))
        if borrowing:
            cautions.append(Caution.BORROWED)
            cautions += [Caution.RATES_DIFFER] if rates_differ(strata) else []
        if design_se(strata) == 0:
            cautions.append(Caution.NO_SPREAD)
    return Estimate(
        value=value,
        ci=(float(ends[0]), float(ends[1])),
        level=level,
        method="bb_pooled" if borrowing else "bb_jeffreys",
        se=design_se(strata),
        n=sum(sampled),
        population=total,
        denom_rule="finite",
        warnings=tuple(cautions),
    )


def rates_differ(strata: Sequence[Stratum], *, draws: int = 1_999) -> bool:
    """Whether the strata of some group have different rates: an exact conditional test at 5 %, Bonferroni over groups.

    Given a group's successes, equal rates scatter them over its audits as a multivariate hypergeometric does; the
    statistic is Pearson's chi-squared, its distribution is drawn with a fixed seed (Agresti 1992, section 3.1).
    """
    names = sorted({stratum.group for stratum in strata} - {""})
    smallest = 1.0
    for name in names:
        inside = [stratum for stratum in strata if stratum.group == name and stratum.sampled]
        sampled = np.array([stratum.sampled for stratum in inside])
        found = np.array([stratum.successes for stratum in inside])
        if len(inside) < 2 or found.sum() in (0, sampled.sum()):
            continue
        expected = sampled * found.sum() / sampled.sum()
        scattered = generator(1).multivariate_hypergeometric(
            sampled, int(found.sum()), size=draws, method="marginals"
        )
        drawn = ((scattered - expected) ** 2 / sampled).sum(axis=1)
        reached = int((drawn >= ((found - expected) ** 2 / sampled).sum() - 1e-9).sum())
        smallest = min(smallest, (1 + reached) / (1 + draws))
    return bool(smallest * max(1, len(names)) <= 0.05)


def undefined_score(strata: Sequence[Stratum], *, method: str, level: float) -> Estimate | None:
    """The estimate that is not there, with its reason; None where there is one."""
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
