"""Did blinding hold? Indices from reviewers' guesses of the system (Bang et al. 2004; James et al. 1996)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from stats.core.estimate import Estimate, Reason, undefined
from stats.core.intervals import z_value


@dataclass(frozen=True)
class Guesses:
    """Guesses about the outputs of one system: right, wrong, and no guess."""

    right: int
    wrong: int
    unknown: int

    def __post_init__(self) -> None:
        if min(self.right, self.wrong, self.unknown) < 0:
            raise ValueError("counts cannot be negative")

    @property
    def n(self) -> int:
        """All answers."""
        return self.right + self.wrong + self.unknown


def bang_index(guesses: Guesses, *, systems: int = 2, level: float = 0.95) -> Estimate:
    """(right - wrong / (k - 1)) / n: 1 when unblinded, 0 for guessing at random, negative for misleading.

    With k = 2 systems this is Bang's index; for more, wrong guesses are scaled so that chance is 0.
    """
    method = "bang"
    if systems < 2:
        raise ValueError(f"guessing needs at least two systems, got {systems}")
    n = guesses.n
    if n == 0:
        return undefined(method, Reason.NO_ITEMS, n=0, level=level)
    scale = 1 / (systems - 1)
    right, wrong = guesses.right / n, guesses.wrong / n
    value = right - scale * wrong
    se = math.sqrt(max(0.0, right + scale**2 * wrong - value**2) / n)
    half = z_value(level) * se
    ends = (max(-scale, value - half), min(1.0, value + half))
    return Estimate(value=value, ci=ends, level=level, method=method, se=se, n=n)


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
