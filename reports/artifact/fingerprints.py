"""Fingerprints of every leaf of a document, so that a change can be named where it is and undone.

A leaf is a scalar, or a row of a table (a list in a list). Its fingerprint is the first twelve hex digits of
the SHA-256 of `path=value`. Forty-eight bits locate a change; what proves integrity is the document's full
hash. A change of a single byte is small enough to be undone by trial, which gives the value that was frozen.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from reports.core.canonical import canonical

_DIGITS = 12
_LONGEST = 2048  # bytes of a leaf of which single-byte changes are tried


@dataclass(frozen=True)
class Difference:
    """One place in a document: its JSON path, what it should hold, and what it holds."""

    path: str
    expected: str
    found: str

    def __str__(self) -> str:
        return f"{self.path}: expected {self.expected}, found {self.found}"


@dataclass(frozen=True)
class _Leaf:
    path: str
    name: str  # the path without positions, so that a row keeps its fingerprint wherever it moves
    value: Any

    @property
    def text(self) -> bytes:
        return f"{self.name}=".encode() + canonical(self.value)


def fingerprints(part: Any) -> str:
    """The fingerprints of all leaves in their order, one after the other."""
    return "".join(_fingerprint(leaf.text) for leaf in _leaves(part))


def altered(path: str, part: Any, frozen: str) -> Iterator[Difference]:
    """Where `part`, which is at `path` of its document, differs from what had the `frozen` fingerprints.

    Where the number of leaves is another, the stretch between the first and the last difference is named.
    """
    leaves = list(_leaves(part))
    expected = [frozen[at : at + _DIGITS] for at in range(0, len(frozen), _DIGITS)]
    found = [_fingerprint(leaf.text) for leaf in leaves]
    if len(found) != len(expected):
        shorter = min(len(expected), len(found))
        first = next((at for at in range(shorter) if expected[at] != found[at]), shorter)
        at = leaves[min(first, len(leaves) - 1)].path
        has = f"{len(found)}; the first that differs is {path}{at}"
        yield Difference(path, f"{len(expected)} values", has)
        return
    changed = [row for row in zip(leaves, expected, found, strict=True) if row[1] != row[2]]
    for number, (leaf, wanted, has) in enumerate(changed):
        was = None if number else _restored(leaf.text, wanted)  # one byte changes one leaf, or its first
        at = path + leaf.path
        if was is None:
            yield Difference(at, f"a value with fingerprint {wanted}", f"{short(leaf.value)} ({has})")
            continue
        name, value = was
        if name != leaf.name:
            yield Difference(at, f"{path}{name}", f"{path}{leaf.name}")
        elif isinstance(value, list) and isinstance(leaf.value, list) and len(value) == len(leaf.value):
            pairs = enumerate(zip(value, leaf.value, strict=True))
            place, (old, new) = next((place, pair) for place, pair in pairs if pair[0] != pair[1])
            yield Difference(f"{at}[{place}]", short(old), short(new))
        else:
            yield Difference(at, short(value), short(leaf.value))


def _leaves(value: Any, path: str = "", name: str = "") -> Iterator[_Leaf]:
    if isinstance(value, dict) and value:
        for key, member in value.items():
            yield from _leaves(member, f"{path}.{key}", f"{name}.{key}")
    elif isinstance(value, list) and value:
        for at, member in enumerate(value):
            if isinstance(member, list):
                yield _Leaf(f"{path}[{at}]", f"{name}[]", member)
            else:
                yield from _leaves(member, f"{path}[{at}]", f"{name}[]")
    else:
        yield _Leaf(path, name, value)


def _fingerprint(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()[:_DIGITS]


def _restored(text: bytes, wanted: str) -> tuple[str, Any] | None:
    """(name, value) of the leaf before one of its bytes was replaced, added or removed; None if it was more."""
    if len(text) > _LONGEST:
        return None
    before = hashlib.sha256()
    for at in range(len(text) + 1):
        for tail in (text[at + 1 :], text[at:]):
            for byte in range(256):
                tried = before.copy()
                tried.update(bytes((byte,)) + tail)
                if tried.hexdigest()[:_DIGITS] == wanted:
                    return _parsed(text[:at] + bytes((byte,)) + tail)
        tried = before.copy()
        tried.update(text[at + 1 :])
        if tried.hexdigest()[:_DIGITS] == wanted:
            return _parsed(text[:at] + text[at + 1 :])
        before.update(text[at : at + 1])
    return None


def _parsed(text: bytes) -> tuple[str, Any] | None:
    try:
        name, _, value = text.decode("utf-8").partition("=")
        return name, json.loads(value)
    except ValueError:
        return None


def short(value: Any, longest: int = 120) -> str:
    """Canonical JSON of a value, cut when it is long."""
    text = canonical(value).decode()
    return text if len(text) <= longest else f"{text[:longest]}…"
