"""What one expects an audit to find, and how wide the intervals of corrected scores will then be."""

from collections.abc import Sequence
from dataclasses import dataclass

from stats.core.display import rounded_percent
from stats.planning.allocations import PlannedStratum
from stats.planning.audit_simulation import simulated_interval

_SEED = 1


@dataclass(frozen=True)
class Expected:
    """How often one thinks that the judge is wrong: among its successes, and among everything else.

    Both are shares; `hours` is the work that one audited output costs, all reviewers together.
    """

    refuted: float = 0.1
    missed: float = 0.05
    hours: float = 1.0

    def stratum(self, name: str, size: int, judged: float) -> PlannedStratum:
        """The stratum with its guess when the judge calls the share `judged` of it successes."""
        guess = judged * (1 - self.refuted) + (1 - judged) * self.missed
        return PlannedStratum(name, size, guess, self.hours, judged_success=judged >= 0.5)


@dataclass(frozen=True)
class ExpectedPrecision:
    """The expected half-width of a system's corrected score, a proportion; None without a full design."""

    system: str
    half_width: float | None

    @property
    def points(self) -> str:
        """The half-width in percentage points with one decimal; empty without one."""
        return "" if self.half_width is None else rounded_percent(self.half_width)


def expected_precision(
    system: str, strata: Sequence[tuple[int, int, float]], by_rule: int
) -> ExpectedPrecision:
    """Expected half-width if the guesses are right, from strata as (N_h, n_h, guessed share of successes).

    The `by_rule` outputs that count by rule are known negatives.
    """
    if any(sampled == 0 for _, sampled, _ in strata):
        return ExpectedPrecision(system, None)
    sizes, drawn, guesses = zip(*strata, (by_rule, by_rule, 0.0), strict=True)
    return ExpectedPrecision(system, simulated_interval(sizes, drawn, guesses, seed=_SEED).width / 2)
