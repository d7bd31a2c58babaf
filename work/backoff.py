"""When a task that failed may be tried again. Pure."""

import datetime as dt
import random

MAX_TRIES = 6
LONGEST_WAIT = dt.timedelta(days=1)  # of any kind of work
_FIRST_SECONDS = 2.0
_LONGEST_SECONDS = 120.0


def delay_seconds(tries: int, rng: random.Random) -> float:
    """Seconds to wait after the `tries`-th failure (from 1), with equal jitter.

    Uniform in [c/2, c] with c = min(120, 2 * 2^(tries-1)): never at once, since the client has already tried
    several times in quick succession.
    """
    ceiling = min(_LONGEST_SECONDS, _FIRST_SECONDS * 2 ** max(tries - 1, 0))
    return rng.uniform(ceiling / 2, ceiling)
