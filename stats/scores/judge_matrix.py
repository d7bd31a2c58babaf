"""Generators against judges: which judge is lenient, and does a judge prefer its own answers?

STATISTICS.md 1.2, 3 iii. The counts come from verdicts on one common set of items.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from stats.core.bootstrap import Floats
from stats.core.estimate import Caution, Estimate, Reason, undefined
from stats.core.intervals import t_value, z_value
from stats.scores.clusters import FEW_CLUSTERS

_STEPS, _TOLERANCE, _INFINITE = 60, 1e-10, 25.0
METHOD = "logit_item_clustered"


def interaction_residuals(accepted: ArrayLike, n: int) -> Floats:
    """(generators, judges) log odds of acceptance, with .5 added to both counts, centred by rows and columns.

    A positive cell: this judge accepts this generator more often than both margins say. No item-level
    verdicts are needed, hence no standard error.
    """
    counts = np.asarray(accepted, dtype=np.float64)
    if counts.ndim != 2 or (counts < 0).any() or (counts > n).any():
        raise ValueError(f"needs a table of counts between 0 and {n}")
    odds = np.log((counts + 0.5) / (n - counts + 0.5))
    return np.asarray(
        odds - odds.mean(axis=1, keepdims=True) - odds.mean(axis=0, keepdims=True) + odds.mean()
    )


def self_preference(
    generator: ArrayLike,
    judge: ArrayLike,
    item: ArrayLike,
    accepted: ArrayLike,
    own: ArrayLike,
    *,
    level: float = 0.95,
) -> Estimate | Reason:
    """What a judge adds for answers of its own generator, in log odds of acceptance; positive: it prefers itself.

    Fits verdicts `accepted` (L,) of 0/1 with logit = generator + judge + self-preference where `own` is 1. generator,
    judge and item are (L,) codes from 0 without gaps; one item carries many verdicts, so standard errors add up its
    scores (Liang and Zeger 1986, with C / (C - 1)). A Reason where no finite fit exists or where `own` cannot be told
    from the margins.
    """
    codes = [np.asarray(part, dtype=np.int64) for part in (generator, judge, item)]
    answers, mine = np.asarray(accepted, dtype=np.float64), np.asarray(own, dtype=np.float64)
    if len({part.shape for part in (*codes, answers, mine)}) != 1:
        raise ValueError("generator, judge, item, accepted and own must have one length")
    if not (np.isin(answers, (0, 1)).all() and np.isin(mine, (0, 1)).all()):
        raise ValueError("accepted and own must be 0 or 1")
    if not len(answers):
        return Reason.NO_ITEMS
    g, j = int(codes[0].max()) + 1, int(codes[1].max()) + 1
    # Intercept, effects that sum to zero (the last one is minus the others), own.
    by_generator = np.vstack([np.eye(g - 1), -np.ones(g - 1)])[codes[0]]
    by_judge = np.vstack([np.eye(j - 1), -np.ones(j - 1)])[codes[1]]
    design = np.column_stack([np.ones(len(mine)), by_generator, by_judge, mine])
    if np.linalg.matrix_rank(design.T @ design) < design.shape[1]:
        return Reason.NOT_CONNECTED
    theta = _fit(design, answers)
    if theta is None:
        return Reason.SEPARATION
    # The error of the last parameter, from what each item's scores add up to.
    p = _chances(design, theta)
    inverse = np.linalg.inv(design.T @ (design * (p * (1 - p))[:, None]))
    items, n = np.unique(codes[2], return_inverse=True)[1], len(answers)
    clusters = int(items.max()) + 1
    if clusters < 2:
        return undefined(METHOD, Reason.FEW_EVENTS, n=n, level=level)
    influence = (design * (answers - p)[:, None]) @ inverse[-1]
    sums = np.bincount(items, weights=influence)
    se = math.sqrt(clusters / (clusters - 1) * float(sums @ sums))
    few, value = clusters < FEW_CLUSTERS, float(theta[-1])
    half = se * (t_value(level, clusters - 1) if few else z_value(level))
    return Estimate(
        value=value,
        ci=(value - half, value + half),
        level=level,
        method=METHOD,
        se=se,
        n=n,
        clusters=clusters,
        warnings=(Caution.FEW_CLUSTERS,) if few else (),
    )


def _chances(design: Floats, theta: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-design @ theta)))


def _fit(design: Floats, answers: Floats) -> Floats | None:
    """Newton's method on the log-likelihood; None when the log odds of a verdict run away."""
    theta = np.zeros(design.shape[1])
    for _ in range(_STEPS):
        p = _chances(design, theta)
        information = design.T @ (design * (p * (1 - p))[:, None])
        try:
            step = np.linalg.solve(information, design.T @ (answers - p))
        except np.linalg.LinAlgError:
            return None
        theta = theta + step / max(1.0, float(np.abs(step).max()))
        if np.abs(design @ theta).max() > _INFINITE:
            return None
        if np.abs(step).max() < _TOLERANCE:
            return theta
    return None
