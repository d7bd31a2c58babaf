"""Growth of time when a hostile text doubles: linear work has ratio 2, the limit is 2.5.

One row per format: the worst of all floods (docs/latex.md). Floods that take less than 20 ms are left out,
their ratio is noise.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from bench.frame import Figure, Spread
from latex import render
from tests.latex.hostile import FLOODS

CHARACTERS = 100_000
LONG_ENOUGH = 0.02  # seconds


def seconds(text: str, format: str) -> float:
    """Processor time of one rendering."""
    start = time.process_time()
    render(text, format)  # type: ignore[arg-type]
    return time.process_time() - start


def growth(name: str, format: str) -> float | None:
    """Time at 2n over time at n, best of two each; None where n is done at once."""
    once, twice = (
        min(seconds(FLOODS[name](size), format) for _ in range(2)) for size in (CHARACTERS, 2 * CHARACTERS)
    )
    return twice / once if once > LONG_ENOUGH else None


def figures() -> Iterator[Figure]:
    """The worst ratio of each format."""
    for format in ("latex", "markdown"):
        ratios = {name: ratio for name in FLOODS if (ratio := growth(name, format)) is not None}
        worst = max(ratios, key=lambda name: ratios[name])
        task = f"{format}, {CHARACTERS:,} to {2 * CHARACTERS:,} characters, worst of {len(ratios)}: {worst}"
        yield Figure(task, Spread.of([ratios[worst]]), target=2.5, unit="x")
