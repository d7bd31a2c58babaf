"""Joins that every request of a reviewer makes, as SQL that is written once.

Django needs milliseconds to write a join of five tables that PostgreSQL runs in a fraction of one. So the few reads of
taking, opening and submitting an item are short texts; everything else is a queryset (docs/adr/0034).
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from django.db import connection
from django.db.models import Model
from django.utils.timezone import is_naive


class Joined:
    """SELECT of all columns of some models, then of some values, FROM `source`.

    Models are named by their alias in `source`, and parameters as in `%(name)s`, in values too.
    """

    def __init__(self, source: str, *values: str, **models: type[Model]) -> None:
        self._source, self._values, self._models = source, values, models

    def rows(self, **parameters: Any) -> Iterator[tuple[Any, ...]]:
        """An instance of each model, None where an outer join found no row, followed by the values."""
        with connection.cursor() as cursor:
            cursor.execute(self._sql, parameters)
            found = cursor.fetchall()
        for row in found:
            read: list[Any] = []
            start = 0
            for model, names, json in self._read:
                values = list(row[start : start + len(names)])
                start += len(names)
                for place, field in json:
                    values[place] = field.from_db_value(values[place], None, connection)
                if connection.vendor == "sqlite":  # it keeps times in UTC and does not say so
                    values = [
                        value.replace(tzinfo=UTC)
                        if isinstance(value, datetime) and is_naive(value)
                        else value
                        for value in values
                    ]
                read.append(None if values[0] is None else model.from_db(connection.alias, names, values))
            yield (*read, *row[start:])

    def first(self, **parameters: Any) -> tuple[Any, ...] | None:
        """The first row, None without any."""
        return next(self.rows(**parameters), None)

    @cached_property
    def _read(self) -> list[tuple[type[Model], list[str], list[tuple[int, Any]]]]:
        """Each model with the names of its columns, the key first, and those that are decoded after reading."""
        found = []
        for model in self._models.values():
            fields = columns_of(model)
            decoded = [(n, field) for n, field in enumerate(fields) if hasattr(field, "from_db_value")]
            found.append((model, [field.attname for field in fields], decoded))
        return found

    @cached_property
    def _sql(self) -> str:
        columns = [
            f'{alias}."{field.column}"'
            for alias, model in self._models.items()
            for field in columns_of(model)
        ]
        return " ".join(["SELECT", ", ".join([*columns, *self._values]), "FROM", self._source])


def columns_of(model: type[Model]) -> list[Any]:
    """The fields of a model that are columns of its table, in the order in which `from_db` takes their values."""
    return [field for field in model._meta.get_fields() if field.concrete and not field.many_to_many]


def set_related(row: Model, name: str, found: Model | None) -> None:
    """Let the one-to-one relation `name` of `row` be what was read with it, None included, as select_related does."""
    relation: Any = row._meta.get_field(name)
    relation.set_cached_value(row, found)
    if found is not None:
        setattr(row, name, found)
