"""Does the first shown win because it is shown first? (STATISTICS.md 3 iii)"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stats.core.bootstrap import Ints
from stats.core.estimate import Estimate, Reason, undefined
from stats.core.intervals import clopper_pearson, proportion
from stats.scores.clusters import (
    Clustering,
    ClusterTotals,
    clustered_se,
    design_effect,
    wilson_on_effective_n,
)
from stats.scores.paired import sign_flip


def binomial_p(successes: int, n: int) -> float | None:
    """Exact two-sided test of one half; None without observations."""
    from scipy.stats import binomtest

    return float(binomtest(successes, n, 0.5).pvalue) if n else None


def first_slot_share(first_wins: int, decisive: int, *, level: float = 0.95) -> Estimate:
    """Share of decisive comparisons that the first shown won, with the exact test's own interval."""
    method = "clopper_pearson"
    if decisive == 0:
        return undefined(method, Reason.NO_ITEMS, n=0, level=level)
    ends = clopper_pearson(first_wins, decisive, level=level)
    return Estimate(
        value=first_wins / decisive, ci=ends, level=level, method=method, k=first_wins, n=decisive
    )


def clustered_first_slot(
    first_wins: Ints,
    decisive: Ints,
    *,
    seed: int,
    level: float = 0.95,
    way: Clustering = Clustering.SKEWED,
) -> tuple[Estimate, float | None]:
    """The share and its test from counts per cluster (C,): Clopper and Pearson on the effective number, sign flips."""
    kept = decisive > 0
    totals = ClusterTotals(first_wins[kept].astype(np.float64), decisive[kept])
    if totals.n == 0:
        return undefined("clopper_pearson_n_eff", Reason.NO_ITEMS, n=0, level=level), None
    n = totals.n / design_effect(totals, way)
    found = Estimate(
        value=totals.mean,
        ci=clopper_pearson(totals.mean * n, n, level=level),
        level=level,
        method="clopper_pearson_n_eff",
        se=clustered_se(totals, way),
        k=float(totals.sums.sum()),
        n=totals.n,
        clusters=totals.clusters,
    )
    return found, sign_flip(2 * totals.sums - totals.sizes, seed=seed).p


@dataclass(frozen=True)
class SwapCounts:
    """Comparisons shown in both orders, by what the two presentations said.

    `agree`: the same system won twice, or two ties; `first_first` and `second_second`: the slot won twice;
    `other`: one presentation decisive, the other a tie.
    """

    agree: int
    first_first: int
    second_second: int
    other: int = 0

    @property
    def n(self) -> int:
        """Number of swapped pairs."""
        return self.agree + self.first_first + self.second_second + self.other


def swap_consistency(
    counts: SwapCounts,
    *,
    clusters: Sequence[SwapCounts] = (),
    level: float = 0.95,
    way: Clustering = Clustering.SKEWED,
) -> Estimate:
    """Share of swapped pairs whose two presentations agree, with Wilson's interval.

    With the counts of `clusters` of pairs that are alike, on the effective number of pairs.
    """
    if not clusters:
        return proportion(counts.agree, counts.n, level=level)
    agree, n = np.array([(one.agree, one.n) for one in clusters]).T
    totals = ClusterTotals(agree.astype(np.float64), n)
    return wilson_on_effective_n(totals, level=level, way=way)


def swap_test(counts: SwapCounts, *, clusters: Sequence[SwapCounts] = (), seed: int = 0) -> float | None:
    """Exact test of first-first against second-second among the flips; None without flips.

    With `clusters`, the signs of their differences are flipped (stats/scores/paired.py).
    """
    flips = counts.first_first + counts.second_second
    if not clusters:
        return binomial_p(counts.first_first, flips)
    differences = [one.first_first - one.second_second for one in clusters]
    return sign_flip(differences, seed=seed).p if flips else None
