"""An endpoint's bound on requests per minute, kept by all workers of all hosts together."""

import asyncio
import datetime as dt
import math
import time
from collections import deque

from django.db import transaction
from django.db.models.functions import Now

from llm import Endpoint
from work.database_thread import DatabaseThread
from work.models import EndpointState

_MOST_WAITING = 10_000  # requests of all workers: ten of the largest max_concurrency
_BATCH_SECONDS = 1.0  # turns taken from the database at once; those of a dead worker are lost


@transaction.atomic
def take_turns(*, endpoint: str, number: int, gap: float) -> float:
    """Take the endpoint's next turns, `gap` seconds apart; returns the seconds until the first.

    By the clock of the database, so that the clocks of hosts do not matter. A turn that is further off than any was
    given before that clock was set back.
    """
    EndpointState.objects.get_or_create(name=endpoint)
    state = EndpointState.objects.select_for_update().annotate(now=Now()).get(name=endpoint)
    first = max(state.next_turn_at or state.now, state.now)
    if (first - state.now).total_seconds() > _MOST_WAITING * gap:
        first = state.now
    state.next_turn_at = first + dt.timedelta(seconds=number * gap)
    state.save(update_fields=["next_turn_at"])
    return (first - state.now).total_seconds()


class SharedPace:
    """Turns at least 60/requests_per_minute seconds apart among all workers; an llm.pace.Turns."""

    def __init__(self, endpoint: Endpoint, database: DatabaseThread) -> None:
        self._endpoint = endpoint.name
        self._gap = 60.0 / (endpoint.requests_per_minute or math.inf)
        self._database = database
        self._turns: deque[float] = deque()
        self._waiting = 0
        self._one_at_a_time = asyncio.Lock()

    async def turn(self) -> None:
        """Returns when it is the caller's turn."""
        self._waiting += 1
        try:
            async with self._one_at_a_time:
                if not self._turns:
                    await self._fetch()
                mine = self._turns.popleft()
        finally:
            self._waiting -= 1
        await asyncio.sleep(mine - time.monotonic())

    async def _fetch(self) -> None:
        number = min(self._waiting, max(1, int(_BATCH_SECONDS / self._gap)))
        wait = await self._database.do(take_turns, endpoint=self._endpoint, number=number, gap=self._gap)
        first = time.monotonic() + wait
        self._turns.extend(first + place * self._gap for place in range(number))
