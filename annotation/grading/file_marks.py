"""Marks that a referee made in a PDF reader, as comments on the pages of an item's PDF; and comments as marks.

The marked file need not be the copy that the page shows. A mark is put on the page with the same words; where there is
none, on the page that has its quoted words; where there is none either, it is reported.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.grading.answers import HIGHLIGHT, KINDS
from annotation.grading.file_anchors import FilePage, checked_anchor, folded, rects_of, words_of
from annotation.grading.remarks import Remark
from benchmark.files.child import FoundMarks, Mark
from benchmark.files.process import with_marks
from benchmark.rubric_rules import SEVERITIES

SHORTEST = 8  # letters of a quote that is looked for on other pages
ALIKE = 0.9  # share of the words of a page that a page of another copy has too
_WORD = re.compile(r"\w{3,}")


@dataclass(frozen=True)
class Placed:
    """Comments as drafts hold them, and the marks that have no place in the document."""

    comments: tuple[dict[str, Any], ...]
    lost: tuple[Mark, ...]


def placed_marks(found: FoundMarks, pages: Mapping[str, FilePage]) -> Placed:
    """The comments for the pages of one PDF, by the ids that comments name."""
    ids = list(pages)
    shown = [folded(page.words)[0] for page in pages.values()]
    vocabularies = [set(_WORD.findall(page.words.lower())) for page in pages.values()]
    same: dict[int, int | None] = {}
    comments, lost = [], []
    for mark in found.marks:
        at = mark.page - 1
        near = sorted(range(len(ids)), key=lambda number: abs(number - at))
        if mark.page not in same:
            # The page with the same words: at the same place, or else the nearest; one without words only there.
            wanted = set(_WORD.findall(found.words[at].lower()))
            same[mark.page] = None
            for number in near:
                here = vocabularies[number]
                if (wanted or number == at) and len(wanted & here) >= ALIKE * len(wanted | here):
                    same[mark.page] = number
                    break
        place, quote = same[mark.page], folded(mark.quote)[0]
        if place is None and len(quote) >= SHORTEST:
            place = next((number for number in near if quote in shown[number]), None)
        if place is None:
            lost.append(mark)
            continue
        page = pages[ids[place]]
        left, bottom, right, top = page.box
        rects = [
            [max(x0, left), max(y0, bottom), min(x1, right), min(y1, top)] for x0, y0, x1, y1 in mark.rects
        ]
        anchor: dict[str, object] = {"page": page.number, "quote": None, "rects": rects}
        if mark.on_words:
            anchor["quote"] = {"exact": mark.quote, "prefix": mark.prefix, "suffix": mark.suffix}
        try:
            checked_anchor(anchor, page)
        except ValueError:  # a submission would refuse it
            lost.append(mark)
            continue
        severity, kind = severity_and_kind(mark)
        comments.append(
            {
                "block": ids[place],
                "start": 0,
                "end": 0,
                "severity": severity,
                "kind": kind,
                "text": mark.text,
                "anchor": anchor,
            }
        )
    return Placed(tuple(comments), tuple(lost))


def in_words(mark: Mark) -> str:
    """A mark for a list of those that have no place."""
    about = f" on “{' '.join(mark.quote.split())[:100]}”" if mark.quote else ""
    return f"Page {mark.page}{about}: {mark.text[:200] or 'a mark without words'}"


def severity_and_kind(mark: Mark) -> tuple[str, str]:
    """As its subject says, if this site wrote it; else minor, or a highlight if it says nothing."""
    severity, _, kind = mark.subject.lower().replace(" ", "_").partition(",_")
    known = severity in (*SEVERITIES, HIGHLIGHT)
    if not mark.text:
        severity = HIGHLIGHT
    elif not known or severity == HIGHLIGHT:
        severity = "minor"
    return severity, kind if known and kind in KINDS else ""


def commented_pdf(copy: bytes, block: str, remarks: Iterable[Remark]) -> bytes:
    """The copy of a PDF with the remarks on its pages as annotations; `block` is what the ids of its pages begin with.

    Their authors are called what the page calls them, by a letter or not at all. Raises Refused (code "bad_file").
    """
    return with_marks(
        copy,
        [
            Mark(
                page=remark.page,
                rects=tuple((left, bottom, right, top) for left, bottom, right, top in rects_of(anchor)),
                on_words=bool(words_of(anchor)[0]),
                text=remark.comment.text,
                subject=", ".join(filter(None, [remark.comment.severity, kind.replace("_", " ")])),
                author=f"Reviewer {remark.letter}" if remark.letter else "",
            )
            for remark in remarks
            if (anchor := remark.comment.anchor) and remark.block.startswith(f"{block}-page")
            for kind in [remark.comment.kind]
        ],
    )
