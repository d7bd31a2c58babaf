"""Tables in an artifact: frozen rows as lists of their fields, and back with every type checked."""

from collections.abc import Iterable
from dataclasses import fields
from typing import Any, TypeVar, get_type_hints

Row = TypeVar("Row")


def rows_as_json(rows: Iterable[Any]) -> list[list[Any]]:
    """Each row as the list of its fields, in the order in which its dataclass declares them."""
    return [list(vars(row).values()) for row in rows]


def rows_from_json(kind: type[Row], table: Any, name: str) -> tuple[Row, ...]:
    """The inverse of rows_as_json. Raises ValueError naming the row and the column that does not fit."""
    if not isinstance(table, list):
        raise ValueError(f"{name}: expected a list of rows")
    hints = get_type_hints(kind)
    columns = [(field.name, hints[field.name]) for field in fields(kind)]  # type: ignore[arg-type]
    for at, row in enumerate(table):
        if not isinstance(row, list) or len(row) != len(columns):
            raise ValueError(f"{name}[{at}]: expected {', '.join(column for column, _ in columns)}")
        for (column, wanted), value in zip(columns, row, strict=True):
            # a whole number is a float too, as JSON has one kind of number; true and false are no numbers
            if type(value) is not wanted and (wanted is not float or type(value) is not int):
                raise ValueError(f"{name}[{at}].{column}: expected {wanted.__name__}, found {value!r}")
    return tuple(kind(*row) for row in table)
