"""Two texts of which only a person can say whether they mean the same. Pure."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

Fields = tuple[tuple[str, str], ...]  # name and text, in the order in which they are shown


@dataclass(frozen=True)
class OpenCase:
    """What an output found, next to what it was to find, and why the program cannot tell.

    `pair` names both texts up to case and white space, so that one answer holds wherever the two meet again.
    """

    found: Fields
    wanted: Fields
    reason: str
    pair: str


def open_case(found: Mapping[str, object], wanted: Mapping[str, object], reason: str) -> OpenCase:
    """The case of two texts in fields; a field without text is left out."""
    left, right = (
        tuple((name, text) for name, value in side.items() if (text := " ".join(str(value or "").split())))
        for side in (found, wanted)
    )
    return OpenCase(left, right, reason, pair_of(left, right))


def pair_of(found: Iterable[Iterable[str]], wanted: Iterable[Iterable[str]]) -> str:
    """SHA-256 over the names and texts of both sides, upper and lower case alike."""
    sides = [[[text.casefold() for text in field] for field in side] for side in (found, wanted)]
    return hashlib.sha256(json.dumps(sides, ensure_ascii=False).encode()).hexdigest()
