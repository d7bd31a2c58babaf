"""Statements of the hot paths: written as querysets, turned into SQL once per process, planned once per connection.

Writing a wide statement takes Django one to four milliseconds, and PostgreSQL about as long to plan it; running it
takes a fraction of one. So what every request asks is a `Statement`: a function that makes the queryset, with
`Parameter`s where values differ from request to request. The rows are read by Django's own iterables, so they are
what the queryset would have given (docs/adr/0023-statements-made-once.md).
"""

from __future__ import annotations

import copy
import itertools
import json
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

from django.conf import settings
from django.db import NotSupportedError, connection, connections
from django.db.models import BooleanField, Expression, Field, QuerySet

_IN_JSON = "IN (SELECT value FROM json_each(%s))"
_names = itertools.count(1)
_prepared: WeakKeyDictionary[Any, dict[_Compiled, str]] = WeakKeyDictionary()


class Parameter(Expression):
    """A value that is named when a `Statement` is made and supplied when it is executed.

    `changed` is applied to the given value first, such as str for a column that holds numbers as text. A value that a
    database does not accept as it is, such as a time on SQLite, needs the `output_field` it is compared with.
    """

    def __init__(
        self,
        name: str,
        changed: Callable[[Any], Any] | None = None,
        output_field: Field[Any, Any] | None = None,
    ) -> None:
        super().__init__(output_field=output_field)
        self.name = name
        self.changed = changed
        self.kind = output_field

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, Any]:
        return "%s", [self]

    def given(self, values: Mapping[str, Any]) -> Any:
        """The value for the database; raises KeyError when there is none of this name."""
        value = values[self.name]
        if self.changed is not None:
            value = self.changed(value)
        return value if self.kind is None else self.kind.get_db_prep_value(value, connection)


class OneOf(Expression):
    """Whether a column is one of the values of a list parameter, whatever their number: OneOf(F("x"), "names")."""

    output_field = BooleanField()

    def __init__(self, column: Any, name: str) -> None:
        super().__init__()
        self.column = column
        self.name = name

    def get_source_expressions(self) -> list[Any]:
        return [self.column]

    def set_source_expressions(self, expressions: Any) -> None:
        (self.column,) = expressions

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, Any]:
        sql, params = compiler.compile(self.column)
        if connection.vendor == "postgresql":
            return f"{sql} = ANY(%s)", [*params, Parameter(self.name, list)]
        return f"{sql} {_IN_JSON}", [*params, Parameter(self.name, _as_json)]


def _as_json(values: Any) -> str:
    return json.dumps(list(values))


class Statement:
    """What a queryset asks, with open values. `make` is called once, when the statement is first asked."""

    def __init__(self, make: Callable[[], QuerySet[Any]]) -> None:
        self._make = make

    def rows(self, **values: Any) -> list[Any]:
        """All rows, as the queryset would give them."""
        return self._compiled.rows(values)

    def first(self, **values: Any) -> Any:
        """The first row, None without any. The statement reads all of them unless its queryset is cut."""
        return next(iter(self._compiled.rows(values)), None)

    @cached_property
    def _compiled(self) -> _Compiled:
        return _Compiled(self._make())


class _Compiled:
    """The SQL of a queryset for the database of this process, and how its rows are read."""

    def __init__(self, queryset: QuerySet[Any]) -> None:
        self.queryset = queryset
        self.compiler: Any = queryset.query.get_compiler(using=connection.alias)
        self.sql, self.params = self.compiler.as_sql()
        converters = self.compiler.get_converters([column for column, *_ in self.compiler.select])
        self.compiler.get_converters = lambda columns: converters  # of columns that are always the same

    def rows(self, values: Mapping[str, Any]) -> list[Any]:
        with connection.cursor() as cursor:
            if connection.vendor == "postgresql" and settings.PREPARED_STATEMENTS:
                self._execute_prepared(cursor, values)
            else:
                cursor.execute(self.sql, [_bound(param, values) for param in self.params])
            found = cursor.fetchall()
        iterable: Any = self.queryset._iterable_class
        return list(iterable(_Fetched(self, found)))

    def _execute_prepared(self, cursor: Any, values: Mapping[str, Any]) -> None:
        known = _prepared.setdefault(connection.connection, {})
        fresh = self not in known
        try:
            self._execute(cursor, known, values)
        except NotSupportedError:  # a migration changed the type of a column since it was planned
            known.pop(self, None)
            if fresh or connection.in_atomic_block:
                raise
            self._execute(cursor, known, values)

    def _execute(self, cursor: Any, known: dict[_Compiled, str], values: Mapping[str, Any]) -> None:
        if self not in known:
            name = f"statement_{next(_names)}"
            cursor.execute(f"PREPARE {name} AS {self._numbered(cursor)}")
            known[self] = name
        given = [parameter.given(values) for parameter in self._open]
        places = f" ({', '.join(['%s'] * len(given))})" if given else ""
        cursor.execute(f"EXECUTE {known[self]}{places}", given)

    @cached_property
    def _open(self) -> list[Parameter]:
        """The parameters, each once however often it occurs, in the order of their numbers."""
        return list(dict.fromkeys(param for param in self.params if isinstance(param, Parameter)))

    def _numbered(self, cursor: Any) -> str:
        """The statement with $1, $2 for parameters and literals for what is always the same."""
        numbers = {parameter: f"${number}" for number, parameter in enumerate(self._open, start=1)}
        texts = [
            numbers[param] if isinstance(param, Parameter) else cursor.mogrify("%s", [param]).decode()
            for param in self.params
        ]
        return str(self.sql % tuple(texts))


def _bound(param: Any, values: Mapping[str, Any]) -> Any:
    return param.given(values) if isinstance(param, Parameter) else param


class _Fetched:
    """What Django's iterables ask of a queryset, answered with rows that are here already."""

    def __init__(self, compiled: _Compiled, rows: list[Any]) -> None:
        queryset = compiled.queryset
        self.db = connection.alias
        self.model = queryset.model
        self.query = self
        self._fields = queryset._fields  # type: ignore[attr-defined]
        self._known_related_objects: dict[Any, Any] = {}
        self._compiler = copy.copy(compiled.compiler)
        self._compiler.connection = connections[connection.alias]  # this thread's
        self._compiler.execute_sql = lambda *_, **__: [rows]

    def get_compiler(self, using: str) -> Any:
        return self._compiler
