"""Severity of raters who saw different items: a many-facet Rasch-like model (STATISTICS.md 3 ix).

logit P(yes) = intercept + item + system - severity of the rater, with normal priors on the facets and a free
intercept, so that each facet sums to zero (Linacre 1989; the priors make every fit finite). Newton's method;
items only meet themselves in the Hessian, so they are eliminated and the rest is small and dense.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from stats.core.bootstrap import Floats, Ints
from stats.core.estimate import Reason

PRIOR_SD = 2.0
FIT_RANGE = (0.7, 1.3)
FIT_MIN_LABELS = 30
_STEPS, _TOLERANCE = 100, 1e-10


@dataclass(frozen=True)
class RaterFacet:
    """Severity in logits (positive: says no more often), and infit: residual variance over expected.

    Infit is the sum of squared residuals over the sum of variances; it is flagged outside FIT_RANGE from
    FIT_MIN_LABELS labels on. With few labels per item the item effects absorb part of the residuals, so
    infit lies below 1 and finds less.
    """

    rater: int
    labels: int
    severity: float
    se: float
    infit: float
    flagged: bool


@dataclass(frozen=True)
class FacetFit:
    """Raters, system effects (s,) and item effects (n,) in logits, in the order of their codes."""

    raters: list[RaterFacet]
    systems: Floats
    items: Floats
    intercept: float


def rater_facets(
    item: ArrayLike, rater: ArrayLike, yes: ArrayLike, *, system: ArrayLike | None = None
) -> FacetFit | Reason:
    """Fit labels `yes` (L,) of 0/1; item, rater and system are (L,) codes from 0 without gaps.

    A Reason when there are no labels, one rater, or when some raters share no item with the others, even
    through third ones: then severity and difficulty cannot be told apart. Nor can anything where all answers are the
    same: the free intercept is infinite.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    items, raters = np.asarray(item, dtype=np.int64), np.asarray(rater, dtype=np.int64)
    systems = np.zeros_like(items) if system is None else np.asarray(system, dtype=np.int64)
    answers = np.asarray(yes, dtype=np.float64)
    if not items.shape == raters.shape == systems.shape == answers.shape:
        raise ValueError("item, rater, system and yes must have one length")
    if not np.isin(answers, (0, 1)).all():
        raise ValueError("answers must be 0 or 1")
    if not len(items):
        return Reason.NO_ITEMS
    if len(np.unique(raters)) < 2:
        return Reason.ONE_RATER
    n_items = int(items.max()) + 1
    size = n_items + int(raters.max()) + 1
    graph = coo_array((np.ones(len(items)), (items, n_items + raters)), shape=(size, size))
    if connected_components(graph, directed=False)[0] != 1:
        return Reason.NOT_CONNECTED
    if answers.min() == answers.max():
        return Reason.ONE_CATEGORY
    return _Model(items, systems, raters, answers).fit()


class _Model:
    """The penalised likelihood; small parameters are (intercept, systems, minus severities)."""

    def __init__(self, items: Ints, systems: Ints, raters: Ints, answers: Floats) -> None:
        from scipy.sparse import coo_array

        self.items, self.raters, self.answers = items, raters, answers
        self.n_items, self.n_systems = int(items.max()) + 1, int(systems.max()) + 1
        self.n_raters = int(raters.max()) + 1
        labels = np.arange(len(items))
        places = np.concatenate([0 * labels, 1 + systems, 1 + self.n_systems + raters])
        small = 1 + self.n_systems + self.n_raters
        ones = np.ones(3 * len(labels))
        self.design: Any = coo_array((ones, (np.tile(labels, 3), places)), shape=(len(labels), small)).tocsr()
        self.by_item: Any = coo_array(
            (ones[: len(labels)], (items, labels)), shape=(self.n_items, len(labels))
        ).tocsr()
        self.precision = np.full(small, 1 / PRIOR_SD**2)
        self.precision[0] = 0.0

    def chances(self, theta: Floats, effects: Floats) -> Floats:
        return np.asarray(1 / (1 + np.exp(-(self.design @ theta + effects[self.items]))))

    def objective(self, theta: Floats, effects: Floats) -> float:
        """Minus the penalised log-likelihood."""
        eta = self.design @ theta + effects[self.items]
        prior = self.precision @ theta**2 + (effects @ effects) / PRIOR_SD**2
        return float(np.logaddexp(0, eta).sum() - self.answers @ eta + prior / 2)

    def parts(self, spread: Floats) -> tuple[Floats, Any, Floats]:
        """Item diagonal (n,), item x small block (sparse), and the small block after elimination."""
        weighted = self.design.multiply(spread[:, None]).tocsr()
        own = self.by_item @ spread + 1 / PRIOR_SD**2
        cross = (self.by_item @ weighted).tocsr()
        small = (self.design.T @ weighted).toarray() + np.diag(self.precision)
        return own, cross, small - (cross.T @ cross.multiply(1 / own[:, None])).toarray()

    def fit(self) -> FacetFit:
        theta, effects = np.zeros(len(self.precision)), np.zeros(self.n_items)
        value = self.objective(theta, effects)
        for _ in range(_STEPS):
            p = self.chances(theta, effects)
            residual = self.answers - p
            slope = self.design.T @ residual - self.precision * theta
            item_slope = self.by_item @ residual - effects / PRIOR_SD**2
            own, cross, small = self.parts(p * (1 - p))
            step = np.linalg.solve(small, slope - cross.T @ (item_slope / own))
            item_step = (item_slope - cross @ step) / own
            size = 1.0
            while (
                proposed := self.objective(theta + size * step, effects + size * item_step)
            ) > value + 1e-9:
                size /= 2
            theta, effects, value = theta + size * step, effects + size * item_step, proposed
            if max(np.abs(step).max(), np.abs(item_step).max()) < _TOLERANCE:
                break
        return self._result(theta, effects)

    def _result(self, theta: Floats, effects: Floats) -> FacetFit:
        p = self.chances(theta, effects)
        spread = p * (1 - p)
        covariance = np.linalg.inv(self.parts(spread)[2])
        first = 1 + self.n_systems
        # The level of all raters together is the intercept's: the priors alone tell them apart.
        among = np.eye(self.n_raters) - 1 / self.n_raters
        se = np.sqrt(np.diag(among @ covariance[first:, first:] @ among))
        count = np.bincount(self.raters, minlength=self.n_raters)
        squared = np.bincount(self.raters, weights=(self.answers - p) ** 2, minlength=self.n_raters)
        infit = squared / np.bincount(self.raters, weights=spread, minlength=self.n_raters)
        low, high = FIT_RANGE
        flagged = (count >= FIT_MIN_LABELS) & ((infit < low) | (infit > high))
        raters = [
            RaterFacet(
                r, int(count[r]), -float(theta[first + r]), float(se[r]), float(infit[r]), bool(flagged[r])
            )
            for r in range(self.n_raters)
        ]
        return FacetFit(raters, theta[1:first], effects, float(theta[0]))
