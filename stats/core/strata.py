"""A stratified sample whose sizes were frozen at the draw, and the post-stratified mean it supports."""

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Stratum:
    """N_h units of which n_h were drawn by simple random sampling; `successes` of these are positive.

    Strata of one `group` (a judge's bucket over several systems) share the spread of their rates; "" stands alone.
    """

    name: str
    size: int
    sampled: int
    successes: int
    group: str = ""

    def __post_init__(self) -> None:
        if not 0 <= self.successes <= self.sampled <= self.size:
            raise ValueError(
                f"stratum {self.name!r}: needs 0 <= successes <= sampled <= size, "
                f"got {self.successes}, {self.sampled}, {self.size}"
            )

    @property
    def is_census(self) -> bool:
        """Every unit was audited, so the stratum adds no sampling error."""
        return self.sampled == self.size

    @property
    def is_unaudited(self) -> bool:
        """Units exist but none was audited: the stratum says nothing about its mean."""
        return self.sampled == 0 and self.size > 0

    @property
    def mean(self) -> float:
        """Share of successes in the sample; 0 for an empty stratum of size 0."""
        return self.successes / self.sampled if self.sampled else 0.0

    @property
    def variance(self) -> float | None:
        """s_h^2 = n p (1 - p) / (n - 1); None for a single audited unit of a larger stratum."""
        if self.is_census and self.sampled < 2:
            return 0.0
        if self.sampled < 2:
            return None
        return self.sampled * self.mean * (1 - self.mean) / (self.sampled - 1)


def population(strata: Sequence[Stratum]) -> int:
    """N, the number of units in all strata."""
    return sum(stratum.size for stratum in strata)


def post_stratified_mean(strata: Sequence[Stratum]) -> float:
    """sum_h (N_h / N) ybar_h (STATISTICS.md 3 i). Raises ValueError for an unaudited stratum or N = 0."""
    total = population(strata)
    if total == 0 or any(stratum.is_unaudited for stratum in strata):
        raise ValueError("the post-stratified mean needs an audited unit in every non-empty stratum")
    return sum(stratum.size * stratum.mean for stratum in strata) / total


def design_se(strata: Sequence[Stratum]) -> float | None:
    """sqrt of sum_h (N_h/N)^2 (1 - n_h/N_h) s_h^2 / n_h, with the finite population correction.

    None where a stratum with a single audited unit leaves its variance unknown.
    """
    total = population(strata)
    variance = 0.0
    for stratum in strata:
        if stratum.is_census:
            continue
        if stratum.variance is None:
            return None
        share = stratum.size / total
        correction = 1 - stratum.sampled / stratum.size
        variance += share * share * correction * stratum.variance / stratum.sampled
    return math.sqrt(variance)


def unaudited_bounds(strata: Sequence[Stratum]) -> tuple[float, float] | None:
    """The mean if every unit of the unaudited strata were negative, and if every one were positive."""
    total = population(strata)
    if total == 0:
        return None
    known = sum(stratum.size * stratum.mean for stratum in strata if not stratum.is_unaudited)
    open_units = sum(stratum.size for stratum in strata if stratum.is_unaudited)
    return known / total, (known + open_units) / total
