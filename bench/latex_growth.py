"""Growth of time when a hostile text doubles: linear work has ratio 2, the limit is 2.2.

Every construct that the reader knows (tests/latex/constructs.py), in every shape, and the floods of
tests/latex/hostile.py: twenty thousand, which at full length would take a day. So all are rendered once at 5,000 and
25,000 characters, where work that grows with the square of the length shows; the sixty whose time grows most, and 200
drawn at random (with a fixed seed), are measured at 100,000 to 800,000 characters. Whatever comes out above 2.1 is
measured again by itself, three times, and the median counts. With none of 200 above the limit, fewer than 1.5 %
of all are (at 95 %). One row for each of the ten worst.
`python -m bench.latex_growth NAME ..` prints the times of single constructs.
"""

from __future__ import annotations

import itertools
import random
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from multiprocessing import Pool
from statistics import median

from bench.frame import Figure, Spread
from latex import render
from tests.latex import constructs
from tests.latex.hostile import FLOODS

SIZES = (100_000, 200_000, 400_000, 800_000)
SCREENED = (5_000, 25_000)
FOLLOWED, DRAWN = 60, 200  # constructs
LONG_ENOUGH = 0.05  # seconds; the ratio of less is noise
DOUBTFUL = 2.1
Construct = tuple[str, str]  # format and name


@cache
def writers() -> dict[Construct, Callable[[int], str]]:
    """Every construct of both formats."""
    found = {("latex", name): write for name, write in {**constructs.latex(), **FLOODS}.items()}
    return found | {("markdown", name): write for name, write in {**constructs.markdown(), **FLOODS}.items()}


def seconds(construct: Construct, size: int) -> float:
    """Processor time of one rendering."""
    text = writers()[construct](size)
    start = time.process_time()
    render(text, construct[0])  # type: ignore[arg-type]
    return time.process_time() - start


def screen(construct: Construct) -> float:
    """How much longer five times the text takes."""
    small, large = (seconds(construct, size) for size in SCREENED)
    return large / max(small, 0.001)


def measure(construct: Construct) -> list[float]:
    """Seconds at each of the four lengths, best of two where it is short."""
    return [min(seconds(construct, size) for _ in range(2 if size < 300_000 else 1)) for size in SIZES]


def worst_ratio(times: list[float]) -> float:
    """The largest ratio of a time to the one before it, of those that are long enough."""
    pairs = [(before, after) for before, after in itertools.pairwise(times) if before > LONG_ENOUGH]
    return max((after / before for before, after in pairs), default=0.0)


def figures() -> Iterator[Figure]:
    """The ten constructs whose time grows most when their length doubles, and how many were above the limit."""
    everything = sorted(writers())
    with Pool(2) as pool:
        growth = dict(zip(everything, pool.map(screen, everything, chunksize=50), strict=True))
        followed = sorted(everything, key=lambda construct: growth[construct], reverse=True)[:FOLLOWED]
        drawn = random.Random(1).sample(everything, DRAWN)
        wanted = list(dict.fromkeys([*followed, *drawn]))
        times = dict(zip(wanted, pool.map(measure, wanted, chunksize=1), strict=True))
    ratios = {construct: worst_ratio(found) for construct, found in times.items()}
    for construct in (construct for construct in wanted if ratios[construct] > DOUBTFUL):
        again = [measure(construct) for _ in range(3)]
        times[construct] = [median(column) for column in zip(*again, strict=True)]
        before, ratios[construct] = ratios[construct], worst_ratio(times[construct])
        print(f"  again: {before:.2f}, now {ratios[construct]:.2f}: {construct}", file=sys.stderr, flush=True)
    above = sum(ratios[construct] >= 2.2 for construct in drawn)
    task = f"of {DRAWN} constructs drawn at random from {len(everything):,}, with a ratio of 2.2 or more"
    yield Figure(task, Spread.of([above]), target=0, unit="")
    for construct in sorted(wanted, key=lambda construct: ratios[construct], reverse=True)[:10]:
        measured = " ".join(f"{value:.2f}" for value in times[construct])
        task = (
            f"{construct[0]}, {construct[1]}: {measured} s at 100k to 800k (screened {growth[construct]:.1f})"
        )
        yield Figure(task, Spread.of([ratios[construct]]), target=2.2, unit="x")


if __name__ == "__main__":
    for construct in writers():
        if construct[1] in sys.argv[1:]:
            times = measure(construct)
            shown = " ".join(f"{value:.2f}" for value in times)
            print(f"{construct[0]} {construct[1]}: {shown}, worst {worst_ratio(times):.2f}")
