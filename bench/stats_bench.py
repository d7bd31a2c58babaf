"""Speed of the estimators against a naive baseline in the same run (python -m bench.stats_bench).

Prints milliseconds (best of several) and the ratio naive / ours. A baseline that would take too long is
timed on a few resamples and scaled up, which the column `naive` says with a star.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable

import numpy as np

from stats import davidson, gwet
from stats.agreement_sums import agreement_sums
from stats.bootstrap import generator
from stats.clusters import ClusterTotals, cluster_bootstrap, cluster_totals, paired_difference
from stats.corrected import corrected_score
from stats.dawid_skene import dawid_skene
from stats.krippendorff import alpha
from stats.labels import read_labels
from stats.pairwise import Comparisons
from stats.ratings import Ratings
from stats.strata import Stratum

RNG = generator(1)


def best(function: Callable[[], object], repeats: int = 5) -> float:
    """Milliseconds of the fastest of some runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return 1000 * min(times)


def line(task: str, ours: float, naive: float | None = None, *, scaled: bool = False) -> None:
    base = "" if naive is None else f"{naive:12.1f}{'*' if scaled else ' '} {naive / ours:9.0f}x"
    print(f"{task:58s} {ours:10.1f} {base}")


def naive_bootstrap(values: np.ndarray, clusters: np.ndarray, replicates: int) -> np.ndarray:
    """Resample clusters by name and gather their items, as one writes it first."""
    members = [np.flatnonzero(clusters == c) for c in range(int(clusters.max()) + 1)]
    ends = []
    for _ in range(replicates):
        drawn = RNG.integers(len(members), size=len(members))
        ends.append(values[np.concatenate([members[c] for c in drawn])].mean())
    return np.percentile(ends, [2.5, 97.5])


def bootstraps() -> None:
    clusters = np.concatenate([np.arange(134), np.repeat(np.arange(134, 167), 2)])
    values = np.zeros(200)
    values[RNG.choice(200, 14, replace=False)] = 1
    totals = cluster_totals(values, clusters.tolist())
    ours = best(lambda: cluster_bootstrap(totals, seed=1))
    naive = best(lambda: naive_bootstrap(values, clusters, 500), 1) * 20
    line("10k cluster bootstrap, 200 items / 167 clusters", ours, naive, scaled=True)
    sizes = RNG.integers(1, 3, size=76_923)
    large = ClusterTotals(RNG.binomial(sizes, 0.07).astype(float), sizes)
    ours = best(lambda: cluster_bootstrap(large, seed=1))

    def index_loop() -> None:
        for _ in range(50):
            drawn = RNG.integers(len(sizes), size=len(sizes))
            large.sums[drawn].sum() / sizes[drawn].sum()

    line("10k cluster bootstrap, 115k items / 76,923 clusters", ours, best(index_loop, 1) * 200, scaled=True)
    first, second = RNG.integers(2, size=(2, 100_000))
    names = (np.arange(100_000) // 2).tolist()
    line("paired difference, 100k items", best(lambda: paired_difference(first, second, names, seed=1), 2))


def corrections() -> None:
    strata = [Stratum("success", 45, 45, 42), Stratum("grounded", 300, 70, 0), Stratum("none", 1055, 60, 0)]
    line("bb_jeffreys, 3 strata, 200k draws", best(lambda: corrected_score(strata, seed=1)))


def many_ratings(units: int, raters: int) -> Ratings:
    truth = RNG.integers(5, size=units)
    item, rater = np.repeat(np.arange(units), raters), np.tile(np.arange(raters), units)
    value = np.where(RNG.random(item.size) < 0.7, truth[item], RNG.integers(5, size=item.size))
    names = tuple(str(r) for r in range(raters))
    return Ratings(item, rater, value, units, names, tuple("01234"), np.arange(5.0))


def agreements() -> None:
    ratings = many_ratings(200_000, 5)
    line("agreement sums of 1M labels (patterns)", best(lambda: agreement_sums(ratings, None), 2))
    sums = agreement_sums(ratings, None)

    def resampled() -> None:
        drawn = sums.part(sums.resampled(seed=1, replicates=1000), "coincidences")
        for metric in ("nominal", "ordinal", "interval"):
            alpha(drawn, metric, ratings.points)

    matrix = ratings.matrix()

    def naive() -> None:
        # One resample of the units, coincidences added up unit by unit, on a thousandth of the units.
        for unit in RNG.integers(ratings.n_items, size=ratings.n_items // 1000):
            labels = matrix[:, unit]
            pairs = labels[:, None] != labels[None, :]
            pairs.sum() / (len(labels) - 1)

    line(
        "alpha x 3 metrics, 1,000 bootstraps of 1M labels",
        best(resampled, 2),
        best(naive, 1) * 1e6,
        scaled=True,
    )
    counts = ratings.counts()
    line(
        "Fleiss from counts, 200k items", best(lambda: gwet.fleiss(gwet.item_sums(counts, np.eye(5)).sum(0)))
    )


def comparisons() -> None:
    strengths = RNG.normal(size=50)
    pairs = np.array([RNG.choice(50, 2, replace=False) for _ in range(100_000)])
    lead = strengths[pairs[:, 0]] - strengths[pairs[:, 1]]
    win = RNG.random(100_000) < 1 / (1 + np.exp(-lead))
    result = np.where(RNG.random(100_000) < 0.18, 2, np.where(win, 0, 1))
    data = Comparisons(pairs[:, 0], pairs[:, 1], result, tuple(map(str, range(50))))
    table = data.table()
    line("Davidson counts, 100k comparisons, 50 systems", best(data.table))

    def naive() -> None:
        # Gradient steps over rows; Newton needs 4 to 6 steps, this some hundreds.
        b = np.zeros(50)
        for _ in range(20):
            p = 1 / (1 + np.exp(b[pairs[:, 1]] - b[pairs[:, 0]]))
            gradient = np.zeros(50)
            np.add.at(gradient, pairs[:, 0], win - p)
            np.add.at(gradient, pairs[:, 1], p - win)
            b += gradient / 4000

    line("Davidson fit with covariance", best(lambda: davidson.fit(table)), best(naive, 1) * 10, scaled=True)


def latent_classes() -> None:
    truth = RNG.integers(3, size=200_000)
    item, rater = np.repeat(np.arange(200_000), 5), RNG.integers(100, size=1_000_000)
    label = np.where(RNG.random(item.size) < 0.8, truth[item], RNG.integers(3, size=item.size))
    line(
        "Dawid-Skene, 1M labels, 100 raters, 3 classes",
        best(lambda: dawid_skene(item, rater, label, classes=3), 1),
    )


def tables() -> None:
    rows = [
        f"eval,Q{i % 2},s{i // 5},p{i // 10},r{i % 5},judge,{'yes' if i % 3 else 'no'}" for i in range(10**6)
    ]
    raw = "\n".join(["release,question,subject,cluster,rater,rater_kind,value", *rows]).encode()
    line("read a label table of 1M rows", best(lambda: read_labels(io.BytesIO(raw)), 1))


if __name__ == "__main__":
    print(
        f"{'task':58s} {'ours ms':>10s} {'naive ms':>12s} {'ratio':>11s}   (* scaled up from fewer resamples)"
    )
    for part in (bootstraps, corrections, agreements, comparisons, latent_classes, tables):
        part()
