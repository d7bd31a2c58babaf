"""Many small cells of an audit and the interval of a total over them.

An audit drawn by system and bucket leaves cells of five outputs in which the judge was never wrong. A posterior for
each cell would add half an error per cell, and over 21 cells these halves outweigh what was found. So the cells of
one group (a bucket over all systems) share one spread: with w_c the cell's share of the group's unaudited units,

    p = sum w_c y_c / n_c         the design estimate, whatever the cells' own rates are;
    m = 1 / sum w_c^2 / n_c       the audits that a simple random sample would need to be as informative.

The group's unaudited successes are Beta-Binomial with the shapes p m and (1 - p) m plus the prior. Because
p (1 - p) is at least the mean of the cells' own p_c (1 - p_c), cells of unequal rates make the interval wider and
never too narrow. A group of one cell has the Jeffreys interval of that cell. Groups are independent, so their
totals are convolved exactly.

The lower end takes its prior successes only from groups in which a success was seen, the upper end its prior
failures only from groups with a failure: otherwise groups without an event would push both ends inwards.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from stats.core.bootstrap import Floats, Ints
from stats.core.intervals import z_value

PRIOR = 0.5  # Jeffreys
LARGE = 100  # a cell with so many audits knows its rate by itself
EXACT = 8_192  # unaudited units up to which every count has its own probability
_SLACK = 1e-12  # rounding of the transforms
_MOST = 1 << 20  # points that a population of any size is represented by
_CELLS_AT_ONCE = 1 << 22

End = Literal["low", "high"]


@dataclass(frozen=True)
class Pool:
    """Cells that share one spread: their places, their weights (sum 1), and what the group stands for."""

    cells: Ints
    weights: Floats
    units: int
    effective: float

    def rates(self, shares: Floats) -> Floats:
        """(R, ...) design estimates of the group from the shares (R, H, ...) found in all cells."""
        return np.asarray(np.tensordot(shares[:, self.cells], self.weights, axes=([1], [0])))


def pools(sizes: Sequence[int] | Ints, sampled: Sequence[int] | Ints, groups: Sequence[str]) -> list[Pool]:
    """The groups that have unaudited units, in their order.

    Cells of the group "" and cells with LARGE audits stand alone. Raises ValueError for a cell with units and no
    audit: nothing is known of it.
    """
    size, drawn = np.asarray(sizes, dtype=np.int64), np.asarray(sampled, dtype=np.int64)
    members: dict[str | int, list[int]] = {}
    for cell in np.flatnonzero(size > drawn).tolist():
        if not drawn[cell]:
            raise ValueError("every cell with units needs an audit")
        alone = not groups[cell] or drawn[cell] >= LARGE
        members.setdefault(cell if alone else groups[cell], []).append(cell)
    found = []
    for cells in map(np.array, members.values()):
        left = size[cells] - drawn[cells]
        weights = left / left.sum()
        found.append(Pool(cells, weights, int(left.sum()), float(1 / (weights**2 / drawn[cells]).sum())))
    return found


def shapes(counts: Floats, end: End | None = None) -> tuple[Floats, Floats]:
    """Shapes of the Beta posterior from counts (R, 2) of successes and failures; without an end Jeffreys's."""
    prior = np.full(counts.shape, PRIOR)
    if end is not None:
        side = 0 if end == "low" else 1
        prior[:, side] = np.clip(counts[:, side], 1e-6, PRIOR)
    return counts[:, 0] + prior[:, 0], counts[:, 1] + prior[:, 1]


def effective_counts(pool: Pool, shares: Floats) -> Floats:
    """(R, 2) successes and failures that a simple random sample of `pool.effective` units would have shown."""
    rates = np.clip(pool.rates(shares), 0.0, 1.0)
    return np.column_stack([rates, 1 - rates]) * pool.effective


def unaudited_range(groups: Sequence[Pool], shares: Floats, level: float) -> tuple[Floats, Floats]:
    """(R,) lowest and highest plausible number of successes among the unaudited units of all groups.

    `shares` (R, H) are the shares of successes found in the cells, one row per audit. The design estimate always
    lies between the ends, and while a unit is unaudited they never coincide. Above EXACT units the distribution
    is that of a smaller population with the same mean and variance, which is the continuous limit for large ones.
    """
    z_value(level)
    units = sum(pool.units for pool in groups)
    value = np.zeros(len(shares))
    for pool in groups:
        value += np.clip(pool.rates(shares), 0.0, 1.0) * pool.units
    if not units:
        return value, value
    finest = max(EXACT, 4 * max(int(pool.effective) for pool in groups))
    step = max(1.0, units / min(finest, _MOST))
    tail = (1 - level) / 2
    low = np.minimum(_quantiles(groups, shares, step, "low", tail) * step, value)
    high = np.maximum(_quantiles(groups, shares, step, "high", 1 - tail) * step, value)
    flat = high - low < 1e-9 * units
    return np.where(flat, np.maximum(low - step, 0), low), np.where(
        flat, np.minimum(high + step, units), high
    )


def _quantiles(groups: Sequence[Pool], shares: Floats, step: float, end: End, share: float) -> Floats:
    points = [round(pool.units / step) for pool in groups]
    length = 1 << (sum(points) + 1).bit_length()
    at_once = max(1, _CELLS_AT_ONCE // length)
    found = [np.zeros(0)]
    for start in range(0, len(shares), at_once):
        part = shares[start : start + at_once]
        spectrum = np.ones((len(part), length // 2 + 1), dtype=np.complex128)
        for pool, n in zip(groups, points, strict=True):
            seen, of_row = np.unique(effective_counts(pool, part), axis=0, return_inverse=True)
            a, b = shapes(seen, end)
            if n < pool.units:
                # Shapes with which n points have the same mean and variance of their share as the units with a and b.
                # That variance is p q (N + s) / (N (s + 1)) with s = a + b; where it is below that of a binomial of n
                # points, that binomial is the nearest.
                total = a + b
                spread = n * (pool.units + total) / (pool.units * (total + 1))
                wanted = np.where(spread > 1 + 1e-9, (n - spread) / np.maximum(spread - 1, 1e-9), 1e9)
                a, b = a / total * wanted, b / total * wanted
            spectrum *= np.fft.rfft(beta_binomials(a, b, n), length)[of_row.ravel()]
        reached = np.cumsum(np.fft.irfft(spectrum, length), axis=1)
        found.append(np.minimum((reached < share - _SLACK).sum(axis=1), sum(points)).astype(np.float64))
    return np.concatenate(found)


def beta_binomials(a: Floats, b: Floats, units: int) -> Floats:
    """(R, units + 1) probabilities of 0..units successes when the rate of row r is Beta(a_r, b_r)."""
    k = np.arange(units, dtype=np.float64)
    left, right = a[:, None], b[:, None]
    steps = np.log((units - k) * (k + left)) - np.log((k + 1) * (units - k - 1 + right))
    logs = np.zeros((len(a), units + 1))
    np.cumsum(steps, axis=1, out=logs[:, 1:])
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))
