"""Cluster bootstraps with 10,000 resamples.

Targets are those of docs/performance.md; the naive ways are what one writes first.
"""

from collections.abc import Iterator

import numpy as np

from bench.frame import Figure, once, timed
from stats.core.bootstrap import generator, percentile_interval, resampled_sums
from stats.scores.clusters import ClusterTotals, cluster_bootstrap, cluster_totals, paired_difference

RESAMPLES = 10_000
RNG = generator(1)


def index_loop(sums: np.ndarray, sizes: np.ndarray, resamples: int) -> None:
    """Draw row numbers of clusters, one resample after the other."""
    ratios = np.empty(resamples)
    for at in range(resamples):
        drawn = RNG.integers(len(sizes), size=len(sizes))
        ratios[at] = sums[drawn].sum() / sizes[drawn].sum()
    percentile_interval(ratios, 0.95)


def gathered_items(values: np.ndarray, clusters: np.ndarray, resamples: int) -> None:
    """Gather the items of every drawn cluster, as with data frames."""
    members = [np.flatnonzero(clusters == name) for name in range(int(clusters.max()) + 1)]
    for _ in range(resamples):
        drawn = RNG.integers(len(members), size=len(members))
        values[np.concatenate([members[at] for at in drawn])].mean()


def small() -> Iterator[Figure]:
    """The published shape: 200 items in 167 papers, one metric and 35."""
    clusters = np.concatenate([np.arange(134), np.repeat(np.arange(134, 167), 2)])
    values = np.zeros(200)
    values[RNG.choice(200, 14, replace=False)] = 1
    totals = cluster_totals(values, clusters.tolist())
    yield Figure(
        "200 items, 167 clusters, 1 metric",
        timed(lambda: cluster_bootstrap(totals, seed=1)),
        once(lambda: gathered_items(values, clusters, 500), scaled=20),
        "gather drawn items",
        target=0.020,
    )
    many = RNG.binomial(1, 0.1, size=(200, 35)).astype(np.float64)
    sums = np.column_stack([cluster_totals(column, clusters.tolist()).sums for column in many.T])
    rows = np.column_stack([sums, totals.sizes])

    def together() -> None:
        drawn = resampled_sums(rows, replicates=RESAMPLES, rng=generator(1))
        np.percentile(drawn[:, :-1] / drawn[:, -1:], [2.5, 97.5], axis=0)

    yield Figure(
        "200 items, 167 clusters, 35 metrics at once",
        timed(together),
        once(lambda: [index_loop(column, totals.sizes, RESAMPLES) for column in sums.T[:5]], scaled=7),
        "index loop per metric",
        target=0.4,
    )


def large() -> Iterator[Figure]:
    """About 100,000 items in 76,923 clusters."""
    sizes = 1 + (np.arange(76_923) < 23_077).astype(np.int64)
    totals = ClusterTotals(RNG.binomial(sizes, 0.07).astype(float), sizes)
    yield Figure(
        f"{totals.n:,} items, {totals.clusters:,} clusters, 1 metric",
        timed(lambda: cluster_bootstrap(totals, seed=1)),
        once(lambda: index_loop(totals.sums, sizes, 200), scaled=RESAMPLES / 200),
        "index loop",
        target=0.050,
    )
    names = np.repeat(np.arange(len(sizes)), sizes).tolist()
    first, second = RNG.integers(2, size=(2, len(names)))

    def naive() -> None:
        one, two = cluster_totals(first, names), cluster_totals(second, names)
        index_loop(one.sums - two.sums, one.sizes, 200)

    yield Figure(
        f"{len(names):,} items, paired difference of two systems",
        timed(lambda: paired_difference(first, second, names, seed=1)),
        once(naive, scaled=RESAMPLES / 200),
        "index loop",
        target=0.100,
    )


def figures() -> Iterator[Figure]:
    """All of them."""
    yield from small()
    yield from large()
