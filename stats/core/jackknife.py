"""Standard errors and intervals of any function of sums over units, by leaving out one unit at a time.

A unit is an item, or a cluster of items that share a problem or a paper. Measured for alpha of two and three raters
(docs/adr/0027): Fisher's z with this error covers better than percentiles of a bootstrap, Student's t on the
coefficient itself, or log(1 - alpha).
"""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from stats.core.bootstrap import Floats, Ints
from stats.core.estimate import Caution, Estimate, Reason
from stats.core.intervals import wilson

Function = Callable[[Floats], Floats]  # sums (R, d) -> values (R,)
_CELLS = 4_000_000
FEW_UNITS = 30
LEAST_DEGREES = 4


def leave_one_out(function: Function, rows: Floats, counts: Ints) -> tuple[float, float] | None:
    """Standard error and degrees of freedom of `function` at the sums of `rows` (K, d), each `counts` (K,) times.

    The degrees are (sum d^2)^2 / sum d^4 of the deviations d: the units that make up the variance, at most C - 1.
    Where a unit alone keeps the coefficient defined, 0 takes its place without it. None below two units.
    """
    units = int(counts.sum())
    if units < 2:
        return None
    total, chunk = counts @ rows, max(1, _CELLS // max(1, rows.shape[1]))
    parts = [function(total - rows[start : start + chunk]) for start in range(0, len(rows), chunk)]
    return jackknife_error(np.nan_to_num(np.concatenate(parts), nan=0.0), counts)


def jackknife_error(left: Floats, counts: Ints) -> tuple[float, float] | None:
    """Error and degrees of freedom from the values `left` (K,) without one unit of each kind; None below two units."""
    units = int(counts.sum())
    if units < 2:
        return None
    squares = (left - (counts @ left) / units) ** 2
    spread = float(counts @ squares)
    if spread <= 1e-24:
        return 0.0, units - 1.0
    degrees = spread**2 / float(counts @ squares**2)
    return math.sqrt((units - 1) / units * spread), min(units - 1.0, max(1.0, degrees))


def t_quantile(level: float, degrees: float) -> float:
    """Student's two-sided quantile for any positive degrees of freedom."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees, 0.5 + level / 2))


def fisher_interval(value: float, se: float, degrees: float, level: float) -> tuple[float, float]:
    """Student's t on atanh(value), for coefficients in (-1, 1) with se > 0."""
    inside = min(1 - 1e-9, max(-1 + 1e-9, value))
    z, half = math.atanh(inside), t_quantile(level, degrees) * se / (1 - inside**2)
    return min(value, math.tanh(z - half)), max(value, math.tanh(z + half))


def share_interval(value: float, se: float, degrees: float, level: float) -> tuple[float, float]:
    """Wilson on the number of independent trials that would have this error, for shares with 0 < value < 1."""
    trials = value * (1 - value) / se**2
    return wilson(value * trials, trials, level=level, quantile=t_quantile(level, degrees))


def share_left_out(
    value: float, error: tuple[float, float], units: int, level: float, *, least_degrees: int = LEAST_DEGREES
) -> tuple[float, float]:
    """`share_interval` with the error of leaving out one of `units` at a time.

    Where all failures are of one unit, the variance is, too, and its error would have one degree of freedom: an
    interval many times too wide. It has `least_degrees`, or one less than there are units (1 in older artifacts).
    """
    se, degrees = error
    return share_interval(value, se, max(degrees, min(least_degrees, units - 1)), level)


def unseen_share(units: float, level: float) -> float:
    """The largest share of a kind that `units` never showed: the rule of three.

    A kind with share p stays unseen with probability (1 - p)^units; p is the largest for which that is (1 - level) / 2.
    """
    return float(1 - ((1 - level) / 2) ** (1 / units))


def unseen_weight(units: int, level: float) -> float:
    """How many units of a kind that `units` never showed may be taken as added."""
    p = unseen_share(units, level)
    return units * p / (1 - p)


def widened(
    function: Function, total: Floats, possible: Floats, units: int, level: float
) -> tuple[float, float] | None:
    """From the least to the greatest value when as many units of one possible kind as could be unseen are added.

    For data without spread, where no resample differs. `possible` (J, d) are sums of one unit of each kind.
    """
    here = function(total)
    values = np.concatenate([here, function(total + unseen_weight(units, level) * possible)])
    finite = values[np.isfinite(values)]
    if not finite.size:
        return None
    # a weighted coefficient itself can be below -1
    return float(min(here[0], max(-1.0, finite.min()))), float(max(here[0], min(1.0, finite.max())))


def left_out(
    found: Estimate,
    function: Function,
    rows: Floats,
    *,
    share: bool,
    counts: Ints | None = None,
    fisher_at_ends: bool = False,
    least_degrees: int = LEAST_DEGREES,
) -> Estimate:
    """The estimate with the error of leaving out one unit at a time.

    `rows` are clusters (C, d) of counts, or kinds of items with the `counts` (C,) of each. `share` marks values in
    [0, 1], which have Wilson's interval; other coefficients have Fisher's z. A share of 0 or 1 that one unit alone
    keeps defined is as uncertain as one without spread, but had Fisher's z, too (`fisher_at_ends`). That and fewer
    `least_degrees` are for older artifacts.
    """
    if found.value is None:
        return found
    times = np.ones(len(rows), dtype=np.int64) if counts is None else counts
    level, units = found.level, int(times.sum())
    error = leave_one_out(function, rows, times)
    ends, warnings = None, found.warnings
    at_end = share and found.value in (0, 1)
    if error is not None and error[0] > 0 and (fisher_at_ends or not at_end):
        if share and not at_end:
            ends = share_left_out(found.value, error, units, level, least_degrees=least_degrees)
        else:
            ends = fisher_interval(found.value, *error, level)
    elif error is not None:
        total = (times @ rows)[None]
        # What went unseen is a whole unit of one kind.
        ends = widened(function, total, np.eye(rows.shape[1]) * total.sum() / units, units, level)
        warnings = (*(w for w in warnings if w != Caution.NO_SPREAD), Caution.NO_SPREAD)
    if counts is None and units < FEW_UNITS:
        warnings = (*warnings, Caution.FEW_CLUSTERS)
    return replace(
        found,
        ci=ends,
        se=None if error is None else error[0],
        method="cluster jackknife" if counts is None else "item jackknife",
        clusters=units if counts is None else None,
        reason=Reason.FEW_EVENTS if ends is None else None,
        warnings=warnings,
    )
