"""Agreement as artifacts frozen before version 4 of the methods have it, so that these verify byte for byte.

Nothing new uses it. Before version 3 intervals are percentiles of 2,000 resampled units, and intraclass correlations
ignore clusters; in version 3 an interval without spread reaches only as far as one unseen item of each cluster.
`stats.agreement.bundle` has the current intervals (ADR 0027).
"""

import math
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from stats.agreement.bundle import (
    COEFFICIENTS,
    LOW_N,
    Request,
    absence,
    agreement,
    coefficient_functions,
    refusal,
)
from stats.agreement.icc import FORMS, TINY, MeanSquares, intraclass, mean_squares
from stats.agreement.sums import MAX_CELLS, agreement_sums
from stats.core.bootstrap import Ints, generator, percentile_interval, resampled_pattern_sums
from stats.core.estimate import Caution, Estimate, Reason, undefined
from stats.core.intervals import z_value
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
        for form, found in agreement(ratings, request, correlations=f_intraclass).items()
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
    found = agreement(ratings, request, clusters=clusters, correlations=partial(intraclass, beyond_one=True))
    flat = [name for name, one in found.items() if Caution.NO_SPREAD in one.warnings and name in COEFFICIENTS]
    if flat:
        sums = agreement_sums(ratings, clusters)
        functions, units = coefficient_functions(ratings, sums), int(sums.counts.sum())
        for name in flat:
            ends = widened(functions[name], sums.total(), sums.possible, units, request.confidence)
            found[name] = replace(found[name], ci=ends)
    return found


def f_intraclass(
    scores: ArrayLike, *, level: float = 0.95, clusters: Ints | None = None
) -> dict[str, Estimate]:
    """Intraclass correlations with intervals from the F distribution (Shrout and Fleiss 1979), without clusters."""
    s = mean_squares(scores)
    n, k = s.n, s.k
    one_way = _quotient(s.rows - s.within, s.rows + (k - 1) * s.within)
    mixed = _quotient(s.rows - s.error, s.rows + (k - 1) * s.error)
    random = _quotient(s.rows - s.error, s.rows + (k - 1) * s.error + k * (s.columns - s.error) / n)
    random_ends: Ends = None
    if random is not None and s.error > TINY:
        # Satterthwaite's degrees of freedom
        a = k * random * s.columns / s.error
        b = n * (1 + (k - 1) * random) - k * random
        below = (n - 1) * a * a + b * b
        if below > TINY:
            degrees = (k - 1) * (n - 1) * (a + b) ** 2 / below
            upper, lower = _f_quantile(level, n - 1, degrees), _f_quantile(level, degrees, n - 1)
            noise = k * s.columns + (k * n - k - n) * s.error
            random_ends = (
                n * (s.rows - upper * s.error) / (upper * noise + n * s.rows),
                n * (lower * s.rows - s.error) / (noise + n * lower * s.rows),
            )
    singles = {
        1: (one_way, _f_ends(s, s.within, n * (k - 1), level)),
        2: (random, random_ends),
        3: (mixed, _f_ends(s, s.error, (n - 1) * (k - 1), level)),
    }
    found = {}
    for model, (value, ends) in singles.items():
        found[f"icc_{model}_1"] = _estimate(f"icc_{model}_1", value, ends, s, level)
        low, high = (_spearman_brown(end, k) for end in ends or (None, None))
        stepped = None if low is None or high is None else (low, high)
        found[f"icc_{model}_k"] = _estimate(f"icc_{model}_k", _spearman_brown(value, k), stepped, s, level)
    return {form: found[form] for form in FORMS}


Ends = tuple[float, float] | None


def _estimate(form: str, value: float | None, ends: Ends, squares: MeanSquares, level: float) -> Estimate:
    if value is None:
        return undefined(form, Reason.ZERO_DENOM, n=squares.n, level=level)
    usable = ends is not None and all(map(math.isfinite, ends)) and ends[0] <= value <= ends[1] > ends[0]
    return Estimate(
        value=value,
        ci=ends if usable else None,
        level=level,
        method=form,
        n=squares.n,
        reason=None if usable else Reason.FEW_EVENTS,
        warnings=() if squares.error > TINY else (Caution.NO_SPREAD,),
    )


def _spearman_brown(value: float | None, k: int) -> float | None:
    """The reliability of the mean of k raters from that of one."""
    if value is None or 1 + (k - 1) * value <= TINY:
        return None
    return k * value / (1 + (k - 1) * value)


def _quotient(above: float, below: float) -> float | None:
    return None if below <= TINY else above / below


def _f_quantile(level: float, first: float, second: float) -> float:
    from scipy.stats import f

    z_value(level)
    return float(f.ppf(0.5 + level / 2, first, second))


def _f_ends(s: MeanSquares, noise: float, degrees: int, level: float) -> Ends:
    if noise <= TINY:
        return None
    ratio = s.rows / noise
    low = ratio / _f_quantile(level, s.n - 1, degrees)
    high = ratio * _f_quantile(level, degrees, s.n - 1)
    return (low - 1) / (low + s.k - 1), (high - 1) / (high + s.k - 1)
