"""A source read as bare letters, each with its place: what a scan for words must see through.

`\\textbf{G}PT`, `G{}P\\mbox{T}`, a name built by `\\def`, accents, full-width and Cyrillic letters, entities of
HTML and zero-width characters all read as the plain word. One pass, linear in the source; a macro's body is
read at its call, within a bounded room. What macros with arguments build is read on the page (`latex/shown.py`).
"""

import html
import re
import unicodedata
from dataclasses import dataclass, field
from functools import lru_cache

from latex.reading.characters import ACCENTS, INVISIBLE

MAX_READ = 2  # the reading of macros may make the text at most this many times as long, plus MAX_EXTRA
MAX_EXTRA = 10_000
MAX_DEPTH = 8

# Letters of other scripts that look like Latin ones (a selection of Unicode's confusables, UTS 39): Cyrillic, Greek
# and dashes, small capitals and other Latin letters, Cherokee, Lisu, Coptic, Armenian.
LOOK_ALIKES = dict(
    zip(
        "АВЕКМНОРСТУХІЈЅԚԜԌҮѴаеорсухіјѕһԛԝӏԁүѵΑΒΕΖΗΙΚΜΝΟΡΤΥΧοαικνρτυⅼ‐‑‒–—−﹣"
        "ɡɑıȷʋᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡʏᴢ"
        "ᎠᎡᎢᎥᎪᎫᎬᎳᎷᎻᎽᏀᏂᏃᏎᏏᏒᏔᏙᏚᏞᏟᏢᏦᏧᏳᏴ"
        "ꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ"
        "ⲀⲂⲈⲎⲒⲔⲘⲚⲞⲢⲤⲦⲨⲬⲁⲃⲉⲏⲓⲕⲙⲛⲟⲣⲥⲧⲩⲭ"
        "օոսհցզյՕՍՏԼ",
        "ABEKMHOPCTYXIJSQWGYVaeopcyxijshqwldyvABEZHIKMNOPTYXoaikvptul-------"
        "gaijvABCDEFGHIJKLMNOPQRSTUVWYZ"
        "DRTiAJEWMHYGhZ4bRWVSLCPKdGB"
        "BPDTGKJCZFMNLSRVHWXYAEIOU"
        "ABEHIKMNOPCTYXabehikmnopctyx"
        "onuhgqjOUSL",
        strict=True,
    )
)
LOOK_ALIKES |= {sign.lower(): plain for sign, plain in LOOK_ALIKES.items() if "Ꭰ" <= sign <= "Ᏼ"}
# Letters in circles and squares that Unicode does not fold, and those of flags.
LOOK_ALIKES |= {chr(first + n): chr(65 + n) for first in (0x1F150, 0x1F170, 0x1F1E6) for n in range(26)}
_COMMENT = r"%[^\n]*(?:\n[ \t]*)?|"
_TOKENS = (
    r"(?P<kern>\\m?(?:kern|skip|hskip)\s*=?\s*-?[\d.]{1,9}\s?(?:pt|em|ex|mu|sp|cm|mm|in)[ \t]?)"
    r"|\\(?P<word>[A-Za-z@]+)[ \t]*\n?[ \t]*|\\(?P<sign>.)"
    r"|(?P<tag></?[A-Za-z][^<>\n]{0,300}>)|(?P<remark><!--.*?(?:-->|\Z))|&(?P<entity>#?\w{1,10});"
    r"|(?P<run>[A-Za-z0-9,.;:()=+?!/-]+(?: [A-Za-z0-9,.;:()=+?!/-]+)*)|(?P<space>\s+)|(?P<other>.)"
)
_LATEX, _MARKDOWN = (re.compile(comment + _TOKENS, re.DOTALL) for comment in (_COMMENT, ""))
_DEFINED = re.compile(
    r"\\(?:def\s*\\(?P<def>[A-Za-z@]+)|(?:re)?newcommand\*?\s*\{?\\(?P<new>[A-Za-z@]+)\}?|providecommand\*?\s*"
    r"\{?\\(?P<provide>[A-Za-z@]+)\}?)\s*\{(?P<body>[^{}]{0,200}(?:\{[^{}]{0,200}\}[^{}]{0,200}){0,3})\}"
)
_JOINING_SIGNS = frozenset("-/!,@+*")  # discretionary hyphens and thin spaces leave a word together
_TEXT_IN_MATH = frozenset(
    ("text", "textrm", "textbf", "textit", "texttt", "textsf", "textsc", "textsl", "textup", "textnormal", "emph",
     "mathrm", "mathbf", "mathsf", "mathit", "mathtt", "operatorname", "mbox", "hbox", "tag")
)  # fmt: skip
# In a formula as KaTeX gets it: what shows no letter, characters by number, and old commands that change the font.
_NO_LETTERS = re.compile(
    r"\\[hv]?phantom\s*\{[^{}]*\}|\\[hm]space\*?\s*\{[^{}]*\}|\\(?:begin|end)\s*\{[a-zA-Z*]*\}(?:\{[^{}]*\})?"
)
_BY_NUMBER = re.compile(
    r"\\char\s*(?:(?P<decimal>\d{1,7})|'(?P<octal>[0-7]{1,7})|\"(?P<hex>[0-9A-Fa-f]{1,6})|`(?P<sign>[^\\\s]))"
)
_OLD_FONT = re.compile(r"\\(?:rm|bf|it|sf|tt|sc)(?![A-Za-z])")
_SPACING = frozenset(("quad", "qquad", "hspace", "hfill", "newline", "linebreak", "par", "item", "space"))


@dataclass
class Reading:
    """The bare letters; `starts[i]` and `ends[i]` bound what `text[i]` came from; `symbol[i]`: a letter or
    digit that stands for itself in a formula, so that a row of them is a product and no word."""

    text: str = ""
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    symbol: list[bool] = field(default_factory=list)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The source offsets of text[start:end]."""
        return min(self.starts[start:end]), max(self.ends[start:end])


def read(source: str, text_format: str) -> Reading:
    """The reading of a source in `text_format` (latex, markdown or plain)."""
    return _LetterReader(source, text_format).read()


def read_formula(latex: str) -> Reading:
    """The reading of a formula without its dollar signs, as KaTeX gets it."""
    latex = _BY_NUMBER.sub(_numbered, _NO_LETTERS.sub("{}", latex.replace("&", " ")))
    reader = _LetterReader(_OLD_FONT.sub(r"\\mathrm{", latex), "latex")
    reader.in_math = True
    return reader.read()


def _numbered(found: re.Match[str]) -> str:
    if found["sign"]:
        return f"{{{found['sign']}}}"
    code = int(found["decimal"] or 0) or int(found["octal"] or "0", 8) or int(found["hex"] or "0", 16)
    return f"{{{chr(code)}}}" if 31 < code < 0x110000 else ""


def letters(text: str) -> str:
    """Text without markup as bare letters: no accents, nothing invisible, look-alikes as the Latin letters."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_plain, text))


@lru_cache(maxsize=5_000)
def _plain(character: str) -> str:
    """A character as none, one or several bare ones."""
    if INVISIBLE.match(character):
        return ""
    if character.isascii():
        return character
    decomposed = unicodedata.normalize("NFKD", LOOK_ALIKES.get(character, character))
    kept = (plain for plain in decomposed if unicodedata.category(plain) not in ("Mn", "Cf"))
    return "".join(LOOK_ALIKES.get(plain, plain) for plain in kept)


class _LetterReader:
    def __init__(self, source: str, text_format: str) -> None:
        self.source, self.format = source, text_format
        self.characters: list[str] = []
        self.length = 0
        self.reading = Reading()
        self.macros: dict[str, str] = {}  # those without arguments, by name; the last definition counts
        for found in _DEFINED.finditer(source) if text_format != "plain" else ():
            self.macros[found["def"] or found["new"] or found["provide"]] = found["body"]
        self.room = MAX_READ * len(source) + MAX_EXTRA
        self.spent = 0  # tokens of macros that were read, for those that leave no letter
        self.in_math = False
        self.braces: list[bool] = []  # for each open brace: was text mode entered inside a formula?
        self.text_next = False

    def read(self) -> Reading:
        self._read(self.source, 0, None)
        self.reading.text = "".join(self.characters)
        return self.reading

    def _read(self, text: str, depth: int, at: tuple[int, int] | None) -> None:
        if self.format == "plain":
            for place, character in enumerate(text):
                self._letter(character, (place, place + 1))
            return
        for token in (_LATEX if self.format == "latex" else _MARKDOWN).finditer(text):
            if at is not None:
                self.spent += 1
                if self.length + self.spent > self.room:
                    return
            self._token(token, depth, at)

    def _token(self, token: re.Match[str], depth: int, at: tuple[int, int] | None) -> None:
        span = at or token.span()
        kind = token.lastgroup
        if kind == "word":
            self._command(token["word"], depth, span)
        elif kind == "sign":
            self._sign(token["sign"], span)
        elif kind == "entity":
            for character in html.unescape(token[0]) if self.format == "markdown" else token[0]:
                self._letter(character, span)
        elif kind == "run":
            self._run(token[0], span, moving=at is None)
        elif kind == "space":
            self._add("\n" if "\n" in token[0] else " ", span)
        elif kind == "tag" and self.format == "latex":  # two relation signs, not a tag
            for character in token[0]:
                self._other(character, span)
        elif kind == "other":
            self._other(token["other"], span)

    def _command(self, name: str, depth: int, span: tuple[int, int]) -> None:
        if name in self.macros and depth < MAX_DEPTH:
            self._read(self.macros[name], depth + 1, span)
        elif name in _TEXT_IN_MATH:
            if name == "tag":  # the page shows it at the margin, away from the formula
                self._add(" ", span)
            self.text_next = True
        elif name in ACCENTS and name.isalpha():
            return  # the accent goes, its letter follows
        elif name in _SPACING or self.source[span[1] : span[1] + 1] not in ("{", "["):
            self._add(" ", span)

    def _sign(self, sign: str, span: tuple[int, int]) -> None:
        if sign in "([":
            self.in_math = True
        elif sign in ")]":
            self.in_math = False
        elif sign in _JOINING_SIGNS or sign in ACCENTS:
            return
        elif sign.isspace() or sign in ";:\\":
            self._add(" ", span)
        else:
            self._letter(sign, span)

    def _other(self, character: str, span: tuple[int, int]) -> None:
        if character == "$":
            self.in_math = not self.in_math
        elif character == "{":
            self.braces.append(self.text_next and self.in_math)
            if self.braces[-1]:
                self.in_math = False
            self.text_next = False
        elif character == "}":
            if self.braces and self.braces.pop():
                self.in_math = True
        elif character == "~":
            self._add(" ", span)
        elif not (self.format == "markdown" and character in "*`"):
            self._letter(character, span)

    def _run(self, text: str, span: tuple[int, int], *, moving: bool) -> None:
        """Plain letters, which stand for themselves: the bulk of every text."""
        self.characters.append(text)
        self.length += len(text)
        if moving:
            self.reading.starts.extend(range(span[0], span[1]))
            self.reading.ends.extend(range(span[0] + 1, span[1] + 1))
        else:
            self.reading.starts.extend([span[0]] * len(text))
            self.reading.ends.extend([span[1]] * len(text))
        symbols = [self.in_math] * len(text)
        if self.text_next:  # \mathrm G, without braces
            symbols[0] = self.text_next = False
        self.reading.symbol.extend(symbols)

    def _letter(self, character: str, span: tuple[int, int]) -> None:
        for plain in _plain(character):
            self._add(plain, span)

    def _add(self, character: str, span: tuple[int, int]) -> None:
        self.characters.append(character)
        self.length += 1
        self.reading.starts.append(span[0])
        self.reading.ends.append(span[1])
        self.reading.symbol.append(self.in_math and character.isalnum())
