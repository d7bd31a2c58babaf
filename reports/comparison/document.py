"""Systems on the same items: differences with intervals, and tests corrected for their number. No rows here.

STATISTICS.md 3 (viii) and 6.6: the paired difference with an interval and a test that take the items of a paper (or
the attempts at a problem) together, Holm's correction and intervals that hold for all pairs at once, and Cochran's Q
over all systems. Only items on which both systems of a pair have a label count; the others are reported as dropped.

McNemar's test takes items as independent, so it is there only where each paper has one item. Under a measure between
0 and 1 the fourfold table counts where the first is higher and where the second, so that McNemar's exact test is the
sign test; Newcombe's interval and Cochran's Q do not exist there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Annotated, ClassVar

import numpy as np

from reports.core.outcomes import Item, OutcomeKind, Outcomes
from stats.core.bootstrap import Ints
from stats.core.estimate import Estimate, Reason, undefined
from stats.scores.clusters import cluster_codes, cluster_totals, paired_difference
from stats.scores.compare import holm, mcnemar
from stats.scores.means import clustered_share, mean_by_cluster
from stats.scores.paired import omnibus, paired_interval, sign_flip

FORMAT = "touchstone-comparison-1"
LEVEL = 0.95
DENOMINATOR = "items on which both systems have a usable label"


@dataclass(frozen=True, kw_only=True)
class ComparedSystem:
    estimate: Estimate
    by_rule: int
    left_out: int


@dataclass(frozen=True, kw_only=True)
class OmnibusTest:
    json_names: ClassVar = {"replicates": "B"}

    q: float | None = None
    df: int | None = None
    p: float | None = None
    n: int
    dropped: int
    reason: str | None = None
    method: Annotated[str | None, "chi_squared or permutation_by_cluster"] = None
    seed: int | None = None
    replicates: int | None = None


@dataclass(frozen=True, kw_only=True)
class PairedTest:
    """Signs of the clusters' differences flipped; with one item to a cluster it is McNemar's exact test.

    No p-value where the pair has no item in common: nothing was tested, and Holm's correction does not count it.
    """

    json_names: ClassVar = {"replicates": "B"}

    p: Annotated[float | None, "exact where every cluster has one item, else mid_p"]
    exact: float | None
    mid_p: float | None
    holm: float | None = None
    method: Annotated[str, "sign_flip_exact or sign_flip_draws"]
    clusters: int
    informative: Annotated[int, "Clusters with a difference."]
    seed: int | None
    replicates: int | None


@dataclass(frozen=True, kw_only=True)
class Simultaneous(Estimate):
    family: Annotated[int, "How many differences the interval holds for at once."]


@dataclass(frozen=True, kw_only=True)
class ComparedPair:
    first: str
    second: str
    n: int
    dropped: int
    cells: Mapping[str, int]
    difference: Estimate
    simultaneous: Simultaneous
    paper_bootstrap: Estimate
    newcombe: Estimate
    test: PairedTest
    mcnemar: Annotated[Mapping[str, float | None], "Null where a cluster holds several items."]


@dataclass(frozen=True, kw_only=True)
class ComparedSystems:
    """Systems of one track on the same items, under one outcome."""

    format: str
    outcome: OutcomeKind
    seed: int
    excluded: Annotated[int, "Instances that a primary exclusion rule leaves out."]
    systems: Mapping[str, ComparedSystem]
    omnibus: OmnibusTest
    pairs: Sequence[ComparedPair]


def comparison(found: Outcomes, *, seed: int) -> ComparedSystems:
    """Every pair of systems under one outcome, with the omnibus test. `seed` is that of the resampling."""
    every = list(combinations(found.successes, 2))
    family = family_of(found)
    unadjusted = [paired(found, first, second, seed, family=family) for first, second in every]
    adjusted = iter(holm([pair.test.p for pair in unadjusted if pair.test.p is not None]))
    pairs = []
    for pair in unadjusted:
        p = None if pair.test.p is None else next(adjusted)
        mcnemar = {**pair.mcnemar, "holm": None if pair.mcnemar["exact"] is None else p}
        pairs.append(replace(pair, test=replace(pair.test, holm=p), mcnemar=mcnemar))
    systems = {}
    for system, items in found.successes.items():
        # the share of successes, or the mean, over its own items; their clusters as in the differences
        values = list(items.values())
        codes = _codes(found, list(items))
        if found.kind.binary:
            estimate = clustered_share(cluster_totals(values, codes))
        else:
            estimate = mean_by_cluster(values, codes, "instance_mean", (0.0, 1.0))
        by_rule, left_out = found.by_rule.get(system, 0), found.left_out.get(system, 0)
        systems[system] = ComparedSystem(estimate=estimate, by_rule=by_rule, left_out=left_out)
    # Cochran's Q over the items on which every system has a label
    common = _shared(list(found.successes.values()))
    dropped = len(set().union(*found.successes.values())) - len(common) if found.successes else 0
    table = [[items[item] for items in found.successes.values()] for item in common]
    tested = None
    if len(found.successes) > 1 and table and found.kind.binary:
        tested = omnibus(table, _codes(found, common), seed=seed)
    if tested is None:
        reason = Reason.NO_ITEMS if not table else Reason.ZERO_DENOM if found.kind.binary else Reason.LEVEL
        overall = OmnibusTest(n=len(common), dropped=dropped, reason=reason)
    else:
        overall = OmnibusTest(**vars(tested), n=len(common), dropped=dropped)
    return ComparedSystems(
        format=FORMAT,
        outcome=found.kind,
        seed=seed,
        excluded=found.excluded,
        systems=systems,
        omnibus=overall,
        pairs=pairs,
    )


def family_of(found: Outcomes) -> int:
    """How many pairs of systems have an item in common: what is estimated and tested at once."""
    pairs = combinations(found.successes.values(), 2)
    return sum(not one.keys().isdisjoint(two) for one, two in pairs)


def told_apart(found: Outcomes, first: str, second: str, *, family: int) -> bool | None:
    """Whether the paired interval of their difference, one of `family` that hold at once, excludes 0; None without
    one."""
    one, two = found.successes[first], found.successes[second]
    shared = _shared([one, two])
    codes = _codes(found, shared)
    level = 1 - (1 - LEVEL) / max(1, family)
    ends = _difference([one[item] for item in shared], [two[item] for item in shared], codes, level).ci
    return None if ends is None else not ends[0] <= 0 <= ends[1]


def _codes(found: Outcomes, items: Sequence[Item]) -> Ints:
    return cluster_codes([found.clusters[item] for item in items])


def _shared(systems: Sequence[Mapping[Item, float]]) -> list[Item]:
    return sorted(set.intersection(*(set(items) for items in systems))) if systems else []


def paired(found: Outcomes, first: str, second: str, seed: int, *, family: int = 1) -> ComparedPair:
    """First minus second on the items that both have: difference, intervals, fourfold table and tests (no Holm).

    `simultaneous` holds for `family` differences at once, by Bonferroni.
    """
    one, two = found.successes[first], found.successes[second]
    shared = _shared([one, two])
    a, b = [one[item] for item in shared], [two[item] for item in shared]
    clusters = [found.clusters[item] for item in shared]
    codes = cluster_codes(clusters)
    # the fourfold table in the order in which `paired_newcombe` takes it: equal above 0, more, less, both 0
    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    cells = {
        "both": int(((x == y) & (x > 0)).sum()),
        "first_only": int((x > y).sum()),
        "second_only": int((x < y).sum()),
        "neither": int(((x == y) & (x == 0)).sum()),
    }
    difference = _difference(a, b, codes, LEVEL)
    newcombe = (
        difference if found.kind.binary else undefined("newcombe_paired_10", Reason.LEVEL, n=len(shared))
    )
    single = 0 < len(np.unique(codes)) == len(shared)
    exact = mcnemar(cells["first_only"], cells["second_only"]) if single else None
    wide = _difference(a, b, codes, 1 - (1 - LEVEL) / max(1, family))
    test = sign_flip(cluster_totals(np.subtract(a, b), codes).sums, seed=seed, single=single)
    return ComparedPair(
        first=first,
        second=second,
        n=len(shared),
        dropped=len(set(one) | set(two)) - len(shared),
        cells=cells,
        difference=difference,
        simultaneous=Simultaneous(**vars(wide) | {"level": LEVEL, "family": family}),
        paper_bootstrap=paired_difference(a, b, clusters, seed=seed),
        newcombe=newcombe,
        test=PairedTest(
            p=test.p if shared else None,
            exact=test.exact if shared else None,
            mid_p=test.mid_p if shared else None,
            method=test.method,
            clusters=test.clusters,
            informative=test.informative,
            seed=test.seed,
            replicates=test.replicates,
        ),
        mcnemar={
            name: None if exact is None else getattr(exact, name)
            for name in ("exact", "mid_p", "chi2", "chi2_p")
        },
    )


def _difference(a: Sequence[float], b: Sequence[float], codes: Ints, level: float) -> Estimate:
    if not a:
        return undefined("newcombe_paired_10", Reason.NO_ITEMS, n=0, level=level)
    return paired_interval(a, b, codes, level=level)


@dataclass(frozen=True)
class ComparedItem:
    """An item with the success of both systems of a pair; None where a label is missing."""

    instance: str
    attempt: int
    first: float | None
    second: float | None

    @property
    def tells(self) -> int:
        """What sorts first tells the two apart: the first higher, the second higher, equal, one is missing."""
        if self.first is None or self.second is None:
            return 3
        return 2 if self.first == self.second else int(self.first < self.second)


def item_rows(found: Outcomes, first: str, second: str) -> list[ComparedItem]:
    """The items behind a pair, those that tell the two apart first."""
    one, two = found.successes[first], found.successes[second]
    rows = [ComparedItem(*item, one.get(item), two.get(item)) for item in set(one) | set(two)]
    return sorted(rows, key=lambda row: (row.tells, row.instance, row.attempt))
