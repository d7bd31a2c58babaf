"""What REST sends, shaped by serializers that are made once: Django REST framework copies every field for each use."""

from collections.abc import Iterable
from typing import Any

from rest_framework.serializers import BaseSerializer

_MADE: dict[type[BaseSerializer[Any]], BaseSerializer[Any]] = {}


def _made(serializer: type[BaseSerializer[Any]]) -> BaseSerializer[Any]:
    return _MADE.get(serializer) or _MADE.setdefault(serializer, serializer())


def shaped(serializer: type[BaseSerializer[Any]], value: Any) -> Any:
    """`value` as `serializer(value).data` would give it. For serializers that use no context."""
    return _made(serializer).to_representation(value)


def shaped_all(serializer: type[BaseSerializer[Any]], values: Iterable[Any]) -> list[Any]:
    """Each of `values`, as `serializer(values, many=True).data` would give them."""
    return [_made(serializer).to_representation(value) for value in values]
