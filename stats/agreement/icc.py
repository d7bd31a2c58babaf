"""Intraclass correlations from a two-way analysis of variance (Shrout and Fleiss 1979)."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from stats.core.bootstrap import Floats, Ints
from stats.core.estimate import Caution, Estimate, Reason, undefined
from stats.core.jackknife import fisher_interval, leave_one_out

FORMS = ("icc_1_1", "icc_2_1", "icc_3_1", "icc_1_k", "icc_2_k", "icc_3_k")
TINY = 1e-12


@dataclass(frozen=True)
class MeanSquares:
    """Mean squares of n items by k raters: between items, between raters, residual, within items."""

    n: int
    k: int
    rows: float
    columns: float
    error: float
    within: float


def mean_squares(scores: ArrayLike) -> MeanSquares:
    """Analysis of variance of a complete (n, k) table. Raises ValueError below 2 x 2."""
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or min(table.shape) < 2:
        raise ValueError(f"an intraclass correlation needs at least 2 items and 2 raters, got {table.shape}")
    n, k = table.shape
    grand = table.mean()
    rows = k * float(((table.mean(axis=1) - grand) ** 2).sum())
    columns = n * float(((table.mean(axis=0) - grand) ** 2).sum())
    residual = table - table.mean(axis=1, keepdims=True) - table.mean(axis=0, keepdims=True) + grand
    error = float((residual**2).sum())
    return MeanSquares(
        n=n,
        k=k,
        rows=rows / (n - 1),
        columns=columns / (k - 1),
        error=error / ((n - 1) * (k - 1)),
        within=(columns + error) / (n * (k - 1)),
    )


def intraclass(
    scores: ArrayLike, *, level: float = 0.95, clusters: Ints | None = None, beyond_one: bool = False
) -> dict[str, Estimate]:
    """All six forms of FORMS: (model, unit) with k the mean of the k raters.

    One item at a time is left out, or one cluster: `clusters` (n,) are consecutive codes of items that are alike. The
    usual interval from the F distribution needs scores that are normal across items, and those of proofs are not (ADR
    0069). Intervals speak of these raters, as those of other coefficients do. A form whose denominator is not positive
    is undefined; `beyond_one` keeps those below zero, whose correlations exceed 1, for figures that were published
    before.
    """
    squares = mean_squares(scores)
    table = np.asarray(scores, dtype=np.float64)
    table = table - table.mean()
    n, k = table.shape
    per_item = np.column_stack([np.ones(n), table.sum(axis=1) ** 2, (table**2).sum(axis=1), table])
    units = np.arange(n) if clusters is None else clusters
    rows = np.zeros((int(units.max()) + 1, k + 3))
    np.add.at(rows, units, per_item)
    found = {}
    for at, form in enumerate(FORMS):
        value = float(_values(rows.sum(axis=0)[None], beyond_one)[0, at])
        if not math.isfinite(value):
            found[form] = undefined(form, Reason.ZERO_DENOM, n=n, level=level)
            continue

        def value_of(sums: Floats, at: int = at) -> Floats:
            return _values(sums, beyond_one)[:, at]

        error = leave_one_out(value_of, rows, np.ones(len(rows), dtype=np.int64))
        moved = error is not None and error[0] > 0
        found[form] = Estimate(
            value=value,
            ci=fisher_interval(value, *error, level) if error is not None and moved else None,
            level=level,
            method=f"{form}, {'item' if clusters is None else 'cluster'} jackknife",
            se=None if error is None else error[0],
            n=n,
            clusters=None if clusters is None else len(rows),
            reason=None if moved else Reason.FEW_EVENTS,
            warnings=() if squares.error > TINY else (Caution.NO_SPREAD,),
        )
    return found


def _values(sums: Floats, beyond_one: bool) -> Floats:
    """(R, 6) the forms from sums over items (R, k + 3): 1, squared sum of the item, sum of squares, each rater's.

    NaN where a form is undefined.
    """
    n, of_items, squares, columns = sums[:, 0], sums[:, 1], sums[:, 2], sums[:, 3:]
    k = columns.shape[1]
    with np.errstate(invalid="ignore", divide="ignore"):
        grand = columns.sum(axis=1) ** 2 / (n * k)
        between, raters = of_items / k - grand, (columns**2).sum(axis=1) / n - grand
        msr, within = between / (n - 1), (squares - of_items / k) / (n * (k - 1))
        msc, mse = raters / (k - 1), (squares - grand - between - raters) / ((n - 1) * (k - 1))
        over = [within, mse + (msc - mse) / n, mse]
        above = [msr - within, msr - mse, msr - mse]
        below = np.column_stack([a + times * b for times in (k, 1) for a, b in zip(above, over, strict=True)])
        values = np.column_stack([*above, *above]) / below
    return np.where(np.isfinite(values) & (beyond_one | (below > TINY)), values, np.nan)
