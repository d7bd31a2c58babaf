"""What interval an audit is likely to end with: audits are simulated, each gets its interval.

A normal formula is too hopeful for shares below 5 % (STATISTICS.md 3 vi). So each simulated audit gets the
interval that `stats.audit.corrected` would give it, all of them at once. Above 8,192 unaudited units the
distribution is drawn instead.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stats.audit.pooling import EXACT, End, effective_counts, pools, shapes, unaudited_range
from stats.core.bootstrap import generator
from stats.core.intervals import z_value

AUDITS = 200
_DRAWS = 500  # per simulated audit of a larger population
_NUMBERS, _LEAST_AUDITS = 400_000, 10  # so many are drawn of it, which with 200 strata are ten audits


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
    groups: Sequence[str] | None = None,
) -> Simulated:
    """The interval that an audit of `sampled` units per stratum brings on average if the guesses are right.

    Strata of one group share one spread (stats/audit/pooling.py); without `groups` each stratum stands alone.

    Each simulated population has Binomial(N_h, guess) successes, its audit a hypergeometric number of them.
    Raises ValueError when a stratum with units has none audited, or for a share outside 0..1.
    """
    z_value(level)
    size, drawn = np.asarray(sizes, dtype=np.int64), np.asarray(sampled, dtype=np.int64)
    if not len(size) == len(drawn) == len(guesses):
        raise ValueError("every stratum needs a size, a number of audits and a guess")
    if any(not 0 <= guess <= 1 for guess in guesses):
        raise ValueError("a guess lies between 0 and 1")
    if np.any((drawn < 0) | (drawn > size)):
        raise ValueError("no stratum can have more audits than units")
    if np.any((drawn == 0) & (size > 0)):
        raise ValueError("every stratum needs an audit")
    total = int(size.sum())
    if total == 0:
        return Simulated(0.0, 0.0, 0.0)
    pooled = pools(size, drawn, groups or [""] * len(size))
    exact = sum(pool.units for pool in pooled) <= EXACT
    if not exact:
        audits = min(audits, max(_LEAST_AUDITS, _NUMBERS // (_DRAWS * len(pooled))))
    rng = generator(seed)
    true = rng.binomial(size, np.asarray(guesses, dtype=float), size=(audits, len(size)))
    found = rng.hypergeometric(true, size - true, np.broadcast_to(drawn, true.shape))
    outcomes, times = np.unique(found, axis=0, return_counts=True)
    shares = outcomes / np.maximum(drawn, 1)
    if exact:
        low, high = unaudited_range(pooled, shares, level)
    else:  # the same by draws, because the exact distribution would be long
        tail, quantiles = (1 - level) / 2, []
        sides: tuple[tuple[End, float], ...] = (("low", tail), ("high", 1 - tail))
        for end, share in sides:
            totals = np.zeros((len(shares), _DRAWS))
            for pool in pooled:
                a, b = shapes(effective_counts(pool, shares), end)
                totals += rng.binomial(pool.units, rng.beta(a[:, None], b[:, None], size=totals.shape))
            quantiles.append(np.quantile(totals, share, axis=1))
        value = sum((pool.rates(shares) * pool.units for pool in pooled), np.zeros(len(shares)))
        low, high = np.minimum(quantiles[0], value), np.maximum(quantiles[1], value)
    audited = outcomes.sum(axis=1)
    means = [float(times @ ends) / audits / total for ends in (audited + low, audited + high, high - low)]
    return Simulated(*means)
