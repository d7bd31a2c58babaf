"""Shares, means and differences where papers have very different numbers of outputs."""

from collections.abc import Iterator

import numpy as np

from bench.coverage.frame import Cell
from stats.core.bootstrap import Floats, Ints, generator
from stats.core.estimate import Estimate
from stats.scores.clusters import cluster_totals
from stats.scores.means import clustered_mean, share_of
from stats.scores.paired import paired_interval

BETTER = 0.1  # the second system's share exceeds the first one's


def cells(draws: int) -> Iterator[Cell]:
    """8, 20, 60 papers in five patterns of sizes, success from 10 to 60 %, weakly and strongly alike."""
    for papers in (8, 20, 60):
        for pattern in ("as many each", "geometric", "1/rank", "two large", "one large"):
            for share in (0.1, 0.3, 0.6):
                for correlation in (0.02, 0.4):
                    yield from of_design(papers, pattern, share, correlation, draws)


def sizes_of(pattern: str, papers: int, rng: np.random.Generator) -> Ints:
    """Outputs of each paper; a large paper has as many as half of the others or more."""
    if pattern == "as many each":
        return np.full(papers, 6)
    if pattern == "geometric":
        return rng.geometric(0.2, papers)
    if pattern == "1/rank":
        return np.maximum(1, 4 * papers // np.arange(1, papers + 1))
    large = [papers, papers] if pattern == "two large" else [3 * papers]
    return np.array([*large, *[2] * (papers - len(large))])


def of_design(papers: int, pattern: str, share: float, correlation: float, draws: int) -> Iterator[Cell]:
    """The share of one system, the mean of two systems' outcomes, and their difference."""
    rng, spread = generator(2), (1 - correlation) / correlation
    shares = np.array([share, share + BETTER])
    found: dict[str, list[Estimate]] = {"share": [], "mean": [], "difference": []}
    for _ in range(draws):
        codes = np.repeat(np.arange(papers), sizes_of(pattern, papers, rng))
        easy = rng.beta(shares[:, None] * spread, (1 - shares[:, None]) * spread, (2, papers))
        first, second = (rng.random((2, len(codes))) < easy[:, codes]).astype(np.float64)
        found["share"].append(share_of(cluster_totals(first, codes)))
        found["mean"].append(clustered_mean(cluster_totals((first + second) / 2, codes), "mean"))
        found["difference"].append(paired_interval(first, second, codes))
    truths = {"share": share, "mean": float(shares.mean()), "difference": -BETTER}
    for name, estimates in found.items():
        low, high, value = _columns(estimates).T
        design = f"{papers} papers, {pattern}, {100 * share:.0f} % true, correlation {correlation}, {name}"
        yield Cell.measured(design, low, high, truth=truths[name], value=value)


def _columns(estimates: list[Estimate]) -> Floats:
    return np.array([(*(one.ci or (np.nan, np.nan)), one.value) for one in estimates], dtype=np.float64)
