"""The one thread for a worker's database work, apart from its event loop, and its patience in an outage."""

import asyncio
import logging
import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from django.db import DatabaseError, InterfaceError, OperationalError, connection

P = ParamSpec("P")
T = TypeVar("T")
logger = logging.getLogger(__name__)

OUTAGE_SECONDS = 600.0  # a database that is away for longer ends the shift; its leases then run out
READ_ONLY = "25006"  # what PostgreSQL says in a failover, and some hosts' servers while their disk is full
_LONGEST_PAUSE = 2.0


class DatabaseThread:
    """Runs verbs one after the other on a connection of its own.

    While the database is away (restarted, out of reach, locked) a verb is repeated, so it must be one that may
    be done twice. Whatever else goes wrong is raised.
    """

    def __init__(self, *, patience: float = OUTAGE_SECONDS) -> None:
        self.away = False  # as the last verb found it; what is asked now could not be stored
        self._patience = patience
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="work-db")

    async def do(self, verb: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The verb's result; raises DatabaseError when patience is over or trying again cannot help."""
        deadline = time.monotonic() + self._patience
        pause = 0.05
        while True:
            try:
                result = await self._once(lambda: verb(*args, **kwargs))
                self.away = False
                return result
            except DatabaseError as error:
                if time.monotonic() > deadline or not await self._is_away(error):
                    raise
                self.away = True
                logger.warning("the database is away, trying again: %s", error)
                await self._once(_close_connection)
            await asyncio.sleep(random.uniform(pause / 2, pause))
            pause = min(_LONGEST_PAUSE, 2 * pause)

    async def _is_away(self, error: DatabaseError) -> bool:
        """psycopg2 says plain DatabaseError when the server hangs up within a statement."""
        if getattr(error.__cause__, "pgcode", None) == READ_ONLY:
            return True
        if type(error) is not DatabaseError:
            return isinstance(error, OperationalError | InterfaceError)
        return await self._once(_connection_is_broken)

    async def close(self) -> None:
        """Close the connection and end the thread."""
        await self._once(_close_connection)
        self._thread.shutdown()

    async def _once(self, verb: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, verb)


def _connection_is_broken() -> bool:
    return connection.connection is None or not connection.is_usable()


def _close_connection() -> None:
    """Close the connection of the current thread: `connection` is a different one in each thread."""
    connection.close()
