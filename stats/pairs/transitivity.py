"""Can one scale of strengths explain the comparisons? Circular triads, cycles, goodness of fit.

STATISTICS.md 3 iii.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from stats.core.bootstrap import Floats, Ints, generator
from stats.pairs import davidson
from stats.pairs.davidson import DavidsonFit
from stats.pairs.pairwise import Comparisons, Result, wins_and_ties

SIMULATIONS = 999
ENOUGH_EXPECTED = 5.0  # the usual rule for chi-squared tests; below it the fit is simulated
_NO_SPREAD = 1e-18


def circular_triads(beats: ArrayLike) -> tuple[float, float]:
    """(d, zeta) of a complete tournament (n, n) of 0/1: circular triads and coefficient of consistence.

    Kendall and Babington Smith 1940. Raises ValueError when a pair has no winner or two.
    """
    won = np.asarray(beats, dtype=np.float64)
    n = len(won)
    off = ~np.eye(n, dtype=bool)
    if n < 3 or not ((won + won.T)[off] == 1).all():
        raise ValueError("circular triads need a complete tournament of at least three")
    scores = won.sum(axis=1)
    d = n * (n - 1) * (2 * n - 1) / 12 - float(scores @ scores) / 2
    most = (n**3 - n) / 24 if n % 2 else (n**3 - 4 * n) / 24
    return d, 1 - d / most


def tournament(table: ArrayLike) -> Floats | None:
    """(k, k) of 0/1: who won more often, from (3, k, k) counts; None unless every pair has a winner."""
    wins, _ = wins_and_ties(table)
    beats = (wins > wins.T).astype(np.float64)
    off = ~np.eye(len(wins), dtype=bool)
    return beats if len(wins) >= 3 and ((beats + beats.T)[off] == 1).all() else None


def majority_cycles(table: ArrayLike) -> list[list[int]]:
    """Groups of systems of which each beats another one by majority all the way round; [] without a cycle."""
    from scipy.sparse.csgraph import connected_components

    wins, _ = wins_and_ties(table)
    labels = connected_components(wins > wins.T, directed=True, connection="strong")[1]
    groups = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    return [[int(system) for system in group] for group in groups if len(group) > 2]


@dataclass(frozen=True)
class GoodnessOfFit:
    """Deviance of the strengths against one free probability per pair and outcome; p None where df is 0.

    `method` is chi2 where every expected count is at least 5, else parametric_bootstrap; rao_scott_by_cluster where
    comparisons share clusters.
    """

    deviance: float
    df: int
    p: float | None
    method: str


def goodness_of_fit(
    table: ArrayLike, fitted: DavidsonFit, *, seed: int, simulations: int = SIMULATIONS
) -> GoodnessOfFit:
    """Does a scale explain the results? `fitted` without order effect from the same (3, k, k) counts."""
    counts = davidson.by_pair(np.asarray(table, dtype=np.float64)[None])[0]
    expected = _expected(fitted, counts)
    outcomes = 3 if fitted.log_nu is not None else 2
    played = int((counts.sum(axis=0) > 0).sum())
    df = played * (outcomes - 1) - (len(fitted.strengths) - 1) - (outcomes - 2)
    deviance = _deviance(counts, expected)
    if df < 1:
        return GoodnessOfFit(deviance, df, None, "chi2")
    if expected[:outcomes, counts.sum(axis=0) > 0].min() >= ENOUGH_EXPECTED:
        return GoodnessOfFit(deviance, df, davidson.likelihood_ratio_p(deviance, df), "chi2")
    # Share of simulated tables that fit at least as badly; those without a finite fit are left out.
    rng, n = generator(seed), counts.sum(axis=0)
    i, j = np.nonzero(n)
    shares = (expected[:, i, j] / n[i, j]).T
    start = np.concatenate([fitted.strengths, [] if fitted.log_nu is None else [fitted.log_nu]])
    worse = tried = 0
    most = davidson.batch_size(len(fitted.strengths))
    for done in range(0, simulations, most):
        drawn = np.zeros((min(most, simulations - done), *counts.shape))
        for simulated in drawn:
            simulated[:, i, j] = rng.multinomial(n[i, j].astype(np.int64), shares).T
        for simulated, again in zip(drawn, davidson.fit_all(drawn, start=start), strict=True):
            if isinstance(again, DavidsonFit):
                tried += 1
                worse += _deviance(simulated, _expected(again, simulated)) >= deviance - 1e-9
    p = (1 + worse) / (1 + tried) if tried else None
    return GoodnessOfFit(deviance, df, p, "parametric_bootstrap")


def clustered_fit(comparisons: Comparisons, clusters: Ints, fitted: DavidsonFit) -> GoodnessOfFit:
    """The same where comparisons of a cluster (L,) are alike: Pearson's statistic against the clusters' own spread.

    The residual of every pair and result is divided by the root of its expectation, freed of what strengths could
    explain and added up. Its squared length has the mean tr V and the variance 2 tr V^2, V from the clusters' own
    sums; F with the degrees of freedom that these imply gives its tail (Rao and Scott 1984, Thomas and Rao 1987).
    """
    from scipy.sparse import csr_array
    from scipy.special import fdtrc

    method, number = "rao_scott_by_cluster", int(clusters.max(initial=-1)) + 1
    plain = goodness_of_fit(comparisons.table(), fitted, seed=0, simulations=0)
    if plain.df < 1 or number < 2:
        return GoodnessOfFit(plain.deviance, plain.df, None, method)
    k, first, second = comparisons.k, comparisons.first, comparisons.second
    codes, pair = np.unique(np.minimum(first, second) * k + np.maximum(first, second), return_inverse=True)
    i, j = np.divmod(codes, k)
    counts = davidson.by_pair(comparisons.table()[None])[0]
    expected = _expected(fitted, counts)[:, i, j].T  # (P, 3): i won, j won, tie
    chances = expected / expected.sum(axis=1, keepdims=True)
    turned = np.where(comparisons.result == Result.TIE, Result.TIE, 1 - comparisons.result)
    outcome = np.where(first < second, comparisons.result, turned)
    with np.errstate(divide="ignore"):
        scale = np.where(expected > 0, 1 / np.sqrt(expected), 0.0)
    residuals = (np.eye(3)[outcome] - chances[pair]) * scale[pair]
    places = np.repeat(clusters, 3), (3 * pair[:, None] + np.arange(3)).ravel()
    rows: Any = csr_array((residuals.ravel(), places), shape=(number, 3 * len(codes)))
    total = np.asarray(rows.sum(axis=0)).ravel()
    slopes = np.zeros((len(codes), 3, k + 1))  # of the utilities: i won, j won, tie
    at = np.arange(len(codes))
    slopes[at, 0, i] = slopes[at, 1, j] = 1
    slopes[at, 2, i] = slopes[at, 2, j] = 0.5
    slopes[:, 2, k] = 1
    slopes -= np.einsum("po,pot->pt", chances, slopes)[:, None]
    left, sizes, _ = np.linalg.svd(
        (slopes * np.sqrt(expected)[..., None]).reshape(-1, k + 1), full_matrices=False
    )
    explained = left[:, sizes > 1e-9 * sizes[0]]
    free = np.eye(len(total)) - explained @ explained.T
    spread = (rows.T @ rows).toarray() - np.outer(total, total) / number
    spread = number / (number - 1) * free @ spread @ free
    mean, squares, n = float(np.trace(spread)), float((spread**2).sum()), number - 1
    if mean <= _NO_SPREAD:
        return GoodnessOfFit(plain.deviance, plain.df, None, method)
    # tr S^2 of a few clusters exceeds tr V^2 by chance; this estimate does not (Srivastava 2005).
    squares = n * n / ((n + 2) * max(1, n - 1)) * (squares - mean**2 / n)
    degrees = float(np.clip(mean**2 / max(squares, _NO_SPREAD), 1, plain.df))
    statistic = float(((free @ total) ** 2).sum()) / mean
    p = float(fdtrc(degrees, degrees * n, statistic))
    return GoodnessOfFit(plain.deviance, plain.df, p, method)


def _expected(fitted: DavidsonFit, counts: Floats) -> Floats:
    """Expected counts under the fit, of `counts` as by_pair makes them."""
    first, second = np.broadcast_arrays(fitted.strengths[:, None], fitted.strengths[None, :])
    tie = (first + second) / 2 + (-np.inf if fitted.log_nu is None else fitted.log_nu)
    weights = np.exp(np.stack([first, second, tie]))
    return np.asarray(counts.sum(axis=0) * weights / weights.sum(axis=0))


def _deviance(counts: Floats, expected: Floats) -> float:
    seen = counts > 0
    return 2 * float((counts[seen] * np.log(counts[seen] / expected[seen])).sum())
