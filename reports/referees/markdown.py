"""Referee reports in Markdown: a summary, then quotes, each with the comments on it. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from annotation.grading.word_anchors import AROUND
from annotation.models import Severity
from benchmark.importing.records import RecordError
from reports.referees.report import RefereeReport, ReportComment, marks_of, read_head

_GENERAL = re.compile(r"#{1,6}\s+general(\s+(comments|remarks))?\s*", re.IGNORECASE)
_TAG = re.compile(r"\[([^\[\]\n]{1,60})\](?!\()\s*")
_QUOTE, _HEADING, _TEXT = "quote", "heading", "text"


@dataclass
class _Piece:
    """Lines of one kind: a quote, the heading "General", or a text with the severity and kind of its tag."""

    kind: str
    line: int
    marks: tuple[str, str] | None = None
    lines: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(self.lines).strip()


def read_markdown(text: str) -> RefereeReport:
    """The report in a Markdown file. Raises RecordError naming the line.

    Everything before the first quote, tag or heading "General" is the summary. In a quote, lines that begin with >> are
    meant and the others are what is around them. A paragraph that begins with a tag such as [major, gap] begins another
    comment on the same words.
    """
    lines = text.split("\n")
    head = read_head(lines)
    summary = ""
    comments: list[ReportComment] = []
    quote: _Piece | None = None
    waiting = begun = False  # the quote waits for its comment; the summary is over
    for piece in _pieces(lines, head.end):
        if piece.kind != _TEXT:
            if waiting and quote:
                raise RecordError("a quote without a comment", line=quote.line)
            quote = piece if piece.kind == _QUOTE else None
            waiting, begun = quote is not None, True
            continue
        severity, kind = piece.marks or ("", "")
        if not piece.text and severity != Severity.HIGHLIGHT:
            if piece.marks:
                raise RecordError("a comment without words", line=piece.line)
        elif begun or piece.marks:
            exact, prefix, suffix = _quoted(quote) if quote else ("", "", "")
            whole, begun, waiting = quote is None, True, False
            comments.append(
                ReportComment(severity, kind, piece.text, piece.line, exact, prefix, suffix, whole=whole)
            )
        else:
            summary = piece.text
    if waiting and quote:
        raise RecordError("a quote without a comment", line=quote.line)
    return RefereeReport(head, summary, tuple(comments))


def _pieces(lines: Sequence[str], start: int) -> Iterator[_Piece]:
    """The lines after the first `start` ones; a tag counts at the beginning of a paragraph."""
    piece, before = _Piece(_TEXT, start + 1), ""
    for number in range(start, len(lines)):
        line = lines[number]
        kind = _QUOTE if line.startswith(">") else _HEADING if _GENERAL.fullmatch(line) else _TEXT
        begins = kind == _TEXT and (not before.strip() or piece.kind != _TEXT)
        tag = _TAG.match(line) if begins else None
        marks = marks_of(tag[1]) if tag else None
        if kind != piece.kind or marks:
            yield piece
            piece = _Piece(kind, number + 1, marks)
        piece.lines.append(line[tag.end() :] if tag and marks else line)
        before = line
    yield piece


def _quoted(quote: _Piece) -> tuple[str, str, str]:
    """The words that are meant, and what is before and after them. Raises RecordError if there are none."""
    parts: list[list[str]] = [[], [], []]
    some = any(line.startswith(">>") for line in quote.lines)
    for line in quote.lines:
        meant = line.startswith(">>") or not some
        place = 1 if meant else 2 if parts[1] else 0
        parts[place].append(line.removeprefix(">>" if line.startswith(">>") else ">").removeprefix(" "))
    before, exact, after = ("\n".join(part) for part in parts)
    if not exact.strip():
        raise RecordError("a quote without words", line=quote.line)
    return exact.strip(), before[-AROUND:], after[:AROUND]
