"""A judge audit weighted by its sampling design.

Every sampled unit of stratum h stands for N_h / n_h units. Coefficients are functions of the estimated
population table; their standard errors are linearised with the finite population correction (as R's
survey package does for ratios). Their intervals draw the unaudited units from a Dirichlet-multinomial per group of
strata, the several-cells form of the corrected score's interval (stats/audit/pooling.py): once with Jeffreys's prior in
every cell, once with a prior only in cells where something was seen; the interval reaches from the lower of the
lower ends to the higher of the higher ends, because prior counts in cells without an event push an end inwards.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stats.audit.confusion import METRICS, Confusion, coefficient, coefficients, gradient, zero_reason
from stats.audit.corrected import rates_differ
from stats.audit.pooling import PRIOR, Pool, pools
from stats.core.bootstrap import Floats, generator, percentile_interval
from stats.core.estimate import Caution, Estimate, Reason, undefined
from stats.core.strata import Stratum

DRAWS = 20_000
METHOD = "design_weighted_bb_jeffreys"
POOLED_METHOD = "design_weighted_bb_pooled"


@dataclass(frozen=True)
class AuditStratum:
    """One stratum: N_h, n_h and what was found. `ineligible` units were drawn but lack a yes/no side.

    Drawn units without any expert label are not in the table, so the five counts add up to `sampled`. Strata of one
    `group` share one spread. `verdict` is "yes" or "no" where the judge is known to say so of every unit, "none"
    where it says neither; `collapsed` strata were joined because one of them had no audit.
    """

    name: str
    size: int
    tp: int
    fp: int
    fn: int
    tn: int
    ineligible: int = 0
    group: str = ""
    verdict: str = ""
    collapsed: bool = False

    def __post_init__(self) -> None:
        if min(self.counts) < 0 or self.sampled > self.size:
            raise ValueError(
                f"stratum {self.name!r}: {self.sampled} audited units of {self.size}, counts {self.counts}"
            )

    @property
    def counts(self) -> tuple[int, int, int, int, int]:
        """(tp, fp, fn, tn, ineligible)."""
        return self.tp, self.fp, self.fn, self.tn, self.ineligible

    @property
    def sampled(self) -> int:
        """n_h."""
        return sum(self.counts)


def collapsed(strata: Sequence[AuditStratum]) -> list[AuditStratum]:
    """Strata of which a verdict has units but no audit joined with others of this verdict, of their group if possible.

    The joined stratum takes all its audits for one sample. Where a verdict was audited nowhere, its strata stay
    empty and nothing can be estimated.
    """
    found = list(strata)
    for empty in [s for s in strata if s.verdict and s.size and not s.sampled]:
        same = [s for s in found if s.verdict == empty.verdict and s.sampled and s.size]
        near = [s for s in same if empty.group and s.group == empty.group] or same
        if not near:
            continue
        tp, fp, fn, tn, ineligible = np.array([s.counts for s in near]).sum(axis=0).tolist()
        joined = AuditStratum(
            " + ".join([empty.name, *(s.name for s in near)]),
            empty.size + sum(s.size for s in near),
            tp,
            fp,
            fn,
            tn,
            ineligible,
            group=empty.group,
            verdict=empty.verdict,
            collapsed=True,
        )
        found = [s for s in found if s not in (*near, empty)] + [joined]
    return found


def population_table(strata: Sequence[AuditStratum]) -> Confusion:
    """The estimated table of all eligible units: counts times N_h / n_h, summed over strata."""
    cells = np.zeros(5)
    for stratum in strata:
        if stratum.sampled:
            cells += np.array(stratum.counts) * (stratum.size / stratum.sampled)
    tp, fp, fn, tn, _ = (float(cell) for cell in cells)
    return Confusion(tp, fp, fn, tn)


def design_weighted(
    strata: Sequence[AuditStratum], *, seed: int, level: float = 0.95, draws: int = DRAWS
) -> dict[str, Estimate]:
    """The five coefficients of METRICS for the whole population of the strata.

    Undefined with EMPTY_STRATUM when a stratum has no audited unit, with NO_ITEMS without strata. An interval has
    no width only where all that the coefficient depends on was audited: caution CENSUS. NO_SPREAD marks a standard
    error of 0 that only says that the sample shows no variation.
    """
    n = sum(stratum.sampled - stratum.ineligible for stratum in strata)
    refused = refusal(strata)
    if refused is not None:
        return {metric: undefined(METHOD, refused, n=n, level=level) for metric in METRICS}
    groups = pools([s.size for s in strata], [s.sampled for s in strata], [s.group for s in strata])
    borrowing = any(len(pool.cells) > 1 for pool in groups)
    method = POOLED_METHOD if borrowing else METHOD
    cautions = [Caution.BORROWED] if borrowing else []
    if borrowing:
        truth = [Stratum(s.name, s.size, s.sampled, s.tp + s.fn, s.group) for s in strata]
        cautions += [Caution.RATES_DIFFER] if rates_differ(truth) else []
    if any(stratum.collapsed for stratum in strata):
        cautions.append(Caution.COLLAPSED)
    table, rng = population_table(strata), generator(seed)
    tables = [_posterior_tables(strata, groups, full=full, draws=draws, rng=rng) for full in (True, False)]
    found = {}
    for metric in METRICS:
        value = coefficient(metric, table)
        if value is None:
            found[metric] = undefined(method, zero_reason(metric, table), n=n, level=level)
            continue
        se = linearised_se(metric, strata)
        # The widest of the percentile intervals, with the value in it; all that was drawn where these have no width.
        replicates = [coefficients(metric, drawn) for drawn in tables]
        between = [ends for some in replicates if (ends := percentile_interval(some, level))]
        low, high = min((value, *(ends[0] for ends in between))), max((value, *(ends[1] for ends in between)))
        if low == high:
            every = np.concatenate(replicates)
            every = every[np.isfinite(every)]
            low, high = min(value, every.min(initial=value)), max(value, every.max(initial=value))
        ends = (float(low), float(high))
        flat = [Caution.CENSUS] if ends[0] == ends[1] else [Caution.NO_SPREAD] if se == 0 else []
        found[metric] = Estimate(
            value=value,
            ci=ends,
            level=level,
            method=method,
            se=se,
            n=n,
            population=sum(stratum.size for stratum in strata),
            warnings=(*cautions, *flat),
            seed=seed,
            replicates=draws,
        )
    return found


def refusal(strata: Sequence[AuditStratum]) -> Reason | None:
    """Why there is no weighted figure at all; None if there can be one."""
    if not sum(stratum.size for stratum in strata):
        return Reason.NO_ITEMS
    if any(stratum.sampled == 0 < stratum.size for stratum in strata):
        return Reason.EMPTY_STRATUM
    return None


def linearised_se(metric: str, strata: Sequence[AuditStratum]) -> float | None:
    """Stratified Taylor linearisation: sum of N_h^2 (1 - n_h/N_h) s_h^2(e) / n_h, e the influence.

    None where the coefficient is undefined or a single audited unit leaves a variance unknown.
    """
    slopes = gradient(metric, population_table(strata))
    if slopes is None:
        return None
    influence = np.array([*slopes, 0.0])
    variance = 0.0
    for stratum in strata:
        if stratum.sampled == stratum.size:
            continue
        if stratum.sampled < 2:
            return None
        counts = np.array(stratum.counts)
        centred = influence - counts @ influence / stratum.sampled
        spread = float(counts @ centred**2) / (stratum.sampled - 1)
        variance += stratum.size * (stratum.size - stratum.sampled) * spread / stratum.sampled
    return math.sqrt(variance)


def _posterior_tables(
    strata: Sequence[AuditStratum],
    groups: Sequence[Pool],
    *,
    full: bool,
    draws: int,
    rng: np.random.Generator,
) -> Floats:
    """Population tables (draws, 4): audited counts plus drawn counts of the unaudited units.

    `full` gives every possible cell Jeffreys's prior, otherwise a cell's prior is at most what was seen in it.
    Unaudited units may fall into cells of the judge's answer where it is known, else of the answers seen in the group.
    If the whole sample shows one answer only, the strata do not tell the judge's answers apart: any is possible.
    """
    counts = np.array([stratum.counts for stratum in strata], dtype=np.float64)
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    tables = np.tile(counts.sum(axis=0), (draws, 1))
    known = [{strata[cell].verdict for cell in pool.cells} for pool in groups]
    both_seen = counts[:, :2].any() and counts[:, 2:4].any()
    for pool, verdicts in zip(groups, known, strict=True):
        seen = counts[pool.cells].sum(axis=0)
        if "" in verdicts:
            yes, no = seen[:2].any() or not both_seen, seen[2:4].any() or not both_seen
        else:
            yes, no = "yes" in verdicts, "no" in verdicts
        possible = [*((0, 1) if yes else ()), *((2, 3) if no else ())]
        possible += [4] if seen[4] or not possible else []
        found = pool.rates(shares[None])[0][possible] * pool.effective
        shapes = found + (PRIOR if full else np.minimum(found, PRIOR))
        gammas = rng.standard_gamma(shapes, size=(draws, len(possible)))
        tables[:, possible] += rng.multinomial(pool.units, gammas / gammas.sum(axis=1, keepdims=True))
    return tables[:, :4]
