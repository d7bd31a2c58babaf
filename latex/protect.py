"""Takes formulas, LaTeX and comments out of Markdown before Markdown sees them, so that none spoils the other.

One pass, linear: every search that fails is remembered, so it is never made twice over the same stretch.
"""

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field

from latex.formulas.words import DISPLAYS
from latex.limits import MAX_FORMULA
from latex.vocabulary import words

MATH_SYMBOLS = words("symbols")
OPEN, CLOSE = "\ue010", "\ue011"
PLACEHOLDER = re.compile(f"{OPEN}(\\d+){CLOSE}")
_POINT = re.compile(
    r"(?P<fence>^[ \t>]*(?:`{3,}|~{3,}))|(?P<ticks>`+)|(?P<begin>\\begin\{(?P<name>[A-Za-z]+\*?)\})"
    r"|\\(?P<word>[A-Za-z]+)|(?P<open>\\[\[(])|(?P<doubled>\\\\[\[(])|(?P<escape>\\[\s\S])|(?P<dollars>\$\$?)|(?P<remark><!--)",
    re.MULTILINE,
)
_TICKS = re.compile("`+")
_ENDS = re.compile(r"\\(begin|end)\{([A-Za-z]+\*?)\}")
_BLANK_LINE = re.compile(r"\n[ \t\r]*\n")
_DOLLAR = re.compile(r"(?<!\\)\$")
_TEXT_IN_FORMULA = re.compile(r"\\(?:text|[mh]box|cr(?![a-z]))")
_OPEN_TEXT = re.compile(r"\\(?:text[a-z]*|[mh]box)[ ]?\{(?:[^{}$]|\$[^{}$]*\$)*\Z")
_FORMULA_MARKS = re.compile(r"[\\^_={}<>+]")
_IN_FORMULAS = re.compile(r"(?P<delimiter>\\[()\[\]]|\$)|\\[A-Za-z]+|[\^_]|\\[\s\S]")
_LINE_BEGINS = re.compile(r"(?:[ \t>]|[-*+] |\d{1,9}[.)] )*")  # marks of quotations and lists
_QUOTE_MARKS = re.compile(r"[ \t>]*")
MAX_NESTED = 10  # formulas in the words of a formula
MAX_ARGUMENTS = 4_000  # characters of a text command's arguments


@dataclass(frozen=True)
class ProtectedPiece:
    """LaTeX found in Markdown: its range, and whether it stands for a display or an environment (`block`)."""

    start: int
    end: int
    block: bool


@dataclass
class Protected:
    """Markdown with placeholders, the pieces they stand for, and the way back to source offsets.

    `blanked`: signs within the pieces that are not theirs: the backslash too many of the second delimiter of
    \\\\(..\\\\), and the > before the lines of a piece in a quotation.
    """

    text: str
    pieces: list[ProtectedPiece]
    blanked: list[int] = field(default_factory=list)
    _here: list[int] = field(default_factory=list)
    _there: list[int] = field(default_factory=list)

    def source_offset(self, position: int) -> int:
        index = bisect_right(self._here, position) - 1
        if index < 0:
            return position
        return self._there[index] + position - self._here[index]


class _Scanner:
    def __init__(self, text: str, is_command: Callable[[str], bool]) -> None:
        self.text = text
        self.is_command = is_command
        self.out: list[str] = []
        self.length = 0
        self.copied = 0
        self.result = Protected("", [], [], [0], [0])
        self.searched: dict[str, int] = {}
        self.paragraph_ends = [match.start() for match in _BLANK_LINE.finditer(text)]
        self.end = len(text.rstrip())
        self.last_delimiter = self.last_command = -1  # of a formula, and of what formulas hold
        for match in _IN_FORMULAS.finditer(text):
            if match["delimiter"]:
                self.last_delimiter = match.start()
            else:
                self.last_command = match.start()
        self.environments: dict[int, int] = {}  # where each \begin{name} that has an \end{name} ends
        open_at: dict[str, list[int]] = {}
        for match in _ENDS.finditer(text):
            begun = open_at.setdefault(match[2], [])
            if match[1] == "begin":
                begun.append(match.start())
            elif begun:
                self.environments[begun.pop()] = match.end()
        self.ticks: dict[int, list[int]] = {}
        for match in _TICKS.finditer(text):
            self.ticks.setdefault(len(match.group()), []).append(match.start())

    def run(self) -> Protected:
        at = 0
        while (match := _POINT.search(self.text, at)) is not None:
            at = self.point(match)
        self.copy(len(self.text))
        self.result.text = "".join(self.out)
        return self.result

    # -- output ----------------------------------------------------------------------------------------
    def copy(self, upto: int) -> None:
        piece = self.text[self.copied : upto]
        self.out.append(piece)
        self.length += len(piece)
        self.copied = upto

    def protect(self, start: int, end: int, block: bool) -> int:
        self.copy(start)
        self.blank_quote_marks(start, end)
        self.result.pieces.append(ProtectedPiece(start, end, block))
        mark = f"{OPEN}{len(self.result.pieces) - 1}{CLOSE}"
        self.out.append(mark)
        self.length += len(mark)
        self.go_on(end)
        return end

    def go_on(self, at: int) -> None:
        """Copy on from this place of the source, whatever was copied before."""
        self.copied = at
        self.result._here.append(self.length)
        self.result._there.append(at)

    def blank_quote_marks(self, start: int, end: int) -> None:
        """Notes the > before each line of a piece, at most as many as its first line begins with."""
        line = self.text.find("\n", start, end) + 1
        if not line:
            return
        first = _LINE_BEGINS.match(self.text, self.text.rfind("\n", 0, start) + 1, start)
        depth = first[0].count(">") if first else 0
        while depth and line:
            marks = _QUOTE_MARKS.match(self.text, line, end)
            found = [at for at in range(*marks.span()) if self.text[at] == ">"] if marks else []
            self.result.blanked += found[:depth]
            line = self.text.find("\n", line, end) + 1

    # -- points of interest ----------------------------------------------------------------------------
    def point(self, match: re.Match[str]) -> int:
        """Deals with what was found; returns where to go on."""
        start = match.start()
        if match["fence"]:
            return self.fence(match)
        if match["ticks"]:
            return self.code(start, len(match["ticks"]))
        if match["begin"]:
            return self.environment(start, match)
        if match["word"]:
            return self.command(start, match)
        if match["open"]:
            closing = "\\]" if match["open"] == "\\[" else "\\)"
            return self.delimited(start, match.end(), closing, block=closing == "\\]")
        if match["doubled"]:
            return self.doubled(start, "\\\\]" if match["doubled"][-1] == "[" else "\\\\)")
        if match["dollars"]:
            return self.dollars(start, match["dollars"])
        if match["remark"]:
            return self.remark(start, match.end())
        return match.end()

    def remark(self, start: int, inside: int) -> int:
        """Leaves out an HTML comment, which readers of Markdown do not see. One without an end is text."""
        end = self.find("-->", inside, len(self.text)) + len("-->")
        if end < inside:
            return inside
        self.copy(start)
        self.go_on(end)
        return end

    def fence(self, match: re.Match[str]) -> int:
        """Skips a fenced block: up to a line of at least as many of the same marks, or the end."""
        mark = match["fence"].lstrip(" \t>")
        at = self.text.find("\n", match.end())
        while at >= 0:
            line_end = self.text.find("\n", at + 1)
            line = self.text[at + 1 : line_end if line_end >= 0 else len(self.text)].strip(" \t\r>")
            if line.startswith(mark) and not line.strip(mark[0]):
                return line_end if line_end >= 0 else len(self.text)
            at = line_end
        return len(self.text)

    def code(self, start: int, length: int) -> int:
        """Skips a code span. Where a backslash took the first tick of a run, no run may be as long as what is left."""
        places = self.ticks.get(length, [])
        index = bisect_right(places, start)
        if index < len(places) and places[index] < self.paragraph_end(start):
            end = places[index] + length
            self.bars(start, end)
            return end
        return start + length

    def bars(self, start: int, end: int) -> None:
        """A | of a code span, which would end the cell of a table, is kept as it is."""
        bar = self.text.find("|", start, end)
        while bar >= 0:
            if self.text[bar - 1] != "\\":
                self.protect(bar, bar + 1, block=False)
            bar = self.text.find("|", bar + 1, end)

    def paragraph_end(self, at: int) -> int:
        index = bisect_right(self.paragraph_ends, at)
        return self.paragraph_ends[index] if index < len(self.paragraph_ends) else len(self.text)

    def find(self, closing: str, start: int, limit: int) -> int:
        """The next unescaped `closing` before `limit`, or -1."""
        known_empty = self.searched.get(closing, 0)
        found = self.text.find(closing, max(start, known_empty), limit)
        if found < 0:
            self.searched[closing] = max(known_empty, limit - len(closing))
        return found

    def delimited(self, start: int, inside: int, closing: str, *, block: bool) -> int:
        limit = min(len(self.text), inside + MAX_FORMULA) if block else self.paragraph_end(inside)
        end = self.find(closing, inside, limit)
        if end < 0:
            return self.broken_off(start, inside, block=block)
        if closing == "$$" and self.has_formulas_in_paragraphs(inside, end):
            return inside
        return self.protect(start, end + len(closing), block)

    def has_formulas_in_paragraphs(self, start: int, end: int) -> bool:
        """Whether dollars come after a blank line: words between two displays, the first of which has no end."""
        blank = _BLANK_LINE.search(self.text, start, end)
        after = self.text[blank.end() : end] if blank else ""
        return bool(_DOLLAR.search(after)) and not _TEXT_IN_FORMULA.search(after)

    def broken_off(self, start: int, inside: int, *, block: bool) -> int:
        """A formula in the last paragraph that has no end, as where a model had no tokens left: all that is left."""
        begins = self.last_delimiter < inside <= self.last_command
        if not begins or self.paragraph_end(inside) < self.end:
            return inside
        return self.protect(start, self.end, block)

    def doubled(self, start: int, closing: str) -> int:
        """A formula in \\\\(..\\\\) or \\\\[..\\\\]: Markdown takes one backslash away before scripts set formulas."""
        end = self.find(closing, start + len(closing), self.paragraph_end(start))
        if end < 0:
            return start + 2
        self.copy(start)
        self.copied += 1  # without its first backslash it is as anywhere
        self.result.blanked.append(end)
        return self.protect(start + 1, end + len(closing), block=closing[-1] == "]")

    def dollars(self, start: int, mark: str) -> int:
        inside = start + len(mark)
        if mark == "$$":
            return self.delimited(start, inside, "$$", block=True)
        limit = self.paragraph_end(inside)
        end = self.find("$", inside, limit)
        while end > 0 and self.text[end - 1] == "\\":
            end = self.find("$", end + 1, limit)
        if end > 0 and _OPEN_TEXT.search(self.text, inside, end):
            end = self.after_words(inside, end, limit)
        if end < 0 or not _is_formula(self.text[inside:end], self.text[end + 1 : end + 2]):
            return inside
        return self.protect(start, end + 1, block=False)

    def after_words(self, inside: int, first: int, limit: int) -> int:
        """The dollar that ends a formula whose words, as \\text{if $x>0$}, hold those before; else the first one."""
        end = first
        for _ in range(MAX_NESTED):
            inner_end = self.text.find("$", end + 1, limit)
            end = self.text.find("$", inner_end + 1, limit)
            if inner_end < 0 or end < 0:
                break
            if not _OPEN_TEXT.search(self.text, inside, end):
                return end
        return first

    def environment(self, start: int, match: re.Match[str]) -> int:
        end = self.environments.get(start)
        if end is None and match["name"] in DISPLAYS:
            return self.broken_off(start, match.end(), block=True)
        if end is None:
            return match.end()
        return self.protect(start, end, block=True)

    def command(self, start: int, match: re.Match[str]) -> int:
        """A text command with its arguments, where a document would use one."""
        name, end = match["word"], match.end()
        known = self.is_command(name)
        if self.text[start - 1 : start].isalnum() and not known:
            return end
        arguments = self.arguments(end)
        if not known and arguments == end and name not in MATH_SYMBOLS:
            return end
        return self.protect(start, arguments, block=False)

    def arguments(self, at: int) -> int:
        """Where the [..] and {..} right after a command end."""
        if self.text.startswith("*", at) and self.text[at + 1 : at + 2] in ("{", "["):
            at += 1
        while self.text[at : at + 1] in ("{", "[") and self.text[at : at + 1]:
            end = self.balanced(at)
            if end < 0:
                return at
            at = end
        return at

    def balanced(self, at: int) -> int:
        if self.searched.get("{", 0) > at:
            return -1
        closing = {"{": "}", "[": "]"}[self.text[at]]
        depth, place, limit = 0, at, min(len(self.text), at + MAX_ARGUMENTS)
        while place < limit:
            character = self.text[place]
            if character == "\\":
                place += 1
            elif character in "{[" and (character == "{" or closing == "]"):
                depth += 1
            elif character in "}]" and (character == "}" or closing == "]"):
                depth -= 1
                if depth == 0:
                    return place + 1 if character == closing else -1
            place += 1
        self.searched["{"] = limit
        return -1


def _is_formula(inside: str, after: str) -> bool:
    """Prices are not formulas: what is between two dollars must touch both, or look like mathematics."""
    if not inside.strip():
        return False
    touches = not inside[0].isspace() and not inside[-1].isspace()
    if touches:
        return not after.isdigit()
    return bool(_FORMULA_MARKS.search(inside)) or (
        inside[0].isspace() and inside[-1].isspace() and len(inside) < 12
    )


def protect(text: str, is_command: Callable[[str], bool]) -> Protected:
    """Markdown whose formulas, environments and text commands are placeholders."""
    return _Scanner(text, is_command).run()
