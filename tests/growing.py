"""Whether work grows in proportion to what is given: by ratios of processor time, which a busy machine leaves alone."""

import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any


def grows_in_proportion(work: Callable[[Any], object], write: Callable[[int], Any], *lengths: int) -> bool:
    """True if for two successive `lengths`, each four times the one before, the work is less than six times as much.

    It is four times as much if linear, nearly 16 times if quadratic. Limits may begin to count between two lengths,
    and the interpreter may pause to collect garbage: then the next two decide. What is quadratic is so at all.
    """
    work(write(1_000))  # loads what is loaded once

    def seconds(length: int) -> float:
        given = write(length)
        begun = time.process_time()
        work(given)
        return time.process_time() - begun

    return any(longer < 6 * shorter for shorter, longer in pairwise(map(seconds, lengths)))
