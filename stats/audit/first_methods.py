"""The audit methods of artifacts frozen before version 2, so that these can be recomputed byte for byte.

Nothing new uses them. Each cell has a Jeffreys posterior of its own; added over many small cells that is biased
(docs/coverage.md, ADR 0024). The other modules of `stats.audit` have the current ones.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from stats.audit.confusion import (
    METRICS,
    Confusion,
    coefficient,
    coefficients,
    delta_se,
    in_sample,
    zero_reason,
)
from stats.audit.corrected import undefined_score
from stats.audit.weighted import AuditStratum, linearised_se, population_table, refusal
from stats.core.beta_binomial import beta_binomial, central_range, convolve
from stats.core.bootstrap import generator, percentile_interval
from stats.core.estimate import Caution, Estimate, undefined
from stats.core.intervals import z_value
from stats.core.strata import Stratum, design_se, population, post_stratified_mean

JEFFREYS = 0.5
DRAWS = 20_000
LEVEL = 0.95


def corrected_score(strata: Sequence[Stratum]) -> Estimate:
    """Post-stratified share with the central posterior interval, one Beta-Binomial per stratum."""
    method = "bb_jeffreys"
    refused = undefined_score(strata, method=method, level=LEVEL)
    if refused is not None:
        return refused
    total = population(strata)
    census = all(stratum.is_census for stratum in strata)
    value = post_stratified_mean(strata)
    ends = (value, value)
    if not census:
        ends = _posterior_range([(s, s.sampled, s.successes) for s in strata])
    return Estimate(
        value=value,
        ci=ends,
        level=LEVEL,
        method=method,
        se=design_se(strata),
        n=sum(stratum.sampled for stratum in strata),
        population=total,
        denom_rule="finite",
        warnings=(Caution.CENSUS,) if census else (),
    )


def _posterior_range(found: Sequence[tuple[Stratum, int, int]]) -> tuple[float, float]:
    """`found` gives each stratum with the audits and successes that its rate is learnt from."""
    total = sum(stratum.size for stratum, _, _ in found)
    audited = sum(stratum.successes for stratum, _, _ in found)
    unaudited = [
        beta_binomial(s.size - s.sampled, JEFFREYS + true, JEFFREYS + sampled - true)
        for s, sampled, true in found
        if not s.is_census
    ]
    low, high = central_range(convolve(unaudited), LEVEL)
    return (audited + low) / total, (audited + high) / total


def borrowed_score(strata: Sequence[Stratum], rates: Mapping[str, tuple[int, int]]) -> Estimate | None:
    """As `stats.audit.borrowed.borrowed_score`, one Beta-Binomial per stratum."""
    empty = [stratum for stratum in strata if stratum.is_unaudited]
    if any(rates.get(stratum.name, (0, 0))[0] == 0 for stratum in empty):
        return None
    known = [(s, s.sampled, s.successes) for s in strata if not s.is_unaudited]
    found = [*known, *((s, *rates[s.name]) for s in empty)]
    total = population(strata)
    return Estimate(
        value=sum(s.size * true / sampled for s, sampled, true in found if s.size) / total,
        ci=_posterior_range(found),
        level=LEVEL,
        method="bb_jeffreys_borrowed",
        n=sum(stratum.sampled for stratum in strata),
        population=total,
        denom_rule="finite",
        warnings=(Caution.TRANSPORT_ASSUMPTION,),
    )


def design_weighted(strata: Sequence[AuditStratum], *, seed: int) -> dict[str, Estimate]:
    """The five coefficients, unaudited units drawn from one Dirichlet-multinomial per stratum."""
    method = "design_weighted_bb_jeffreys"
    n = sum(stratum.sampled - stratum.ineligible for stratum in strata)
    refused = refusal(strata)
    if refused is not None:
        return {metric: undefined(method, refused, n=n, level=LEVEL) for metric in METRICS}
    table = population_table(strata)
    rng, tables = generator(seed), np.zeros((DRAWS, 5))
    for stratum in strata:
        counts = np.array(stratum.counts)
        tables += counts
        if stratum.sampled < stratum.size:
            possible = [0, 1] if stratum.tp + stratum.fp > 0 else []
            possible += [2, 3] if stratum.fn + stratum.tn > 0 else []
            possible += [4] if stratum.ineligible or not possible else []
            shares = rng.dirichlet(counts[possible] + JEFFREYS, size=DRAWS)
            tables[:, possible] += rng.multinomial(stratum.size - stratum.sampled, shares)
    tables = tables[:, :4]
    census = all(stratum.sampled == stratum.size for stratum in strata)
    found = {}
    for metric in METRICS:
        value = coefficient(metric, table)
        if value is None:
            found[metric] = undefined(method, zero_reason(metric, table), n=n, level=LEVEL)
            continue
        found[metric] = Estimate(
            value=value,
            ci=(value, value) if census else percentile_interval(coefficients(metric, tables), LEVEL),
            level=LEVEL,
            method=method,
            se=linearised_se(metric, strata),
            n=n,
            population=sum(stratum.size for stratum in strata),
            warnings=(Caution.CENSUS,) if census else (),
            seed=seed,
            replicates=DRAWS,
        )
    return found


def in_sample_coefficients(table: Confusion) -> dict[str, Estimate]:
    """As `stats.audit.confusion.in_sample`, kappa by the delta method even where that has no width."""
    found = in_sample(table)
    kappa, se = coefficient("kappa", table), delta_se("kappa", table)
    if kappa is not None and se is not None:
        half = z_value(LEVEL) * se
        ends = (max(-1.0, kappa - half), min(1.0, kappa + half))
        found["kappa"] = Estimate(
            value=kappa, ci=ends, level=LEVEL, method="delta_clipped", se=se, n=round(table.total)
        )
    return found
