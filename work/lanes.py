"""The tasks in flight at one endpoint, or on this machine: lanes that take them from a short queue."""

import asyncio
import datetime as dt
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress

from work.breaker import THRESHOLD
from work.kinds import Failure, Result, Task

Ask = Callable[[Task], Awaitable[Result]]
logger = logging.getLogger(__name__)


class Lanes:
    """Asks at most `width` questions at once, each by `ask`; what `ask` raises is the failure of its task.

    Every result goes to `done`. Half a width more than what is in flight is kept at hand, so that no lane
    waits for the database. While `paused` says so nothing new is asked, until `take` is called after it.
    """

    def __init__(
        self, width: int, ask: Ask, done: Callable[[Result], None], *, paused: Callable[[], bool]
    ) -> None:
        self.width = width
        self._ask = ask
        self._done = done
        self._paused = paused
        self.held: set[Task] = set()  # taken and not yet stored; the worker removes them
        self.dropped: list[Task] = []  # taken and never asked; the worker gives them back
        self._failures = 0  # in a row
        self._waiting: deque[Task] = deque()
        self._in_flight: set[asyncio.Task[None]] = set()
        self._room = asyncio.Event()

    @property
    def in_flight(self) -> int:
        """How many questions are being asked."""
        return len(self._in_flight)

    @property
    def wanted(self) -> int:
        """How many tasks to fetch now; 0 while enough are at hand, so that fetching comes in batches.

        0 also after several failures in a row, until they are stored and the circuit breaker decides.
        """
        if self._failures >= THRESHOLD and self.held:
            return 0
        if not self._in_flight:
            return self.width  # to begin at once
        reserve = self.width // 2 + 1
        missing = self.width + reserve - len(self._in_flight) - len(self._waiting)
        return missing if missing > reserve // 2 else 0

    def take(self, tasks: list[Task]) -> None:
        """Start what has room and keep the rest waiting."""
        self.held.update(tasks)
        self._waiting.extend(tasks)
        starting = 0 if self._paused() else min(len(self._waiting), self.width - len(self._in_flight))
        for _ in range(starting):
            job = asyncio.create_task(self._lane())
            self._in_flight.add(job)
            job.add_done_callback(self._in_flight.discard)

    async def room(self, seconds: float) -> None:
        """Returns when tasks are wanted, or after so many seconds."""
        self._room.clear()
        if not self.wanted:
            await within(seconds, self._room)

    def stop_waiting(self) -> None:
        """Drop what has not been asked yet."""
        self.dropped += self._waiting
        self.held.difference_update(self.dropped)
        self._waiting.clear()

    async def _lane(self) -> None:
        """One question after the other while any is waiting."""
        while self._waiting and not self._paused():
            task = self._waiting.popleft()
            try:
                result = await self._ask(task)
            except Exception as error:
                logger.exception("%s cannot be asked", task)
                reason = f"{type(error).__name__}: {error}"
                result = Failure(task=task, error=reason, final=True, wait=dt.timedelta())
            self._done(result)
            self._failures = self._failures + 1 if isinstance(result, Failure) and result.counts else 0
            if self._failures >= THRESHOLD:
                self.stop_waiting()
            if self.wanted:
                self._room.set()


async def within(seconds: float, event: asyncio.Event) -> None:
    """Returns when the event is set, or after so many seconds."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
