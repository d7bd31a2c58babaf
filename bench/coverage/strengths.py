"""Strengths, win rates, tie parameter and order effect of compared systems whose comparisons share problems."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bench.coverage.frame import Cell
from stats.core.bootstrap import Floats, Ints, generator
from stats.core.estimate import Estimate
from stats.pairs import davidson
from stats.pairs.davidson import DavidsonFit
from stats.pairs.pairwise import Comparisons, clustered_rates
from stats.pairs.strength_bootstrap import clustered_parameter, jackknife_strengths

TIES, ORDER = -0.7, 0.2
SPREAD = 0.6  # a problem suits a system more or less than its strength says


@dataclass(frozen=True)
class Design:
    """`rounds` shows every pair in both orders; of a problem's comparisons a share drawn from `kept` is made."""

    name: str
    strengths: tuple[float, ...]
    rounds: int
    kept: tuple[float, ...] = (1.0,)


DESIGNS = (
    Design("12 comparisons each", (0.5, 0.0, -0.5), 2),
    Design("1 to 6 comparisons each", (1.5, 0.0, -1.5), 1, (0.2, 0.5, 1.0)),
)


def cells(draws: int) -> Iterator[Cell]:
    """10, 30, 60, 120 problems; the truth is what 100,000 problems show."""
    for design in DESIGNS:
        wanted = {
            name: found.value for name, found in _estimates(*_played(generator(9), design, 100_000)).items()
        }
        for problems in (10, 30, 60, 120):
            rng, found = generator(2), defaultdict(list)
            for _ in range(draws):
                for name, one in _estimates(*_played(rng, design, problems)).items():
                    if one.ci is not None:
                        found[name].append((*one.ci, one.value))
            for name, rows in found.items():
                low, high, value = np.array(rows).T
                label = f"{name}: {problems} problems, {design.name} ({len(rows)} fits)"
                yield Cell.measured(label, low, high, truth=wanted[name], value=value)


def _estimates(games: Comparisons, clusters: Ints) -> dict[str, Estimate]:
    """As `analyse pairs` prints them: of the first system, and of the model; log of the tie parameter."""
    found = {"win rate": clustered_rates(games, clusters, 0)[0]}
    fitted, ordered = davidson.fit(games.table()), davidson.fit(games.table(), order_effect=True)
    if isinstance(fitted, DavidsonFit):
        found["strength"] = jackknife_strengths(games, clusters, fitted)[0]
        if fitted.log_nu is not None:
            found["tie parameter"] = clustered_parameter(games, clusters, fitted, games.k)
    if isinstance(ordered, DavidsonFit):
        found["order effect"] = clustered_parameter(games, clusters, ordered, len(ordered.covariance) - 1)
    return found


def _played(rng: np.random.Generator, design: Design, problems: int) -> tuple[Comparisons, Ints]:
    pairs = [(i, j) for i in range(3) for j in range(3) if i != j] * design.rounds
    first, second = np.array(pairs).T
    suits: Floats = np.array(design.strengths) + SPREAD * rng.normal(size=(problems, 3))
    one, two = suits[:, first].ravel() + ORDER, suits[:, second].ravel()
    utility = np.stack([one, two, (one + two) / 2 + TIES])
    chances = np.exp(utility) / np.exp(utility).sum(axis=0)
    result = (rng.random(chances.shape[1]) > np.cumsum(chances, axis=0)[:2]).sum(axis=0)
    made = rng.random(len(result)) < np.repeat(rng.choice(design.kept, size=problems), len(first))
    games = Comparisons(np.tile(first, problems), np.tile(second, problems), result, ("A", "B", "C"))
    clusters = np.repeat(np.arange(problems), len(first))[made]
    return games.take(np.flatnonzero(made)), np.unique(clusters, return_inverse=True)[1]
