"""Krippendorff's alpha of two and three raters, with and without clusters; percent agreement and AC1 of them."""

from collections.abc import Iterator

import numpy as np

from bench.coverage.frame import Cell
from stats.agreement.bundle import Request, agreement
from stats.core.bootstrap import Ints, generator
from stats.tables.ratings import Ratings

REQUEST = Request(level="nominal")
# Clusters, items in each, raters.
DESIGNS = (
    (30, 1, 3),
    (60, 1, 3),
    (100, 1, 2),
    (200, 1, 3),
    (10, 6, 3),
    (30, 2, 3),
    (30, 7, 3),
    (50, 4, 3),
    (100, 2, 3),
)
SHOWN = {
    "krippendorff_alpha_nominal": "alpha",
    "percent": "percent",
    "gwet_ac1": "AC1",
}


def cells(draws: int) -> Iterator[Cell]:
    """n = 30, 60, 100, 200 alone and in clusters correlated by .3; 8 to 50 % positive; raters right with .9 or .8."""
    for clusters, size, raters in DESIGNS:
        for share in (0.08, 0.2, 0.5):
            for right in (0.9, 0.8):
                yield from _cells(clusters, size, raters, share, right, draws)


def _cells(clusters: int, size: int, raters: int, share: float, right: float, draws: int) -> Iterator[Cell]:
    rng, rows = generator(2), {name: list[tuple[float, float, float]]() for name in SHOWN}
    for _ in range(draws):
        ratings, codes = _ratings(rng, clusters, size, raters, share, right)
        found = agreement(ratings, REQUEST, clusters=codes if size > 1 else None)
        for name in SHOWN:
            if found[name].value is not None:
                assert found[name].ci is not None
                rows[name].append((*found[name].ci, found[name].value))
    positive = share * right + (1 - share) * (1 - right)
    agreed, chance = right**2 + (1 - right) ** 2, 2 * positive * (1 - positive)
    truth = {
        "percent": agreed,
        "krippendorff_alpha_nominal": 1 - (1 - agreed) / chance,
        "gwet_ac1": (agreed - chance) / (1 - chance),
    }
    where = f"{clusters} clusters of {size}" if size > 1 else f"{clusters} items"
    where = f"{where}, {raters} raters"
    for name, title in SHOWN.items():
        low, high, value = np.array(rows[name]).T
        label = f"{title}: {where}, {100 * share:.0f} % true, raters right {right:g}"
        yield Cell.measured(label, low, high, truth=truth[name], value=value)


def _ratings(
    rng: np.random.Generator, clusters: int, size: int, raters: int, share: float, right: float
) -> tuple[Ratings, Ints]:
    spread = (1 - 0.3) / 0.3
    of_cluster = (
        rng.beta(share * spread, (1 - share) * spread, clusters) if size > 1 else np.full(clusters, share)
    )
    codes, n = np.repeat(np.arange(clusters), size), clusters * size
    truth = (rng.random(n) < of_cluster[codes]).astype(np.int64)
    marks = np.where(rng.random((n, raters)) < right, truth[:, None], 1 - truth[:, None])
    item, rater = np.divmod(np.arange(n * raters), raters)
    return Ratings(item, rater, marks.ravel(), n, tuple("abc"[:raters]), ("no", "yes"), np.arange(2.0)), codes
