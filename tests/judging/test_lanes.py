"""Lanes ask no more than is useful, and nothing while what comes back could not be stored."""

import asyncio

from django.db import InternalError, OperationalError

from judging.models import JudgeTask
from tests.judging.test_claims import failure
from work.database_thread import DatabaseThread
from work.kinds import Failure
from work.lanes import Lanes


def test_nothing_new_is_asked_while_paused_and_everything_after_it():
    """Two lanes, five tasks: the pause begins with the first two in flight, which still end."""
    away = False
    asked: list[int] = []
    results: list[object] = []
    released = asyncio.Event()

    async def ask(task: JudgeTask) -> Failure:
        asked.append(task.pk)
        await released.wait()
        return failure(task)

    async def run() -> None:
        nonlocal away
        lanes = Lanes(2, ask, results.append, paused=lambda: away)
        lanes.take([JudgeTask(pk=number) for number in range(1, 6)])
        await asyncio.sleep(0)
        assert asked == [1, 2]
        away = True
        released.set()
        await asyncio.sleep(0.01)
        lanes.take([])
        await asyncio.sleep(0.01)
        assert (asked, len(results), lanes.in_flight) == ([1, 2], 2, 0)
        away = False
        lanes.take([])
        await asyncio.sleep(0.01)
        assert asked == [1, 2, 3, 4, 5]

    asyncio.run(run())


class ReadOnly(Exception):
    """As psycopg2 tells it in a failover."""

    pgcode = "25006"


def test_the_database_is_away_from_the_first_failure_to_the_next_success():
    seen: list[bool] = []

    async def run() -> None:
        database = DatabaseThread()
        read_only = InternalError("cannot execute UPDATE in a read-only transaction")
        read_only.__cause__ = ReadOnly()
        outcomes = iter([OperationalError("gone"), read_only, None])

        def verb() -> None:
            seen.append(database.away)
            if error := next(outcomes):
                raise error

        await database.do(verb)
        seen.append(database.away)
        await database.close()

    asyncio.run(run())
    assert seen == [False, True, True, False]
