"""Davidson's model of paired comparisons with ties, with Davidson and Beaver's order effect.

P(i beats j) ~ pi_i, P(j beats i) ~ pi_j, P(tie) ~ nu sqrt(pi_i pi_j); the first shown has pi e^gamma.
Without ties it is Bradley and Terry's model. Fitted by Newton's method on log strengths that sum to zero
(Davidson 1970; Davidson and Beaver 1977).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from stats.bootstrap import Floats, Ints
from stats.estimate import Reason
from stats.intervals import z_value
from stats.pairwise import connection_problem, wins_and_ties

MAX_STEPS = 60
TOLERANCE = 1e-10
_INFINITE = 25.0  # a log parameter beyond this is on its way to infinity


@dataclass(frozen=True)
class DavidsonFit:
    """Log strengths (k,) summing to zero, log nu (None without ties), gamma (None if not fitted).

    `covariance` is the inverse information of (strengths, log nu, gamma) in this order, as far as fitted.
    """

    strengths: Floats
    log_nu: float | None
    gamma: float | None
    covariance: Floats
    log_likelihood: float
    steps: int

    @property
    def se(self) -> Floats:
        """(k,) standard errors of the strengths."""
        return np.asarray(np.sqrt(np.diag(self.covariance)[: len(self.strengths)]))

    @property
    def log_nu_se(self) -> float | None:
        """Standard error of log nu."""
        return None if self.log_nu is None else math.sqrt(self.covariance[self._nu, self._nu])

    @property
    def gamma_se(self) -> float | None:
        """Standard error of gamma."""
        return None if self.gamma is None else math.sqrt(self.covariance[-1, -1])

    @property
    def _nu(self) -> int:
        return len(self.strengths)


@dataclass(frozen=True)
class _Problem:
    """Pairs that occurred, ordered if the order matters: systems (P,), counts (3, P) of first, second, tie."""

    i: Ints
    j: Ints
    counts: Floats
    k: int
    has_nu: bool
    has_gamma: bool
    precision: float  # of a normal prior on each strength; 0 for maximum likelihood

    @property
    def size(self) -> int:
        return self.k + self.has_nu + self.has_gamma

    @property
    def gamma_at(self) -> int:
        return self.k + self.has_nu

    def probabilities(self, theta: Floats) -> Floats:
        """(3, P) probabilities of first, second, tie."""
        gamma = theta[self.gamma_at] if self.has_gamma else 0.0
        first, second = theta[self.i] + gamma, theta[self.j]
        tie = (first + second) / 2 + theta[self.k] if self.has_nu else np.full(len(self.i), -np.inf)
        utility = np.stack([first, second, tie])
        weights = np.exp(utility - utility.max(axis=0))
        return np.asarray(weights / weights.sum(axis=0))

    def log_likelihood(self, theta: Floats) -> float:
        p = self.probabilities(theta)
        seen = self.counts > 0
        prior = -0.5 * self.precision * float(theta[: self.k] @ theta[: self.k])
        with np.errstate(divide="ignore"):
            return float((self.counts[seen] * np.log(p[seen])).sum()) + prior

    def derivatives(self, theta: Floats) -> tuple[Floats, Floats]:
        """Gradient (size,) and information (size, size); the share of i in an outcome is 1, 0 or 1/2."""
        p, share = self.probabilities(theta), np.array([1.0, 0.0, 0.5])
        n, mean = self.counts.sum(axis=0), share @ p
        lead = share @ self.counts - n * mean
        spread = n * (share**2 @ p - mean**2)
        with_tie = n * p[2] * (0.5 - mean)
        gradient = self._assemble(lead, float((self.counts[2] - n * p[2]).sum()))
        gradient[: self.k] -= self.precision * theta[: self.k]
        tie_spread = float((n * p[2] * (1 - p[2])).sum())
        return gradient, self._information(spread, with_tie, tie_spread)

    def _assemble(self, lead: Floats, ties: float) -> Floats:
        gradient = np.zeros(self.size)
        gradient[: self.k] = self._per_system(lead)
        if self.has_nu:
            gradient[self.k] = ties
        if self.has_gamma:
            gradient[self.gamma_at] = lead.sum()
        return gradient

    def _per_system(self, values: Floats) -> Floats:
        return np.asarray(
            np.bincount(self.i, weights=values, minlength=self.k)
            - np.bincount(self.j, weights=values, minlength=self.k)
        )

    def _information(self, spread: Floats, with_tie: Floats, tie_spread: float) -> Floats:
        k = self.k
        between = np.bincount(self.i * k + self.j, weights=spread, minlength=k * k).reshape(k, k)
        between = between + between.T
        info = np.zeros((self.size, self.size))
        info[:k, :k] = np.diag(between.sum(axis=1) + self.precision) - between
        if self.has_nu:
            info[:k, k] = info[k, :k] = self._per_system(with_tie)
            info[k, k] = tie_spread
        if self.has_gamma:
            at = self.gamma_at
            info[:k, at] = info[at, :k] = self._per_system(spread)
            info[at, at] = spread.sum()
        if self.has_nu and self.has_gamma:
            info[k, self.gamma_at] = info[self.gamma_at, k] = with_tie.sum()
        return info


def fit(
    table: ArrayLike,
    *,
    order_effect: bool = False,
    prior_sd: float | None = None,
    start: Floats | None = None,
) -> DavidsonFit | Reason:
    """Fit (3, k, k) counts [result, first shown, second shown]; a Reason where no finite fit exists.

    `prior_sd` puts independent normal priors on the strengths (MAP), which also fits separated data.
    """
    counts = np.asarray(table, dtype=np.float64)
    if counts.sum() == 0:
        return Reason.NO_ITEMS
    if prior_sd is None:
        problem_found = connection_problem(counts)
        if problem_found is not None:
            return problem_found
    if not order_effect:
        wins, ties = wins_and_ties(counts)
        counts = np.triu(np.stack([wins, wins.T, ties]), 1)
    i, j = np.nonzero(counts.sum(axis=0))
    precision = 0.0 if prior_sd is None else 1 / prior_sd**2
    problem = _Problem(i, j, counts[:, i, j], counts.shape[1], bool(counts[2].any()), order_effect, precision)
    theta = np.zeros(problem.size) if start is None or len(start) != problem.size else start.copy()
    return _newton(problem, theta)


def _newton(problem: _Problem, theta: Floats) -> DavidsonFit | Reason:
    k = problem.k
    centre = np.zeros((problem.size, problem.size))
    centre[:k, :k] = 1 / k
    value = problem.log_likelihood(theta)
    for step_number in range(1, MAX_STEPS + 1):
        gradient, information = problem.derivatives(theta)
        try:
            step = np.asarray(np.linalg.solve(information + centre, gradient), dtype=np.float64)
        except np.linalg.LinAlgError:
            return Reason.SEPARATION
        theta, value, moved = _halved(problem, theta, step, value)
        if np.abs(theta).max() > _INFINITE:
            return Reason.SEPARATION
        if moved < TOLERANCE:
            return _result(problem, theta, centre, value, step_number)
    return Reason.SEPARATION


def _halved(problem: _Problem, theta: Floats, step: Floats, value: float) -> tuple[Floats, float, float]:
    """Take the step, or half of it as often as the log-likelihood would fall."""
    size = 1.0
    for _ in range(40):
        proposal = theta + size * step
        proposed = problem.log_likelihood(proposal)
        if proposed >= value - 1e-12 * abs(value):
            return proposal, proposed, size * float(np.abs(step).max())
        size /= 2
    return theta, value, 0.0


def _result(
    problem: _Problem, theta: Floats, centre: Floats, value: float, steps: int
) -> DavidsonFit | Reason:
    _, information = problem.derivatives(theta)
    inverse = np.linalg.inv(information + centre) - (centre if problem.precision == 0 else 0)
    covariance = np.asarray(inverse, dtype=np.float64)
    if (np.diag(covariance) < -1e-9).any() or np.diag(covariance).max() > _INFINITE**2:
        return Reason.SEPARATION
    return DavidsonFit(
        strengths=theta[: problem.k] - theta[: problem.k].mean(),
        log_nu=float(theta[problem.k]) if problem.has_nu else None,
        gamma=float(theta[problem.gamma_at]) if problem.has_gamma else None,
        covariance=covariance,
        log_likelihood=value,
        steps=steps,
    )


def equal_strengths_log_likelihood(table: ArrayLike) -> float:
    """Log-likelihood when all systems are equally strong and only ties are free."""
    counts = np.asarray(table, dtype=np.float64)
    n, ties = float(counts.sum()), float(counts[2].sum())
    decisive = n - ties
    found = decisive * math.log(decisive / n / 2) if decisive else 0.0
    return found + (ties * math.log(ties / n) if ties else 0.0)


def likelihood_ratio_p(statistic: float, degrees: int) -> float:
    """Upper tail of chi squared."""
    from scipy.special import chdtrc

    return float(chdtrc(degrees, max(0.0, statistic)))


def rank_sets(fitted: DavidsonFit, *, level: float = 0.95) -> list[tuple[int, int]]:
    """(best, worst) rank of every system that the data leave open.

    i is above j when their difference is significant with Bonferroni over the k - 1 others; the rank lies
    in [1 + number above, k - number below]. For independent comparisons; others: `strength_bootstrap`.
    """
    k = len(fitted.strengths)
    if k < 2:
        return [(1, 1)] * k
    critical = z_value(1 - (1 - level) / (k - 1))
    cov = fitted.covariance[:k, :k]
    variance = np.diag(cov)[:, None] + np.diag(cov)[None, :] - 2 * cov
    return ranks_left_open(fitted.strengths, np.sqrt(np.maximum(variance, 0)), np.full(k, critical))


def ranks_left_open(strengths: Floats, errors: Floats, critical: Floats) -> list[tuple[int, int]]:
    """(best, worst) rank of each system from strengths (k,) and standard errors of their differences (k, k).

    For the rank of i a difference counts as real from critical[i] standard errors on.
    """
    gaps, margin = strengths[:, None] - strengths[None, :], critical[:, None] * errors + 1e-15
    beats, beaten = (gaps > margin).sum(axis=1), (-gaps > margin).sum(axis=1)
    k = len(strengths)
    return [(int(1 + worse), int(k - better)) for worse, better in zip(beaten, beats, strict=True)]
