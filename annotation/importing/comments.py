"""Anchored comments that came with grades from elsewhere: where they belong in the texts of this site."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotation.campaigns.pairing import upright_block
from annotation.core.files import file_pages
from annotation.core.material import item_material
from annotation.grading.answers import CheckedComment
from annotation.grading.file_anchors import FilePage, checked_anchor
from annotation.grading.word_anchors import (
    MOST_SEARCHED,
    Anchored,
    Given,
    Quoted,
    Source,
    Text,
    at_offsets,
    by_words,
    given_of,
    lost_anchor,
    whole_anchor,
    words_anchor,
)
from annotation.models import Campaign, Comment, Item
from annotation.models import Rubric as RubricRow
from benchmark.rendering.actions import render_now


@dataclass(frozen=True)
class PublishedComment:
    """A comment as its file has it. The block of a pair is named in the order of the pair's name."""

    about: Anchored
    quoted: Quoted
    given: Given
    severity: str
    kind: str
    text: str
    line: int
    file: str = ""


@dataclass(frozen=True)
class PlacedComment:
    """The comment as it is stored. `sure` is False if its words are at other places of the text as well."""

    comment: PublishedComment
    stored: CheckedComment
    sure: bool = True

    @property
    def lost(self) -> bool:
        """The text has no such place; the words are kept."""
        return (self.stored.anchor or {}).get("type") == Anchored.LOST


@dataclass(frozen=True)
class Readable:
    """What comments on an item can be about: its texts in blocks, and the pages of its PDFs."""

    texts: tuple[Text, ...]
    blocks: Mapping[str, str]
    pages: Mapping[str, FilePage]


def readable(item: Item, protocol: str, *, swapped: bool) -> Readable:
    """The texts as graders see them, rendered now: for commands and workers. The item need not be stored."""
    item.campaign = Campaign(rubric=RubricRow(protocol=protocol))
    shown = item_material(item, swapped=swapped)
    wanted = [
        (proof.anchored.text, proof.anchored.text_format, proof.prefix)
        for proof in shown.proofs
        if proof.anchored.text.strip()
    ]
    texts = tuple(
        Text(text, tuple(Source(block.id, block.start, block.source) for block in document.blocks))
        for (text, _, _), document in zip(wanted, render_now(wanted), strict=True)
    )
    blocks = {one.block: one.source for text in texts for one in text.blocks}
    return Readable(texts, blocks, file_pages(shown))


def placed(comment: PublishedComment, where: Readable, *, turned: bool) -> PlacedComment:
    """By its offsets if the words are there, else by its words; kept without a place if there is none.

    `turned`: the pair is shown in the other order than that of its name.
    """
    given, quoted = comment.given, comment.quoted
    block = upright_block(given.block, swapped=turned)
    if comment.about == Anchored.WHOLE:
        return _stored(comment, whole_anchor())
    if comment.about == Anchored.PDF:
        name = block or next((one for one, page in where.pages.items() if page.number == given.page), "")
        quote = {"exact": quoted.exact, "prefix": quoted.prefix, "suffix": quoted.suffix}
        raw = {"page": given.page, "quote": quote if quoted.exact else None, "rects": given.rects}
        try:
            anchor, start, end = checked_anchor(raw, where.pages[name])
        except (KeyError, ValueError):
            return _stored(comment, lost_anchor(quoted, given))
        return _stored(comment, anchor, name, start, end)
    place = None
    if comment.about == Anchored.BLOCK:
        place = at_offsets(where.blocks, Given(block, given.start, given.end), quoted)
    if place is None and len(quoted.exact) <= MOST_SEARCHED:
        place = by_words(where.texts, quoted, block)
    if place is None:
        return _stored(comment, lost_anchor(quoted, given))
    whole = None if place.whole else words_anchor(quoted)
    return _stored(comment, whole, place.block, place.start, place.end, sure=place.sure)


def _stored(
    comment: PublishedComment,
    anchor: Mapping[str, object] | None,
    block: str = "",
    start: int = 0,
    end: int = 0,
    *,
    sure: bool = True,
) -> PlacedComment:
    row = CheckedComment(block, start, end, comment.severity, comment.kind, comment.text, anchor)
    return PlacedComment(comment, row, sure)


def same_comments(stored: Sequence[Comment], given: Sequence[CheckedComment]) -> bool:
    """Whether a stored grade has these comments, however their places are written."""
    return sorted(map(_content, stored)) == sorted(map(_content, given))


def _content(comment: Comment | CheckedComment) -> tuple[object, ...]:
    """A comment whose block is gone has its place in one of two columns."""
    given = given_of(comment.anchor)
    place = [(comment.block, comment.start, comment.end), (given.block, given.start, given.end)]
    words = json.dumps(
        (comment.anchor or {}).get("selector") or "", sort_keys=True
    )  # PostgreSQL sorts otherwise
    return *max(place), comment.severity, comment.kind, comment.text, words
