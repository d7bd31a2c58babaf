"""How well an agreement study of n items would know Cohen's kappa, simulated from a pilot.

There is no closed form worth trusting (STATISTICS.md 3 vi): kappa's spread depends on the margins. Studies are
drawn from the pilot's table with half a count added to every cell, and kappa is computed in each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stats.core.bootstrap import Floats, generator, percentile_interval

STUDIES = 4_000
MAX_ITEMS = 100_000


@dataclass(frozen=True)
class KappaPlan:
    """Kappa of the smoothed pilot, and where the kappa of a study of `n` items falls with the given level.

    `undefined` is the share of studies in which everybody said the same, so that kappa is 0/0. `interval`
    is None when hardly any study has a kappa.
    """

    n: int
    kappa: float
    interval: tuple[float, float] | None
    undefined: float

    @property
    def half_width(self) -> float | None:
        return None if self.interval is None else (self.interval[1] - self.interval[0]) / 2


def kappa_plan(
    pilot: Sequence[Sequence[int]], n: int, *, seed: int, level: float = 0.95, studies: int = STUDIES
) -> KappaPlan:
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
    q = len(shares)
    tables = generator(seed).multinomial(n, shares.ravel(), size=studies).reshape(studies, q, q) / n
    found = _kappas(tables)
    return KappaPlan(
        n=n,
        kappa=float(_kappas(shares[None])[0]),
        interval=percentile_interval(found, level),
        undefined=float(np.isnan(found).mean()),
    )


def items_for_kappa(
    pilot: Sequence[Sequence[int]], half_width: float, *, seed: int, level: float = 0.95
) -> int | None:
    """The fewest items for this half-width of the simulated interval; None if MAX_ITEMS do not suffice."""
    if not 0 < half_width < 1:
        raise ValueError(f"a half-width lies strictly between 0 and 1, got {half_width}")

    def narrow(n: int) -> bool:
        half = kappa_plan(pilot, n, seed=seed, level=level, studies=2_000).half_width
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


def _kappas(tables: Floats) -> Floats:
    """(studies,) Cohen's kappa of tables of shares (studies, q, q); nan where chance agreement is complete."""
    agreed = np.trace(tables, axis1=1, axis2=2)
    chance = (tables.sum(axis=1) * tables.sum(axis=2)).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(chance < 1 - 1e-12, (agreed - chance) / (1 - chance), np.nan))
