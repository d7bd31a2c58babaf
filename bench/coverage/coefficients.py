"""The judge's design-weighted coefficients over many small strata."""

from collections.abc import Iterator

import numpy as np

from bench.coverage.designs import BUCKETS, Design, designs
from bench.coverage.frame import Cell
from stats.audit.confusion import METRICS, Confusion, coefficient
from stats.audit.weighted import AuditStratum, design_weighted
from stats.core.bootstrap import Ints, generator

INNER = 500  # posterior draws per audit; users get 20,000


def cells(draws: int) -> Iterator[Cell]:
    """Drawn by system x bucket, as many from each; success is the judge's first bucket."""
    for design in designs(rates=("equal", "wrong"), by=("cell",), rules=("equal",)):
        yield from _cells(design, draws)


def _cells(design: Design, draws: int) -> Iterator[Cell]:
    rng = generator(2)
    true = design.population(draws, rng)
    sizes, found = design.audited(true, rng)
    truth = [_population_table(row, design) for row in true]
    audits = [design_weighted(_strata(row, sizes, design), seed=1, draws=INNER) for row in found]
    for metric in METRICS:
        rows = [
            (*estimate.ci, wanted, estimate.value)
            for audit, table in zip(audits, truth, strict=True)
            if (estimate := audit[metric]).ci and (wanted := coefficient(metric, table)) is not None
        ]
        low, high, wanted, value = np.array(rows).T
        yield Cell.measured(f"{metric}: {design.name}", low, high, truth=wanted, value=value)


def _population_table(true: Ints, design: Design) -> Confusion:
    yes, no = true.sum(axis=1), (design.sizes - true).sum(axis=1)
    return Confusion(float(yes[0]), float(no[0]), float(yes[1:].sum()), float(no[1:].sum()))


def _strata(found: Ints, sizes: Ints, design: Design) -> list[AuditStratum]:
    strata = []
    for at, (size, drawn, right, group) in enumerate(
        zip(sizes.tolist(), design.drawn.ravel().tolist(), found.tolist(), design.groups, strict=True)
    ):
        wrong = drawn - right
        cells = (right, wrong, 0, 0) if group == BUCKETS[0] else (0, 0, right, wrong)
        verdict = "yes" if group == BUCKETS[0] else "no"
        strata.append(AuditStratum(str(at), size, *cells, group=group, verdict=verdict))
    return strata
