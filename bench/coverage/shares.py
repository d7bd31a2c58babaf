"""Shares of judged outputs of which several share a paper, as precision and recall in an audit's sample.

With one degree of freedom where all failures are of one paper, as artifacts by `methods` below 20 have it, as a second
row of each design.
"""

from collections.abc import Iterator

import numpy as np

from bench.coverage.frame import Cell
from stats.core.bootstrap import Floats, generator
from stats.core.estimate import Estimate
from stats.core.jackknife import LEAST_DEGREES, left_out

PAPERS = {  # how many outputs each has
    "5 papers of 8": [8] * 5,
    "8 papers of 3": [3] * 8,
    "24 papers of 1 to 3": [1, 2, 3] * 8,
    "15 papers of 1 to 30": [30, 15, 10, 7, 6, 5, 4, 3, 3, 2, 2, 1, 1, 1, 1],
    "20 papers of 1, one of 20": [20, *[1] * 20],
}


def cells(draws: int) -> Iterator[Cell]:
    """Shares of .7, .9 and .97, alike in a paper by 0, .3 and .7; draws with a success and a failure only."""
    for name, sizes in PAPERS.items():
        for share in (0.7, 0.9, 0.97):
            for alike in (0.0, 0.3, 0.7):
                rows = _drawn(np.array(sizes), share, alike, draws)
                for degrees, interval in ((LEAST_DEGREES, ""), (1, ", one degree")):
                    found = [_estimate(row, degrees) for row in rows]
                    low, high = np.array([one.ci for one in found]).T
                    design = f"{name}, {100 * share:.0f} %, alike {alike:g}{interval}"
                    yield Cell.measured(design, low, high, truth=share, value=[one.value for one in found])


def _drawn(sizes: Floats, share: float, alike: float, draws: int) -> list[Floats]:
    """(C, 2) successes and outputs of every paper, of each draw."""
    rng, found = generator(2), []
    while len(found) < draws:
        own = (
            rng.beta(*(part * (1 / alike - 1) for part in (share, 1 - share)), len(sizes)) if alike else share
        )
        right = rng.binomial(sizes, own)
        if 0 < right.sum() < sizes.sum():
            found.append(np.column_stack([right, sizes]).astype(float))
    return found


def _estimate(rows: Floats, least_degrees: int) -> Estimate:
    plain = Estimate(value=float(rows[:, 0].sum() / rows[:, 1].sum()), method="share")
    return left_out(
        plain, lambda sums: sums[:, 0] / sums[:, 1], rows, share=True, least_degrees=least_degrees
    )
