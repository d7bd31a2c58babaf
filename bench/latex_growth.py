"""Growth of work when a hostile text doubles: linear work has ratio 2, the limit is 2.2.

Every construct that the reader knows (tests/latex/constructs.py), in every shape, and the floods of
tests/latex/hostile.py: twenty thousand, which at full length would take a day. So all are rendered once at 5,000 and
25,000 characters, where work that grows with the square of the length shows; the sixty whose work grows most, and 200
drawn at random (with a fixed seed), are measured at 100,000 to 800,000 characters. With none of 200 above the limit,
fewer than 1.5 % of all are (at 95 %).

Work is the number of instructions, which repeats within a few percent whatever else the machine does, where the kernel
counts them (bench/instructions.py), and processor time elsewhere. Counting does not see what waits for memory, so
processor time is measured too: whatever comes out above the limit is measured up to three times more, and the least
time of each length counts. One row for each of the ten whose work grows most and the ten whose time does.
`python -m bench.latex_growth NAME ..` prints the figures of single constructs.
"""

import itertools
import random
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from multiprocessing import Pool

from bench.frame import Figure, Spread
from bench.instructions import counted
from latex import render
from tests.latex import constructs
from tests.latex.hostile import FLOODS

SIZES = (100_000, 200_000, 400_000, 800_000)
SCREENED = (5_000, 25_000)
FOLLOWED, DRAWN = 60, 200  # constructs
LONG_ENOUGH = 0.05  # seconds; of less, the time is noise, and a step in the work is not a growth
LIMIT = 2.2
Construct = tuple[str, str]  # format and name


@cache
def writers() -> dict[Construct, Callable[[int], str]]:
    """Every construct of both formats."""
    found = {("latex", name): write for name, write in {**constructs.latex(), **FLOODS}.items()}
    return found | {("markdown", name): write for name, write in {**constructs.markdown(), **FLOODS}.items()}


@dataclass(frozen=True)
class Cost:
    """What one rendering costs: seconds of the processor and, where they are counted, instructions."""

    seconds: float
    work: float


def cost(construct: Construct, size: int) -> Cost:
    """Render one text once."""
    text = writers()[construct](size)
    before, start = counted(), time.process_time()
    render(text, construct[0])  # type: ignore[arg-type]
    seconds, after = time.process_time() - start, counted()
    return Cost(seconds, seconds if before is None or after is None else after - before)


def screen(construct: Construct) -> float:
    """How much more work five times the text is."""
    small, large = (cost(construct, size).work for size in SCREENED)
    return large / max(small, 0.001)


def measure(construct: Construct) -> list[Cost]:
    """The cost at each of the four lengths."""
    return [cost(construct, size) for size in SIZES]


def work_ratio(costs: list[Cost]) -> float:
    """The largest ratio of the work at one length to that at half of it, of those that take long enough."""
    return max((large.work / small.work for small, large in _doublings(costs)), default=0.0)


def time_ratio(costs: list[Cost]) -> float:
    """The same for seconds."""
    return max((large.seconds / small.seconds for small, large in _doublings(costs)), default=0.0)


def _doublings(costs: list[Cost]) -> list[tuple[Cost, Cost]]:
    return [pair for pair in itertools.pairwise(costs) if pair[0].seconds > LONG_ENOUGH]


def measure_until_quiet(construct: Construct) -> list[Cost]:
    """The cost, measured up to four times while the seconds grow too fast; the least seconds of each length."""
    costs = measure(construct)
    for _ in range(3):
        if time_ratio(costs) < LIMIT:
            break
        again = measure(construct)
        costs = [Cost(min(one.seconds, two.seconds), one.work) for one, two in zip(costs, again, strict=True)]
    return costs


def figures() -> Iterator[Figure]:
    """How many constructs grow too fast, and the ten that grow most by work and by time."""
    everything = sorted(writers())
    with Pool(2) as pool:
        growth = dict(zip(everything, pool.map(screen, everything, chunksize=50), strict=True))
        print(f"  all {len(everything):,} screened", file=sys.stderr, flush=True)
        followed = sorted(everything, key=lambda construct: growth[construct], reverse=True)[:FOLLOWED]
        drawn = random.Random(1).sample(everything, DRAWN)
        wanted = list(dict.fromkeys([*followed, *drawn]))
        costs: dict[Construct, list[Cost]] = {}
        for construct, found in zip(wanted, pool.imap(measure_until_quiet, wanted), strict=True):
            costs[construct] = found
            if len(costs) % 20 == 0:
                print(f"  {len(costs)} of {len(wanted)} measured", file=sys.stderr, flush=True)
    for kind, ratio in (("work", work_ratio), ("time", time_ratio)):
        ratios = {construct: ratio(found) for construct, found in costs.items()}
        above = sum(ratios[construct] >= LIMIT for construct in drawn)
        task = (
            f"of {DRAWN} constructs drawn at random from {len(everything):,}, {kind} ratio of {LIMIT} or more"
        )
        yield Figure(task, Spread.of([above]), target=0, unit="")
        for construct in sorted(wanted, key=ratios.__getitem__, reverse=True)[:10]:
            shown = " ".join(f"{one.seconds:.2f}" for one in costs[construct])
            task = (
                f"{kind}: {', '.join(construct)}: {shown} s (screened {growth[construct]:.2f} for five times)"
            )
            yield Figure(task, Spread.of([ratios[construct]]), target=LIMIT, unit="x")


if __name__ == "__main__":
    for construct in writers():
        if construct[1] in sys.argv[1:]:
            costs = measure(construct)
            shown = " ".join(f"{one.seconds:.2f}" for one in costs)
            print(*construct, f"{shown} s; work {work_ratio(costs):.3f}, time {time_ratio(costs):.2f}")
