"""Annotations that people make in PDF readers: read as marks, and written as standard ones. For the child process.

Readers differ: some give words of their own to a highlight only in /RC, some none; the corners of /QuadPoints come in
two orders; a popup repeats its parent, and an answer is an annotation of its own. Names (/T) are not read.
"""

import io
from collections.abc import Iterable, Iterator
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pikepdf
import pypdfium2 as pdfium
from pikepdf import Array, Dictionary, Name, Stream, String

from benchmark.files.child import FoundMarks, Mark, Rectangle
from benchmark.files.pdf import MAX_OBJECTS, checked, opened, storable
from benchmark.files.refused import Unreadable

MAX_MARKS, MAX_RECTS, MAX_TEXT, MAX_QUOTE, AROUND = 2_000, 200, 10_000, 2_000, 32
ON_WORDS = {"/Highlight", "/Underline", "/StrikeOut", "/Squiggly"}
ON_REGIONS = {"/Text", "/FreeText", "/Ink", "/Caret", "/Square", "/Circle", "/Line", "/Polygon", "/PolyLine"}
HIDDEN = 2 | 32  # flags: hidden, and not to be shown
COLOURS = {"fatal": (0.9, 0.2, 0.2), "major": (1, 0.6, 0.2), "highlight": (1, 0.9, 0.3)}
OTHER_COLOUR = (0.5, 0.75, 1)


def read_marks(data: bytes) -> FoundMarks:
    """The marks of a PDF; raises Unreadable for one that is not a proof, or has more than MAX_MARKS."""
    document = opened(data)
    sizes, words = checked(document)
    try:
        source = pikepdf.open(io.BytesIO(data))
        if len(source.objects) > MAX_OBJECTS:
            raise Unreadable(f"The file has more than {MAX_OBJECTS:,} objects.")
        found: list[Mark] = []
        unusable = 0
        for number, page in enumerate(source.pages, 1):
            annotations = page.obj.get("/Annots")
            shown = [
                one
                for one in (annotations if isinstance(annotations, Array) else ())
                if isinstance(one, Dictionary) and not int(one.get("/F", 0)) & HIDDEN
            ]
            # the words of the answers to each annotation; a state such as "accepted" is none
            replies: dict[tuple[int, int], list[str]] = {}
            for one in shown:
                answers = isinstance(one.get("/IRT"), Dictionary) and "/StateModel" not in one
                if answers and (said := _body(one)):
                    replies.setdefault(one.IRT.objgen, []).append(said)
            # what a person drew or wrote, and is not an answer to something else
            here = [
                one
                for one in shown
                if "/IRT" not in one and str(one.get("/Subtype")) in ON_WORDS | ON_REGIONS
            ]
            left, bottom, right, top = sizes[number - 1][2:]
            marks = [
                mark for one in here if (mark := _mark(one, number, replies, (left, bottom, right, top)))
            ]
            unusable += len(here) - len(marks)
            if len(found) + len(marks) > MAX_MARKS:
                raise Unreadable(f"The file has more than {MAX_MARKS:,} marks.")
            found += _quoted(document[number - 1], marks) if marks else []
    except (pikepdf.PdfError, ValueError, TypeError, KeyError, IndexError, RecursionError):
        raise Unreadable("The file is broken.") from None
    return FoundMarks(words, found, unusable)


def _mark(one: Any, page: int, replies: dict[tuple[int, int], list[str]], box: Rectangle) -> Mark | None:
    """An annotation as a mark without its words; None if it is not on the page at all."""
    quads = one.get("/QuadPoints")
    on_words = str(one.Subtype) in ON_WORDS and isinstance(quads, Array) and len(quads) >= 8
    corners = [float(value) for value in (quads if on_words else one.Rect)][: 8 * MAX_RECTS]
    step = 8 if on_words else 4
    rects = []
    for at in range(0, len(corners) - step + 1, step):
        across, along = corners[at : at + step : 2], corners[at + 1 : at + step : 2]
        left, right = (min(max(side(across), box[0]), box[2]) for side in (min, max))
        bottom, top = (min(max(side(along), box[1]), box[3]) for side in (min, max))
        if right > left and top > bottom:
            rects.append((round(left, 2), round(bottom, 2), round(right, 2), round(top, 2)))
    if not rects:
        return None
    said = "\n\n".join(filter(None, [_body(one), *replies.get(one.objgen, ())]))[:MAX_TEXT]
    subject = storable(str(one.get("/Subj", "")))[:100]
    return Mark(page, tuple(rects), on_words, said, subject)


def _body(one: Any) -> str:
    """What an annotation says: its plain text, or that of its formatted one."""
    plain = one.get("/Contents")
    said = str(plain) if isinstance(plain, String) else ""
    if not said.strip() and (rich := one.get("/RC")) is not None:
        raw = rich.read_bytes().decode("utf-8", "replace") if isinstance(rich, Stream) else str(rich)
        reader = _Words()
        reader.feed(raw[:200_000])
        reader.close()
        said = "".join(reader.found)
    lines = storable(said.replace("\r\n", "\n").replace("\r", "\n")).strip()
    return lines[:MAX_TEXT]


class _Words(HTMLParser):
    """The words of formatted text; each paragraph begins a line."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag in ("p", "br", "div") and self.found:
            self.found.append("\n")

    def handle_data(self, data: str) -> None:
        self.found.append(data)


def _quoted(page: pdfium.PdfPage, marks: list[Mark]) -> Iterator[Mark]:
    """The marks of a page with the words whose middles are inside them; others at the edge belong to neighbours."""
    text = page.get_textpage()
    middles = []
    if any(mark.on_words for mark in marks):
        for number in range(text.count_chars()):
            left, bottom, right, top = text.get_charbox(number)
            if right > left:
                middles.append((number, (left + right) / 2, (bottom + top) / 2))
    for mark in marks:
        inside = [
            number
            for number, x, y in middles
            if any(left <= x <= right and bottom <= y <= top for left, bottom, right, top in mark.rects)
        ]
        if not mark.on_words or not inside:
            yield replace(mark, on_words=False)
            continue
        first, last = inside[0], inside[-1]
        between = sum(first <= number <= last for number, _, _ in middles)
        if 2 * len(inside) > between:
            exact = text.get_text_range(first, last - first + 1)
        else:  # lines of one of two columns
            exact = "".join(text.get_text_range(number, 1) for number in inside)
        start = max(first - AROUND, 0)
        yield replace(
            mark,
            quote=storable(exact)[:MAX_QUOTE],
            prefix=storable(text.get_text_range(start, first - start)) if first > start else "",
            suffix=storable(text.get_text_range(last + 1, min(AROUND, text.count_chars() - last - 1)))
            if last + 1 < text.count_chars()
            else "",
        )


def write_marks(data: bytes, marks: Iterable[Mark]) -> bytes:
    """A clean copy with the marks as annotations that every reader knows; the same marks give the same bytes."""
    pdf = pikepdf.open(io.BytesIO(data))
    for number, mark in enumerate(marks, 1):
        page = pdf.pages[mark.page - 1].obj
        rects = [tuple(rect) for rect in mark.rects]
        left, bottom, right, top = (
            side(rect[place] for rect in rects) for place, side in enumerate((min, min, max, max))
        )
        colour = COLOURS.get(mark.subject.partition(",")[0], OTHER_COLOUR)
        strokes = " ".join(f"{a:.2f} {b:.2f} {c - a:.2f} {d - b:.2f} re" for a, b, c, d in rects)
        paint = " ".join(map(str, colour)) + (" rg {} f" if mark.on_words else " RG {} S")
        look = Stream(pdf, ("/G gs " + paint.format(strokes)).encode("ascii"))
        look.Type, look.Subtype = Name.XObject, Name.Form
        look.BBox = Array([left - 1, bottom - 1, right + 1, top + 1])
        look.Resources = Dictionary(ExtGState=Dictionary(G=Dictionary(BM=Name.Multiply)))
        entries = Dictionary(
            Type=Name.Annot,
            Subtype=Name.Highlight if mark.on_words else Name.Square,
            Rect=Array([left, bottom, right, top]),
            C=Array(list(colour)),
            F=4,  # printed too
            NM=String(f"mark-{number}"),
            AP=Dictionary(N=pdf.make_indirect(look)),
        )
        if (
            mark.on_words
        ):  # corners in the order that Acrobat wants: upper left, upper right, lower left, lower right
            entries.QuadPoints = Array([v for a, b, c, d in rects for v in (a, d, c, d, a, b, c, b)])
        for key, words in (("/Contents", mark.text), ("/Subj", mark.subject), ("/T", mark.author)):
            if words:
                entries[key] = String(words)
        if "/Annots" not in page:
            page.Annots = Array([])
        page.Annots.append(pdf.make_indirect(entries))
    target = io.BytesIO()
    pdf.save(target, deterministic_id=True, object_stream_mode=pikepdf.ObjectStreamMode.generate)
    return target.getvalue()
