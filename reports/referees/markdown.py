"""Referee reports in Markdown: a summary, then quotes, each with the comments on it. Pure."""

import re
from itertools import takewhile

from annotation.grading.word_anchors import AROUND
from benchmark.importing.records import RecordError
from reports.referees.report import RefereeReport, ReportComment, marks_of, read_head

_GENERAL = re.compile(r"#{1,6}\s+general(\s+(comments|remarks))?\s*", re.IGNORECASE)
_TAG = re.compile(r"\[([^\[\]\n]{1,60})\](?!\()\s*")


def read_markdown(text: str) -> RefereeReport:
    """The report in a Markdown file. Raises RecordError naming the line.

    Everything before the first quote, tag or heading "General" is the summary. In a quote, lines that begin with >> are
    meant and the others are what is around them. A paragraph that begins with a tag such as [major, gap] begins another
    comment on the same words.
    """
    lines = text.split("\n")
    head = read_head(lines)
    summary: list[str] = []
    comments: list[ReportComment] = []
    quote: list[str] = []  # of the comments that follow, as it is written
    said = summary  # where lines of text go
    severity = kind = ""
    begun = 0  # the line of the comment that is being read, 0 while it is the summary

    def end_comment() -> None:
        content = "\n".join(said).strip()
        if begun and (content or severity == "highlight"):
            exact, prefix, suffix = _quoted(quote)
            comments.append(
                ReportComment(severity, kind, content, begun, exact, prefix, suffix, whole=not quote)
            )
        elif begun and quote:
            raise RecordError("a quote without a comment", line=begun)

    at = head.end
    while at < len(lines):
        line, follows_text = lines[at], bool(at > head.end and lines[at - 1].strip())
        tag = None if follows_text and not _is_quote(lines[at - 1]) else _TAG.match(line)
        marks = marks_of(tag[1]) if tag else None
        if _is_quote(line):
            end_comment()
            quote = [*takewhile(_is_quote, lines[at:])]
            said, severity, kind, begun = [], "", "", at + 1
            at += len(quote)
            continue
        if _GENERAL.fullmatch(line):
            end_comment()
            quote, said, severity, kind, begun = [], [], "", "", 0
        elif tag and marks:
            if not (quote and not any(one.strip() for one in said) and not (severity or kind)):
                end_comment()
                said = []
            (severity, kind), begun = marks, at + 1
            said.append(line[tag.end() :])
        else:
            if line.strip() and said is not summary and not begun:
                begun = at + 1
            said.append(line)
        at += 1
    end_comment()
    return RefereeReport(head, "\n".join(summary).strip(), tuple(comments))


def _is_quote(line: str) -> bool:
    return line.startswith(">")


def _quoted(lines: list[str]) -> tuple[str, str, str]:
    """The words that are meant, and what is before and after them."""
    parts: list[list[str]] = [[], [], []]
    some = any(line.startswith(">>") for line in lines)
    for line in lines:
        meant = line.startswith(">>") or not some
        place = 1 if meant else 2 if parts[1] else 0
        parts[place].append(line.removeprefix(">>" if line.startswith(">>") else ">").removeprefix(" "))
    before, exact, after = ("\n".join(part) for part in parts)
    return exact.strip(), before[-AROUND:], after[:AROUND]
