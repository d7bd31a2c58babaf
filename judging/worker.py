"""Judging what is claimable: many calls in flight in one process, no transaction open during any of them.

All database work runs in one thread beside the event loop, in small transactions: claim a batch, keep the
leases alive, store a batch of results. A worker may die at any point; what it held returns by its leases. The
database may go away at any point; replies already received are kept and stored when it is back.
"""

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from functools import partial
from typing import Any

from django.conf import settings
from django.db.models import Q

from judging.asking import answer
from judging.claims import claim, keep_alive, new_owner, release_all
from judging.database_thread import DatabaseThread
from judging.endpoints import declared_endpoints
from judging.lanes import Lanes, Result
from judging.program_pool import SLOTS, ProgramPool
from judging.programs import answer_by_program
from judging.settlement import settle
from llm import AddressRefused, Client, Endpoint, Unavailable

logger = logging.getLogger(__name__)

HEARTBEATS_PER_LEASE = 4
PAUSE_SECONDS = 0.1  # between two looks at an exhausted queue, and between two batches stored
FLUSH_ROWS = 500
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
        self.database = DatabaseThread()
        self.lanes: list[tuple[Q, Lanes]] = []
        self.results: list[Result] = []
        self.stored = 0
        self.rng = random.Random()

    async def work(self) -> int:
        async with AsyncExitStack() as stack:
            await self._open(stack)
            feeding = asyncio.gather(*[self._feed(which, lanes) for which, lanes in self.lanes])
            jobs: list[asyncio.Future[Any]] = [
                feeding,
                asyncio.create_task(self._store()),
                asyncio.create_task(self._keep_alive()),
            ]
            try:
                ended, _ = await asyncio.wait(jobs, return_when=asyncio.FIRST_COMPLETED)
                for job in ended:
                    job.result()
            finally:
                for job in jobs:
                    job.cancel()
                await asyncio.gather(*jobs, return_exceptions=True)
                await self.database.do(release_all, owner=self.owner)
                await self.database.close()
        return self.stored

    async def _open(self, stack: AsyncExitStack) -> None:
        """Lanes for each endpoint that is declared here, for programs, and for endpoints that are not declared."""
        for name, endpoint in self.endpoints.items():
            client = await _client(endpoint, stack)
            self._add(Q(run__judge__endpoint=name), endpoint.max_concurrency, partial(answer, client=client))
        programs = await stack.enter_async_context(ProgramPool())
        is_program = ~Q(run__judge__program="")
        self._add(is_program, SLOTS, partial(answer_by_program, pool=programs))
        unknown = ~Q(run__judge__endpoint__in=list(self.endpoints)) & ~is_program
        self._add(unknown, 1, partial(answer, client=None))

    def _add(self, which: Q, width: int, ask: Callable[..., Awaitable[Result]]) -> None:
        self.lanes.append((which, Lanes(width, partial(ask, rng=self.rng), self.results.append)))

    async def _feed(self, which: Q, lanes: Lanes) -> None:
        """Keep lanes busy until the queue has nothing for them and what they were given is stored."""
        while time.monotonic() < self.ends_at:
            unsettled, wanted = bool(lanes.held), lanes.wanted
            tasks = (
                await self.database.do(claim, owner=self.owner, limit=wanted, which=which) if wanted else []
            )
            lanes.take(tasks)
            if not tasks and not unsettled:
                return
            if len(tasks) < wanted:
                await asyncio.sleep(PAUSE_SECONDS)
            await lanes.room(PAUSE_SECONDS)
        lanes.stop_waiting()
        while lanes.held:
            await asyncio.sleep(PAUSE_SECONDS)

    async def _store(self) -> None:
        """Store results in batches, for ever."""
        while True:
            await asyncio.sleep(PAUSE_SECONDS)
            while self.results:
                batch = self.results[:FLUSH_ROWS]
                self.stored += await self.database.do(settle, results=batch, owner=self.owner)
                del self.results[: len(batch)]
                settled = {result.task.pk for result in batch}
                for _, lanes in self.lanes:
                    lanes.held -= settled

    async def _keep_alive(self) -> None:
        while True:
            await asyncio.sleep(settings.JUDGE_LEASE_SECONDS / HEARTBEATS_PER_LEASE)
            held = [task_id for _, lanes in self.lanes for task_id in lanes.held]
            await self.database.do(keep_alive, owner=self.owner, task_ids=held)


async def _client(endpoint: Endpoint, stack: AsyncExitStack) -> Client | None:
    """An open client, or None when the endpoint's address is refused or unknown."""
    try:
        return await stack.enter_async_context(Client(endpoint))
    except (AddressRefused, Unavailable) as error:
        logger.warning("endpoint %s cannot be used: %s", endpoint.name, error)
        return None
