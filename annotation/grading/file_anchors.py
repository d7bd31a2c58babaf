"""Comments on a page of a PDF: what a client sends, checked, as it is stored. Pure.

A client sends {"page", "quote": {"exact", "prefix", "suffix"} or null, "rects": [[left, bottom, right, top]]};
rectangles are in points of the page's own space, so that zoom and screen do not matter. What is stored follows the
W3C's Web Annotation model; readers look for the quoted words first and fall back on the rectangles.
"""

import re
import sys
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.grading.word_anchors import shared

MAX_QUOTE, AROUND, MAX_RECTS = 2_000, 32, 200
_IGNORED = re.compile("[\\s\u00ad\u2010\u2011\u0002\ufffe-]")
_WORD = re.compile(r"[^\W\d_]{3,}")


@dataclass(frozen=True)
class FilePage:
    """A page that can be commented on: its text as the server reads it, its box, and the copy that it is in."""

    number: int
    words: str
    box: tuple[float, float, float, float]
    pages: int
    sha256: str


def checked_anchor(raw: Any, page: FilePage) -> tuple[dict[str, object], int, int]:
    """The anchor as it is stored, and where the quoted words begin and end in the page's text (0 and 0 if unknown).

    Raises ValueError with the reason.
    """
    if not isinstance(raw, Mapping) or raw.get("page") != page.number:
        raise ValueError("its page is not the one it is on")
    listed = raw.get("rects")
    if not isinstance(listed, list) or len(listed) > MAX_RECTS:
        raise ValueError(f"its rectangles are not a list of at most {MAX_RECTS}")
    rects = []
    x0, y0, x1, y1 = page.box
    for one in listed:
        if not isinstance(one, list) or len(one) != 4 or not all(map(is_number, one)):
            raise ValueError("a rectangle is four numbers")
        left, bottom, right, top = (round(float(side), 2) for side in one)
        if not (x0 - 1 <= left <= right <= x1 + 1 and y0 - 1 <= bottom <= top <= y1 + 1):
            raise ValueError("a rectangle lies outside its page")
        rects.append([left, bottom, right, top])
    if not rects:
        raise ValueError("it marks nothing on its page")
    rfc = "http://tools.ietf.org/rfc/rfc3778"
    selectors: list[dict[str, object]] = [
        {"type": "FragmentSelector", "conformsTo": rfc, "value": f"page={page.number}"}
    ]
    start = end = 0
    quote = raw.get("quote")
    if quote is not None:
        exact = quote.get("exact") if isinstance(quote, Mapping) else None
        if not isinstance(exact, str) or not exact.strip():
            raise ValueError("it quotes nothing")
        if len(exact) > MAX_QUOTE:
            raise ValueError(f"it quotes more than {MAX_QUOTE} characters")
        prefix, suffix = str(quote.get("prefix", ""))[-AROUND:], str(quote.get("suffix", ""))[:AROUND]
        place = _place_of(exact, prefix, page)
        if place:
            start, end = place
            where = {"page": page.number, "start": start, "end": end, "text": "server"}
            selectors.append({"type": "TextPositionSelector", **where})
        selectors.append({"type": "TextQuoteSelector", "exact": exact, "prefix": prefix, "suffix": suffix})
    selectors.append({"type": "RectSelector", "page": page.number, "rects": rects, "unit": "pt"})
    anchor: dict[str, object] = {
        "type": "pdf",
        "version": 1,
        "document": {"sha256": page.sha256, "pages": page.pages},
        "selector": selectors,
        "kind": "region" if quote is None else "text",
    }
    return anchor, start, end


def quote_of(anchor: Mapping[str, Any] | None) -> str:
    """The quoted words of a stored anchor; empty for a region."""
    found = _selector(anchor, "TextQuoteSelector")
    return " ".join(str(found["exact"]).split()) if found else ""


def words_of(anchor: Mapping[str, Any] | None) -> tuple[str, str, str]:
    """The quoted words of a stored anchor, and what is before and after them; empty for a region."""
    found = _selector(anchor, "TextQuoteSelector")
    return (found["exact"], found["prefix"], found["suffix"]) if found else ("", "", "")


def rects_of(anchor: Mapping[str, Any] | None) -> list[list[float]]:
    """The marked rectangles of a stored anchor, in points of its page."""
    found = _selector(anchor, "RectSelector")
    return list(found["rects"]) if found else []


def page_of(anchor: Mapping[str, Any] | None) -> int:
    """The page of a stored anchor."""
    found = _selector(anchor, "RectSelector")
    return int(found["page"]) if found else 0


def _selector(anchor: Mapping[str, Any] | None, kind: str) -> Mapping[str, Any] | None:
    return next((one for one in (anchor or {}).get("selector", ()) if one["type"] == kind), None)


def is_number(value: Any) -> bool:
    """A number that a float holds, and no truth value."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def _place_of(exact: str, prefix: str, page: FilePage) -> tuple[int, int] | None:
    """Where the words are in the page's text: after the given prefix if they occur more than once.

    Two readers of one PDF differ in subscripts and hyphens, so words that are not found as a whole are accepted without
    a place if half of them are on the page. Raises ValueError if they are not.
    """
    letters, places = folded(page.words)
    wanted, before = folded(exact)[0], folded(prefix)[0]
    found = [match.start() for match in re.finditer(re.escape(wanted), letters)] if wanted else []
    if found:
        start = max(found, key=lambda at: shared(reversed(letters[:at]), reversed(before)))
        return places[start], places[start + len(wanted) - 1] + 1
    words = _WORD.findall(exact.lower())
    here = sum(folded(word)[0] in letters for word in words)
    if wanted and 2 * here < len(words):
        raise ValueError(f"the words it quotes are not on page {page.number}")
    return None


def folded(text: str) -> tuple[str, list[int]]:
    """The text without case, white space, ligatures and hyphens, and for each character where it was."""
    letters, places = [], []
    for place, sign in enumerate(text):
        if not _IGNORED.match(sign):
            for letter in unicodedata.normalize("NFKC", sign).lower():
                letters.append(letter)
                places.append(place)
    return "".join(letters), places
