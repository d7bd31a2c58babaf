"""How wide the interval of a corrected score will be if an audit finds what one would expect."""

from dataclasses import dataclass

from stats.audit_simulation import simulated_interval
from stats.display import rounded_percent

ASSUMED_ERROR = 0.1
_SEED = 1


@dataclass(frozen=True)
class SystemFrame:
    """A system's strata as (N_h, n_h, judged share of successes), and its outputs that count by rule."""

    system: str
    strata: tuple[tuple[int, int, float], ...]
    by_rule: int


@dataclass(frozen=True)
class ExpectedPrecision:
    """The expected half-width of a system's corrected score, a proportion; None without a full design."""

    system: str
    half_width: float | None

    @property
    def points(self) -> str:
        """The half-width in percentage points with one decimal; empty without one."""
        return "" if self.half_width is None else rounded_percent(self.half_width)


def expected_precision(frame: SystemFrame) -> ExpectedPrecision:
    """Expected half-width when the judge errs on ASSUMED_ERROR of the outputs of every stratum."""
    if any(sampled == 0 for _, sampled, _ in frame.strata):
        return ExpectedPrecision(frame.system, None)
    sizes = [*(size for size, _, _ in frame.strata), frame.by_rule]
    sampled = [*(drawn for _, drawn, _ in frame.strata), frame.by_rule]
    guesses = [*(_guess(share) for _, _, share in frame.strata), 0.0]
    return ExpectedPrecision(frame.system, simulated_interval(sizes, sampled, guesses, seed=_SEED).width / 2)


def _guess(judged_share: float) -> float:
    return judged_share * (1 - ASSUMED_ERROR) + (1 - judged_share) * ASSUMED_ERROR
