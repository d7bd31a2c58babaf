"""A judge audit weighted by its sampling design.

Every sampled unit of stratum h stands for N_h / n_h units. Coefficients are functions of the estimated
population table; their standard errors are linearised with the finite population correction (as R's
survey package does for ratios), their intervals draw the unaudited units of each stratum from a
Dirichlet-multinomial with Jeffreys prior, the several-cells form of the corrected score's interval.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stats.bootstrap import Floats, generator, percentile_interval
from stats.confusion import METRICS, Confusion, coefficient, gradient, zero_reason
from stats.estimate import Caution, Estimate, Reason, undefined

DRAWS = 20_000
METHOD = "design_weighted_bb_jeffreys"


@dataclass(frozen=True)
class AuditStratum:
    """One stratum: N_h, n_h and what was found. `ineligible` units were drawn but lack a yes/no side.

    Drawn units without any expert label are not in the table, so the five counts add up to `sampled`.
    """

    name: str
    size: int
    tp: int
    fp: int
    fn: int
    tn: int
    ineligible: int = 0

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

    Undefined with EMPTY_STRATUM when a stratum has no audited unit, with NO_ITEMS without strata.
    """
    refusal = _refusal(strata)
    n = sum(stratum.sampled - stratum.ineligible for stratum in strata)
    if refusal is not None:
        return {metric: undefined(METHOD, refusal, n=n, level=level) for metric in METRICS}
    table = population_table(strata)
    tables = _posterior_tables(strata, draws=draws, rng=generator(seed))
    return {
        metric: _weighted(metric, table, strata, tables, n=n, seed=seed, level=level) for metric in METRICS
    }


def _refusal(strata: Sequence[AuditStratum]) -> Reason | None:
    if not sum(stratum.size for stratum in strata):
        return Reason.NO_ITEMS
    if any(stratum.sampled == 0 < stratum.size for stratum in strata):
        return Reason.EMPTY_STRATUM
    return None


def _weighted(
    metric: str,
    table: Confusion,
    strata: Sequence[AuditStratum],
    tables: Floats,
    *,
    n: int,
    seed: int,
    level: float,
) -> Estimate:
    value = coefficient(metric, table)
    if value is None:
        return undefined(METHOD, zero_reason(metric, table), n=n, level=level)
    census = all(stratum.sampled == stratum.size for stratum in strata)
    ends = (value, value) if census else percentile_interval(_coefficients(metric, tables), level)
    return Estimate(
        value=value,
        ci=ends,
        level=level,
        method=METHOD,
        se=linearised_se(metric, strata),
        n=n,
        population=sum(stratum.size for stratum in strata),
        warnings=(Caution.CENSUS,) if census else (),
        seed=seed,
        replicates=len(tables),
    )


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


def _posterior_tables(strata: Sequence[AuditStratum], *, draws: int, rng: np.random.Generator) -> Floats:
    """Population tables (draws, 4): audited counts plus imputed counts of the unaudited units."""
    tables = np.zeros((draws, 5))
    for stratum in strata:
        tables += np.array(stratum.counts)
        if stratum.sampled < stratum.size:
            possible = np.array(_possible_cells(stratum))
            shapes = np.array(stratum.counts)[possible] + 0.5
            shares = rng.dirichlet(shapes, size=draws)
            tables[:, possible] += rng.multinomial(stratum.size - stratum.sampled, shares)
    return tables[:, :4]


def _possible_cells(stratum: AuditStratum) -> list[int]:
    """Cells that unaudited units may fall into: the judge's values seen in the stratum, either truth."""
    judge_yes, judge_no = stratum.tp + stratum.fp > 0, stratum.fn + stratum.tn > 0
    cells = [0, 1] if judge_yes else []
    cells += [2, 3] if judge_no else []
    return [*cells, 4] if stratum.ineligible or not cells else cells


def _coefficients(metric: str, tables: Floats) -> Floats:
    """The coefficient of many tables (B, 4) at once; nan where undefined."""
    tp, fp, fn, tn = tables.T
    with np.errstate(invalid="ignore", divide="ignore"):
        if metric == "agreement":
            return np.asarray((tp + tn) / (tp + fp + fn + tn))
        if metric == "precision":
            return np.asarray(tp / (tp + fp))
        if metric == "recall":
            return np.asarray(tp / (tp + fn))
        if metric == "f1":
            return np.asarray(2 * tp / (2 * tp + fp + fn))
        above = 2 * (tp * tn - fp * fn)
        return np.asarray(above / ((tp + fp) * (fp + tn) + (tp + fn) * (fn + tn)))
