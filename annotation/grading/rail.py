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
class RailMark:
    """A link of the rail: `sign` is what is shown, `words` the accessible name; landmarks stand out."""

    block: str
    sign: str
    words: str
    landmark: bool


def rail(blocks: Iterable[Placed]) -> list[RailMark]:
    """Headings read "§2", theorems and their kin by initial and number ("L3"), proofs "pf", all else a dot."""
    marks = []
    for place, block in enumerate(blocks, start=1):
        found = _NUMBER.search(block.label)
        number = found.group() if found else ""
        words, sign = block.label or f"{block.kind} {place}", ""
        if block.kind == "heading":
            text = " ".join(html.unescape(_TAG.sub(" ", block.html)).split())
            words, sign = text[:_LONGEST] or f"heading {place}", f"§{number}"
        elif block.kind == "theorem":
            sign = (block.label[:1] or "T") + number
        elif block.kind == "proof":
            sign = "pf"
        marks.append(RailMark(block.id, sign or "·", words, landmark=bool(sign)))
    return marks
