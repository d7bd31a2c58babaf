"""Two systems on the same items in clusters: the difference, and true nulls that its test keeps."""

from collections.abc import Iterator

import numpy as np

from bench.coverage.frame import Cell
from stats.core.bootstrap import Floats, generator
from stats.scores.clusters import cluster_totals
from stats.scores.paired import paired_interval, sign_flip

ALIKE = 4.0  # a cluster's share for one system varies round what both share with correlation 1 / (1 + ALIKE)
DIFFERENCES = {0.05: (0.0, 0.05), 0.35: (0.0, 0.1, 0.3)}


def cells(draws: int) -> Iterator[Cell]:
    """10, 30, 60 problems of 1, 4, 8 attempts; nulls at 30 x 8 and 50 x 4 with ten times the draws."""
    for clusters in (10, 30, 60):
        for attempts in (1, 4, 8):
            for share, differences in DIFFERENCES.items():
                for difference in differences:
                    yield difference_cell(clusters, attempts, share, difference, draws)
    for clusters, attempts in ((30, 8), (50, 4), (10, 4), (60, 1)):
        for share in (0.1, 0.35):
            yield null_cell(clusters, attempts, share, 10 * draws)


def difference_cell(clusters: int, attempts: int, share: float, difference: float, draws: int) -> Cell:
    """The interval of a difference; it comes from failures of the first system that succeed after all."""
    rng, codes, rows = generator(2), np.repeat(np.arange(clusters), attempts), []
    for _ in range(draws):
        first, second = _marks(rng, clusters, attempts, share)
        first = np.maximum(first, rng.random(len(first)) < difference / (1 - share))
        found = paired_interval(first, second, codes)
        assert found.ci is not None
        rows.append((*found.ci, found.value))
    low, high, value = np.array(rows).T
    name = f"{clusters} problems x {attempts}, {100 * share:.0f} % true, difference {difference:g}"
    return Cell.measured(name, low, high, truth=difference, value=value)


def null_cell(clusters: int, attempts: int, share: float, draws: int) -> Cell:
    """Share of draws in which a true null is not rejected at 5 %."""
    rng, codes, kept = generator(2), np.repeat(np.arange(clusters), attempts), 0
    for _ in range(draws):
        first, second = _marks(rng, clusters, attempts, share)
        kept += sign_flip(cluster_totals(first - second, codes).sums, seed=1).p > 0.05
    name = f"null: {clusters} problems x {attempts}, {100 * share:.0f} % true ({draws} draws)"
    return Cell(name, kept / draws, float("nan"), 1.0)


def _marks(rng: np.random.Generator, clusters: int, attempts: int, share: float) -> Floats:
    """(2, n) zeros and ones of two systems that are equally good and find the same problems hard."""
    shared = rng.beta(2 * share, 2 * (1 - share), clusters)
    ease = rng.beta(ALIKE * shared + 1e-6, ALIKE * (1 - shared) + 1e-6, (2, clusters))
    return (rng.random((2, clusters * attempts)) < np.repeat(ease, attempts, axis=1)).astype(np.float64)
