"""How steady a judge is across votes, and how many votes are worth asking for (STATISTICS.md 3 v)."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike


@dataclass(frozen=True)
class VoteSpread:
    """Variance of 0/1 votes within items and between items, and the standard error over items."""

    mean: float
    within: float
    between: float
    se: float | None
    items: int
    votes: int

    @property
    def pair_agreement(self) -> float:
        """Probability that two votes on one item agree."""
        return 1 - 2 * self.within


def vote_spread(positives: ArrayLike, votes: int) -> VoteSpread | None:
    """From the positive votes (n,) among `votes` >= 2 on each item; None without items.

    within = mean k (V - k) / (V (V - 1)); between = variance of k/V minus within / V.
    """
    k = np.asarray(positives, dtype=np.float64)
    if votes < 2 or (k < 0).any() or (k > votes).any():
        raise ValueError(f"needs at least 2 votes and counts between 0 and {votes}")
    if not k.size:
        return None
    shares = k / votes
    within = float((k * (votes - k)).mean() / (votes * (votes - 1)))
    if k.size == 1:
        return VoteSpread(float(shares[0]), within, 0.0, None, 1, votes)
    variance = float(shares.var(ddof=1))
    between = max(0.0, variance - within / votes)
    return VoteSpread(float(shares.mean()), within, between, math.sqrt(variance / k.size), k.size, votes)


def votes_needed(spread: VoteSpread, *, share: float = 0.1) -> int | None:
    """Votes per item that keep voting noise below `share` of the variance; None if items do not differ.

    V >= within (1 - share) / (share between).
    """
    if not 0 < share < 1:
        raise ValueError(f"a share lies strictly between 0 and 1, got {share}")
    if spread.between == 0:
        return None
    return max(1, math.ceil(spread.within * (1 - share) / (share * spread.between) - 1e-12))
