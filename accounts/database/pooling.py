"""Does each connection to PostgreSQL have a session of its own, or does a pooler share sessions between transactions?

Behind such a pooler, what a session keeps between transactions leaks to other clients: the role of a blinded request,
cursors that outlive a transaction. TOUCHSTONE_TRANSACTION_POOLER=1 does without both; a pooler that was not declared is
refused at start (docs/adr/0029-poolers.md).
"""

import logging
from contextlib import ExitStack, closing
from functools import cache

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import OperationalError, connection

logger = logging.getLogger(__name__)
OTHERS = 3  # with two sessions that take turns, the second of them is the first to notice
_WHO = "SELECT pg_backend_pid()"


def sessions_are_shared() -> bool:
    """Whether two connections, held at the same time, are ever served by one session, or one by two.

    With sessions of their own neither can happen. A pooler by transactions gives the second connection the session
    that the first has just used, or, if it takes turns, gives the first another one next time. Raises
    OperationalError when the database does not answer.
    """
    if connection.vendor != "postgresql":
        return False
    with ExitStack() as stack:
        first, *others = (stack.enter_context(closing(connection.copy())) for _ in range(1 + OTHERS))
        asking = stack.enter_context(first.cursor())
        for other in others:
            asking.execute(_WHO)
            mine = asking.fetchone()
            other.set_autocommit(False)  # it keeps the session that it is given until it is closed
            with other.cursor() as holding:
                holding.execute(_WHO)
                if holding.fetchone() == mine:
                    return True
            asking.execute(_WHO)
            if asking.fetchone() != mine:
                return True
    return False


def pooler_fault() -> str:
    """Why this database cannot be used with these settings; empty if it can. Raises OperationalError."""
    if settings.TRANSACTION_POOLER or not sessions_are_shared():
        return ""
    return (
        "DATABASE_URL leads to a pooler that shares sessions between transactions. There the role of a reviewer's "
        "request and cursors reach other requests"
    )


POOLER_HINT = (
    "Set TOUCHSTONE_TRANSACTION_POOLER=1, without TOUCHSTONE_BLIND_ROLE, or let the pooler pool sessions "
    "(PgBouncer: pool_mode = session)."
)


@cache
def refuse_undeclared_pooler() -> None:
    """Raises ImproperlyConfigured behind such a pooler; asks the database once, or again if it did not answer."""
    if fault := pooler_fault():
        raise ImproperlyConfigured(f"{fault}. {POOLER_HINT}")


def refuse_undeclared_pooler_at_start() -> None:
    """The same for a process that starts, which may do so while the database is away."""
    try:
        refuse_undeclared_pooler()
    except OperationalError as error:
        logger.warning("Could not check whether a pooler shares sessions: %s", error)
