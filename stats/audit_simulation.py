"""What interval an audit is likely to end with: audits are simulated, each gets its interval.

A normal formula is too hopeful for shares below 5 % (STATISTICS.md 3 vi). So each simulated audit gets the
`bb_jeffreys` interval of its counts. The distribution of the sum of the strata's Beta-Binomial counts is a
product of discrete Fourier transforms, taken for all simulated audits at once. Above 8,192 unaudited units
the sum is drawn instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stats.bootstrap import Floats, Ints, generator
from stats.intervals import z_value

JEFFREYS = 0.5
AUDITS = 200
_EXACT = 8_192  # unaudited units up to which the distribution of their successes is computed exactly
_DRAWS = 500  # per simulated audit of a larger population
_SLACK = 1e-12  # rounding of the transforms


@dataclass(frozen=True)
class Simulated:
    """Means over the simulated audits: both ends of the interval and its width, as shares of the population."""

    low: float
    high: float
    width: float


def simulated_interval(
    sizes: Sequence[int],
    sampled: Sequence[int],
    guesses: Sequence[float],
    *,
    seed: int,
    audits: int = AUDITS,
    level: float = 0.95,
) -> Simulated:
    """The interval that an audit of `sampled` units per stratum brings on average if the guesses are right.

    Each simulated population has Binomial(N_h, guess) successes, its audit a hypergeometric number of them.
    Raises ValueError when a stratum with units has none audited, or for a share outside 0..1.
    """
    size, drawn = np.asarray(sizes, dtype=np.int64), np.asarray(sampled, dtype=np.int64)
    _check(size, drawn, guesses)
    total = int(size.sum())
    if total == 0:
        return Simulated(0.0, 0.0, 0.0)
    rng = generator(seed)
    outcomes, times = np.unique(_audits(size, drawn, guesses, audits, rng), axis=0, return_counts=True)
    low, high = _posterior_ends(outcomes, size, drawn, level, rng)
    means = [float(times @ ends) / audits / total for ends in (low, high, high - low)]
    return Simulated(*means)


def _check(size: Ints, drawn: Ints, guesses: Sequence[float]) -> None:
    if not len(size) == len(drawn) == len(guesses):
        raise ValueError("every stratum needs a size, a number of audits and a guess")
    if any(not 0 <= guess <= 1 for guess in guesses):
        raise ValueError("a guess lies between 0 and 1")
    if np.any((drawn < 0) | (drawn > size)):
        raise ValueError("no stratum can have more audits than units")
    if np.any((drawn == 0) & (size > 0)):
        raise ValueError("every stratum needs an audit")


def _audits(size: Ints, drawn: Ints, guesses: Sequence[float], audits: int, rng: np.random.Generator) -> Ints:
    """(audits, strata) successes found."""
    true = rng.binomial(size, np.asarray(guesses, dtype=float), size=(audits, len(size)))
    return np.asarray(rng.hypergeometric(true, size - true, np.broadcast_to(drawn, true.shape)))


def _posterior_ends(
    found: Ints, size: Ints, drawn: Ints, level: float, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """(outcomes,) lowest and highest plausible number of successes in the population."""
    z_value(level)
    left = size - drawn
    tail = (1 - level) / 2
    if int(left.sum()) <= _EXACT:
        low, high = _exact_ends(found, drawn, left, tail)
    else:
        low, high = _drawn_ends(found, drawn, left, tail, rng)
    audited = found.sum(axis=1)
    return audited + low, audited + high


def _exact_ends(found: Ints, drawn: Ints, left: Ints, tail: float) -> tuple[Floats, Floats]:
    most = int(left.sum())
    length = 1 << most.bit_length()
    spectrum = np.ones((len(found), length // 2 + 1), dtype=np.complex128)
    for h in np.flatnonzero(left):
        seen, of_outcome = np.unique(found[:, h], return_inverse=True)
        spectrum *= np.fft.rfft(_unaudited(seen, int(drawn[h]), int(left[h])), length)[of_outcome]
    reached = np.cumsum(np.fft.irfft(spectrum, length), axis=1)
    low, high = (np.minimum((reached < share - _SLACK).sum(axis=1), most) for share in (tail, 1 - tail))
    return low, high


def _unaudited(seen: NDArray[np.int64], n: int, units: int) -> Floats:
    """(outcomes, units + 1) Beta-Binomial probabilities of the successes among the unaudited units."""
    a, b = (seen + JEFFREYS)[:, None], (n - seen + JEFFREYS)[:, None]
    k = np.arange(units, dtype=float)
    steps = np.log((units - k) * (k + a)) - np.log((k + 1) * (units - k - 1 + b))
    logs = np.zeros((len(seen), units + 1))
    np.cumsum(steps, axis=1, out=logs[:, 1:])
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _drawn_ends(
    found: Ints, drawn: Ints, left: Ints, tail: float, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """The same by `_DRAWS` draws per outcome, for populations where the transforms would be long."""
    totals = np.zeros((len(found), _DRAWS))
    for h in np.flatnonzero(left):
        a, b = found[:, h] + JEFFREYS, drawn[h] - found[:, h] + JEFFREYS
        rates = rng.beta(a[:, None], b[:, None], size=totals.shape)
        totals += rng.binomial(left[h], rates)
    low, high = np.quantile(totals, [tail, 1 - tail], axis=1)
    return low, high
