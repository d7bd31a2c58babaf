"""Anchors of comments that came from elsewhere: where their words are in the source of a text, if they are. Pure.

What is stored follows the anchors of PDFs (annotation/grading/file_anchors.py). There are three kinds: `words` is about
words that the offsets of the comment do not give, because they continue beyond its block; `lost` keeps what was said
about a place that the text does not have; `whole` is about the text as a whole.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from itertools import takewhile
from typing import Any

AROUND = 32  # characters of the source before and after the quote
MOST_SEARCHED = 20_000  # characters of a quote that is not at its offsets
_MOST_PLACES = 1_000  # of the same words in one text; a single letter is in thousands
_CONTROL_WORD = re.compile(r"\\[A-Za-z]+\*?")


class Anchored(StrEnum):
    """What a comment is anchored to, as the comment table says it."""

    BLOCK = "block"
    PDF = "pdf"
    LOST = "lost"
    WHOLE = "whole"


@dataclass(frozen=True)
class Quoted:
    """Quoted words and what is around them."""

    exact: str
    prefix: str = ""
    suffix: str = ""


@dataclass(frozen=True)
class Given:
    """The place that a comment named: its block with offsets, or a page with rectangles. Empty where it named none."""

    block: str = ""
    start: int = 0
    end: int = 0
    page: int = 0
    rects: list[list[float]] = field(default_factory=list)


@dataclass(frozen=True)
class Place:
    """Offsets in the source of a block. `whole` is False if the words go on behind the block, `sure` if they are
    elsewhere as well, with as much of the given surroundings."""

    block: str
    start: int
    end: int
    whole: bool = True
    sure: bool = True


@dataclass(frozen=True)
class Source:
    """The source of a block, and where it begins in its text."""

    block: str
    start: int
    source: str


@dataclass(frozen=True)
class Text:
    """A text with its blocks, in order."""

    source: str
    blocks: tuple[Source, ...]


def words_anchor(quoted: Quoted) -> dict[str, object]:
    """The anchor of a comment at the block where its words begin."""
    return {"type": "words", "version": 1, "selector": [_quote_selector(quoted)]}


def lost_anchor(quoted: Quoted, given: Given) -> dict[str, object]:
    """The anchor of a comment whose place the text does not have: it keeps the words and what was said about it."""
    selector = [_quote_selector(quoted)] if any(asdict(quoted).values()) else []
    return {"type": Anchored.LOST.value, "version": 1, "selector": selector, "given": asdict(given)}


def whole_anchor() -> dict[str, object]:
    """The anchor of a comment about the text as a whole."""
    return {"type": Anchored.WHOLE.value, "version": 1, "selector": []}


def given_of(anchor: Mapping[str, Any] | None) -> Given:
    """The place that a lost comment named; empty for all others."""
    return Given(**anchor["given"]) if anchored_to(anchor) == Anchored.LOST and anchor else Given()


def anchored_to(anchor: Mapping[str, Any] | None) -> Anchored:
    """What a comment with this anchor is about."""
    kind = (anchor or {}).get("type", "words")
    return Anchored.BLOCK if kind == "words" else Anchored(kind)


def _quote_selector(quoted: Quoted) -> dict[str, str]:
    return {"type": "TextQuoteSelector", **asdict(quoted)}


def at_offsets(blocks: Mapping[str, str], given: Given, quoted: Quoted) -> Place | None:
    """The place by its own offsets, if the words and what is around them are there, or none are given."""
    source = blocks.get(given.block)
    if source is None or not 0 <= given.start <= given.end <= len(source):
        return None
    prefix, suffix = around(source, given.start, given.end)
    agrees = quoted == Quoted("") or source[given.start : given.end] == quoted.exact
    agrees = agrees and quoted.prefix in ("", prefix) and quoted.suffix in ("", suffix)
    return Place(given.block, given.start, given.end) if agrees else None


def around(source: str, start: int, end: int) -> tuple[str, str]:
    """What the source has before and after these offsets."""
    return source[max(start - AROUND, 0) : start], source[end : end + AROUND]


def by_words(texts: Sequence[Text], quoted: Quoted, block: str = "") -> Place | None:
    """The place of the words in one of the texts, in this block if it has them.

    They are compared as they are; then without white space; then by letters and digits alone, without commands. Of
    several places the one with most of the given surroundings is meant, and without any the first. Without words, the
    place is a point between the surroundings.
    """
    for fold in (_as_it_is, _without_blanks, _letters):
        wanted, before, after = (fold(part)[0] for part in (quoted.exact, quoted.prefix, quoted.suffix))
        found: list[tuple[tuple[int, bool], Place]] = []
        for text in texts:
            folded, places = fold(text.source)
            for start, end in _occurrences(folded, wanted, before, after):
                begins = places[start] if start < len(places) else len(text.source)
                ends = begins if start == end else places[end - 1] + 1
                place = _in_block(text, begins, ends)
                if place:
                    found.append(
                        ((_nearness(text.source, begins, ends, quoted), place.block == block), place)
                    )
        if found:
            best = max(near for near, _ in found)
            places_there = [place for near, place in found if near == best]
            return replace(places_there[0], sure=len(places_there) == 1)
    return None


def _nearness(source: str, start: int, end: int, quoted: Quoted) -> int:
    """How many letters next to these offsets are those of the given surroundings."""
    if not quoted.prefix and not quoted.suffix:
        return 0
    before, after = (_spelled(part) for part in around(source, start, end))
    near = shared(reversed(before), reversed(_spelled(quoted.prefix)))
    return near + shared(iter(after), iter(_spelled(quoted.suffix)))


def _occurrences(folded: str, wanted: str, before: str, after: str) -> Iterator[tuple[int, int]]:
    """Where the words are; without any, the points that have all of the surroundings."""
    if not wanted and not (before + after):
        return
    sought, skipped = (wanted, 0) if wanted else (before + after, len(before))
    at = folded.find(sought)
    for _ in range(_MOST_PLACES):
        if at < 0:
            return
        yield at + skipped, at + skipped + len(wanted)
        at = folded.find(sought, at + 1)


def _in_block(text: Text, start: int, end: int) -> Place | None:
    """The offsets in the block where they begin, or in the next one that they reach."""
    after = bisect_right(text.blocks, start, key=lambda one: one.start)
    for one in text.blocks[max(after - 1, 0) : after + 1]:
        last = one.start + len(one.source)
        if (start < last and end > one.start) or (start == end and one.start <= start <= last):
            begins = max(start - one.start, 0)
            return Place(one.block, begins, min(end, last) - one.start, start >= one.start and end <= last)
    return None


def shared(one: Iterator[str], other: Iterator[str]) -> int:
    """How many letters the two begin with in common."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


Folded = tuple[str, Sequence[int]]


def _as_it_is(text: str) -> Folded:
    return text, range(len(text))


@lru_cache(maxsize=8)  # of the text that the comments before this one were about
def _without_blanks(text: str) -> Folded:
    places = [place for place, sign in enumerate(text) if not sign.isspace()]
    return "".join(text[place] for place in places), places


@lru_cache(maxsize=8)
def _letters(text: str) -> Folded:
    """Letters and digits in lower case with their places; commands of LaTeX are left out."""
    found, places = [], []
    visible = _CONTROL_WORD.sub(lambda command: " " * len(command.group()), text)
    for place, sign in enumerate(visible):
        for letter in _spelled(sign):
            found.append(letter)
            places.append(place)
    return "".join(found), places


def _spelled(text: str) -> str:
    """The letters and digits, in lower case and without accents."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", text).casefold()))
