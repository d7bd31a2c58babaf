"""Refusals that live in the database itself, on SQLite and PostgreSQL alike.

A guard is a row trigger: every writer, even a superuser in a shell, gets an IntegrityError with the guard's message.
SQLite drops triggers when a migration rebuilds a table, so a later migration that alters a guarded table must add its
guards again; a test compares what is installed with what migrations declare.
"""

from dataclasses import dataclass
from typing import Literal

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations import RunPython
from django.db.migrations.state import StateApps

Event = Literal["INSERT", "UPDATE", "DELETE"]


@dataclass(frozen=True)
class Guard:
    """Refuse `event` on rows of `table` for which the SQL condition `when` (over OLD and NEW) holds.

    A table has one guard per event and `part`; a part is named where a later feature adds a condition of its own.
    """

    table: str
    event: Event
    when: str
    message: str
    part: str = ""

    @property
    def name(self) -> str:
        name = f"guard_{self.table}_{self.event.lower()}"
        return f"{name}_{self.part}" if self.part else name

    def sqlite(self) -> str:
        return (
            f"CREATE TRIGGER {self.name} BEFORE {self.event} ON {self.table} WHEN {self.when} "
            f"BEGIN SELECT RAISE(ABORT, '{self.message}'); END"
        )

    def postgresql(self) -> str:
        result = "OLD" if self.event == "DELETE" else "NEW"
        return (
            f"CREATE FUNCTION {self.name}() RETURNS trigger LANGUAGE plpgsql AS $guard$ BEGIN "
            f"IF {self.when} THEN RAISE EXCEPTION '{self.message}' "
            f"USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN {result}; END $guard$; "
            f"CREATE TRIGGER {self.name} BEFORE {self.event} ON {self.table} "
            f"FOR EACH ROW EXECUTE FUNCTION {self.name}()"
        )

    def removal(self, vendor: str) -> str:
        if vendor == "sqlite":
            return f"DROP TRIGGER IF EXISTS {self.name}"
        return f"DROP FUNCTION IF EXISTS {self.name}() CASCADE"


def append_only(table: str) -> list[Guard]:
    """Rows of `table` may be added, never changed or removed."""
    message = f"{table} is append-only"
    return [Guard(table, "UPDATE", "TRUE", message), Guard(table, "DELETE", "TRUE", message)]


class InstallGuards(RunPython):
    """A reversible migration operation that installs `guards`."""

    def __init__(self, guards: list[Guard]) -> None:
        self.guards = guards
        super().__init__(self._install, self._remove)

    def _install(self, apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
        self._remove(apps, schema_editor)
        vendor = schema_editor.connection.vendor
        for guard in self.guards:
            schema_editor.execute(guard.sqlite() if vendor == "sqlite" else guard.postgresql(), params=None)

    def _remove(self, apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
        for guard in self.guards:
            schema_editor.execute(guard.removal(schema_editor.connection.vendor))


def lift(guards: list[Guard]) -> RunPython:
    """The operation that drops guards while a migration rebuilds the tables they read.

    SQLite refuses to rebuild a table that a trigger of another one mentions. A migration that lifts guards must install
    them again further down; otherwise the test of declared guards fails.
    """
    installed = InstallGuards(guards)
    return RunPython(installed._remove, installed._install)


class RetireGuards(RunPython):
    """A reversible migration operation that drops `guards` for good, because their table or rule is removed."""

    def __init__(self, guards: list[Guard]) -> None:
        self.guards = guards
        installed = InstallGuards(guards)
        super().__init__(installed._remove, installed._install)


install, retire = InstallGuards, RetireGuards  # the verbs of migrations
