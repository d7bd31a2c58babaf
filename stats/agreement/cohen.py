"""Cohen's kappa, plain and weighted, for two fixed raters (Cohen 1960, 1968)."""

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from stats.core.bootstrap import Floats
from stats.core.estimate import Caution

Weighting = Literal["nominal", "linear", "quadratic"]

PREVALENCE_LIMIT, GAP_LIMIT, BIAS_LIMIT, CAP_LIMIT, LOW_N = 0.6, 0.3, 0.1, 0.6, 30


def disagreement(kind: Weighting, points: Floats) -> Floats:
    """Disagreement weights (q, q): 0 on the diagonal; linear or quadratic in the scale positions."""
    gaps = np.abs(points[:, None] - points[None, :])
    if kind == "nominal":
        return 1 - np.eye(len(points))
    if kind == "linear":
        return np.asarray(gaps)
    if kind == "quadratic":
        return np.asarray(gaps**2)
    raise ValueError(f"unknown weights {kind!r}: nominal, linear or quadratic")


def kappa(table: ArrayLike, weights: Floats | None = None) -> Floats:
    """1 - sum(d O) / sum(d E) for tables (..., q, q) of counts; nan where 0/0.

    Without weights every disagreement counts the same.
    """
    observed = np.asarray(table, dtype=np.float64)
    d = 1 - np.eye(observed.shape[-1]) if weights is None else weights
    rows, columns, n = observed.sum(axis=-1), observed.sum(axis=-2), observed.sum(axis=(-2, -1))
    seen = (d * observed).sum(axis=(-2, -1))
    expected = np.einsum("...i,ij,...j->...", rows, d, columns)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(expected > 0, 1 - n * seen / expected, np.nan))


def kappa_max(table: ArrayLike) -> float | None:
    """The largest kappa that these margins allow; None where 0/0."""
    observed = np.asarray(table, dtype=np.float64)
    n = observed.sum()
    if n == 0:
        return None
    rows, columns = observed.sum(axis=1) / n, observed.sum(axis=0) / n
    chance = float(rows @ columns)
    return None if chance >= 1 else (float(np.minimum(rows, columns).sum()) - chance) / (1 - chance)


def prevalence_index(table: ArrayLike) -> float | None:
    """(a - d) / n of a two-by-two table; None for other tables."""
    observed = np.asarray(table, dtype=np.float64)
    if observed.shape != (2, 2) or observed.sum() == 0:
        return None
    return float((observed[0, 0] - observed[1, 1]) / observed.sum())


def bias_index(table: ArrayLike) -> float | None:
    """(b - c) / n of a two-by-two table; None for other tables."""
    observed = np.asarray(table, dtype=np.float64)
    if observed.shape != (2, 2) or observed.sum() == 0:
        return None
    return float((observed[0, 1] - observed[1, 0]) / observed.sum())


def cautions(table: ArrayLike) -> tuple[str, ...]:
    """Warnings that come with a kappa (STATISTICS.md 3 ii; the thresholds are heuristics)."""
    observed = np.asarray(table, dtype=np.float64)
    n = float(observed.sum())
    found = []
    if n < LOW_N:
        found.append(Caution.LOW_N)
    value = float(kappa(observed))
    gap = np.trace(observed) / n - value if n and not math.isnan(value) else 0.0
    if abs(prevalence_index(observed) or 0) > PREVALENCE_LIMIT or gap > GAP_LIMIT:
        found.append(Caution.PREVALENCE_PARADOX)
    if abs(bias_index(observed) or 0) > BIAS_LIMIT:
        found.append(Caution.RATER_BIAS)
    cap = kappa_max(observed)
    if cap is not None and cap < CAP_LIMIT:
        found.append(Caution.MARGIN_CAP)
    return tuple(found)
