"""The OpenAPI schema of a document, derived from the types of its fields (canonical/documents.py)."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from rest_framework import serializers

from canonical.documents import keys_of

Field = serializers.Field[Any, Any, Any, Any]
_PLAIN: Mapping[type, type[Field]] = {
    bool: serializers.BooleanField,
    int: serializers.IntegerField,
    float: serializers.FloatField,
    dt.date: serializers.DateField,
}


@cache
def schema_of(document: type) -> type[serializers.Serializer[Any]]:
    """A serializer class with the keys of the document, for `extend_schema`; answers are made by `as_json`."""

    def get_fields(_: serializers.Serializer[Any]) -> dict[str, Field]:
        fields = {}
        for key in keys_of(document):
            more = {"help_text": key.words} if key.words else {}
            needed = not key.left_out
            fields[key.name] = _field(key.hint, free=key.free, can_be_null=needed, required=needed, **more)
        return fields

    words = document.__doc__ or ""
    # Where there is no docstring, dataclass writes the signature.
    is_signature = words.startswith(f"{document.__name__}(")
    return type(
        f"{document.__name__}Out",
        (serializers.Serializer,),
        {"__doc__": "" if is_signature else words, "get_fields": get_fields},
    )


def _field(hint: Any, *, free: bool = False, can_be_null: bool = True, **more: Any) -> Field:
    if hasattr(hint, "__metadata__"):
        return _field(get_args(hint)[0], free=free, can_be_null=can_be_null, **more)
    origin, inside = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        wanted = next(one for one in inside if one is not NoneType)
        if can_be_null and NoneType in inside:
            more["allow_null"] = True
        return _field(wanted, free=free, **more)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return serializers.DictField(child=serializers.JSONField() if free else _field(inside[1]), **more)
    if free or hint is Any:
        return serializers.JSONField(**more)
    if origin in (list, tuple) or getattr(origin, "__name__", "") == "Sequence":
        if is_dataclass(inside[0]):
            return schema_of(inside[0])(many=True, **more)  # type: ignore[arg-type]
        return serializers.ListField(child=_field(inside[0]), **more)
    if origin is Literal:
        return serializers.ChoiceField(list(inside), **more)
    if is_dataclass(hint):
        return schema_of(hint)(**more)  # type: ignore[arg-type]
    return _PLAIN.get(hint, serializers.CharField)(**more)
