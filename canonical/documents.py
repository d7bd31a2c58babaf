"""Documents: frozen dataclasses whose fields are the keys of a JSON object, in their order (ADR 0035)."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from numbers import Real
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")
LEFT_OUT, FREE = "left out where None", "of a shape that the schema does not give"
Maybe = Annotated[T | None, LEFT_OUT]  # a key that is absent where it has no value; a plain None is null
Free = Annotated[T, FREE]


@dataclass(frozen=True)
class Key:
    """A key of a document: its field and type, whether it can be absent, and what it says (a text in Annotated).

    `marks` are all that Annotated says about it.
    """

    field: str
    name: str
    hint: Any
    left_out: bool
    free: bool
    words: str
    marks: tuple[Any, ...]


@cache
def keys_of(document: type) -> tuple[Key, ...]:
    """The keys of a class of documents. `with_` is the field of the key "with"; `json_names` can name others."""
    hints = get_type_hints(document, include_extras=True)
    names: Mapping[str, str] = getattr(document, "json_names", {})
    found = []
    for field in fields(document):
        hint = hints[field.name]
        marks = hint.__metadata__ if hasattr(hint, "__metadata__") else ()
        found.append(
            Key(
                field=field.name,
                name=names.get(field.name, field.name.removesuffix("_")),
                hint=get_args(hint)[0] if marks else hint,
                left_out=LEFT_OUT in marks,
                free=FREE in marks,
                words=next(
                    (mark for mark in marks if isinstance(mark, str) and mark not in (LEFT_OUT, FREE)), ""
                ),
                marks=marks,
            )
        )
    return tuple(found)


def as_json(value: Any) -> Any:
    """A document, or a mapping or sequence with documents in it, as dicts, lists, text and numbers."""
    if value is None or isinstance(value, Enum | bool | int | str):
        return value.value if isinstance(value, Enum) else value
    if isinstance(value, Real):
        return float(value) + 0.0  # numpy's become plain, and -0.0 becomes 0.0
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {key: as_json(of) for key, of in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(of) for of in value]
    if isinstance(value, set | frozenset):
        return sorted(as_json(of) for of in value)
    if is_dataclass(value):
        kind: type = type(value)
        found = ((key, getattr(value, key.field)) for key in keys_of(kind))
        return {key.name: as_json(of) for key, of in found if of is not None or not key.left_out}
    raise TypeError(f"a document cannot hold {type(value).__name__}")


def from_json(hint: Any, value: Any) -> Any:
    """The inverse of `as_json`: `value` as a document of the class `hint`, or as what the type of a field says."""
    origin, inside = get_origin(hint), get_args(hint)
    if value is None or hint in (Any, str, int, float, bool) or origin is Literal:
        return value
    if hint in (dt.date, dt.datetime):
        return hint.fromisoformat(value)
    if hasattr(hint, "__metadata__"):
        return from_json(inside[0], value)
    if origin in (Union, UnionType):
        return from_json(next(one for one in inside if one is not NoneType and _fits(one, value)), value)
    if isinstance(hint, type) and is_dataclass(hint):
        keys = [key for key in keys_of(hint) if key.name in value]
        return hint(**{key.field: from_json(key.hint, value[key.name]) for key in keys})
    if origin is tuple:
        return tuple(from_json(inside[0], of) for of in value)
    if origin in (list, Sequence):
        return [from_json(inside[0], of) for of in value]
    if origin is Mapping:
        return {name: from_json(inside[1], of) for name, of in value.items()}
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint(value)
    raise TypeError(f"no document can be read with a field of type {hint}")


def _fits(hint: Any, value: Any) -> bool:
    """Whether a document of one of several classes is of this one: it has all keys that must be there, and no other."""
    if not (isinstance(hint, type) and is_dataclass(hint)):
        return True
    keys = keys_of(hint)
    return {key.name for key in keys if not key.left_out} <= set(value) <= {key.name for key in keys}
