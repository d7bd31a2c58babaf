"""The corrected score of all systems together, many small strata."""

from collections.abc import Iterator

from bench.coverage.designs import Design, designs
from bench.coverage.frame import Cell
from stats.audit.pooling import pools, unaudited_range
from stats.core.bootstrap import generator


def cells(draws: int) -> Iterator[Cell]:
    """2, 4, 7, 12 systems x 5, 8, 15, 25 labels, drawn by system x bucket and by bucket, equal and Neyman."""
    for design in designs():
        yield cell(design, draws)


def cell(design: Design, draws: int) -> Cell:
    """One point of the grid. The interval is `stats.audit.corrected.corrected_score`'s, all draws at once."""
    rng = generator(2)
    true = design.population(draws, rng)
    sizes, found = design.audited(true, rng)
    sampled, total = design.drawn.ravel(), int(sizes.sum())
    shares = found / sampled
    low, high = unaudited_range(pools(sizes, sampled, design.groups), shares, 0.95)
    audited = found.sum(axis=1)
    return Cell.measured(
        design.name,
        (audited + low) / total,
        (audited + high) / total,
        truth=true.sum(axis=(1, 2)) / total,
        value=shares @ sizes / total,
    )
