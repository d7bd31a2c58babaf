"""A passage in standard LaTeX: its author's macros expanded, everything else as it was written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from latex.limits import Budget, LimitReached
from latex.reading.conditions import NOT_TAKEN, skip_condition
from latex.reading.definitions import DEFINITIONS
from latex.reading.macros import Macro, MacroTable
from latex.reading.stream import Stream
from latex.reading.tokens import HIDDEN, Token, spelled, tokenize

_OPENING = (("word", "begingroup"), ("word", "bgroup"))
_CLOSING = (("word", "endgroup"), ("word", "egroup"))
_DELIMITERS = "|!+=/;\"'"


@dataclass(frozen=True)
class Expanded:
    """The passage as `text`; `left` names the author's macros that are still in it, for they expand without end."""

    text: str
    left: tuple[str, ...] = ()


class Definitions:
    """The macros of a source as they change on the way through it."""

    def __init__(
        self,
        changes: Sequence[tuple[int, str, Macro | None]] = (),
        environments: Mapping[str, tuple[Macro, Macro]] | None = None,
        made_of: Mapping[str, str] | None = None,
    ) -> None:
        self.environments = environments or {}  # those of the author's own
        self.made_of = made_of or {}  # those that are read as characters, and as which
        self._changes = changes
        self._read = 0  # how many changes are in the table
        self._table: dict[str, Macro] = {}

    def at(self, position: int) -> Mapping[str, Macro]:
        """The macros in force there; quick when asked for one place after the other."""
        if self._read and self._changes[self._read - 1][0] > position:
            self._read, self._table = 0, {}
        while self._read < len(self._changes) and self._changes[self._read][0] <= position:
            _, name, macro = self._changes[self._read]
            if macro is None:
                self._table.pop(name, None)
            else:
                self._table[name] = macro
            self._read += 1
        return self._table


def expand(text: str, definitions: Definitions, position: int = 0) -> Expanded:
    """The passage with its author's macros and environments expanded, as they are at that position of the source.

    Comments and what a condition hides are left out, and definitions within the passage are obeyed and left out.
    The result needs no definition: expanding it once more, without any, changes nothing.
    """
    table = MacroTable()
    for name, macro in definitions.at(position).items():
        table.define(name, macro)
    stream = Stream(tokenize(text, made_of=dict(definitions.made_of)), table, Budget())
    written = _Written(text)
    left: dict[str, None] = {}
    while (token := stream.next()) is not None:
        own = stream.depth == 0
        defined = table.get(token.text) if token.kind in ("word", "symbol") else None
        try:
            if defined is not None:
                stream.expand(defined, token)
            elif token.kind == "word" and token.text in DEFINITIONS:
                DEFINITIONS[token.text](stream)
            elif token.kind == "word" and token.text in NOT_TAKEN:
                skip_condition(stream)
            elif token.kind == "word" and token.text in ("iftrue", "fi", "else"):
                pass
            elif token.kind == "word" and token.text in ("begin", "end"):
                name = stream.name()
                if (custom := definitions.environments.get(name)) is None:
                    written.space_before(token, own)
                    written.put(f"\\{token.text}{{{name}}}")
                else:
                    stream.expand(custom[token.text == "end"], token)
            elif token.kind == "raw":
                written.raw(token, own)
            else:
                if token.kind == "{" or token[:2] in _OPENING:
                    table.open_group()
                elif token.kind == "}" or token[:2] in _CLOSING:
                    table.close_group()
                written.token(token, own)
        except LimitReached:
            left[token.text] = None
            written.token(token, own)
    written.space_at_end()
    return Expanded("".join(written.parts), tuple(left))


class _Written:
    def __init__(self, text: str) -> None:
        self.source = text
        self.parts: list[str] = []
        self.after_word = False  # a letter now would belong to the command before it
        self.word_end = -1  # where in the source that command ends

    def put(self, written: str, is_word: bool = False) -> None:
        if self.after_word and written[:1].isalpha():
            self.parts.append(" ")
        self.parts.append(written)
        self.after_word, self.word_end = is_word, -1

    def token(self, token: Token, own: bool) -> None:
        if token.kind in ("absent", "true", "false"):
            return
        own = own and token.end > token.start
        self.space_before(token, own)
        if token.kind in ("word", "symbol", "primitive"):
            self.put("\\" + token.text, token.text[-1:].isalpha())
            self.word_end = token.end if own and self.after_word else -1
        elif token.kind in ("par", "space"):
            white = self.source[token.start : token.end] if own else ""
            self.put(white if white.isspace() else "\n\n" if token.kind == "par" else " ")
        else:
            self.put(spelled([token]))

    def space_before(self, token: Token, own: bool) -> None:
        """Writes the white space between a command and this token, which is not a token, as it was."""
        if own and 0 <= self.word_end < token.start:
            between = self.source[self.word_end : token.start]
            if between.isspace():
                self.put(between)

    def space_at_end(self) -> None:
        """Writes the white space after the last command, which is not a token, unchanged."""
        if self.word_end >= 0 and (after := self.source[self.word_end :]).isspace():
            self.put(after)

    def raw(self, token: Token, own: bool) -> None:
        """Code and diagrams; a comment environment is left out."""
        self.space_before(token, own)
        name, _, body = token.text.partition("\0")
        if name == "verb":
            mark = next((mark for mark in _DELIMITERS if mark not in body), "")
            self.put(f"\\verb{mark}{body}{mark}" if mark else f"\\texttt{{{body}}}")
        elif name not in HIDDEN:
            self.put(spelled([token]))
