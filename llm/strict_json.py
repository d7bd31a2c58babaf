"""JSON read without the leniencies of the standard parser."""

import json
import math
import re
from collections.abc import Callable
from typing import Any

from pydantic import ValidationError

_FIELD = re.compile(r"[a-z_]{1,30}")


class NotJson(ValueError):
    """The text is not one strict JSON document; the message says where or why."""


class RepeatedKey(NotJson):
    """An object has a key twice; the message names it."""


def unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """The object of these pairs, as a hook of `json.loads`. Raises RepeatedKey."""
    found: dict[str, object] = {}
    for key, value in pairs:  # to count each key of a large object would take hours
        if key in found:
            raise RepeatedKey(f"the key {key[:100]!r} appears twice in one object")
        found[key] = value
    return found


def loads(text: str | bytes) -> Any:
    """Parses exactly one JSON document.

    Unlike `json.loads` it refuses repeated keys, NaN, Infinity, and numbers such as 1e999, whole ones too, which become
    infinite, and which no column holds. It answers nesting bombs, giant numbers and bytes that are not UTF-8 with
    NotJson too.
    """

    def no_constant(name: str) -> Any:
        raise NotJson(f"{name} is not JSON")

    def finite(number: str) -> float:
        if math.isinf(read := float(number)):
            raise NotJson(f"{number[:20]} is too large a number")
        return read

    def whole(number: str) -> int:
        finite(number)
        return int(number)

    try:
        decoded = text.decode("utf-8") if isinstance(text, bytes) else text
        return json.loads(
            decoded,
            object_pairs_hook=unique_keys,
            parse_constant=no_constant,
            parse_float=finite,
            parse_int=whole,
        )
    except NotJson:
        raise
    except (ValueError, RecursionError) as error:
        raise NotJson(str(error)) from error


def storable(value: Any) -> Any:
    """The document with every NUL and lone surrogate in its strings replaced by U+FFFD.

    Neither fits into a database's text or JSON column, and a reply must be stored whatever it says.
    """

    def fit(text: str) -> str:
        without = text.replace("\0", "\ufffd")
        if without.isascii():
            return without
        return without.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    return changed_strings(value, fit)


def changed_strings(value: Any, change: Callable[[str], str]) -> Any:
    """The document with `change` applied to every string in it, keys included.

    Raises NotJson for nesting that the parser bore and this does not.
    """

    def changed(value: Any) -> Any:
        if isinstance(value, str):
            return change(value)
        if isinstance(value, dict):
            return {change(key): changed(item) for key, item in value.items()}
        if isinstance(value, list):
            return [changed(item) for item in value]
        return value

    try:
        return changed(value)
    except RecursionError as error:
        raise NotJson("the document is nested too deeply") from error


def first_objection(error: ValidationError, *, whole: str = "") -> str:
    """Where a document first has another shape than it must, and what is wrong there, without the value."""
    first = error.errors(include_input=False, include_url=False)[0]
    return f"{'.'.join(map(str, first['loc'])) or whole}: {first['msg']}"


def fault_of_reply(error: NotJson | ValidationError) -> str:
    """Why a model's reply cannot be read, in words that hold nothing of it: they go into a prompt, and are stored."""
    if isinstance(error, RepeatedKey):
        return "not one JSON object: a key appears twice"
    if isinstance(error, NotJson):
        return f"not one JSON object: {error}"
    first = error.errors(include_input=False, include_url=False)[0]
    unknown = first["type"] == "extra_forbidden"
    place = first["loc"][:-1] if unknown else first["loc"]
    # a key of a mapping is the model's own word, too
    names = [str(part) if isinstance(part, int) or _FIELD.fullmatch(part) else "…" for part in place]
    said = "has a key that was not asked for" if unknown else first["msg"]
    return f"{'.'.join(names) or 'reply'}: {said}"
