"""Did blinding hold? Indices from reviewers' guesses of the system (Bang et al. 2004; James et al. 1996)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stats.core.estimate import Estimate, Reason, undefined
from stats.core.intervals import t_value, z_value
from stats.scores.clusters import ClusterTotals, are_few, clustered_se


@dataclass(frozen=True)
class Guesses:
    """One reviewer's guesses about the outputs of one system: right, wrong, and no guess."""

    right: int = 0
    wrong: int = 0
    unknown: int = 0

    def __post_init__(self) -> None:
        if min(self.right, self.wrong, self.unknown) < 0:
            raise ValueError("counts cannot be negative")

    @property
    def n(self) -> int:
        """All answers."""
        return self.right + self.wrong + self.unknown


def bang_index(raters: Sequence[Guesses], *, systems: int = 2, level: float = 0.95) -> Estimate:
    """(right - wrong / (k - 1)) / n: 1 when unblinded, 0 for guessing at random, negative for misleading.

    With k = 2 systems this is Bang's index; for more, wrong guesses are scaled so that chance is 0. `raters` has the
    guesses of each reviewer, which are alike: the interval is a score interval on the effective number of guesses, with
    Student's t for few reviewers.
    """
    method = "bang_score_n_eff"
    if systems < 2:
        raise ValueError(f"guessing needs at least two systems, got {systems}")
    scale = 1 / (systems - 1)
    right, wrong, sizes = (
        np.array([(one.right, one.wrong, one.n) for one in raters if one.n]).reshape(-1, 3).T
    )
    totals = ClusterTotals(right - scale * wrong, sizes, right + scale**2 * wrong)
    if totals.n == 0:
        return undefined(method, Reason.NO_ITEMS, n=0, level=level)
    value, n, se = totals.mean, totals.n, clustered_se(totals)
    spread = (right.sum() + scale**2 * wrong.sum()) / n - value**2  # of one guess
    seen = se is not None and spread > 0  # how alike the guesses of a reviewer are
    effective = totals.effective_clusters if not seen else min(n, spread / se**2) if se else n
    few = seen and are_few(totals)
    quantile = t_value(level, totals.clusters - 1) if few else z_value(level)
    return Estimate(
        value=value,
        ci=_score_interval(right.sum() / n, wrong.sum() / n, scale, effective, quantile),
        level=level,
        method=method,
        se=se,
        n=n,
        clusters=totals.clusters,
    )


def _score_interval(
    right: float, wrong: float, scale: float, n: float, quantile: float
) -> tuple[float, float]:
    """All values of right - scale * wrong that a score test on n guesses does not reject.

    Wilson's interval where every guess is right or wrong; Tango's (1998) where scale is 1.
    """
    value = right - scale * wrong

    def rejects(index: float) -> bool:
        # the most likely share of wrong guesses if this were the index
        a, c = -scale * (1 + scale), wrong * index * (1 - index)
        b = right * scale * (1 - index) + wrong * (scale * (1 - index) - (1 + scale) * index)
        b -= (1 - right - wrong) * (1 + scale) * index
        likely = (-b - math.sqrt(max(0.0, b * b - 4 * a * c))) / (2 * a)
        likely = min((1 - index) / (1 + scale), max(0.0, -index / scale, likely))
        variance = index + scale * (1 + scale) * likely - index**2
        return (value - index) ** 2 * n > quantile**2 * variance

    ends = []
    for outer in (-scale, 1.0):
        inner = value
        for _ in range(60):
            middle = (outer + inner) / 2
            outer, inner = (middle, inner) if rejects(middle) else (outer, middle)
        ends.append(float(inner))
    return ends[0], ends[1]


def james_index(table: list[list[int]], unknown: list[int]) -> Estimate:
    """Blinding of the whole study: 0 unblinded, 1/2 random guessing, 1 all unknown.

    `table[i][j]` counts outputs of system i guessed as j, `unknown[i]` those without a guess.
    BI = (1 + P_unknown + (1 - P_unknown) K) / 2, K = (wrong seen - wrong expected) / wrong expected among
    those who guessed.
    """
    method = "james"
    if len(table) != len(unknown) or any(len(row) != len(table) for row in table):
        raise ValueError("needs a square table and one count of unknowns per system")
    guessed = sum(map(sum, table))
    n = guessed + sum(unknown)
    if n == 0:
        return undefined(method, Reason.NO_ITEMS, n=0)
    share = sum(unknown) / n
    if guessed == 0:
        return Estimate(value=1.0, method=method, n=n)
    columns = [sum(row[j] for row in table) for j in range(len(table))]
    right = sum(table[i][i] for i in range(len(table))) / guessed
    chance = sum(sum(table[i]) * columns[i] for i in range(len(table))) / guessed**2
    if chance == 1:
        return undefined(method, Reason.ONE_CATEGORY, n=n)
    excess = ((1 - right) - (1 - chance)) / (1 - chance)
    return Estimate(value=(1 + share + (1 - share) * excess) / 2, method=method, n=n)
