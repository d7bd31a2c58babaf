"""Means of points, most of them at one end of the scale.

Student's t, which artifacts by `methods` below 11 have, as a second row of each design.
"""

from collections.abc import Iterator

import numpy as np

from bench.coverage.frame import Cell
from stats.core.bootstrap import Floats, generator
from stats.scores.clusters import Clustering
from stats.scores.means import mean_estimate

SCALE = (0.0, 7.0)
POINTS = {  # the chance of each number of points from 0 to 7
    "0 for 95 %, else 3 to 7": [0.95, 0, 0, *[0.01] * 5],
    "0 for 90 %, else 3 to 7": [0.9, 0, 0, *[0.02] * 5],
    "0 for 70 %, else 1 to 7": [0.7, *[0.3 / 7] * 7],
    "7 for 90 %, else 0 to 4": [*[0.02] * 5, 0, 0, 0.9],
    "all alike": [1 / 8] * 8,
}


def cells(draws: int) -> Iterator[Cell]:
    """5 to 80 independent outputs, five distributions of points."""
    for name, chances in POINTS.items():
        for n in (5, 10, 20, 40, 80):
            rng = generator(2)
            points = rng.choice(8, size=(draws, n), p=chances).astype(np.float64)
            for way, interval in ((Clustering.SKEWED, ""), (Clustering.UNEVEN, ", by t")):
                ends, values = _intervals(points, way)
                truth = float(np.arange(8) @ np.asarray(chances))
                low, high = ends.T
                yield Cell.measured(f"{name}, {n} outputs{interval}", low, high, truth=truth, value=values)


def _intervals(points: Floats, way: Clustering) -> tuple[Floats, Floats]:
    found = [mean_estimate(row.tolist(), "mean", SCALE, way=way) for row in points]
    return np.array([one.ci or (np.nan, np.nan) for one in found]), np.array([one.value for one in found])
