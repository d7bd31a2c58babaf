"""Signs that a reviewer's labels need a second look (STATISTICS.md 3 ix). A flag never deletes a label."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from stats.core.bootstrap import Floats, generator
from stats.scores.compare import benjamini_hochberg

SEVERE = 3.0
P_OF_SEVERE = math.erfc(SEVERE / math.sqrt(2))
SLOW_OR_FAST = 3.5  # modified z-scores, with median and MAD, beyond which a value is an outlier
FEWEST_TIMES = 20
READ_PER_SECOND = 25
_ORDERS = 399  # none may go as far: one chance in 400, about that of three standard deviations
_MAD_TO_Z = 0.6745  # the median absolute deviation of a standard normal


@dataclass(frozen=True)
class Severity:
    """How often a rater says yes against the others on the same items; z is None without information."""

    rater: int
    items: int
    excess: float
    z: float | None
    p: float | None
    adjusted_p: float | None
    flagged: bool


def label_residuals(item: ArrayLike, yes: ArrayLike) -> tuple[Floats, Floats]:
    """(residual, variance) of every label (L,) given its item's total: y - T/m and (T/m)(1 - T/m).

    Both are 0 on items with a single label. Their sums over any set of labels that takes at most one per
    item have mean 0 and this variance when the item's raters are exchangeable.
    """
    items, answers = np.asarray(item, dtype=np.int64), np.asarray(yes, dtype=np.float64)
    number = np.bincount(items)
    share = np.bincount(items, weights=answers) / np.maximum(number, 1)
    overlapping = number[items] >= 2
    return (answers - share[items]) * overlapping, share[items] * (1 - share[items]) * overlapping


def severity(item: ArrayLike, rater: ArrayLike, yes: ArrayLike) -> list[Severity]:
    """One entry per rater code; `item`, `rater`, `yes` (0/1) are (L,).

    z = sum(y - T/m) / sqrt(sum (T/m)(1 - T/m)) over the rater's items with m >= 2 labels: mean and variance
    are exact given the item totals. Adjusted p-values by Benjamini and Hochberg.
    """
    items, raters = np.asarray(item, dtype=np.int64), np.asarray(rater, dtype=np.int64)
    if not items.shape == raters.shape == np.shape(yes):
        raise ValueError("item, rater and yes must have one length")
    if not len(items):
        return []
    residual, variance = label_residuals(items, yes)
    excess = np.bincount(raters, weights=residual)
    spread = np.bincount(raters, weights=variance)
    rated = np.bincount(raters, weights=np.bincount(items)[items] >= 2).astype(int)
    z = [float(e / math.sqrt(v)) if v > 0 else None for e, v in zip(excess, spread, strict=True)]
    return _entries(rated.tolist(), excess.tolist(), z)


def graded_severity(scores: ArrayLike) -> list[Severity]:
    """The same from scores (n, k) of k raters on the same n items: the two-way effect over its error.

    t = (mean of the rater - grand mean) / sqrt(MSE (1 - 1/k) / n), MSE of the items x raters analysis of
    variance; z is the normal deviate of Student's p, for with five items t itself is beyond 3 in 2 to 4 % of all cases.
    Negative: a severe rater. z is None for every rater when MSE is 0.
    """
    from scipy.special import ndtri, stdtr

    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or min(table.shape) < 2 or not np.isfinite(table).all():
        raise ValueError("graded severity needs a complete table of at least two items and two raters")
    n, k = table.shape
    effects = table.mean(axis=0) - table.mean()
    error = table - table.mean(axis=1, keepdims=True) - effects
    degrees = (n - 1) * (k - 1)
    mse = float((error**2).sum()) / degrees
    z: list[float | None] = [None] * k
    if mse > 1e-12 * float(table.var()):
        tails = stdtr(degrees, -np.abs(effects) / math.sqrt(mse * (1 - 1 / k) / n))
        z = (np.sign(effects) * -ndtri(np.maximum(tails, 1e-300)) + 0.0).tolist()  # no -0.0
    return _entries([n] * k, (n * effects).tolist(), z)


def _entries(rated: list[int], excess: list[float], z: list[float | None]) -> list[Severity]:
    p = [None if value is None else math.erfc(abs(value) / math.sqrt(2)) for value in z]
    tested = [at for at, value in enumerate(p) if value is not None]
    adjusted = dict(zip(tested, benjamini_hochberg([p[at] or 0.0 for at in tested]), strict=True))
    return [
        Severity(at, rated[at], excess[at], z[at], p[at], adjusted.get(at), abs(z[at] or 0.0) > SEVERE)
        for at in range(len(z))
    ]


def time_scores(seconds: ArrayLike) -> Floats | None:
    """Robust z of log seconds: .6745 (x - median) / MAD; None when half the times are equal (MAD = 0), and below
    FEWEST_TIMES, where the MAD is so uncertain that one of twenty ordinary times is an outlier (of five).

    Raises ValueError for times that are not positive.
    """
    times = np.asarray(seconds, dtype=np.float64)
    if (times <= 0).any():
        raise ValueError("seconds must be positive")
    if times.size < FEWEST_TIMES:
        return None
    logs = np.log(times)
    middle = np.median(logs)
    mad = np.median(np.abs(logs - middle))
    return None if mad == 0 else np.asarray(_MAD_TO_Z * (logs - middle) / mad)


def fewest_seconds(characters: int) -> float:
    """The hard floor of reading: 25 characters a second; a faster label was not read."""
    if characters < 0:
        raise ValueError(f"a text cannot have {characters} characters")
    return characters / READ_PER_SECOND


def drift(residuals: ArrayLike) -> int | None:
    """The place from which a rater's standardised residuals differ from those before; None without a change.

    It is where the sum of the residuals, less as many of their means, is furthest from 0 (Page 1954). None of the same
    residuals in 399 random orders gets as far.
    """
    values = np.asarray(residuals, dtype=np.float64)
    if values.size < 2:
        return None
    orders = generator(1).permuted(np.tile(values, (_ORDERS, 1)), axis=1)
    sums = np.abs(np.cumsum(np.vstack([values, orders]) - values.mean(), axis=1)[:, :-1])
    furthest = sums.max(axis=1)
    return int(sums[0].argmax()) + 1 if furthest[0] > furthest[1:].max() + 1e-9 else None
