"""Strengths and ranks of compared systems, one connected component at a time."""

from dataclasses import dataclass, replace

import numpy as np

from stats.analyses.options import Options
from stats.core.bootstrap import Ints
from stats.core.estimate import Caution, Estimate, Reason, undefined
from stats.core.intervals import z_value
from stats.pairs import davidson
from stats.pairs.davidson import DavidsonFit
from stats.pairs.pairwise import Comparisons, components
from stats.pairs.strength_bootstrap import REFITTED, RankErrors, clustered_strengths, jackknife_strengths
from stats.scores.clusters import FEW_CLUSTERS

METHOD = "davidson_newton"
PRIOR_SD = 2.0


@dataclass(frozen=True)
class Standing:
    """The place of a system among those it was compared with, if only through others.

    `strength` is a logarithm; they sum to zero within a component. `regularised` has a normal prior of
    standard deviation 2 and is given only where plain strengths are infinite; `jackknife` repeats the strength where
    it was fitted again without each cluster.
    """

    component: int
    strength: Estimate
    rank: tuple[int, int] | None = None
    regularised: float | None = None
    jackknife: Estimate | None = None


def standings(comparisons: Comparisons, clusters: Ints | None, options: Options) -> list[Standing]:
    """One per system; `clusters` (L,) are codes, None when all comparisons are independent."""
    codes, level = components(comparisons.table()), options.confidence
    found: dict[int, Standing] = {}
    for number in range(int(codes.max(initial=-1)) + 1):
        members = np.flatnonzero(codes == number)
        part, rows = comparisons.among(members)
        table, n = part.table(), len(part.result)
        fitted = davidson.fit(table) if part.k > 1 else Reason.NOT_CONNECTED
        if isinstance(fitted, Reason):
            absent = undefined(METHOD, fitted, n=n, level=level)
            penalised = davidson.fit(table, prior_sd=PRIOR_SD) if fitted is Reason.SEPARATION else fitted
            weak = penalised.strengths.tolist() if isinstance(penalised, DavidsonFit) else [None] * part.k
            placed = [Standing(number, absent, regularised=strength) for strength in weak]
        elif clusters is None:
            half = z_value(level) * fitted.se
            strengths = [
                Estimate(
                    value=float(b),
                    ci=(float(b - h), float(b + h)),
                    level=level,
                    method=METHOD,
                    se=float(se),
                    n=n,
                )
                for b, se, h in zip(fitted.strengths, fitted.se, half, strict=True)
            ]
            ranks = davidson.rank_sets(fitted, level=level)
            placed = [Standing(number, one, rank) for one, rank in zip(strengths, ranks, strict=True)]
        else:
            own = np.unique(clusters[rows], return_inverse=True)[1]
            draws = clustered_strengths(part, own, fitted, seed=options.seed)
            count = int(own.max()) + 1
            cautions = (Caution.DEGENERATE_BOOTSTRAP,) if draws.lost else ()
            cautions = (*cautions, Caution.FEW_CLUSTERS) if count < FEW_CLUSTERS else cautions
            tell = draws.effective.diagonal() if options.rank_errors == RankErrors.OF_PAIR else None
            strengths = jackknife_strengths(
                part, own, fitted, level=level, way=options.clustering, effective=tell
            )
            ranks = draws.ranks(fitted, level, way=options.rank_errors)
            placed = [
                Standing(
                    number,
                    replace(one, warnings=(*one.warnings, *cautions)),
                    rank,
                    jackknife=one if count < REFITTED else None,
                )
                for one, rank in zip(strengths, ranks, strict=True)
            ]
        found |= zip(members.tolist(), placed, strict=True)
    return [found[system] for system in range(comparisons.k)]
