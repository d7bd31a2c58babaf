"""What a request asks of the database, counted by what it is about.

Everything that goes through the real middleware counts, session and sign-in included. Transaction control
(savepoints, begin, commit) reads and writes no table and is counted apart: inside a test, `atomic` is a savepoint;
in production it is BEGIN and COMMIT, and one SELECT 1 asks whether a kept connection still lives. A connection to
PostgreSQL is sent each kept statement once with PREPARE, which asks nothing; what counts is its EXECUTE.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext

CONTROL = ("SAVEPOINT", "RELEASE", "ROLLBACK", "BEGIN", "COMMIT", "SET ")


@dataclass(frozen=True)
class Asked:
    """The answer, and the statements that it took: on tables, and of transaction control."""

    reply: Any
    on_tables: tuple[str, ...]
    control: tuple[str, ...]


def asked(request: Callable[[], Any]) -> Asked:
    """Make the request and read what it asked."""
    with CaptureQueriesContext(connection) as captured:
        reply = request()
    statements = [q["sql"] for q in captured.captured_queries if not q["sql"].startswith("PREPARE")]
    control = [sql for sql in statements if sql.startswith(CONTROL)]
    return Asked(reply, tuple(sql for sql in statements if sql not in control), tuple(control))
