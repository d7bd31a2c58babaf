"""Agreement of a million labels, and Dawid-Skene.

The naive ways: the krippendorff package (GPL, an oracle of the tests) for alpha, resampled as a whole for its
interval; loops over items for the rest.
"""

from collections.abc import Iterator

import krippendorff as package
import numpy as np

from bench.frame import Figure, once, timed
from stats.agreement import gwet, krippendorff
from stats.agreement.sums import agreement_sums
from stats.core.bootstrap import generator, percentile_interval, resampled_pattern_sums, resampled_sums
from stats.raters.dawid_skene import dawid_skene
from stats.raters.facets import rater_facets
from stats.tables.ratings import Ratings

RNG = generator(1)
UNITS, RATERS, RESAMPLES = 200_000, 5, 1_000
METRICS: tuple[krippendorff.Metric, ...] = ("nominal", "ordinal", "interval")


def ratings() -> Ratings:
    """A million labels in five categories, 70 % of them the unit's own."""
    truth = RNG.integers(5, size=UNITS)
    item, rater = np.repeat(np.arange(UNITS), RATERS), np.tile(np.arange(RATERS), UNITS)
    value = np.where(RNG.random(item.size) < 0.7, truth[item], RNG.integers(5, size=item.size))
    return Ratings(item, rater, value, UNITS, tuple("abcde"), tuple("01234"), np.arange(5.0))


def alphas() -> Iterator[Figure]:
    """Point and interval of Krippendorff's alpha, categories and continuous scores."""
    data = ratings()
    counts, points = data.counts(), data.points

    def by_package() -> float:
        return package.alpha(value_counts=counts, value_domain=points, level_of_measurement="nominal")

    def by_patterns() -> None:
        sums = agreement_sums(data, None)
        krippendorff.alpha(sums.part(sums.total(), "coincidences"), "nominal", points)

    naive = once(by_package)
    yield Figure("alpha of 1M labels, from ratings", timed(by_patterns, runs=3), naive, "package", target=1.0)
    sums = agreement_sums(data, None)

    def resampled() -> None:
        drawn = sums.part(
            resampled_pattern_sums(sums.rows, sums.counts, replicates=RESAMPLES, rng=generator(1)),
            "coincidences",
        )
        for metric in METRICS:
            percentile_interval(krippendorff.alpha(drawn, metric, points), 0.95)

    def package_resampled() -> None:
        drawn = counts[RNG.integers(UNITS, size=UNITS)]
        for metric in METRICS:
            package.alpha(value_counts=drawn, value_domain=points, level_of_measurement=metric)

    yield Figure(
        "1,000 bootstraps of three alphas, 1M labels",
        timed(resampled, runs=3),
        once(package_resampled, scaled=RESAMPLES),
        "package per resample",
        target=0.2,
    )
    yield continuous()
    identity = np.eye(5)
    yield Figure(
        "Fleiss of 200,000 units from counts",
        timed(lambda: gwet.fleiss(gwet.item_sums(counts, identity).sum(axis=0))),
        once(lambda: [sum(int(n) * (int(n) - 1) for n in row) for row in counts[:20_000]], scaled=10),
        "loop over units",
        target=0.030,
    )


def continuous() -> Figure:
    """A million scores without two alike, from their moments; a table of values would have 10^12 cells."""
    scores = RNG.normal(size=(UNITS, 1)) + RNG.normal(size=(UNITS, RATERS))
    first, second = scores.sum(axis=1), (scores**2).sum(axis=1)
    spread = 2 * (RATERS * second - first**2) / (RATERS - 1)
    rows = np.column_stack([np.full(UNITS, float(RATERS)), first, second, spread])

    def ours() -> None:
        drawn = resampled_sums(rows, replicates=RESAMPLES, rng=generator(1))
        percentile_interval(krippendorff.interval_alpha(drawn), 0.95)

    def from_scores() -> None:
        drawn = scores[RNG.integers(UNITS, size=UNITS)]
        1 - drawn.var(axis=1, ddof=1).mean() / drawn.var(ddof=1)

    return Figure(
        "1,000 bootstraps of interval alpha, 1M distinct scores",
        timed(ours, runs=3, warm=0),
        timed(from_scores, warm=0, scaled=RESAMPLES),
        "resample the scores",
        target=10.0,
    )


def latent() -> Iterator[Figure]:
    """Models with a parameter per rater, a million labels."""
    truth = RNG.integers(3, size=UNITS)
    item, rater = np.repeat(np.arange(UNITS), RATERS), RNG.integers(100, size=UNITS * RATERS)
    label = np.where(RNG.random(item.size) < 0.8, truth[item], RNG.integers(3, size=item.size))

    def one_step() -> None:
        # One expectation step over a hundredth of the labels; EM takes some ten of both kinds of steps.
        posterior, confusion = np.full((UNITS, 3), 1 / 3), np.full((100, 3, 3), 1 / 3)
        for at in range(10_000):
            posterior[item[at]] *= confusion[rater[at], :, label[at]]

    yield Figure(
        "Dawid-Skene, 1M labels, 100 raters, 3 classes",
        timed(lambda: dawid_skene(item, rater, label, classes=3), runs=3, warm=0),
        once(one_step, scaled=100 * 2 * 10),
        "loop over labels, ten steps",
        target=1.5,
    )
    yes = (label == 0).astype(np.int64)
    yield Figure(
        "facets of 100 raters, 1M labels, 200,000 items", once(lambda: rater_facets(item, rater, yes))
    )


def figures() -> Iterator[Figure]:
    """All of them."""
    yield from alphas()
    yield from latent()
