"""The rail next to a proof: one mark per block, so that a long document can be seen and jumped through."""

import html
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

_NUMBER = re.compile(r"[\d.]+$")
_TAG = re.compile(r"<[^<>]*>")
_LONGEST = 60


class Placed(Protocol):
    """What the rail needs of a block."""

    @property
    def id(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def html(self) -> str: ...


@dataclass(frozen=True)
class Mark:
    """A link of the rail: `sign` is what is shown, `words` the accessible name; landmarks stand out."""

    block: str
    sign: str
    words: str
    landmark: bool


def rail(blocks: Iterable[Placed]) -> list[Mark]:
    """Headings read "§2", theorems and their kin by initial and number ("L3"), proofs "pf", all else a dot."""
    return [_mark(number, block) for number, block in enumerate(blocks, start=1)]


def _mark(number: int, block: Placed) -> Mark:
    sign = _sign(block)
    return Mark(block.id, sign or "·", _words(number, block), landmark=bool(sign))


def _words(number: int, block: Placed) -> str:
    """A heading's own words, a theorem's name, or the kind and place of anything else."""
    if block.kind == "heading":
        text = " ".join(html.unescape(_TAG.sub(" ", block.html)).split())
        return text[:_LONGEST] or f"heading {number}"
    return block.label or f"{block.kind} {number}"


def _sign(block: Placed) -> str:
    found = _NUMBER.search(block.label)
    number = found.group() if found else ""
    if block.kind == "heading":
        return f"§{number}"
    if block.kind == "theorem":
        return (block.label[:1] or "T") + number
    return "pf" if block.kind == "proof" else ""
