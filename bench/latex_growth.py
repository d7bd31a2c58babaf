"""Growth of time when a hostile text doubles: linear work has ratio 2, the limit is 2.2.

Every construct that the reader knows (tests/latex/constructs.py), in every shape, and the floods of
tests/latex/hostile.py. All are first rendered at 20,000 and 100,000 characters; the hundred whose time grows most, and
all that are slow for their length, are measured at 100,000 to 800,000 characters. One row for each of the ten worst.
`python -m bench.latex_growth NAME ..` prints the times of single constructs.
"""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable, Iterator

from bench.frame import Figure, Spread
from latex import render
from tests.latex import constructs
from tests.latex.hostile import FLOODS

SIZES = (100_000, 200_000, 400_000, 800_000)
SCREENED = (20_000, 100_000)
FOLLOWED = 100  # constructs
SLOW = 10e-6  # seconds for a character
LONG_ENOUGH = 0.05  # seconds; the ratio of less is noise
Construct = tuple[str, str]  # format and name


def writers() -> dict[Construct, Callable[[int], str]]:
    """Every construct of both formats."""
    found = {("latex", name): write for name, write in {**constructs.latex(), **FLOODS}.items()}
    return found | {("markdown", name): write for name, write in {**constructs.markdown(), **FLOODS}.items()}


def seconds(write: Callable[[int], str], format: str, size: int) -> float:
    """Processor time of one rendering, best of two where it is short."""
    text = write(size)
    best = float("inf")
    for _ in range(2):
        start = time.process_time()
        render(text, format)  # type: ignore[arg-type]
        best = min(best, time.process_time() - start)
        if best > 1:
            break
    return best


def worst_ratio(times: list[float]) -> float:
    """The largest ratio of a time to the one before it, of those that are long enough."""
    pairs = [(before, after) for before, after in itertools.pairwise(times) if before > LONG_ENOUGH]
    return max((after / before for before, after in pairs), default=0.0)


def suspects(found: dict[Construct, Callable[[int], str]]) -> list[Construct]:
    """The constructs to be measured at full length."""
    growth: dict[Construct, float] = {}
    slow = []
    for construct, write in found.items():
        small, large = (seconds(write, construct[0], size) for size in SCREENED)
        growth[construct] = large / max(small, 0.001)
        if large > SLOW * SCREENED[1]:
            slow.append(construct)
    fastest = sorted(growth, key=lambda construct: growth[construct], reverse=True)
    return list(dict.fromkeys([*fastest[:FOLLOWED], *slow]))


def figures() -> Iterator[Figure]:
    """The ten constructs whose time grows most when their length doubles."""
    found = writers()
    times = {c: [seconds(found[c], c[0], size) for size in SIZES] for c in suspects(found)}
    worst = sorted(times, key=lambda construct: worst_ratio(times[construct]), reverse=True)
    for construct in worst[:10]:
        measured = " ".join(f"{value:.2f}" for value in times[construct])
        task = f"{construct[0]}, {construct[1]}: {measured} s at 100k to 800k, of {len(found):,} constructs"
        yield Figure(task, Spread.of([worst_ratio(times[construct])]), target=2.2, unit="x")


if __name__ == "__main__":
    for (format, name), write in writers().items():
        if name in sys.argv[1:]:
            times = [seconds(write, format, size) for size in SIZES]
            print(
                f"{format} {name}: {' '.join(f'{value:.2f}' for value in times)}, worst {worst_ratio(times):.2f}"
            )
