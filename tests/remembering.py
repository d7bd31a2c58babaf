"""Rows that many tests begin with: written by the real actions once in a process, then by the same statements.

Importing a sample takes a third of a second of the processor, nearly all of it in Python. The first test that asks
lets the actions write, and what they send to the database is kept; later tests send it again. Triggers and
constraints look at every row as they did the first time. Keys are counted from a start of their own, so that they
come out the same, and never meet the keys of rows that a test has made before.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.db import IntegrityError, connection, transaction

APART = 1_000_000  # keys between the starts of two sets of rows; no test makes that many
_WRITES = re.compile(r"\s*(?:INSERT(?: OR IGNORE)? INTO|UPDATE|DELETE FROM) \"(\w+)\"")
_READS = re.compile(r"\s*(?:SELECT|SAVEPOINT|RELEASE|BEGIN|COMMIT|ROLLBACK)\b")


@dataclass
class Remembered:
    """What was sent to write one set of rows; `start` is below all its keys."""

    start: int
    statements: list[tuple[str, Any, bool]] = field(default_factory=list)

    @property
    def tables(self) -> list[str]:
        """Those that were written to."""
        return sorted({found[1] for sql, _, _ in self.statements if (found := _WRITES.match(sql))})


_known: dict[str, Remembered] = {}


def remembered(name: str, write: Callable[[], None]) -> None:
    """Write the rows of `write`, which always writes the same; `name` tells sets of rows apart."""
    if name in _known:
        try:
            with transaction.atomic():
                _write_again(_known[name])
        except IntegrityError:  # the test has made some of these rows by itself
            write()
    elif (
        _is_somebody_s_work_there()
    ):  # what finds rows does not write them, and they will not be there next time
        write()
    else:
        _known[name] = _written(write, start=(len(_known) + 1) * APART)


def _is_somebody_s_work_there() -> bool:
    """Whether there is any row besides those of people."""
    tables = [
        table
        for table in sorted(_tables_with_keys())
        if table.startswith(("benchmark_", "annotation_", "judging_"))
    ]
    with connection.cursor() as cursor:
        cursor.execute("SELECT " + " OR ".join(f'EXISTS (SELECT 1 FROM "{table}")' for table in tables))
        return bool(cursor.fetchone()[0])


def _written(write: Callable[[], None], start: int) -> Remembered:
    found = Remembered(start)
    with _keys_from(start, _tables_with_keys()), connection.execute_wrapper(_keeping(found.statements)):
        write()
    return found


def _write_again(known: Remembered) -> None:
    with _keys_from(known.start, _tables_with_keys() & set(known.tables)), connection.cursor() as cursor:
        for sql, parameters, many in known.statements:
            (cursor.executemany if many else cursor.execute)(sql, parameters)


def _keeping(statements: list[tuple[str, Any, bool]]) -> Callable[..., Any]:
    def keep(execute: Any, sql: str, parameters: Any, many: bool, context: Any) -> Any:
        if not _READS.match(sql):
            assert _WRITES.match(sql), f"a write of a form that is not known here: {sql}"
            statements.append((sql, parameters, many))
        return execute(sql, parameters, many, context)

    return keep


def _tables_with_keys() -> set[str]:
    """Tables whose keys the database counts."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%%AUTOINCREMENT%%'"
            )
        else:
            cursor.execute(
                "SELECT table_name FROM information_schema.columns"
                " WHERE table_schema = 'public' AND column_name = 'id' AND is_identity = 'YES'"
            )
        return {table for (table,) in cursor.fetchall()}


@contextmanager
def _keys_from(start: int, tables: set[str]) -> Iterator[None]:
    """Keys of `tables` are counted from `start` within the block. Raises IntegrityError where some are above it."""
    if connection.vendor == "sqlite":
        _count_from_in_sqlite(start, tables)
        yield
        return
    sequences = {table: f"pg_get_serial_sequence('\"{table}\"', 'id')" for table in sorted(tables)}
    with connection.cursor() as cursor:
        cursor.execute("SELECT " + ", ".join(f"nextval({each})" for each in sequences.values()))
        before = cursor.fetchone()
        cursor.execute("SELECT " + ", ".join(f"setval({each}, {start})" for each in sequences.values()))
        yield  # after an error there is no way back: keys go on from `start`, and what meets them is written again
        back = zip(sequences.values(), before, strict=True)
        cursor.execute("SELECT " + ", ".join(f"setval({each}, {key})" for each, key in back))


def _count_from_in_sqlite(start: int, tables: set[str]) -> None:
    """SQLite goes on from the largest key of a table's rows, so there is no way back, and none is needed."""
    with connection.cursor() as cursor:
        for table in sorted(tables):
            cursor.execute(f'SELECT 1 FROM "{table}" WHERE rowid > %s LIMIT 1', [start])
            if cursor.fetchone():
                raise IntegrityError(f"{table} has keys above {start}")
            cursor.execute("DELETE FROM sqlite_sequence WHERE name = %s", [table])
            cursor.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", [table, start])
