"""Referee reports in LaTeX: the submission's own source, or a text with quotes, with marks of the referee. Pure.

The marks are `\\referee[major, gap]{quoted words}{comment}`, `\\general[minor]{comment}` on the text as a whole, and
`\\summary{...}`. What is around a mark in the source tells which of several equal places is meant.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass, field

from annotation.grading.word_anchors import AROUND
from benchmark.importing.records import RecordError
from reports.referees.report import RefereeReport, ReportComment, marks_of, read_head

_MOST_NESTED = 20
_TOKEN = re.compile(r"\\(?P<mark>referee|general|summary)(?![A-Za-z@])|\\.|%[^\n]*\n?|[{}]", re.DOTALL)
_BLANKS = re.compile(r"[ \t]{0,200}(?:\n[ \t]{0,200})?(?=[\[{])")
_TAG = re.compile(r"\[([^\[\]{}\n]*)\]")
_DEFINES = tuple(
    f"\\{name}{star}"
    for name in ("newcommand", "renewcommand", "providecommand", "def")
    for star in ("", "*")
)
_COMMENT_SIGN = re.compile(r"%[ \t]?")


@dataclass(frozen=True)
class _Mark:
    """A comment with the offsets of its words in the text without marks."""

    name: str
    tag: tuple[str, str]
    comment: str
    line: int
    start: int
    end: int


@dataclass
class _Reading:
    """The text without the marks that were read so far."""

    source: str
    text: list[str] = field(default_factory=list)
    length: int = 0
    marks: list[_Mark] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.ends_of_lines = [found.start() for found in re.finditer("\n", self.source)]

    def line(self, at: int) -> int:
        """The line of an offset of the source."""
        return bisect_right(self.ends_of_lines, at - 1) + 1

    def keep(self, start: int, end: int) -> None:
        """These offsets of the source belong to the text."""
        self.text.append(self.source[start:end])
        self.length += end - start

    def read(self, start: int, end: int, depth: int = 0) -> None:
        """Take the marks between two offsets out, those within quoted words too."""
        if depth > _MOST_NESTED:
            raise RecordError(f"more than {_MOST_NESTED} marks nested in each other", line=self.line(start))
        at, done = start, start
        while found := _TOKEN.search(self.source, at, end):
            at = found.end()
            # a definition of the command, such as \newcommand{\referee}, is not a mark
            defined = self.source[at : at + 1] == "}" or self.source.endswith(_DEFINES, start, found.start())
            if not found["mark"] or defined:
                continue
            self.keep(done, found.start())
            at = done = self._mark(found["mark"], found.start(), end, depth)
        self.keep(done, end)

    def _mark(self, name: str, begins: int, end: int, depth: int) -> int:
        """Note the mark that begins here; returns where it ends."""
        line, at = self.line(begins), begins + len(name) + 1
        tag = ("", "")
        if found := _TAG.match(self.source, self._skip(at), end):
            marks = marks_of(found[1])
            if marks is None:
                raise RecordError(f"[{found[1]}] is not a severity and kind, such as [major, gap]", line=line)
            tag, at = marks, found.end()
        first = self.length
        if name == "referee":
            opened, closed = self._group(at, end, line)
            self.read(opened, closed, depth + 1)
            at = closed + 1
        opened, closed = self._group(at, end, line)
        comment = self.source[opened:closed].strip()
        if not comment and tag[0] != "highlight":
            raise RecordError(f"\\{name} says nothing", line=line)
        self.marks.append(_Mark(name, tag, comment, line, first, self.length))
        return closed + 1

    def _skip(self, at: int) -> int:
        found = _BLANKS.match(self.source, at)
        return found.end() if found else at

    def _group(self, at: int, end: int, line: int) -> tuple[int, int]:
        """Where the content of the group in braces begins and ends."""
        opened = self._skip(at)
        depth = 0
        if self.source[opened : opened + 1] == "{":
            for found in _TOKEN.finditer(self.source, opened, end):
                depth += {"{": 1, "}": -1}.get(found.group(), 0)
                if depth == 0:
                    return opened + 1, found.start()
        raise RecordError("a mark of the referee lacks an argument in braces", line=line)


def read_tex(source: str) -> RefereeReport:
    """The report in a LaTeX file; its head is in comment lines (%). Raises RecordError naming the line."""
    lines = source.split("\n")
    in_comments = [_COMMENT_SIGN.sub("", line, count=1) if line.startswith("%") else line for line in lines]
    head = read_head(in_comments)
    reading = _Reading(source)
    reading.read(sum(len(line) + 1 for line in lines[: head.end]), len(source))
    text = "".join(reading.text)
    summary = "\n\n".join(mark.comment for mark in reading.marks if mark.name == "summary")
    comments = []
    for mark in reading.marks:
        if mark.name == "summary":
            continue
        if mark.name == "general":
            comments.append(ReportComment(*mark.tag, mark.comment, mark.line, whole=True))
            continue
        words = text[mark.start : mark.end]
        exact = words.strip()
        start = mark.start + len(words) - len(words.lstrip())
        before, after = (
            text[max(start - AROUND, 0) : start],
            text[start + len(exact) : start + len(exact) + AROUND],
        )
        comments.append(ReportComment(*mark.tag, mark.comment, mark.line, exact, before, after))
    return RefereeReport(head, summary, tuple(comments))
