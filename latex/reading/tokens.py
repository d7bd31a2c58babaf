"""Reads TeX characters as tokens, once and in order; comments end here and reach nothing."""

import re
from html import unescape
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
| &(?P<entity>lt|gt|amp);
| (?P<single>\$\$|[{{}}$&~^_\\])
| (?P<text>[^\\%\s\#{{}}$&~^_]+)
| (?P<other>[\s\S])
"""
_ORDINARY = re.compile(_SHAPES.format(letters="[A-Za-z]"), re.VERBOSE)
_WITH_AT = re.compile(_SHAPES.format(letters="[A-Za-z@:_]"), re.VERBOSE)
_ENVIRONMENT = re.compile(r"[ \t]*\{([A-Za-z]+\*?)\}")
_NESTING = re.compile(r"\\(?:(?P<word>begin|end)[ \t]*\{(?P<name>[A-Za-z]+\*?)\}|[\s\S])|%[^\n]*")
# An environment made of one that is read as characters, such as \newenvironment{hide}{\comment}{\endcomment}.
_MADE_OF = re.compile(
    r"\*?\s*\{(?P<name>[A-Za-z]+\*?)\}\s*(?:\[[^\]\n]{0,80}\]\s*){0,2}"
    r"\{\s*(?:\\begin\s*\{(?P<begun>[A-Za-z]+\*?)\}|\\(?P<called>[A-Za-z]+))(?P<options>[^{}]{0,300})\}"
    r"\s*\{\s*(?:\\end\s*\{(?P<ended>[A-Za-z]+\*?)\}|\\end(?P<closed>[A-Za-z]+))\s*\}"
)
_NAMED = re.compile(r"\s*(?:\[[^\]\n]{0,80}\]\s*)?\{(?P<name>[A-Za-z]+\*?)\}")
_OPTIONS = re.compile(r"\s*\[[^\]\n]{0,300}\]")
_BRACES = re.compile(r"[{}]")
_MAKERS = {
    "excludecomment": "comment",
    "lstnewenvironment": "lstlisting",
    "DefineVerbatimEnvironment": "Verbatim",
}
_INLINE_CODE = frozenset(("verb", "Verb", "lstinline", "mintinline"))
_WITH_ADDRESS = frozenset(("url", "nolinkurl", "path", "href"))
_ADDRESS = re.compile(r"\{((?:[^{}\s\\#]|\\\S|#(?![1-9]))*)\}")


class _Tokenizer:
    def __init__(self, text: str, base: int, made_of: dict[str, str] | None = None) -> None:
        self.text = text
        self.base = base
        self.at = 0
        self.out: list[Token] = []
        self.scanner = _ORDINARY
        self.never_closed: set[str] = set()
        self.made_of = (
            {} if made_of is None else made_of
        )  # environments of the document that are read as characters
        self.line_end = -1
        self.not_in_line: set[str] = set()  # delimiters that do not come again before `line_end`
        self.ends: dict[int, int] | None = (
            None  # where each diagram that begins at a place ends, when they nest
        )

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
        elif kind == "entity":  # a text that was taken from a web page
            self.emit("&" if text == "amp" else "text", unescape(f"&{text};"), start)
        elif kind == "symbol" and text.isspace():
            self.emit("symbol", " ", start)
        else:
            self.emit("text" if kind == "other" else kind, text, start)

    def emit(self, kind: str, text: str, start: int) -> None:
        self.out.append(Token(kind, text, self.base + start, self.base + self.at))

    def control_word(self, name: str, start: int) -> None:
        if name == "begin":
            self.begin(start)
        elif name in _INLINE_CODE:
            self.inline_code(name, start)
        elif name in ("makeatletter", "ExplSyntaxOn"):
            self.scanner = _WITH_AT
        elif name in ("makeatother", "ExplSyntaxOff"):
            self.scanner = _ORDINARY
        else:
            if name in _MAKERS and (found := _NAMED.match(self.text, self.at)):
                self.made_of[found["name"]] = _MAKERS[name]
            if name in ("newenvironment", "renewenvironment") and self.made_of_characters():
                return
            self.emit("word", name, start)
            if name in _WITH_ADDRESS and (found := _ADDRESS.match(self.text, self.at)) and "%" in found[1]:
                self.address(found[1])

    def address(self, text: str) -> None:
        """A % of an address begins no comment."""
        for kind, part in (("{", "{"), ("text", text), ("}", "}")):
            start, self.at = self.at, self.at + len(part)
            self.emit(kind, part, start)

    def made_of_characters(self) -> bool:
        """Reads the definition of an environment whose text is code, a diagram or a comment under another name."""
        if found := _MADE_OF.match(self.text, self.at):
            inside = found["begun"] or found["called"]
            if inside in _RAW and inside == (found["ended"] or found["closed"]):
                self.made_of[found["name"]] = inside
                self.at = found.end()
                return True
        return False

    def begin(self, start: int) -> None:
        match = _ENVIRONMENT.match(self.text, self.at)
        name = match.group(1) if match else ""
        read_as = self.made_of.get(name, name)
        if match is None or read_as not in _RAW or name in self.never_closed:
            self.emit("word", "begin", start)
            return
        ending = f"\\end{{{name}}}"
        close = self.nested_end(start) if read_as in DIAGRAMS else -1
        if close < 0:
            close = self.text.find(ending, match.end())
        if close < 0:
            self.never_closed.add(name)
            self.emit("word", "begin", start)
            return
        body = self.text[match.end() : close]
        self.at = close + len(ending)
        self.emit("raw", f"{read_as}\0{body}", start)

    def nested_end(self, start: int) -> int:
        """Where the diagram that begins at `start` ends, of those that lie in one another; -1 if it does not."""
        if self.ends is None:
            self.ends = {}
            opened: dict[str, list[int]] = {}
            for found in _NESTING.finditer(self.text):
                if found["word"] == "begin":
                    opened.setdefault(found["name"], []).append(found.start())
                elif found["word"] and opened.get(found["name"]):
                    self.ends[opened[found["name"]].pop()] = found.start()
        return self.ends.get(start, -1)

    def inline_code(self, name: str, start: int) -> None:
        """\\verb|code| and its kin; \\lstinline takes options and braces too."""
        begin = self.at
        self.at += self.text.startswith("*", self.at)
        if name in ("lstinline", "mintinline") and (options := _OPTIONS.match(self.text, self.at)):
            self.at = options.end()
        if name == "mintinline" and (language := _ENVIRONMENT.match(self.text, self.at)):
            self.at = language.end()
        delimiter = self.text[self.at : self.at + 1]
        if self.line_end < self.at:
            found = self.text.find("\n", self.at)
            self.line_end = found if found >= 0 else len(self.text)
            self.not_in_line = set()
        close = -1
        if delimiter == "{" and "}" not in self.not_in_line:
            close = self.closing_brace(self.at, self.line_end)
        elif delimiter.strip() and delimiter not in self.not_in_line:
            close = self.text.find(delimiter, self.at + 1, self.line_end)
        if close < 0:
            self.not_in_line.add("}" if delimiter == "{" else delimiter)
            self.at = begin
            self.emit("word", name, start)
            return
        body = self.text[self.at + 1 : close]
        self.at = close + 1
        self.emit("raw", f"verb\0{body}", start)

    def closing_brace(self, opening: int, limit: int) -> int:
        """Where the group that opens here ends before `limit`, else the first closing brace, else -1."""
        depth = 0
        for brace in _BRACES.finditer(self.text, opening, limit):
            depth += 1 if brace.group() == "{" else -1
            if depth == 0:
                return brace.start()
        return self.text.find("}", opening, limit)


def tokenize(text: str, base: int = 0, made_of: dict[str, str] | None = None) -> list[Token]:
    """Tokens of `text`; offsets count from `base`. Linear in the length of the text.

    `made_of` tells which of the author's environments are read as characters, and learns those that are defined.
    """
    return _Tokenizer(text, base, made_of).read()


def tokenize_package(text: str, made_of: dict[str, str]) -> list[Token]:
    """Tokens of a package or class, where @ is a letter; their offsets are below zero, outside of any document."""
    tokenizer = _Tokenizer(text, -len(text) - 1, made_of)
    tokenizer.scanner = _WITH_AT
    return tokenizer.read()


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
        is_word, written = False, token.text
        if token.kind in ("word", "symbol", "primitive"):
            is_word, written = token.text[-1:].isalpha(), "\\" + token.text
        elif token.kind == "raw":
            name, _, body = token.text.partition("\0")
            written = body if name == "verb" else f"\\begin{{{name}}}{body}\\end{{{name}}}"
        elif token.kind in ("absent", "true", "false"):
            written = ""
        if after_word and written[:1].isalpha():
            out.append(" ")
        out.append(written)
        after_word = is_word
    return "".join(out)
