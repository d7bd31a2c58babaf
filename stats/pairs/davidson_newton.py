"""Newton's method for Davidson's model, on many tables of the same systems at once.

A bootstrap fits a thousand tables of a few systems; one after the other, nearly all of the time is overhead.
All arrays begin with the R tables. Parameters (R, size) are k log strengths, then log nu, then gamma, the
last two as far as fitted.
"""

from dataclasses import dataclass, replace

import numpy as np

from stats.core.bootstrap import Floats, Ints

MAX_STEPS = 60
HALVINGS = 40
TOLERANCE = 1e-10
INFINITE = 25.0  # a log parameter beyond this is on its way to infinity
_SHARE = np.array([1.0, 0.0, 0.5])  # of the first system in a win, a defeat and a tie


@dataclass(frozen=True)
class NewtonProblem:
    """Pairs that occurred, ordered if the order matters: systems (P,), counts (R, 3, P) of first, second, tie."""

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
    def _gamma_at(self) -> int:
        return self.k + self.has_nu

    def rows(self, chosen: Ints) -> "NewtonProblem":
        """The same for some tables."""
        return replace(self, counts=self.counts[chosen])

    def centre(self) -> Floats:
        """What is added to an information matrix so that strengths sum to zero."""
        found = np.zeros((self.size, self.size))
        found[: self.k, : self.k] = 1 / self.k
        return found

    def probabilities(self, theta: Floats) -> Floats:
        """(R, 3, P) probabilities of first, second, tie."""
        gamma = theta[:, [self._gamma_at]] if self.has_gamma else 0.0
        first, second = theta[:, self.i] + gamma, theta[:, self.j]
        tie = (first + second) / 2 + theta[:, [self.k]] if self.has_nu else np.full_like(second, -np.inf)
        peak = np.maximum(np.maximum(first, second), tie)
        weights = np.stack([np.exp(utility - peak) for utility in (first, second, tie)], axis=1)
        return np.asarray(weights / (weights[:, 0] + weights[:, 1] + weights[:, 2])[:, None])

    def log_likelihood(self, theta: Floats) -> Floats:
        """(R,), the prior included."""
        from scipy.special import xlogy

        strengths = theta[:, : self.k]
        seen = xlogy(self.counts, self.probabilities(theta)).sum(axis=(1, 2))
        return np.asarray(seen - 0.5 * self.precision * (strengths**2).sum(axis=1))

    def derivatives(self, theta: Floats) -> tuple[Floats, Floats]:
        """Gradients (R, size) and information matrices (R, size, size)."""
        p = self.probabilities(theta)
        n, mean = self.counts.sum(axis=1), _SHARE @ p
        lead = _SHARE @ self.counts - n * mean
        ties = n * p[:, 2]
        gradient = np.zeros((len(theta), self.size))
        gradient[:, : self.k] = self._per_system(lead) - self.precision * theta[:, : self.k]
        if self.has_nu:
            gradient[:, self.k] = (self.counts[:, 2] - ties).sum(axis=1)
        if self.has_gamma:
            gradient[:, self._gamma_at] = lead.sum(axis=1)
        spread, with_tie = n * (_SHARE**2 @ p - mean**2), ties * (0.5 - mean)
        return gradient, self._information(spread, with_tie, (ties * (1 - p[:, 2])).sum(axis=1))

    def _per_system(self, values: Floats) -> Floats:
        """(R, k) sums over the pairs (R, P): plus for the first system, minus for the second."""
        square = self._square(values)
        return np.asarray(square.sum(axis=2) - square.sum(axis=1))

    def _square(self, values: Floats) -> Floats:
        """(R, k, k) from a value of each pair (R, P)."""
        found = np.zeros((len(values), self.k, self.k))
        found[:, self.i, self.j] = values
        return found

    def _information(self, spread: Floats, with_tie: Floats, tie_spread: Floats) -> Floats:
        k, at, tables = self.k, self._gamma_at, len(spread)
        between = self._square(spread)
        between = between + between.transpose(0, 2, 1)
        info = np.zeros((tables, self.size, self.size))
        info[:, :k, :k] = np.eye(k) * (between.sum(axis=2) + self.precision)[:, None, :] - between
        if self.has_nu:
            info[:, :k, k] = info[:, k, :k] = self._per_system(with_tie)
            info[:, k, k] = tie_spread
        if self.has_gamma:
            info[:, :k, at] = info[:, at, :k] = self._per_system(spread)
            info[:, at, at] = spread.sum(axis=1)
        if self.has_nu and self.has_gamma:
            info[:, k, at] = info[:, at, k] = with_tie.sum(axis=1)
        return info


@dataclass(frozen=True)
class Climbed:
    """Where the climbs ended: parameters (R, size), covariances, log-likelihoods (R,).

    `finite` (R,) is False where a parameter is on its way to infinity; the rest means nothing there.
    """

    theta: Floats
    covariance: Floats
    value: Floats
    finite: np.ndarray


def climb(problem: NewtonProblem, start: Floats) -> Climbed:
    """From `start` (R, size) to the maximum of each table."""
    theta, value = start.copy(), problem.log_likelihood(start)
    finite, ended = np.ones(len(theta), dtype=bool), np.zeros(len(theta), dtype=bool)
    for _ in range(MAX_STEPS):
        rows = np.flatnonzero(finite & ~ended)
        if not len(rows):
            break
        part = problem.rows(rows)
        gradient, information = part.derivatives(theta[rows])
        moves, solvable = _solved(information + problem.centre(), gradient[..., None])
        theta[rows], value[rows], moved = _halved(part, theta[rows], moves[..., 0], value[rows])
        finite[rows] = solvable & (np.abs(theta[rows]).max(axis=1) <= INFINITE)
        ended[rows] = moved < TOLERANCE
    finite &= ended
    covariance = np.zeros((len(theta), problem.size, problem.size))
    rows = np.flatnonzero(finite)
    _, information = problem.rows(rows).derivatives(theta[rows])
    centre = problem.centre()
    inverse, finite[rows] = _solved(
        information + centre, np.broadcast_to(np.eye(problem.size), information.shape)
    )
    covariance[rows] = inverse - (centre if problem.precision == 0 else 0)
    variances = np.diagonal(covariance, axis1=1, axis2=2)
    finite &= (variances >= -1e-9).all(axis=1) & (variances.max(axis=1, initial=0) <= INFINITE**2)
    return Climbed(theta, covariance, value, finite)


def _solved(matrices: Floats, right: Floats) -> tuple[Floats, np.ndarray]:
    """Solutions (R, size, m), and which of the (R, size, size) matrices had one; zeros for the others."""
    solvable = np.ones(len(right), dtype=bool)
    try:
        return np.asarray(np.linalg.solve(matrices, right), dtype=np.float64), solvable
    except np.linalg.LinAlgError:
        found = np.zeros_like(right)
        for at in range(len(right)):
            try:
                found[at] = np.linalg.solve(matrices[at], right[at])
            except np.linalg.LinAlgError:
                solvable[at] = False
        return found, solvable


def _halved(
    problem: NewtonProblem, theta: Floats, step: Floats, value: Floats
) -> tuple[Floats, Floats, Floats]:
    """Take each step, or half of it as often as its log-likelihood would fall; also how far that moved (R,)."""
    theta, value, moved = theta.copy(), value.copy(), np.zeros(len(theta))
    size, rows = 1.0, np.arange(len(theta))
    for _ in range(HALVINGS):
        proposal = theta[rows] + size * step[rows]
        proposed = problem.rows(rows).log_likelihood(proposal)
        good = proposed >= value[rows] - 1e-12 * np.abs(value[rows])
        taken = rows[good]
        theta[taken], value[taken] = proposal[good], proposed[good]
        moved[taken] = size * np.abs(step[taken]).max(axis=1)
        rows, size = rows[~good], size / 2
        if not len(rows):
            break
    return theta, value, moved
