"""Doing what is claimable: many calls in flight in one process, no transaction open during any of them.

All database work runs in one thread separate from the event loop, in small transactions: claim a batch, keep the
leases alive, store a batch of results. A worker may die at any point; what it held returns by its leases. The
database may go away at any point; replies already received are kept and stored when it is back.

One shift serves all kinds of work, with one set of lanes for each endpoint, so that no endpoint is asked more at once
than it was declared to take.
"""

import asyncio
import logging
import random
import time
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from datetime import timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.db import DataError, IntegrityError
from django.db.models import Q

from llm import AddressRefused, Client, Endpoint, Unavailable
from work.breaker import allowed
from work.claims import claim, keep_alive, new_owner, release, release_all
from work.database_thread import DatabaseThread
from work.endpoints import declared_endpoints
from work.kinds import Failure, Kind, Result, Task, kinds
from work.lanes import Ask, Lanes, within
from work.pace import SharedPace
from work.process import CORES, ended_by_sigterm, switching_often

logger = logging.getLogger(__name__)

HEARTBEATS_PER_LEASE = 4
PAUSE_SECONDS = 0.1  # between two looks at an exhausted queue
FLUSH_ROWS = 500
RESTS_PER_BATCH = 3.0  # rest after storing, in times of what the last batch took,
LONGEST_REST = 0.5  # but no longer than this: an outage says nothing about the next batch
FULL_SHARE = 4  # the rest ends when a quarter as many replies wait as calls are in flight
IDLE_SECONDS = 0.5  # between two looks for lanes that have nothing, while others work
_TICK_SECONDS = 0.02
SHIFT_SECONDS = 30.0  # a worker hands over after this long, so that a warm stop is never slow


def drain(*, shift_seconds: float = SHIFT_SECONDS) -> int:
    """Work until nothing is claimable or the shift is over; returns how many results are new.

    SIGTERM ends the shift: calls in flight are waited for and stored, then it does what it did before.
    """
    shift = _Shift(declared_endpoints(settings.JUDGE_ENDPOINTS), shift_seconds)
    with switching_often(), ended_by_sigterm(shift.end):
        return asyncio.run(shift.work())


class _Shift:
    """One worker's turn at the queue."""

    def __init__(self, endpoints: dict[str, Endpoint], seconds: float) -> None:
        self.owner = new_owner()
        self.endpoints = endpoints
        self.ends_at = time.monotonic() + seconds
        self.database = DatabaseThread()
        self.lanes: list[tuple[Callable[..., list[Task]], Lanes]] = []
        self.results: list[Result] = []
        self.news = asyncio.Event()  # a result came in
        self.settled = asyncio.Event()  # a batch is stored
        self.stored = 0
        self.rng = random.Random()

    def end(self) -> None:
        """Ask nothing more; what is in flight is waited for and stored."""
        self.ends_at = 0.0

    async def work(self) -> int:
        async with AsyncExitStack() as stack:
            await self._open(stack)
            feeding = asyncio.gather(*[self._feed(fetch, lanes) for fetch, lanes in self.lanes])
            jobs: list[asyncio.Future[Any]] = [
                feeding,
                asyncio.create_task(self._store()),
                asyncio.create_task(self._keep_alive()),
            ]
            try:
                ended, _ = await asyncio.wait(jobs, return_when=asyncio.FIRST_COMPLETED)
                for job in ended:
                    job.result()
                for kind in kinds():  # after a fault the leases run out
                    await self.database.do(release_all, kind.tasks, owner=self.owner)
            finally:
                for job in jobs:
                    job.cancel()
                await asyncio.gather(*jobs, return_exceptions=True)
                await self.database.close()
        return self.stored

    async def _open(self, stack: AsyncExitStack) -> None:
        """Lanes for each endpoint that is declared here, for this machine, and for endpoints that are not declared."""
        for name, endpoint in self.endpoints.items():
            client = await self._client(endpoint, stack)
            self._add([name], endpoint.max_concurrency, self._by(client), breaker=name)
        here = {kind.tasks: await stack.enter_async_context(kind.here()) for kind in kinds()}
        self._add([""], CORES, lambda task: here[type(task)](task, self.rng))
        self._add([*self.endpoints, ""], 1, self._by(None), others=True)

    def _by(self, client: Client | None) -> Ask:
        """Asking through this client, or saying that there is none."""
        ask = {kind.tasks: kind.ask for kind in kinds()}
        return lambda task: ask[type(task)](task, client, self.rng)

    def _add(
        self, names: list[str], width: int, ask: Ask, *, breaker: str = "", others: bool = False
    ) -> None:
        """Lanes for the tasks of these endpoints, or of all `others`."""
        lanes = Lanes(width, ask, self._note, paused=lambda: self.database.away)
        fetch = partial(_claim, owner=self.owner, names=names, others=others, breaker=breaker)
        self.lanes.append((fetch, lanes))

    def _note(self, result: Result) -> None:
        self.results.append(result)
        self.news.set()

    async def _client(self, endpoint: Endpoint, stack: AsyncExitStack) -> Client | None:
        """An open client, or None when the endpoint's address is refused or unknown."""
        pace = SharedPace(endpoint, self.database) if endpoint.requests_per_minute else None
        try:
            return await stack.enter_async_context(Client(endpoint, pace=pace))
        except (AddressRefused, Unavailable) as error:
            logger.warning("endpoint %s cannot be used: %s", endpoint.name, error)
            return None

    async def _feed(self, fetch: Callable[..., list[Task]], lanes: Lanes) -> None:
        """Keep lanes busy until the queue has nothing for them and what all lanes were given is stored.

        What the lanes of one endpoint come to may be questions for another: of an attempt whose roles have several.
        """
        while time.monotonic() < self.ends_at:
            unsettled, wanted = bool(lanes.held), lanes.wanted
            tasks = await self.database.do(fetch, limit=wanted) if wanted else []
            lanes.take(tasks)
            if not tasks and not unsettled:
                if not any(other.held for _, other in self.lanes):
                    return
                await asyncio.sleep(IDLE_SECONDS)
            elif len(tasks) < wanted:
                self.settled.clear()
                await within(PAUSE_SECONDS, self.settled)
            else:
                await lanes.room(PAUSE_SECONDS)
        lanes.stop_waiting()
        while lanes.held:
            await asyncio.sleep(PAUSE_SECONDS)

    async def _store(self) -> None:
        """Store results in batches, for ever."""
        took = 0.0
        while True:
            await self._batch(min(LONGEST_REST, RESTS_PER_BATCH * took))
            begun = time.monotonic()
            batch = self.results[:FLUSH_ROWS]
            if batch:
                for kind in kinds():
                    if found := [result for result in batch if isinstance(result.task, kind.tasks)]:
                        self.stored += await self._settle(kind, found)
                del self.results[: len(batch)]
                settled = {result.task for result in batch}
                for _, lanes in self.lanes:
                    lanes.held -= settled
            await self._give_back_dropped()
            took = time.monotonic() - begun
            self.settled.set()

    async def _settle(self, kind: Kind, results: Sequence[Result]) -> int:
        """Store results of a kind; where the database refuses them, each by itself, and as a failure what it refuses
        alone. So what no column holds costs its own task, and neither the others nor the worker."""
        try:
            return await self.database.do(kind.settle, results=results, owner=self.owner)
        except (DataError, IntegrityError, ValueError):
            if len(results) > 1:
                return sum([await self._settle(kind, [result]) for result in results])
            (result,) = results
            if isinstance(result, Failure):
                raise
            logger.exception("what came back for task %s cannot be stored", result.task.pk)
        error = "what came back cannot be stored; the worker's log says why"
        failure = Failure(task=result.task, error=error, final=True, wait=timedelta(0), unanswered=1)
        return await self.database.do(kind.settle, results=[failure], owner=self.owner)

    async def _batch(self, rest: float) -> None:
        """Returns when there is something to store, or soon: at once after a rest, which lets a batch grow, and
        before its end when much has come in for the calls in flight, or nothing more is coming.

        So a killed worker loses few replies besides its calls in flight, and one with many
        calls does not store row by row.
        """
        until = time.monotonic() + rest
        if not self.results:
            await within(PAUSE_SECONDS, self.news)
        self.news.clear()
        while self.results and len(self.results) < FLUSH_ROWS and time.monotonic() < until:
            if len(self.results) >= sum(lanes.in_flight for _, lanes in self.lanes) / FULL_SHARE:
                break
            await asyncio.sleep(_TICK_SECONDS)

    async def _give_back_dropped(self) -> None:
        for _, lanes in self.lanes:
            dropped, lanes.dropped = lanes.dropped, []
            for kind in kinds():
                if ids := [task.pk for task in dropped if isinstance(task, kind.tasks)]:
                    await self.database.do(release, kind.tasks, owner=self.owner, task_ids=ids)

    async def _keep_alive(self) -> None:
        while True:
            await asyncio.sleep(settings.JUDGE_LEASE_SECONDS / HEARTBEATS_PER_LEASE)
            held = [task for _, lanes in self.lanes for task in lanes.held]
            for kind in kinds():
                ids = [task.pk for task in held if isinstance(task, kind.tasks)]
                await self.database.do(keep_alive, kind.tasks, owner=self.owner, task_ids=ids)


def _claim(*, owner: str, limit: int, names: list[str], others: bool, breaker: str) -> list[Task]:
    """Tasks for lanes that want `limit` of them: none while the breaker of their endpoint is open."""
    wanted = allowed(endpoint=breaker, wanted=limit) if breaker else limit
    tasks: list[Task] = []
    for kind in kinds():
        path = kind.own_endpoint or kind.endpoint
        if len(tasks) < wanted and (path or (names == [""] and not others)):
            asked = Q(**{f"{path}__in": names}) if path else Q()
            asked = ~asked if others else asked
            chosen = {"among": asked} if kind.own_endpoint else {"which": asked}
            tasks += claim(kind, owner=owner, limit=wanted - len(tasks), **chosen)
    return tasks
