"""The texts of a problem that a check compares, by the name of their field. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any

SHORTEST = 40  # characters; a shorter text is like many statements


def texts_of(payload: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, str]]:
    """(field, text) for every longer text in a payload; the field of one in a list or object has dots."""
    for name, value in payload.items():
        yield from _texts(f"{path}{name}", value)


def _texts(field: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        if len(value.strip()) >= SHORTEST:
            yield field, value
    elif isinstance(value, Mapping):
        yield from texts_of(value, f"{field}.")
    elif isinstance(value, list):
        for number, inner in enumerate(value, 1):
            yield from _texts(f"{field}.{number}", inner)
