"""Strengths and ranks of compared systems, one connected component at a time."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from stats import davidson
from stats.analyses.options import Options
from stats.bootstrap import Ints
from stats.clusters import FEW_CLUSTERS
from stats.davidson import DavidsonFit
from stats.estimate import Caution, Estimate, Reason, undefined
from stats.intervals import z_value
from stats.pairwise import Comparisons, components
from stats.strength_bootstrap import StrengthDraws, clustered_strengths, jackknife_strengths

METHOD = "davidson_newton"
PRIOR_SD = 2.0


@dataclass(frozen=True)
class Standing:
    """Where a system stands among those it was compared with, if only through others.

    `strength` is a logarithm; they sum to zero within a component. `regularised` has a normal prior of
    standard deviation 2 and is given only where plain strengths are infinite; `jackknife` leaves out one
    cluster at a time and is given below 20 clusters.
    """

    component: int
    strength: Estimate
    rank: tuple[int, int] | None = None
    regularised: float | None = None
    jackknife: Estimate | None = None


def standings(comparisons: Comparisons, clusters: Ints | None, options: Options) -> list[Standing]:
    """One per system; `clusters` (L,) are codes, None when all comparisons are independent."""
    codes = components(comparisons.table())
    found: dict[int, Standing] = {}
    for component in range(int(codes.max(initial=-1)) + 1):
        members = np.flatnonzero(codes == component)
        part, rows = comparisons.among(members)
        own = None if clusters is None else np.unique(clusters[rows], return_inverse=True)[1]
        found |= zip(members.tolist(), _component(component, part, own, options), strict=True)
    return [found[system] for system in range(comparisons.k)]


def _component(number: int, part: Comparisons, clusters: Ints | None, options: Options) -> list[Standing]:
    table = part.table()
    fitted = davidson.fit(table) if part.k > 1 else Reason.NOT_CONNECTED
    if isinstance(fitted, Reason):
        absent = undefined(METHOD, fitted, n=len(part.result), level=options.confidence)
        penalised = davidson.fit(table, prior_sd=PRIOR_SD) if fitted is Reason.SEPARATION else fitted
        weak = penalised.strengths.tolist() if isinstance(penalised, DavidsonFit) else [None] * part.k
        return [Standing(number, absent, regularised=strength) for strength in weak]
    strengths = _independent(fitted, len(part.result), options)
    ranks = davidson.rank_sets(fitted, level=options.confidence)
    jackknifed: list[Estimate | None] = [None] * part.k
    if clusters is not None:
        draws = clustered_strengths(part, clusters, fitted, seed=options.seed)
        ranks = draws.ranks(fitted, level=options.confidence)
        if clusters.max() + 1 < FEW_CLUSTERS:
            jackknifed = [*jackknife_strengths(part, clusters, fitted, level=options.confidence)]
        strengths = _clustered(strengths, draws, jackknifed, int(clusters.max()) + 1, options)
    return [
        Standing(number, strength, rank, jackknife=jackknife)
        for strength, rank, jackknife in zip(strengths, ranks, jackknifed, strict=True)
    ]


def _independent(fitted: DavidsonFit, n: int, options: Options) -> list[Estimate]:
    level = options.confidence
    half = z_value(level) * fitted.se
    return [
        Estimate(
            value=float(b), ci=(float(b - h), float(b + h)), level=level, method=METHOD, se=float(se), n=n
        )
        for b, se, h in zip(fitted.strengths, fitted.se, half, strict=True)
    ]


def _clustered(
    plain: list[Estimate],
    draws: StrengthDraws,
    jackknifed: list[Estimate | None],
    count: int,
    options: Options,
) -> list[Estimate]:
    """Percentiles of the resamples with their standard error; below FEW_CLUSTERS the jackknife's, which is wider."""
    found = []
    for estimate, interval, errors, jackknife in zip(
        plain, draws.intervals(options.confidence), draws.strengths.T, jackknifed, strict=True
    ):
        warnings = (Caution.DEGENERATE_BOOTSTRAP,) if draws.lost else ()
        if count < FEW_CLUSTERS:
            warnings = (*warnings, Caution.FEW_CLUSTERS)
        if jackknife is not None and jackknife.ci is not None:
            found.append(replace(jackknife, warnings=warnings))
            continue
        found.append(
            replace(
                estimate,
                ci=interval,
                se=float(errors.std(ddof=1)) if len(errors) > 1 else None,
                method=f"{METHOD}, cluster bootstrap",
                clusters=count,
                reason=None if interval else Reason.DEGENERATE_BOOTSTRAP,
                warnings=warnings,
                seed=options.seed,
                replicates=len(errors),
            )
        )
    return found
