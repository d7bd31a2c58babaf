"""Sample-size plans as documents: audits of strata, agreement, comparison of two systems, one proportion."""

import math
from collections.abc import Sequence

from stats.planning.agreement import items_for_kappa, kappa_plan
from stats.planning.allocations import (
    SEED,
    PlannedStratum,
    allocations,
    curve_totals,
    total_for,
    width_curve,
)
from stats.planning.sizes import (
    design_effect,
    exact_paired_size,
    independent_size,
    paired_size,
    pilot_correlation,
    proportion_size,
    stratified_size,
    wilson_size,
)

Document = dict[str, object]


def strata_plan(
    strata: Sequence[PlannedStratum],
    total: int,
    *,
    half_width: float | None = None,
    custom: Sequence[int] | None = None,
    level: float = 0.95,
) -> Document:
    """Every allocation of `total` audits with what it can find out, and the total for a wanted half-width.

    Widths and half-widths are shares. `most` says how many outputs of a stratum may be judged wrongly when
    its audit finds none. Raises ValueError when `total` does not fit the strata.
    """
    rows = []
    for found in allocations(strata, total, custom=custom, level=level):
        interval = found.interval
        row = {
            "name": found.name,
            "total": found.total,
            "hours": found.hours,
            "se": found.se,
            "interval": None if interval is None else [interval.low, interval.high],
            "half_width": _half(None if interval is None else interval.width),
            "precision_half_width": _half(found.precision_width),
            "missed_half_width": _half(found.missed_width),
            "strata": [
                {"size": stratum.size, "sampled": stratum.sampled, "most": stratum.most}
                for stratum in found.zero_errors
            ],
        }
        rows.append(row)
    totals = curve_totals(strata, total)
    document: Document = {
        "level": level,
        "seed": SEED,
        "total": total,
        "strata": [
            {
                "name": stratum.name,
                "size": stratum.size,
                "guess": stratum.guess,
                "hours": stratum.hours,
                "judge": "yes" if stratum.judged_success else "no",
            }
            for stratum in strata
        ],
        "allocations": rows,
        "curve": {"totals": totals, "widths": dict(width_curve(strata, totals, level=level))},
        "wanted": None,
    }
    if half_width is not None:
        sizes, guesses = [s.size for s in strata], [s.guess for s in strata]
        document["wanted"] = {
            "half_width": half_width,
            "by_formula": stratified_size(sizes, guesses, half_width, level=level),
            "by_simulation": total_for(strata, half_width, level=level),
        }
    return document


def _half(width: float | None) -> float | None:
    return None if width is None else width / 2


def agreement_plan(
    pilot: Sequence[Sequence[int]], items: int, *, half_width: float | None = None, level: float = 0.95
) -> Document:
    """The interval of kappa that a study of `items` would report, and how many items a half-width needs."""
    plan = kappa_plan(pilot, items, seed=SEED, level=level)
    return {
        "level": level,
        "seed": SEED,
        "pilot": [list(row) for row in pilot],
        "items": items,
        "kappa": plan.kappa,
        "interval": None if plan.interval is None else list(plan.interval),
        "half_width": plan.half_width,
        "undefined": plan.undefined,
        "wanted": None
        if half_width is None
        else {
            "half_width": half_width,
            "items": items_for_kappa(pilot, half_width, seed=SEED, level=level),
        },
    }


def comparison_plan(
    p1: float,
    p2: float,
    discordance: float,
    *,
    power: float = 0.8,
    level: float = 0.95,
    cluster_size: float = 1.0,
    correlation: float = 0.0,
    pilot: Sequence[tuple[int, int, int]] = (),
) -> Document:
    """Items to tell two systems with shares `p1` and `p2` apart, on the same items and on two sets of items.

    `discordance` is the share of items that only one of them solves. `paired_exact` is for the exact McNemar test that
    comparisons report; `paired` is the usual normal formula. Items of a cluster (attempts at one problem) are alike:
    `items` is `paired_exact` times the design effect of `cluster_size` items correlated by `correlation`, or of the
    clusters of a `pilot` of (items, only first, only second). `own_cluster_size` is the size of the cluster that an
    item is in, on average over the items. Raises ValueError when the discordance is smaller than the difference or
    larger than the shares allow.
    """
    if not 0 < power < 1:
        raise ValueError(f"a power lies strictly between 0 and 1, got {power}")
    # Shares that are typed in percent: 80 % and 10 % differ by 70 %, not by a little more.
    difference, discordance = round(p1 - p2, 12), round(discordance, 12)
    most = round(min(p1 + p2, 2 - p1 - p2), 12)
    if discordance > most:
        raise ValueError(f"shares of {p1:g} and {p2:g} differ on at most {most:g} of the items")
    own_cluster_size = cluster_size
    if pilot:
        correlation, sizes = pilot_correlation(pilot), [row[0] for row in pilot]
        cluster_size = sum(sizes) / len(sizes)
        own_cluster_size = sum(size**2 for size in sizes) / sum(sizes)
    effect = design_effect(own_cluster_size, correlation)
    exact = exact_paired_size(discordance, difference, power=power, level=level)
    items = math.ceil(exact * effect - 1e-9)
    return {
        "level": level,
        "power": power,
        "p1": p1,
        "p2": p2,
        "discordance": discordance,
        "difference": difference,
        "paired": paired_size(discordance, difference, power=power, level=level),
        "paired_exact": exact,
        "nested": paired_size(abs(difference), difference, power=power, level=level),
        "nested_exact": exact_paired_size(abs(difference), difference, power=power, level=level),
        "independent_per_system": independent_size(p1, p2, power=power, level=level),
        "cluster_size": cluster_size,
        "own_cluster_size": own_cluster_size,
        "correlation": correlation,
        "design_effect": effect,
        "items": items,
        "clusters": math.ceil(items / cluster_size - 1e-9),
    }


def proportion_plan(
    p: float, half_width: float, *, population: int | None = None, level: float = 0.95
) -> Document:
    """Items for one share: by the normal formula, with the finite correction, and for a Wilson interval."""
    return {
        "level": level,
        "p": p,
        "half_width": half_width,
        "population": population,
        "normal": proportion_size(p, half_width, level=level),
        "finite": None
        if population is None
        else proportion_size(p, half_width, population=population, level=level),
        "wilson": wilson_size(p, half_width, level=level),
    }
