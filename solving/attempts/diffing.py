"""What changed between two texts, block by block. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal


@dataclass(frozen=True)
class Change:
    """A run of blocks: `same` in both, `removed` from the first, or `added` by the second. Numbers count from 0."""

    kind: Literal["same", "removed", "added"]
    blocks: tuple[int, ...]


def changes(before: Sequence[str], after: Sequence[str]) -> list[Change]:
    """How the blocks of one text become those of another, in reading order. Spacing does not count."""
    first, second = [" ".join(one.split()) for one in before], [" ".join(one.split()) for one in after]
    found: list[Change] = []
    for kind, low, high, left, right in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        if kind == "equal":
            found.append(Change("same", tuple(range(left, right))))
            continue
        if high > low:
            found.append(Change("removed", tuple(range(low, high))))
        if right > left:
            found.append(Change("added", tuple(range(left, right))))
    return found
