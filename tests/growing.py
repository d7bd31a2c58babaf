"""How much processor time work takes, and whether it grows in proportion to what is given.

A busy machine makes a measurement longer, never shorter: the fastest of several attempts counts, and garbage isn't
collected meanwhile. Nor is it collected before: a process that has run many tests needs half a second for that, more
than what is measured.
"""

import gc
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

ATTEMPTS = 4


def seconds_of(work: Callable[[], object]) -> float:
    """What `work` takes, once."""
    gc.disable()
    try:
        begun = time.process_time()
        work()
        return time.process_time() - begun
    finally:
        gc.enable()


def takes_less_than(seconds: float, work: Callable[[], object]) -> bool:
    """True if `work` does so in one of several attempts."""
    return any(seconds_of(work) < seconds for _ in range(ATTEMPTS))


def grows_in_proportion(work: Callable[[Any], object], write: Callable[[int], Any], *lengths: int) -> bool:
    """True if for two successive `lengths`, each four times the one before, the work is less than six times as much.

    It is four times as much if linear, nearly 16 times if quadratic. Limits may begin to count between two lengths:
    then the next two decide. What is quadratic is so at all.
    """
    work(write(1_000))  # loads what is loaded once
    fastest: dict[int, float] = {}

    def seconds(length: int) -> float:
        given = write(length)
        taken = seconds_of(lambda: work(given))
        fastest[length] = min(taken, fastest.get(length, taken))
        return fastest[length]

    return any(
        longer < 6 * shorter for _ in range(ATTEMPTS) for shorter, longer in pairwise(map(seconds, lengths))
    )
