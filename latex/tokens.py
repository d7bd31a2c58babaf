"""Reads TeX characters as tokens, once and in order; comments end here and reach nothing."""

import re
from typing import NamedTuple


class Token(NamedTuple):
    """One TeX token; `start` and `end` are offsets in the source the token was read from.

    Kinds: word and symbol (control sequences, text without the backslash), text, space, par, the single
    characters { } $ & # ~ ^ _, $$, and raw (verbatim or diagram source, text is "environment\\0source").
    Macro expansion adds primitive (a control sequence whose macro meaning must not be looked up) and
    absent, true, false (missing or boolean arguments of \\NewDocumentCommand).
    """

    kind: str
    text: str
    start: int
    end: int


VERBATIM = ("verbatim", "verbatim*", "Verbatim", "lstlisting", "minted", "alltt")
DIAGRAMS = (
    "tikzcd", "tikzcd*", "tikzpicture", "tikz", "pgfpicture", "pspicture", "picture", "xy", "prooftree",
    "forest", "circuitikz", "asy", "axis", "diagram", "feynmandiagram", "oltableau", "derivation",
)  # fmt: skip
HIDDEN = ("comment", "filecontents", "filecontents*")
_RAW = frozenset(VERBATIM + DIAGRAMS + HIDDEN)

_SHAPES = r"""
  \\(?P<word>{letters}+)
| \\(?P<symbol>[\s\S])
| (?P<comment>%[^\n]*(?:\n[ \t]*)?)
| (?P<par>\n[ \t\r]*\n\s*)
| (?P<space>[ \t\r\f\v]+|\n[ \t\r]*)
| (?P<parameter>\#+[1-9]?)
| (?P<single>\$\$|[{{}}$&~^_\\])
| (?P<text>[^\\%\s\#{{}}$&~^_]+)
| (?P<other>[\s\S])
"""
_ORDINARY = re.compile(_SHAPES.format(letters="[A-Za-z]"), re.VERBOSE)
_WITH_AT = re.compile(_SHAPES.format(letters="[A-Za-z@:_]"), re.VERBOSE)
_ENVIRONMENT = re.compile(r"[ \t]*\{([A-Za-z]+\*?)\}")


class _Reader:
    def __init__(self, text: str, base: int) -> None:
        self.text = text
        self.base = base
        self.at = 0
        self.out: list[Token] = []
        self.scanner = _ORDINARY
        self.never_closed: set[str] = set()

    def read(self) -> list[Token]:
        while self.at < len(self.text):
            match = self.scanner.match(self.text, self.at)
            assert match is not None
            assert match.lastgroup is not None
            self.at = match.end()
            self.take(match.lastgroup, match.group(match.lastgroup), match.start())
        return self.out

    def take(self, kind: str, text: str, start: int) -> None:
        if kind == "word":
            self.control_word(text, start)
        elif kind == "comment":
            if self.text.startswith("\n", self.at):  # a comment line before a blank line still ends in one
                self.emit("par", "\n", start)
        elif kind == "par":
            self.emit("par", "\n", start)
        elif kind == "space":
            if not (self.out and self.out[-1].kind == "word" and self.out[-1].end == start + self.base):
                self.emit("space", " ", start)
        elif kind == "parameter":
            self.emit("#", text, start)
        elif kind == "single":
            self.emit(text, text, start)
        elif kind == "symbol" and text.isspace():
            self.emit("symbol", " ", start)
        else:
            self.emit("text" if kind == "other" else kind, text, start)

    def emit(self, kind: str, text: str, start: int) -> None:
        self.out.append(Token(kind, text, self.base + start, self.base + self.at))

    def control_word(self, name: str, start: int) -> None:
        if name == "begin":
            self.begin(start)
        elif name in ("verb", "lstinline"):
            self.verb(start)
        elif name in ("makeatletter", "ExplSyntaxOn"):
            self.scanner = _WITH_AT
        elif name in ("makeatother", "ExplSyntaxOff"):
            self.scanner = _ORDINARY
        else:
            self.emit("word", name, start)

    def begin(self, start: int) -> None:
        match = _ENVIRONMENT.match(self.text, self.at)
        name = match.group(1) if match else ""
        if match is None or name not in _RAW or name in self.never_closed:
            self.emit("word", "begin", start)
            return
        ending = f"\\end{{{name}}}"
        close = self.text.find(ending, match.end())
        if close < 0:
            self.never_closed.add(name)
            self.emit("word", "begin", start)
            return
        self.at = close + len(ending)
        self.emit("raw", f"{name}\0{self.text[match.end() : close]}", start)

    def verb(self, start: int) -> None:
        self.at += self.text.startswith("*", self.at)
        delimiter = self.text[self.at : self.at + 1]
        line_end = self.text.find("\n", self.at)
        close = (
            self.text.find("}" if delimiter == "{" else delimiter, self.at + 1) if delimiter.strip() else -1
        )
        if close < 0 or (0 <= line_end < close):
            self.emit("word", "verb", start)
            return
        body = self.text[self.at + 1 : close]
        self.at = close + 1
        self.emit("raw", f"verb\0{body}", start)


def tokenize(text: str, base: int = 0) -> list[Token]:
    """Tokens of `text`; offsets count from `base`. Linear in the length of the text."""
    return _Reader(text, base).read()


_COMMENT = re.compile(r"\\[\s\S]|%[^\n]*(?:\n[ \t]*)?|[^\\%]+")


def without_comments(source: str) -> str:
    """The source with what follows an unescaped % taken out: what an author shows, and no hidden remark."""
    if "%" not in source:
        return source
    return "".join(piece for piece in _COMMENT.findall(source) if not piece.startswith("%"))


def spelled(tokens: list[Token]) -> str:
    """The tokens written as TeX again."""
    out: list[str] = []
    after_word = False
    for token in tokens:
        written, is_word = _spell(token)
        if after_word and written[:1].isalpha():
            out.append(" ")
        out.append(written)
        after_word = is_word
    return "".join(out)


def _spell(token: Token) -> tuple[str, bool]:
    if token.kind in ("word", "symbol", "primitive"):
        return "\\" + token.text, token.text[-1:].isalpha()
    if token.kind == "raw":
        name, _, body = token.text.partition("\0")
        return (body, False) if name == "verb" else (f"\\begin{{{name}}}{body}\\end{{{name}}}", False)
    if token.kind in ("absent", "true", "false"):
        return "", False
    return token.text, False
