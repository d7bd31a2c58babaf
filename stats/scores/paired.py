"""Two systems on the same items when items share clusters: test and interval of the difference (STATISTICS.md 3 viii).

Without a difference the sign of each cluster's total difference is a fair coin. Flipping them tests exactly that; where
every cluster is one item and the outcome is 0 or 1 it is McNemar's exact test. The interval is Newcombe's on the
effective number of items, with Student's t for the number of clusters.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from stats.core.bootstrap import Floats, Ints, generator
from stats.core.estimate import Caution, Estimate, Reason
from stats.core.intervals import t_value
from stats.core.jackknife import unseen_share
from stats.scores.clusters import ClusterTotals, are_few, cluster_totals, clustered_se
from stats.scores.compare import cochran_q, paired_newcombe

ENUMERATED = 12  # so many clusters have 4,096 assignments of signs
DRAWS = 20_000
_CONVOLVED = 200_000  # sums of whole numbers up to this are counted, not drawn
_CELLS = 4_000_000


@dataclass(frozen=True)
class SignFlip:
    """`exact` is two-sided and never too small; `mid_p` counts half of what is as extreme as the data.

    `p` is the one to read: `exact` where every cluster is one item, as with McNemar's test; else `mid_p`, because
    the sum of clusters is so coarse that `exact` rejects a true null in 3 % instead of 5 %. `informative` clusters
    have a difference. `seed` and `replicates` are None where the p-value is exact.
    """

    exact: float
    mid_p: float
    method: str
    clusters: int
    informative: int
    single: bool
    seed: int | None = None
    replicates: int | None = None

    @property
    def p(self) -> float:
        """The p-value to read."""
        return self.exact if self.single else self.mid_p


def sign_flip(differences: ArrayLike, *, seed: int, single: bool = False) -> SignFlip:
    """Test that cluster differences (C,) are symmetric about 0, by their sum; `single`: each is of one item.

    Exact for whole numbers (the distribution of the sum is convolved) and for up to ENUMERATED clusters; otherwise
    DRAWS seeded assignments of signs, the observed one counted among them.
    """
    every = np.asarray(differences, dtype=np.float64)
    sizes = np.abs(every[every != 0])
    observed, margin = abs(float(every.sum())), 1e-9 * float(sizes.sum())
    if not sizes.size:
        return SignFlip(1.0, 1.0, "sign_flip_exact", len(every), 0, single)
    whole = np.rint(sizes).astype(np.int64)
    if np.array_equal(whole, sizes) and whole.sum() <= _CONVOLVED:
        from scipy.signal import fftconvolve
        from scipy.stats import binom

        # every value of the sum of +-sizes, and its probability
        chances = np.ones(1)
        for size, times in zip(*np.unique(whole, return_counts=True), strict=True):
            steps = np.zeros(2 * size * times + 1)
            steps[:: 2 * size] = binom.pmf(np.arange(times + 1), times, 0.5)
            wide = min(len(chances), len(steps)) > 64
            chances = fftconvolve(chances, steps) if wide else np.convolve(chances, steps)
        reach = int(whole.sum())
        totals, chances = np.arange(-reach, reach + 1, dtype=np.float64), np.maximum(chances, 0.0)
    elif sizes.size <= ENUMERATED:
        signs = 2 * ((np.arange(2**sizes.size)[:, None] >> np.arange(sizes.size)) & 1) - 1
        totals, chances = signs @ sizes, np.full(len(signs), 1 / len(signs))
    else:
        rng, chunk = generator(seed), max(1, _CELLS // sizes.size)
        parts = [min(chunk, DRAWS - start) for start in range(0, DRAWS, chunk)]
        sums = [(2.0 * rng.integers(2, size=(part, sizes.size)) - 1) @ sizes for part in parts]
        totals = np.concatenate([[observed], *sums])
        p, mid_p = _tails(totals, np.full(len(totals), 1 / len(totals)), observed, margin)
        return SignFlip(p, mid_p, "sign_flip_draws", len(every), int(sizes.size), single, seed, DRAWS)
    p, mid_p = _tails(totals, chances, observed, margin)
    return SignFlip(p, mid_p, "sign_flip_exact", len(every), int(sizes.size), single)


def _tails(totals: Floats, chances: Floats, observed: float, margin: float) -> tuple[float, float]:
    beyond, equal = np.abs(totals) >= observed - margin, np.abs(np.abs(totals) - observed) <= margin
    p = float(chances[beyond].sum())
    return min(1.0, p), min(1.0, p - float(chances[equal].sum()) / 2)


def paired_interval(first: ArrayLike, second: ArrayLike, clusters: Ints, *, level: float = 0.95) -> Estimate:
    """Mean of first - second (n,), values in [0, 1]; `clusters` (n,) are consecutive codes.

    Zeros and ones: Newcombe's paired method 10, on counts divided by the design effect and with Student's t where
    clusters hold several items. Other values: Student's t on the linearised error of the clusters. Without any
    difference the interval is bounded by the clusters that could have shown one.
    """
    one, two = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    totals = cluster_totals(one - two, clusters)
    if np.isin(one, (0.0, 1.0)).all() and np.isin(two, (0.0, 1.0)).all():
        return _newcombe(one, two, totals, level)
    if totals.clusters < 2:
        return Estimate(
            value=totals.mean, method="paired_t", level=level, n=totals.n, reason=Reason.FEW_EVENTS
        )
    se = clustered_se(totals) or 0.0
    found = Estimate(
        value=totals.mean, method="paired_t", level=level, se=se, n=totals.n, clusters=totals.clusters
    )
    few: tuple[Caution, ...] = (Caution.FEW_CLUSTERS,) if are_few(totals) else ()
    half = t_value(level, totals.clusters - 1) * se
    if se == 0:  # as many clusters as could differ by 1 without one of these having shown it
        half = unseen_share(totals.effective_clusters, level)
        few = (*few, Caution.NO_SPREAD)
    ends = (max(-1.0, totals.mean - half), min(1.0, totals.mean + half))
    return replace(found, ci=ends, warnings=few)


def _newcombe(one: Floats, two: Floats, totals: ClusterTotals, level: float) -> Estimate:
    cells = [
        float((one * two).sum()),
        float((one * (1 - two)).sum()),
        float(((1 - one) * two).sum()),
        float(((1 - one) * (1 - two)).sum()),
    ]
    if not totals.n or totals.sizes.max() == 1:
        found = replace(paired_newcombe(*cells, level=level), clusters=totals.clusters)
        if found.ci is None:
            return found
        # One division: the difference of two floats is not quite the ratio and can round to another digit.
        value = totals.mean
        return replace(found, value=value, ci=(min(value, found.ci[0]), max(value, found.ci[1])))
    if totals.clusters < 2:
        method = "newcombe_paired_10_n_eff"
        return Estimate(
            value=totals.mean, method=method, level=level, n=totals.n, clusters=1, reason=Reason.FEW_EVENTS
        )
    se, discordant = clustered_se(totals) or 0.0, (cells[1] + cells[2]) / totals.n
    independent = (discordant - totals.mean**2) / (totals.n - 1)
    # Where nothing differs the clusters count, not their items.
    known = independent > 0 and se > 0
    effect = max(1.0, se * se / independent) if known else totals.n / totals.effective_clusters
    quantile = t_value(level, totals.clusters - 1)
    found = paired_newcombe(*(cell / effect for cell in cells), level=level, quantile=quantile)
    return replace(
        found,
        value=totals.mean,
        method="newcombe_paired_10_n_eff",
        se=se,
        n=totals.n,
        clusters=totals.clusters,
        warnings=(
            *((Caution.FEW_CLUSTERS,) if are_few(totals) else ()),
            *((Caution.NO_SPREAD,) if se == 0 else ()),
        ),
    )


@dataclass(frozen=True)
class Omnibus:
    """Cochran's Q, its degrees of freedom and p; `method` is chi_squared or permutation within clusters."""

    q: float
    df: int
    p: float
    method: str
    seed: int | None = None
    replicates: int | None = None


def omnibus(successes: ArrayLike, clusters: Ints, *, seed: int) -> Omnibus | None:
    """Do k systems (n, k) of 0/1 succeed equally often? None where 0/0.

    Where clusters hold several items, the systems' totals are permuted within each cluster, all of its items
    together: Q depends on the data through the sum of squared totals of the systems alone.
    """
    table = np.asarray(successes, dtype=np.float64)
    found = cochran_q(table)
    if found is None:
        return None
    q, degrees, p = found
    number = int(clusters.max(initial=-1)) + 1
    if number == len(table):
        return Omnibus(q, degrees, p, "chi_squared")
    totals = np.stack([np.bincount(clusters, weights=column, minlength=number) for column in table.T], axis=1)
    rng, draws = generator(seed), max(999, min(9_999, 4 * _CELLS // totals.size))
    observed = float((totals.sum(axis=0) ** 2).sum())
    drawn = (float((rng.permuted(totals, axis=1).sum(axis=0) ** 2).sum()) for _ in range(draws))
    reached = sum(value >= observed - 1e-9 for value in drawn)
    return Omnibus(q, degrees, (1 + reached) / (1 + draws), "permutation_by_cluster", seed, draws)
