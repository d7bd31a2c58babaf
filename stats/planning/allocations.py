"""Ways to spend a number of audits on strata, side by side: what each can find out and what it costs.

A stratum is a set of outputs that the judge put together; the audit corrects the judge's score
(STATISTICS.md 3 i and 3 vi). The numbers are expectations under guessed shares of success.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stats.audit.corrected import most_errors_missed
from stats.planning.audit_simulation import Simulated, simulated_interval
from stats.planning.sizes import MIN_PER_STRATUM, neyman, stratified_se

SEED = 20_261_121
PROPORTIONAL, NEYMAN, EQUAL, PUBLISHED, CUSTOM = "proportional", "neyman", "equal", "published", "custom"
# Re2Math, Table 11: 45 judged successes, all read; 70 grounded but insufficient, 60 without support.
PUBLISHED_SIZES, PUBLISHED_SAMPLE = (45, 300, 1055), (45, 70, 60)


@dataclass(frozen=True)
class PlannedStratum:
    """`size` outputs; `guess` is the share of true successes among them, `hours` the cost of one audit.

    `judged_success` says on which side the judge put them. Raises ValueError for what cannot be.
    """

    name: str
    size: int
    guess: float
    hours: float = 1.0
    judged_success: bool = False

    @property
    def group(self) -> str:
        """The bucket of a stratum named system/bucket: strata of one bucket share the spread of their rates."""
        return self.name.partition("/")[2]

    def __post_init__(self) -> None:
        if self.size < 0:
            raise ValueError(f"stratum {self.name!r}: a size is 0 or more, got {self.size}")
        if not 0 <= self.guess <= 1:
            raise ValueError(f"stratum {self.name!r}: a share lies between 0 and 1, got {self.guess}")
        if not self.hours > 0:
            raise ValueError(f"stratum {self.name!r}: hours are more than 0, got {self.hours}")


@dataclass(frozen=True)
class ZeroErrors:
    """What an audit that finds the judge right every time leaves possible in one stratum.

    `most` of `size` outputs may still be judged wrongly, one-sided 95 %.
    """

    size: int
    sampled: int
    most: int


@dataclass(frozen=True)
class Allocation:
    """Sample sizes in the order of the strata, and what to expect from them.

    `se` and `interval` speak about the corrected score (shares); `precision_width` about the share of true
    successes among judged successes, `missed_width` about missed successes as a share of all outputs. None
    where the design cannot say: a stratum without an audit.
    """

    name: str
    sampled: tuple[int, ...]
    hours: float
    se: float | None
    interval: Simulated | None
    precision_width: float | None
    missed_width: float | None
    zero_errors: tuple[ZeroErrors, ...]

    @property
    def total(self) -> int:
        return sum(self.sampled)


def allocate(strata: Sequence[PlannedStratum], total: int, rule: str) -> list[int]:
    """Audits per stratum under PROPORTIONAL, NEYMAN or EQUAL, each stratum at least MIN_PER_STRATUM or all of it.

    Neyman weighs the spread that the guesses imply against the square root of the hours. Raises ValueError
    when the bounds leave no room for `total`, or for an unknown rule.
    """
    sizes = [stratum.size for stratum in strata]
    if rule == NEYMAN:
        guesses, hours = [s.guess for s in strata], [s.hours for s in strata]
        return neyman(sizes, guesses, total, costs=hours)
    if rule == PROPORTIONAL:
        return neyman(sizes, [0.5] * len(sizes), total)
    if rule == EQUAL:
        # N_h / sqrt(N_h^2) is the same for every stratum, so equal shares come out within the bounds.
        return neyman(sizes, [0.5] * len(sizes), total, costs=[max(1, size) ** 2 for size in sizes])
    raise ValueError(f"unknown allocation {rule!r}: {PROPORTIONAL}, {NEYMAN}, {EQUAL}")


def allocations(
    strata: Sequence[PlannedStratum],
    total: int,
    *,
    custom: Sequence[int] | None = None,
    seed: int = SEED,
    level: float = 0.95,
) -> list[Allocation]:
    """Every allocation of `total` audits; the published one where the strata are its own, `custom` if given."""
    drawn: dict[str, Sequence[int]] = {
        rule: allocate(strata, total, rule) for rule in (PROPORTIONAL, NEYMAN, EQUAL)
    }
    if tuple(stratum.size for stratum in strata) == PUBLISHED_SIZES:
        drawn[PUBLISHED] = PUBLISHED_SAMPLE
    if custom is not None:
        drawn[CUSTOM] = custom
    return [assess(name, strata, sampled, seed=seed, level=level) for name, sampled in drawn.items()]


def assess(
    name: str,
    strata: Sequence[PlannedStratum],
    sampled: Sequence[int],
    *,
    seed: int = SEED,
    level: float = 0.95,
) -> Allocation:
    """What to expect from these sample sizes. Raises ValueError for a size outside its stratum."""
    if len(strata) != len(sampled):
        raise ValueError(f"{len(strata)} strata need as many sample sizes, got {len(sampled)}")
    for stratum, n in zip(strata, sampled, strict=True):
        if not 0 <= n <= stratum.size:
            raise ValueError(f"stratum {stratum.name!r} has {stratum.size} outputs, cannot draw {n}")
    sizes, guesses = [s.size for s in strata], [s.guess for s in strata]
    full = all(n for n, size in zip(sampled, sizes, strict=True) if size)
    groups = [s.group for s in strata]
    return Allocation(
        name=name,
        sampled=tuple(sampled),
        hours=sum(stratum.hours * n for stratum, n in zip(strata, sampled, strict=True)),
        se=stratified_se(sizes, sampled, guesses) if full and any(sizes) else None,
        interval=simulated_interval(sizes, sampled, guesses, seed=seed, level=level, groups=groups)
        if full
        else None,
        precision_width=_width_within(strata, sampled, True, seed, level),
        missed_width=_width_within(strata, sampled, False, seed, level),
        zero_errors=tuple(
            ZeroErrors(size, n, most_errors_missed(size, n)) for size, n in zip(sizes, sampled, strict=True)
        ),
    )


def _width_within(
    strata: Sequence[PlannedStratum], sampled: Sequence[int], judged_success: bool, seed: int, level: float
) -> float | None:
    """Expected width for the strata on one side of the judge: a share of them, or for the negatives of all."""
    inside = [
        (s.size, n, s.guess, s.group)
        for s, n in zip(strata, sampled, strict=True)
        if s.judged_success == judged_success and s.size
    ]
    if not inside or not all(n for _, n, _, _ in inside):
        return None
    sizes, drawn, guesses, groups = zip(*inside, strict=True)
    width = simulated_interval(sizes, drawn, guesses, seed=seed, level=level, groups=groups).width
    return width if judged_success else width * sum(sizes) / sum(s.size for s in strata)


def total_for(strata: Sequence[PlannedStratum], half_width: float, *, level: float = 0.95) -> int | None:
    """The fewest audits whose expected interval is at most 2 `half_width` wide; a census always is.

    They are allocated as Neyman does. None when there is nothing to audit. Widths fall with the number of audits up to
    the noise of simulation.
    """
    if not 0 < half_width < 0.5:
        raise ValueError(f"a half-width lies strictly between 0 and 0.5, got {half_width}")
    sizes = [s.size for s in strata]

    def narrow(n: int) -> bool:
        return _expected_width(strata, allocate(strata, n, NEYMAN), level) <= 2 * half_width

    low, high = sum(min(MIN_PER_STRATUM, size) for size in sizes), sum(sizes)
    if not high:
        return None
    if narrow(low):
        return low
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if narrow(middle) else (middle, high)
    return high


def width_curve(
    strata: Sequence[PlannedStratum], totals: Sequence[int], *, level: float = 0.95
) -> Mapping[str, list[float]]:
    """Expected width for each of `totals`, by allocation."""
    return {
        rule: [_expected_width(strata, allocate(strata, n, rule), level) for n in totals]
        for rule in (PROPORTIONAL, NEYMAN, EQUAL)
    }


def _expected_width(strata: Sequence[PlannedStratum], drawn: Sequence[int], level: float) -> float:
    return simulated_interval(
        [s.size for s in strata],
        drawn,
        [s.guess for s in strata],
        groups=[s.group for s in strata],
        seed=SEED,
        audits=100,
        level=level,
    ).width


def curve_totals(strata: Sequence[PlannedStratum], around: int, *, points: int = 7) -> list[int]:
    """Numbers of audits to draw a curve at: from a third to three times `around`, evenly by ratio, as far as
    the strata allow.
    """
    least = max(around // 3, sum(min(MIN_PER_STRATUM, s.size) for s in strata))
    most = min(sum(s.size for s in strata), max(3 * around, 2 * least))
    if most <= least:
        return [least]
    ratio = (most / least) ** (1 / (points - 1))
    return sorted({min(most, round(least * ratio**step)) for step in range(points)} | {most})
