"""Canonical JSON: equal content gives equal bytes, on every machine. Ground floor: knows no Django."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any


def canonical_json(value: Any) -> bytes:
    """UTF-8 JSON with sorted keys and no blanks. Raises ValueError for NaN and infinity."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode()


def sha256_of(value: Any) -> str:
    """SHA-256 of the canonical bytes, in hex."""
    return hashlib.sha256(canonical_json(value)).hexdigest()


def strings_of(value: Any) -> Iterator[str]:
    """Every string among the values of a JSON document, in its order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from strings_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings_of(inner)
