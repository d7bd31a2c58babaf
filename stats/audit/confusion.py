"""A judge against an expert on the same subjects: counts, coefficients and their derivatives.

The judge is the prediction, the expert the truth. Eligible pairs are those where both say yes or no.
The in-sample figures treat the audited subjects as they are; `stats.audit.weighted` weights them by the design.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from stats.core.bootstrap import Floats
from stats.core.estimate import Caution, Estimate, Reason, undefined
from stats.core.intervals import proportion, wilson, z_value
from stats.core.jackknife import LEAST_DEGREES, left_out

METRICS = ("agreement", "precision", "recall", "f1", "kappa")
Cells = tuple[float, float, float, float]


@dataclass(frozen=True)
class Confusion:
    """tp: both yes; fp: judge yes, expert no; fn: judge no, expert yes; tn: both no. May be weighted."""

    tp: float
    fp: float
    fn: float
    tn: float

    def __post_init__(self) -> None:
        if any(not math.isfinite(count) or count < 0 for count in self.cells):
            raise ValueError(f"counts must be finite and not negative, got {self.cells}")

    @property
    def cells(self) -> Cells:
        """(tp, fp, fn, tn)."""
        return self.tp, self.fp, self.fn, self.tn

    @property
    def total(self) -> float:
        """Number (or weight) of eligible pairs."""
        return sum(self.cells)


# Numerator and denominator of each ratio, as coefficients of (tp, fp, fn, tn).
_RATIOS: Mapping[str, tuple[Cells, Cells]] = {
    "agreement": ((1, 0, 0, 1), (1, 1, 1, 1)),
    "precision": ((1, 0, 0, 0), (1, 1, 0, 0)),
    "recall": ((1, 0, 0, 0), (1, 0, 1, 0)),
    "f1": ((2, 0, 0, 0), (2, 1, 1, 0)),
}


def coefficient(metric: str, table: Confusion) -> float | None:
    """The value of one of METRICS, or None where it is 0/0."""
    if metric == "kappa":
        parts = _kappa_parts(table)
        return None if parts is None else parts[0] / parts[1]
    numerator, denominator = _ratio_parts(metric, table)
    return None if denominator == 0 else numerator / denominator


def coefficients(metric: str, tables: Floats) -> Floats:
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


def gradient(metric: str, table: Confusion) -> Cells | None:
    """Derivative of the coefficient by each of (tp, fp, fn, tn): the influence of one more pair.

    All coefficients are unchanged by scaling the table, so the cell-weighted sum of these is 0 and they
    serve as linearised residuals.
    """
    up: Cells
    down: Cells
    if metric == "kappa":
        parts = _kappa_parts(table)
        if parts is None:
            return None
        a, b, c, d = table.cells
        up, down = (
            (2 * d, -2 * c, -2 * b, 2 * a),
            (b + c + 2 * d, a + 2 * b + d, a + 2 * c + d, 2 * a + b + c),
        )
    else:
        parts = _ratio_parts(metric, table)
        up, down = _RATIOS[metric]
    numerator, denominator = parts
    if denominator == 0:
        return None
    a, b, c, d = ((u - numerator / denominator * v) / denominator for u, v in zip(up, down, strict=True))
    return a, b, c, d


def _ratio_parts(metric: str, table: Confusion) -> tuple[float, float]:
    if metric not in _RATIOS:
        raise ValueError(f"unknown metric {metric!r}; known: {', '.join(METRICS)}")
    up, down = _RATIOS[metric]
    return _dot(up, table.cells), _dot(down, table.cells)


def _dot(weights: Cells, cells: Cells) -> float:
    return sum(weight * cell for weight, cell in zip(weights, cells, strict=True))


def _kappa_parts(table: Confusion) -> tuple[float, float] | None:
    """kappa = 2 (tp tn - fp fn) / (judge yes x expert no + expert yes x judge no); None when 0/0."""
    a, b, c, d = table.cells
    below = (a + b) * (b + d) + (a + c) * (c + d)
    return None if below == 0 else (2 * (a * d - b * c), below)


def zero_reason(metric: str, table: Confusion) -> Reason:
    """Why a coefficient of this table is undefined."""
    if table.total == 0:
        return Reason.NO_ITEMS
    return Reason.ONE_CATEGORY if metric == "kappa" else Reason.ZERO_DENOM


def in_sample(
    table: Confusion,
    *,
    clusters: Floats | None = None,
    level: float = 0.95,
    fisher_at_ends: bool = False,
    least_degrees: int = LEAST_DEGREES,
) -> dict[str, Estimate]:
    """The five coefficients of whole counts with intervals, as if the audited pairs were an SRS.

    `clusters` (C, 4) are the tables of clusters of pairs that are alike; where one holds several pairs, errors come
    from leaving out a cluster at a time. Pairs alone:

    Agreement, precision and recall: Wilson. F1 = 2J/(1+J) with J = tp/(tp+fp+fn): Wilson on J carried
    over. kappa: delta method (Fleiss, Cohen and Everitt 1969), clipped to [-1, 1]; see below where it has no width.
    """
    found = {}
    for metric in ("agreement", "precision", "recall"):
        hits, of = _ratio_parts(metric, table)
        found[metric] = (
            proportion(round(hits), round(of), level=level)
            if of
            else undefined("wilson", zero_reason(metric, table), n=0, level=level)
        )
    f1, method = coefficient("f1", table), "wilson_jaccard"
    if f1 is None:
        found["f1"] = undefined(method, zero_reason("f1", table), n=0, level=level)
    else:
        named, se = table.tp + table.fp + table.fn, delta_se("f1", table)
        low, high = wilson(table.tp, named, level=level)
        ends = (2 * low / (1 + low), 2 * high / (1 + high))
        found["f1"] = Estimate(value=f1, ci=ends, level=level, method=method, n=round(named), se=se)
    found["kappa"] = _kappa(table, level)
    if clusters is None or clusters.sum(axis=1).max(initial=0) <= 1:
        return found
    return {
        metric: left_out(
            one,
            partial(coefficients, metric),
            clusters,
            share=metric != "kappa",
            fisher_at_ends=fisher_at_ends,
            least_degrees=least_degrees,
        )
        for metric, one in found.items()
    }


def _kappa(table: Confusion, level: float) -> Estimate:
    value, se = coefficient("kappa", table), delta_se("kappa", table)
    if value is None or se is None:
        reason = zero_reason("kappa", table)
        return undefined("delta_clipped", reason, n=round(table.total), level=level)
    flat = se < 1e-9
    if flat:
        # A delta method has no width where all agree, or where one side gave one answer only: Wilson's ends of the
        # agreement carried over at this chance agreement.
        tp, fp, fn, tn = table.cells
        chance = ((tp + fp) * (tp + fn) + (fn + tn) * (fp + tn)) / table.total**2
        low, high = wilson(tp + tn, table.total, level=level)
        carried = ((tp + tn) / table.total - chance) / (1 - chance)
        ends = (
            max(-1.0, min(carried, (low - chance) / (1 - chance))),
            max(carried, (high - chance) / (1 - chance)),
        )
    else:
        half = z_value(level) * se
        ends = (max(-1.0, value - half), min(1.0, value + half))
    return Estimate(
        value=value,
        ci=ends,
        level=level,
        method="wilson_agreement" if flat else "delta_clipped",
        se=se,
        n=round(table.total),
        warnings=(Caution.NO_SPREAD,) if flat else (),
    )


def delta_se(metric: str, table: Confusion) -> float | None:
    """Multinomial standard error by the delta method: sqrt(sum of count x influence^2)."""
    slopes = gradient(metric, table)
    if slopes is None:
        return None
    squares = (count * slope * slope for count, slope in zip(table.cells, slopes, strict=True))
    return math.sqrt(sum(squares))
