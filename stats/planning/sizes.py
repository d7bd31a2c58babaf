"""How many audits, comparisons or items a question needs (STATISTICS.md 3 vi).

Sizes are returned unrounded where a formula gives them; round up before drawing.
"""

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stats.core.intervals import wilson, z_value
from stats.scores.clusters import ClusterTotals, mean_squares

MIN_PER_STRATUM = 5
MOST_ITEMS = 1_000_000  # of an exact size: more takes minutes to compute, and nobody grades as many


def proportion_size(
    p: float, half_width: float, *, population: int | None = None, level: float = 0.95
) -> float:
    """Sample size for a normal interval of this half-width: z^2 p (1 - p) / h^2, finite correction with N."""
    _check_share(p)
    if not 0 < half_width < 1:
        raise ValueError(f"a half-width lies strictly between 0 and 1, got {half_width}")
    plain = z_value(level) ** 2 * p * (1 - p) / half_width**2
    return plain if population is None or not plain else plain / (1 + (plain - 1) / population)


def wilson_size(p: float, half_width: float, *, level: float = 0.95) -> int:
    """The smallest n whose Wilson interval around p is at most 2 h wide."""
    _check_share(p)
    if not 0 < half_width < 0.5:
        raise ValueError(f"a half-width lies strictly between 0 and 0.5, got {half_width}")

    def wide(n: int) -> bool:
        low, high = wilson(p * n, n, level=level)
        return high - low > 2 * half_width

    high = 1
    while wide(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if wide(middle) else (low, middle)
    return high


def _check_share(p: float) -> None:
    if not 0 <= p <= 1:
        raise ValueError(f"a proportion lies between 0 and 1, got {p}")


def spread(p: float) -> float:
    """Standard deviation of a 0/1 label with share p."""
    _check_share(p)
    return math.sqrt(p * (1 - p))


def neyman(
    sizes: Sequence[int],
    guesses: Sequence[float],
    total: int,
    *,
    costs: Sequence[float] | None = None,
) -> list[int]:
    """Allocate `total` audits in proportion to N_h S_h / sqrt(cost), within [MIN_PER_STRATUM, N_h].

    Strata that hit a bound keep it and the rest is allocated again; fractions go to the largest
    remainders. Raises ValueError when the bounds leave no allocation.
    """
    price = [1.0] * len(sizes) if costs is None else list(costs)
    weights = [
        size * spread(guess) / math.sqrt(cost)
        for size, guess, cost in zip(sizes, guesses, price, strict=True)
    ]
    floors = [min(MIN_PER_STRATUM, size) for size in sizes]
    if not sum(floors) <= total <= sum(sizes):
        raise ValueError(f"{total} audits do not fit between {sum(floors)} and {sum(sizes)}")
    # Shares in proportion to the weights; where both bounds bind, the larger excess is fixed first.
    fixed: dict[int, float] = {}
    free = set(range(len(weights)))
    while free:
        left, mass = total - sum(fixed.values()), sum(weights[h] for h in free)
        wanted = {h: left * weights[h] / mass if mass else left / len(free) for h in free}
        over = {h: float(sizes[h]) for h in free if wanted[h] > sizes[h]}
        under = {h: float(floors[h]) for h in free if wanted[h] < floors[h]}
        excess = sum(wanted[h] - cap for h, cap in over.items())
        lack = sum(floor - wanted[h] for h, floor in under.items())
        fixed |= (over if excess >= lack else under) or wanted
        free -= set(fixed)
    shares = [fixed[h] for h in range(len(weights))]
    whole = [math.floor(share + 1e-9) for share in shares]
    order = sorted(range(len(shares)), key=lambda h: whole[h] - shares[h])
    while sum(whole) < total:
        h = next(h for h in order if whole[h] < sizes[h])
        whole[h] += 1
        order.append(order.pop(order.index(h)))
    while sum(whole) > total:
        h = next(h for h in reversed(order) if whole[h] > floors[h])
        whole[h] -= 1
    return whole


def stratified_se(sizes: Sequence[int], sampled: Sequence[int], guesses: Sequence[float]) -> float:
    """Standard error that an allocation would give if the guesses were right."""
    total, variance = sum(sizes), 0.0
    for size, drawn, guess in zip(sizes, sampled, guesses, strict=True):
        if drawn == 0 < size:
            raise ValueError("every stratum needs an audit")
        if drawn < size:
            variance += (size / total) ** 2 * (1 - drawn / size) * spread(guess) ** 2 / drawn
    return math.sqrt(variance)


def stratified_size(
    sizes: Sequence[int], guesses: Sequence[float], half_width: float, *, level: float = 0.95
) -> float:
    """Audits under Neyman allocation for a half-width: (sum W S)^2 / [(h/z)^2 + sum W S^2 / N].

    Too few where that would read more of a stratum than there is: the formula knows no bounds.
    """
    total = sum(sizes)
    shares = [size / total for size in sizes]
    first = sum(w * spread(p) for w, p in zip(shares, guesses, strict=True))
    second = sum(w * spread(p) ** 2 for w, p in zip(shares, guesses, strict=True))
    return first**2 / ((half_width / z_value(level)) ** 2 + second / total)


def paired_size(discordance: float, difference: float, *, power: float = 0.8, level: float = 0.95) -> float:
    """Items for a paired comparison: [z_a sqrt(psi) + z_b sqrt(psi - d^2)]^2 / d^2.

    `discordance` psi is the share of items on which the two systems differ, `difference` d = p1 - p2.
    """
    _check_discordance(discordance, difference)
    za, zb = z_value(level), NormalDist().inv_cdf(power)
    return (za * math.sqrt(discordance) + zb * math.sqrt(discordance - difference**2)) ** 2 / difference**2


def _check_discordance(discordance: float, difference: float) -> None:
    if not 0 < abs(difference) <= discordance <= 1:
        raise ValueError("needs 0 < |difference| <= discordance <= 1")


def mcnemar_power(n: int, discordance: float, difference: float, *, level: float = 0.95) -> float:
    """Chance that the exact two-sided McNemar test of n paired items finds this difference, exactly.

    The number of discordant items is Binomial(n, psi), those for the first system Binomial of these; both signs of
    the difference count. Raises ValueError as `paired_size` does.
    """
    from scipy.stats import binom

    _check_discordance(discordance, difference)
    m = _discordant(n, n, discordance)
    return float(binom.pmf(m, n, discordance) @ _rejecting(m, discordance, difference, level))


def _discordant(fewest: int, most: int, discordance: float) -> NDArray[Any]:
    """Numbers of discordant items that `fewest` to `most` items can have: ten standard deviations on both sides."""

    def reach(n: int) -> float:
        return 10 * math.sqrt(n * discordance * (1 - discordance)) + 10

    first = max(1, math.floor(fewest * discordance - reach(fewest)))
    return np.arange(first, min(most, math.ceil(most * discordance + reach(most))) + 1)


def _rejecting(m: NDArray[Any], discordance: float, difference: float, level: float) -> NDArray[Any]:
    """The chance that the test of `m` discordant items rejects, for each."""
    from scipy.special import bdtr, bdtrc
    from scipy.stats import binom

    tail = (1 - level) / 2
    # The largest c with P(Binomial(m, 1/2) <= c) <= tail; the quantile is the first count that exceeds it or meets it.
    critical = binom.ppf(tail, m, 0.5)
    critical = np.where(bdtr(critical, m, 0.5) <= tail, critical, critical - 1)
    can, c, share = (
        critical >= 0,
        np.maximum(critical, 0),
        (discordance + abs(difference)) / (2 * discordance),
    )
    return np.where(can, bdtr(c, m, share) + bdtrc(m - c - 1, m, share), 0.0)


def exact_paired_size(
    discordance: float, difference: float, *, power: float = 0.8, level: float = 0.95
) -> int:
    """The fewest items from which on the exact McNemar test has this power.

    The test's level jumps with the number of discordant items, so power is not quite monotone: the power is kept for
    the next fifty sizes as well. Near `paired_size`, which is for the normal approximation, and larger. Raises
    ValueError where that is above MOST_ITEMS.
    """
    from scipy.stats import binom

    def enough(n: int) -> bool:
        return mcnemar_power(n, discordance, difference, level=level) >= power

    high = max(2, math.ceil(paired_size(discordance, difference, power=power, level=level)))
    if high > MOST_ITEMS:
        raise ValueError(
            f"a difference of {abs(difference):.3g} needs some {high:,} items; at most {MOST_ITEMS:,} are planned"
        )
    while not enough(high):
        high *= 2
    low = 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    start = max(1, high - 50)
    m = _discordant(start, high + 50, discordance)
    rejecting = _rejecting(m, discordance, difference, level)
    lacking = [n for n in range(start, high + 50) if binom.pmf(m, n, discordance) @ rejecting < power]
    return max(lacking, default=start - 1) + 1


def design_effect(cluster_size: float, correlation: float) -> float:
    """1 + (m - 1) rho: how many times more items are needed when m of a cluster are correlated by rho.

    Where clusters differ in size, m is sum m_c^2 / sum m_c, the size of the cluster that an item is in on average.
    """
    if cluster_size < 1 or not 0 <= correlation <= 1:
        raise ValueError("needs at least one item per cluster and a correlation from 0 to 1")
    return 1 + (cluster_size - 1) * correlation


def pilot_correlation(pilot: Sequence[tuple[int, int, int]]) -> float:
    """Correlation within clusters of the paired difference, from (items, only first, only second) per cluster.

    One-way analysis of variance with unequal clusters (Donner 1986); negative estimates are 0. Raises ValueError for
    impossible counts and where no cluster has two items or there are fewer than two clusters.
    """
    if any(min(row) < 0 or row[1] + row[2] > row[0] or not row[0] for row in pilot):
        raise ValueError(
            "a cluster of the pilot needs items >= only first + only second, and at least one item"
        )
    sizes, first, second = np.array(pilot, dtype=np.float64).reshape(-1, 3).T
    found = mean_squares(ClusterTotals(first - second, sizes.astype(np.int64), first + second))
    if found is None:
        raise ValueError("a pilot needs two clusters, and one with two items")
    total = found.between + (found.size - 1) * found.within
    return max(0.0, (found.between - found.within) / total) if total > 0 else 0.0


def independent_size(p1: float, p2: float, *, power: float = 0.8, level: float = 0.95) -> float:
    """Items per arm for two independent shares (pooled variance under the null)."""
    _check_share(p1)
    _check_share(p2)
    if p1 == p2:
        raise ValueError("equal shares cannot be told apart")
    middle, za, zb = (p1 + p2) / 2, z_value(level), NormalDist().inv_cdf(power)
    null, alternative = 2 * middle * (1 - middle), p1 * (1 - p1) + p2 * (1 - p2)
    return (za * math.sqrt(null) + zb * math.sqrt(alternative)) ** 2 / (p1 - p2) ** 2
