"""The corrected score as a statement about new items, clusters of outputs being a sample."""

from collections.abc import Iterator

import numpy as np

from bench.coverage.frame import Cell
from stats.audit.superpopulation import superpopulation_score
from stats.core.bootstrap import Floats, generator
from stats.core.strata import Stratum

SENSITIVITY, SPECIFICITY = 0.85, 0.95


def cells(draws: int) -> Iterator[Cell]:
    """10, 30, 50, 200 clusters of 3 to 20 outputs, 1 to 40 % successes, weakly and strongly alike; census, quarter."""
    for clusters, size in ((10, 3), (10, 20), (30, 3), (30, 10), (50, 4), (50, 20), (200, 4)):
        for share in (0.01, 0.03, 0.08, 0.4):
            for correlation in (0.02, 0.2):
                for audited in (1.0, 0.25):
                    yield cell(clusters, size, share, correlation, audited, draws)


def cell(clusters: int, size: int, share: float, correlation: float, audited: float, draws: int) -> Cell:
    rng = generator(2)
    ends = []
    for _ in range(draws):
        strata, tables = _audit(rng, clusters, size, share, correlation, audited)
        estimate = superpopulation_score(strata, *tables)
        assert estimate.ci is not None
        ends.append((*estimate.ci, estimate.value))
    low, high, value = np.array(ends).T
    kind = "census" if audited == 1 else f"{100 * audited:.0f} % audited"
    name = f"{clusters} clusters of about {size}, {100 * share:.0f} % true, correlation {correlation}, {kind}"
    return Cell.measured(name, low, high, truth=share, value=value)


def _audit(
    rng: np.random.Generator, clusters: int, size: int, share: float, correlation: float, audited: float
) -> tuple[list[Stratum], list[Floats]]:
    """Strata are the judge's yes and no; half of the audits go to each, or all of the smaller."""
    sizes = rng.integers(max(1, size // 2), size + size // 2 + 1, size=clusters)
    spread = (1 - correlation) / correlation
    cluster = np.repeat(np.arange(clusters), sizes)
    true = rng.random(len(cluster)) < rng.beta(share * spread, (1 - share) * spread, clusters)[cluster]
    judged = np.where(true, rng.random(len(cluster)) < SENSITIVITY, rng.random(len(cluster)) > SPECIFICITY)
    drawn = np.zeros(len(cluster), dtype=bool)
    each = max(5, round(audited * len(cluster) / 2))
    for verdict in (True, False):
        inside = rng.permutation(np.flatnonzero(judged == verdict))
        drawn[inside if audited == 1 else inside[:each]] = True
    tables = [
        np.stack(
            [np.bincount(cluster[chosen & side], minlength=clusters) for side in (judged, ~judged)], axis=1
        )
        for chosen in (np.ones_like(drawn), drawn, drawn & true)
    ]
    counts = zip(("yes", "no"), *(table.sum(axis=0).tolist() for table in tables), strict=True)
    return [Stratum(*row) for row in counts], [table.astype(np.float64) for table in tables]
