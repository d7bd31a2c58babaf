"""Strengths, win rates and order effect of compared systems whose comparisons share problems."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bench.coverage.frame import Cell
from stats import davidson
from stats.bootstrap import Floats, Ints, generator
from stats.clusters import FEW_CLUSTERS
from stats.intervals import t_value
from stats.pairwise import Comparisons, clustered_rates
from stats.strength_bootstrap import clustered_strengths, jackknife_strengths

RESAMPLES = 200  # per draw; users get 1,000
TRUE = np.array([0.5, 0.0, -0.5])
TIES, ORDER = -0.7, 0.2
SPREAD = 0.6  # a problem suits a system more or less than its strength says


def cells(draws: int) -> Iterator[Cell]:
    """10, 30, 60 problems, four comparisons of each of three pairs per problem; truth from 200,000 problems."""
    wanted = _wanted()
    for problems in (10, 30, 60):
        found = {name: list[tuple[float, float, float]]() for name in wanted}
        rng = generator(2)
        for _ in range(draws):
            for name, row in _draw(rng, problems).items():
                found[name].append(row)
        for name, rows in found.items():
            low, high, value = np.array(rows).T
            yield Cell.measured(
                f"{name}: {problems} problems ({len(rows)} fits)", low, high, truth=wanted[name], value=value
            )


def _wanted() -> dict[str, float]:
    games, _ = _played(generator(9), 200_000)
    fitted = davidson.fit(games.table(), order_effect=True)
    plain = davidson.fit(games.table())
    assert isinstance(fitted, davidson.DavidsonFit)
    assert isinstance(plain, davidson.DavidsonFit)
    assert fitted.gamma is not None
    first = games.first == 0
    won = float((games.result[first] == 0).sum() + (games.result[games.second == 0] == 1).sum())
    own = float(first.sum() + (games.second == 0).sum())
    return {"strength": float(plain.strengths[0]), "win rate": won / own, "order effect": fitted.gamma}


def _draw(rng: np.random.Generator, problems: int) -> dict[str, tuple[float, float, float]]:
    games, clusters = _played(rng, problems)
    rate = clustered_rates(games, clusters, 0)[0]
    assert rate.ci is not None
    assert rate.value is not None
    rows = {"win rate": (*rate.ci, rate.value)}
    fitted, ordered = davidson.fit(games.table()), davidson.fit(games.table(), order_effect=True)
    if isinstance(fitted, davidson.DavidsonFit):
        ends = _interval(games, clusters, fitted, problems, rng)
        if ends is not None:
            rows["strength"] = (*ends, float(fitted.strengths[0]))
    if isinstance(ordered, davidson.DavidsonFit) and ordered.gamma is not None:
        cells = (games.first, games.second, games.result)
        covariance = davidson.clustered_covariance(ordered, *cells, clusters)
        assert covariance is not None
        half = t_value(0.95, problems - 1) * float(np.sqrt(covariance[-1, -1]))
        rows["order effect"] = (ordered.gamma - half, ordered.gamma + half, ordered.gamma)
    return rows


def _interval(
    games: Comparisons, clusters: Ints, fitted: davidson.DavidsonFit, problems: int, rng: np.random.Generator
) -> tuple[float, float] | None:
    if problems < FEW_CLUSTERS:
        return jackknife_strengths(games, clusters, fitted)[0].ci
    seed = int(rng.integers(2**31))
    return clustered_strengths(games, clusters, fitted, seed=seed, replicates=RESAMPLES).intervals()[0]


def _played(rng: np.random.Generator, problems: int) -> tuple[Comparisons, Ints]:
    first, second = np.array([0, 1, 0, 2, 1, 2] * 2), np.array([1, 0, 2, 0, 2, 1] * 2)
    suits: Floats = TRUE + SPREAD * rng.normal(size=(problems, 3))
    one, two = suits[:, first].ravel() + ORDER, suits[:, second].ravel()
    utility = np.stack([one, two, (one + two) / 2 + TIES])
    chances = np.exp(utility) / np.exp(utility).sum(axis=0)
    result = (rng.random(chances.shape[1]) > np.cumsum(chances, axis=0)[:2]).sum(axis=0)
    return (
        Comparisons(np.tile(first, problems), np.tile(second, problems), result, ("A", "B", "C")),
        np.repeat(np.arange(problems), len(first)),
    )
