"""How well an agreement study of n items would know Cohen's kappa, simulated from a pilot.

There is no closed form worth trusting (STATISTICS.md 3 vi): kappa's spread depends on the margins. Studies are
drawn from the pilot's table with half a count added to every cell, and each gets the interval that an analysis of it
would report: with few items that is much wider than kappa itself is spread.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stats.agreement.cohen import kappa
from stats.core.bootstrap import Floats, generator
from stats.core.estimate import Estimate
from stats.core.jackknife import left_out

STUDIES = 400
_OF_LARGE, _LARGE = (
    40,
    1_000,
)  # studies of more items hardly differ in their intervals, so that fewer are looked at
MAX_ITEMS = 100_000


@dataclass(frozen=True)
class KappaPlan:
    """Kappa of the smoothed pilot, and the interval of a study of `n` items: means of both ends over the studies.

    `undefined` is the share of studies in which everybody said the same, so that kappa is 0/0. `interval`
    is None when no study has a kappa.
    """

    n: int
    kappa: float
    interval: tuple[float, float] | None
    undefined: float

    @property
    def half_width(self) -> float | None:
        return None if self.interval is None else (self.interval[1] - self.interval[0]) / 2


def kappa_plan(pilot: Sequence[Sequence[int]], n: int, *, seed: int, level: float = 0.95) -> KappaPlan:
    """`pilot` is a square table of counts, rater one in rows, rater two in columns.

    Raises ValueError for a table that is not square, empty or negative, and for n outside 2..100,000.
    """
    table = np.asarray(pilot, dtype=float)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or len(table) < 2:
        raise ValueError("a pilot is a square table of at least two values")
    if table.min() < 0 or table.sum() == 0:
        raise ValueError("a pilot holds counts of 0 or more, not all of them 0")
    shares = np.asarray((table + 0.5) / (table + 0.5).sum())
    if not 2 <= n <= MAX_ITEMS:
        raise ValueError(f"a study has 2 to {MAX_ITEMS:,} items, got {n}")
    studies = generator(seed).multinomial(n, shares.ravel(), size=STUDIES)
    looked_at = studies if n <= _LARGE else studies[:_OF_LARGE]
    q, found = len(shares), []

    def function(tables: Floats) -> Floats:
        return kappa(tables.reshape(-1, q, q))

    for cells in looked_at:  # what an analysis reports for a study whose items fell into these cells (q * q,)
        value = float(function(cells.astype(np.float64))[0])
        if math.isnan(value):
            continue
        kinds = np.flatnonzero(cells)
        plain = Estimate(value=value, level=level, method="kappa", n=int(cells.sum()))
        rows = np.eye(len(cells))[kinds]
        if ends := left_out(plain, function, rows, share=False, counts=cells[kinds]).ci:
            found.append(ends)
    return KappaPlan(
        n=n,
        kappa=float(kappa(shares)),
        interval=(float(np.mean([low for low, _ in found])), float(np.mean([high for _, high in found])))
        if found
        else None,
        undefined=float(np.isnan(kappa(studies.reshape(STUDIES, *shares.shape))).mean()),
    )


def items_for_kappa(
    pilot: Sequence[Sequence[int]], half_width: float, *, seed: int, level: float = 0.95
) -> int | None:
    """The fewest items for intervals of this half-width on average; None if MAX_ITEMS do not suffice."""
    if not 0 < half_width < 1:
        raise ValueError(f"a half-width lies strictly between 0 and 1, got {half_width}")

    def narrow(n: int) -> bool:
        half = kappa_plan(pilot, n, seed=seed, level=level).half_width
        return half is not None and half <= half_width

    low, high = 2, 4
    while not narrow(high):
        low, high = high, 2 * high
        if high > MAX_ITEMS:
            return None
    while high - low > max(1, high // 200):  # half a per cent: finer is noise
        middle = (low + high) // 2
        low, high = (low, middle) if narrow(middle) else (middle, high)
    return high
