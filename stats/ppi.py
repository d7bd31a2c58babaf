"""Estimates that lean on a judge's score where no human label exists (STATISTICS.md 3 i).

Ordinary prediction-powered inference takes the unlabelled items to be other items, drawn at random with
the labelled ones. On a stratified audit it is wrong by design: use the difference estimator with the
inclusion probabilities, or the post-stratified score of `stats.corrected`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from stats.estimate import Estimate, Reason, undefined
from stats.intervals import z_value


def ppi_mean(
    labels: ArrayLike,
    scores: ArrayLike,
    other_scores: ArrayLike,
    *,
    power: float | None = 1.0,
    level: float = 0.95,
) -> Estimate:
    """Mean label from n labelled items (labels, scores) and the judge's scores of N other items.

    `power` is lambda; None tunes it (PPI++, Angelopoulos et al. 2023): lambda = Cov(y, f) /
    ((1 + n/N) Var f), clipped to [0, 1], with the covariance over n and the variance of all scores over
    their number minus one.
    """
    y, f, g = (np.asarray(values, dtype=np.float64) for values in (labels, scores, other_scores))
    method = "ppi++" if power is None else "ppi"
    if y.shape != f.shape:
        raise ValueError(f"{y.size} labels but {f.size} scores")
    if y.size < 2 or g.size < 2:
        return undefined(method, Reason.NO_ITEMS, n=y.size, level=level)
    weight = tuned_power(y, f, g) if power is None else power
    residual = y - weight * f
    value = weight * g.mean() + residual.mean()
    se = math.sqrt(weight**2 * g.var() / g.size + residual.var() / y.size)
    half = z_value(level) * se
    return Estimate(
        value=float(value),
        ci=(float(value - half), float(value + half)),
        level=level,
        method=f"{method}, lambda {weight:.7f}",
        se=se,
        n=y.size,
        population=g.size,
    )


def tuned_power(y: np.ndarray, f: np.ndarray, g: np.ndarray) -> float:
    """lambda of PPI++ in [0, 1]; 0 when the scores do not vary."""
    variance = float(np.concatenate([f, g]).var(ddof=1))
    if variance == 0:
        return 0.0
    covariance = float(((y - y.mean()) * (f - f.mean())).mean())
    return min(1.0, max(0.0, covariance / ((1 + y.size / g.size) * variance)))


def difference_estimate(
    all_scores: ArrayLike, audited: ArrayLike, labels: ArrayLike, inclusion: ArrayLike
) -> float:
    """(1/N) [sum of all f + sum over audited (y - f) / pi]: the survey difference estimator.

    `audited` (n,) are positions into `all_scores` (N,); `labels` and `inclusion` probabilities are (n,).
    Raises ValueError unless every probability lies in (0, 1].
    """
    f, y, pi = (np.asarray(values, dtype=np.float64) for values in (all_scores, labels, inclusion))
    at = np.asarray(audited, dtype=np.int64)
    if f.size == 0 or not at.shape == y.shape == pi.shape:
        raise ValueError("needs scores, and one label and probability per audited item")
    if (pi <= 0).any() or (pi > 1).any():
        raise ValueError("an inclusion probability lies above 0 and at most 1")
    return float((f.sum() + ((y - f[at]) / pi).sum()) / f.size)
