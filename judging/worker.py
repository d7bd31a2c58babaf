"""Judging what is claimable: many calls in flight in one process, no transaction open during any of them.

All database work runs in one thread beside the event loop, in small transactions: claim a batch, keep the
leases alive, store a batch of outcomes. A worker may die at any point; what it held returns by its leases.
"""

import asyncio
import logging
import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from typing import ParamSpec, TypeVar

from django.conf import settings
from django.db import connection

from judging.asking import answer
from judging.claims import claim, keep_alive, new_owner, release_all
from judging.endpoints import declared_endpoints
from judging.models import JudgeTask
from judging.program_pool import SLOTS, ProgramPool
from judging.programs import answer_by_program
from judging.settlement import Failure, Outcome, settle, settle_failure
from llm import AddressRefused, Client, Endpoint, Unavailable

P = ParamSpec("P")
T = TypeVar("T")
logger = logging.getLogger(__name__)

HEARTBEATS_PER_LEASE = 4
FLUSH_SECONDS = 0.2
FLUSH_ROWS = 100
SHIFT_SECONDS = 30.0  # a worker hands over after this long, so that a warm stop is never slow


def drain(*, shift_seconds: float = SHIFT_SECONDS) -> int:
    """Judge until nothing is claimable or the shift is over; returns the number of new verdicts."""
    return asyncio.run(_Shift(declared_endpoints(settings.JUDGE_ENDPOINTS), shift_seconds).work())


class _Shift:
    """One worker's turn at the queue."""

    def __init__(self, endpoints: dict[str, Endpoint], seconds: float) -> None:
        self.owner = new_owner()
        self.endpoints = endpoints
        self.ends_at = time.monotonic() + seconds
        self.capacity = sum(endpoint.max_concurrency for endpoint in endpoints.values()) + SLOTS
        self.in_flight: set[asyncio.Task[None]] = set()
        self.outcomes: list[Outcome] = []
        self.failures: list[Failure] = []
        self.clients: dict[str, Client] = {}
        self.programs = ProgramPool()
        self.stored = 0
        self.rng = random.Random()
        self._database = ThreadPoolExecutor(max_workers=1, thread_name_prefix="judging-db")

    async def work(self) -> int:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self.programs)
            heartbeat = asyncio.create_task(self._keep_alive())
            try:
                await self._pump(stack)
            finally:
                heartbeat.cancel()
                await asyncio.gather(heartbeat, return_exceptions=True)
                await self._db(release_all, owner=self.owner)
                await self._db(_close_connection)
                self._database.shutdown()
        return self.stored

    async def _pump(self, stack: AsyncExitStack) -> None:
        while True:
            started = await self._start_more(stack)
            if not self.in_flight and not started:
                break
            await asyncio.wait(self.in_flight, timeout=FLUSH_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            await self._flush(everything=False)
        await self._flush(everything=True)

    async def _start_more(self, stack: AsyncExitStack) -> int:
        """Claim when a good part of the capacity is free, so that claims come in batches."""
        free = self.capacity - len(self.in_flight)
        if time.monotonic() > self.ends_at or free < max(1, self.capacity // 4):
            return 0
        await self._flush(everything=True)
        tasks = await self._db(claim, owner=self.owner, limit=free)
        for task in tasks:
            await self._open_client(task.run.judge.endpoint, stack)
            job = asyncio.create_task(self._judge(task))
            self.in_flight.add(job)
            job.add_done_callback(self.in_flight.discard)
        return len(tasks)

    async def _open_client(self, name: str, stack: AsyncExitStack) -> None:
        if name in self.endpoints and name not in self.clients:
            try:
                self.clients[name] = await stack.enter_async_context(Client(self.endpoints[name]))
            except (AddressRefused, Unavailable) as error:
                logger.warning("endpoint %s cannot be used: %s", name, error)

    async def _judge(self, task: JudgeTask) -> None:
        if task.run.judge.program:
            result = await answer_by_program(task, self.programs, self.rng)
        else:
            result = await answer(task, self.clients.get(task.run.judge.endpoint), self.rng)
        if isinstance(result, Outcome):
            self.outcomes.append(result)
        else:
            self.failures.append(result)

    async def _flush(self, *, everything: bool) -> None:
        if self.outcomes and (everything or len(self.outcomes) >= FLUSH_ROWS or not self.in_flight):
            outcomes, self.outcomes = self.outcomes, []
            self.stored += await self._db(settle, outcomes=outcomes)
        while self.failures:
            await self._db(settle_failure, failure=self.failures.pop(), owner=self.owner)

    async def _keep_alive(self) -> None:
        while True:
            await asyncio.sleep(settings.JUDGE_LEASE_SECONDS / HEARTBEATS_PER_LEASE)
            await self._db(keep_alive, owner=self.owner)

    async def _db(self, verb: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._database, lambda: verb(*args, **kwargs))


def _close_connection() -> None:
    """Runs in the database thread, whose connection this is."""
    connection.close()
