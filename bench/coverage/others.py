"""The scenarios that the tests run in short, one per interval.

tests/stats/coverage_scenarios.py says what each draws. Widths are not measured here; jackknife and refitting
bootstraps get a twentieth of the draws.
"""

from collections.abc import Iterator

from bench.coverage.frame import Cell
from tests.stats.coverage_scenarios import CONSERVATIVE, FAILING, NOMINAL, REFITTING, coverage


def cells(draws: int) -> Iterator[Cell]:
    """Nominal and exact intervals, and those that are known to fail and are flagged for it."""
    for scenarios in (NOMINAL, CONSERVATIVE, FAILING, REFITTING):
        for scenario in scenarios:
            number = max(1, draws // 20) if scenarios is REFITTING else draws
            share = coverage(scenario, number, seed=2)
            name = scenario.__name__.replace("_", " ")
            yield Cell(f"{name} ({number} draws)", share, float("nan"), 1.0)
