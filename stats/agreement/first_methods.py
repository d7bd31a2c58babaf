"""Agreement as artifacts frozen before version 4 of the methods have it, so that these verify byte for byte.

Nothing new uses it. Before version 3 intervals are percentiles of 2,000 resampled units, and intraclass correlations
ignore clusters; in version 3 an interval without spread reaches only as far as one unseen item of each cluster.
`stats.agreement.bundle` has the current intervals (ADR 0027).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from stats.agreement.bundle import (
    COEFFICIENTS,
    LOW_N,
    Request,
    absence,
    agreement,
    coefficient_functions,
    refusal,
)
from stats.agreement.icc import FORMS
from stats.agreement.sums import MAX_CELLS, agreement_sums
from stats.core.bootstrap import Ints, generator, percentile_interval, resampled_pattern_sums
from stats.core.estimate import Caution, Estimate, Reason, undefined
from stats.core.jackknife import widened
from stats.tables.ratings import Ratings

REPLICATES = 2_000


def first_agreement(
    ratings: Ratings, request: Request, *, seed: int, clusters: Ints | None = None
) -> dict[str, Estimate]:
    """Every coefficient as `stats.agreement.bundle.agreement` gave it before."""
    level, n = request.confidence, int(np.count_nonzero(np.bincount(ratings.item)))
    correlations = {
        form: (found if found.value is None else replace(found, reason=None, warnings=()))
        for form, found in agreement(ratings, request).items()
        if form in FORMS
    }
    whole = absence(ratings)
    if whole is not None:
        return {name: undefined(name, whole, n=n, level=level) for name in COEFFICIENTS} | correlations
    sums = agreement_sums(ratings, clusters)
    units, drawn = int(sums.counts.sum()), None
    if sums.rows.size <= MAX_CELLS:
        replicates = REPLICATES if units > 1 else 0
        drawn = resampled_pattern_sums(sums.rows, sums.counts, replicates=replicates, rng=generator(seed))
    functions, found = coefficient_functions(ratings, sums), {}
    for name in COEFFICIENTS:
        reason = refusal(name, ratings, request, functions)
        if reason is None and np.isnan(functions[name](sums.total())[0]):
            reason = Reason.ONE_CATEGORY
        if reason is not None:
            found[name] = undefined(name, reason, n=n, level=level)
            continue
        values = np.empty(0) if drawn is None else functions[name](drawn)
        finite, ends = values[np.isfinite(values)], percentile_interval(values, level)
        missing = Reason.TOO_MANY_CATEGORIES if drawn is None else Reason.DEGENERATE_BOOTSTRAP
        few = (Caution.LOW_N,) if n < LOW_N else ()
        lost = (Caution.DEGENERATE_BOOTSTRAP,) if values.size and np.isnan(values).mean() > 0.05 else ()
        found[name] = Estimate(
            value=float(functions[name](sums.total())[0]),
            ci=ends,
            level=level,
            method=f"{name}, {'item' if clusters is None else 'cluster'} bootstrap",
            se=float(finite.std(ddof=1)) if finite.size > 1 else None,
            n=n,
            clusters=None if clusters is None else units,
            reason=missing if ends is None else None,
            warnings=(*few, *lost),
            seed=seed,
            replicates=REPLICATES,
        )
    return found | correlations


def third_agreement(ratings: Ratings, request: Request, *, clusters: Ints) -> dict[str, Estimate]:
    """Every coefficient as `stats.agreement.bundle.agreement` gave it in version 3."""
    found = agreement(ratings, request, clusters=clusters, beyond_one=True)
    flat = [name for name, one in found.items() if Caution.NO_SPREAD in one.warnings and name in COEFFICIENTS]
    if flat:
        sums = agreement_sums(ratings, clusters)
        functions, units = coefficient_functions(ratings, sums), int(sums.counts.sum())
        for name in flat:
            ends = widened(functions[name], sums.total(), sums.possible, units, request.confidence)
            found[name] = replace(found[name], ci=ends)
    return found
