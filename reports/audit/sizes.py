"""How many outputs of each stratum an audit is to draw: the same number each, a total by a rule, or by hand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from accounts.refusal import Refused
from annotation.campaigns.sampling import equal_sizes
from stats.core.text import counted
from stats.planning.allocations import PlannedStratum, allocate

Sizes = dict[str, int]


@dataclass(frozen=True)
class PerStratum:
    """`n` of each stratum, all of smaller ones; None means all."""

    n: int | None = 5

    def sizes(self, strata: Sequence[PlannedStratum]) -> Sizes:
        """n_h by stratum. Raises Refused when `n` is below 1."""
        try:
            return equal_sizes({stratum.name: stratum.size for stratum in strata}, self.n)
        except ValueError as error:
            raise Refused(f"{str(error).capitalize()}.", code="bad_sample", field="per_stratum") from error


@dataclass(frozen=True)
class Spread:
    """`total` audits spread by a rule of stats.planning.allocations."""

    rule: str
    total: int

    def sizes(self, strata: Sequence[PlannedStratum]) -> Sizes:
        """n_h by stratum. Raises Refused when the total does not fit."""
        try:
            drawn = allocate(strata, self.total, self.rule)
        except ValueError as error:
            raise Refused(f"{str(error).capitalize()}.", code="bad_sample", field="total") from error
        return {stratum.name: n for stratum, n in zip(strata, drawn, strict=True)}


@dataclass(frozen=True)
class ByHand:
    """A number for every stratum; a stratum with chance zero could never be represented."""

    chosen: Mapping[str, int]

    def sizes(self, strata: Sequence[PlannedStratum]) -> Sizes:
        """n_h by stratum. Raises Refused naming the stratum that is missing, unknown, or asked for too much."""
        known = {stratum.name: stratum.size for stratum in strata}
        for name in self.chosen.keys() - known.keys():
            raise Refused(f"There is no stratum {name!r} to draw from.", code="bad_sample", field="chosen")
        for name, size in known.items():
            if not 1 <= self.chosen.get(name, 0) <= size:
                wanted = self.chosen.get(name, 0)
                reason = f"{name}: {wanted} of {counted(size, 'output')} cannot be drawn; ask for 1 to {size}"
                raise Refused(f"{reason}, or leave its bucket out.", code="bad_sample", field="chosen")
        return {name: self.chosen[name] for name in known}


Wanted = PerStratum | Spread | ByHand
