"""Strengths of 50 systems from 100,000 comparisons.

The naive ways: choix on pairs, and gradient steps over rows.
"""

from collections.abc import Iterator

import choix
import numpy as np

from bench.frame import Figure, once, timed
from stats.core.bootstrap import generator
from stats.pairs import davidson
from stats.pairs.davidson import DavidsonFit
from stats.pairs.pairwise import Comparisons
from stats.pairs.strength_bootstrap import clustered_strengths

RNG = generator(1)
SYSTEMS, GAMES = 50, 100_000


def played(ties: float) -> Comparisons:
    """Normal strengths, random pairs, this share of ties."""
    strengths = RNG.normal(size=SYSTEMS)
    first = RNG.integers(SYSTEMS, size=GAMES)
    second = (first + RNG.integers(1, SYSTEMS, size=GAMES)) % SYSTEMS
    win = RNG.random(GAMES) < 1 / (1 + np.exp(strengths[second] - strengths[first]))
    result = np.where(RNG.random(GAMES) < ties, 2, np.where(win, 0, 1))
    return Comparisons(first, second, result, tuple(map(str, range(SYSTEMS))))


def rows_gradient(games: Comparisons, steps: int) -> None:
    """Gradient of the log-likelihood over single comparisons, ties as half a win each."""
    b, score = np.zeros(SYSTEMS), np.array([1.0, 0.0, 0.5])[games.result]
    for _ in range(steps):
        residual = score - 1 / (1 + np.exp(b[games.second] - b[games.first]))
        step = np.zeros(SYSTEMS)
        np.add.at(step, games.first, residual)
        np.add.at(step, games.second, -residual)
        b += step / GAMES * SYSTEMS


def fitted(games: Comparisons) -> DavidsonFit:
    """The fit, which exists for these data."""
    found = davidson.fit(games.table())
    if not isinstance(found, DavidsonFit):
        raise SystemExit(f"the measured data have no fit: {found}")
    return found


def figures() -> Iterator[Figure]:
    """Fits with covariance from rows, and bootstraps."""
    plain, tied = played(0.0), played(0.18)
    winner = np.where(plain.result == 0, plain.first, plain.second).tolist()
    loser = np.where(plain.result == 0, plain.second, plain.first).tolist()
    pairs = list(zip(winner, loser, strict=True))
    yield Figure(
        "Bradley-Terry, counts and fit with covariance",
        timed(lambda: fitted(plain)),
        once(lambda: choix.ilsr_pairwise(SYSTEMS, pairs)),
        "choix ilsr on pairs, no covariance",
        target=0.010,
    )
    yield Figure(
        "Davidson with 18 % ties, counts and fit with covariance",
        timed(lambda: fitted(tied)),
        once(lambda: rows_gradient(tied, 20), scaled=10),
        "200 gradient steps over rows",
        target=0.015,
    )
    start, alone = fitted(tied), np.arange(GAMES)
    of_problem = alone // 20

    def resampled_pairs() -> None:
        choix.ilsr_pairwise(SYSTEMS, [pairs[at] for at in RNG.integers(GAMES, size=GAMES).tolist()])

    yield Figure(
        "Davidson, 1,000 bootstraps of 5,000 clusters",
        once(lambda: clustered_strengths(tied, of_problem, start, seed=1)),
        once(resampled_pairs, scaled=1000),
        "choix ilsr on resampled pairs, no ties",
        target=4.0,
    )
