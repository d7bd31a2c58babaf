"""A citation's LaTeX as plain characters, with the marks that tell its fields apart.

Published citations often lost their braces (`\\emphMetrics`, `Erd\\Hos`, `\\bibinfotitleThe convergence`), so a command
is read from the start of a run of letters: the longest known one, then a letter under an accent, else the letters
themselves.
"""

import re
import unicodedata

from latex.reading.characters import ACCENTS, SYMBOLS, accented, typographic, visible

BREAK = "\x1e"  # between fields (\newblock and its like)
ITALIC = "\x1f"  # italics begin: a title or a journal
TITLE = "\x1d"  # the title begins, said by the style itself
MARKS = BREAK + ITALIC + TITLE
MAX_CITATION = 5_000  # characters that are read; the longest of a published release has under 600

_ITALIC_NAMES = ("emph", "em", "textit", "it", "itshape", "sl", "slshape", "textsl")
_TITLE_NAMES = ("btitle", "bibinfotitle")
_BREAK_NAMES = (
    "newblock", "bjournal", "bvolume", "bpages", "byear", "bnumber", "bpublisher", "bdoi", "bbooktitle",
    "endbarticle", "bibinfojournal", "bibinfovolume", "bibinfopages", "bibinfoyear", "bibinfonumber",
    "bibinfobooktitle", "bibinfopublisher", "URLprefix", "DOIprefix",
)  # fmt: skip
_SILENT_NAMES = (
    "textsc", "sc", "scshape", "textbf", "bf", "bfseries", "textrm", "rm", "textup", "textnormal", "text",
    "textsuperscript", "url", "urlprefix", "href", "path", "doi", "burl", "burlalt", "nolinkurl", "mathscinet",
    "MR", "msn", "bgroup", "egroup", "bauthor", "bsnm", "bfnm", "bparticle", "bsuffix", "bibinfoauthor", "bibname",
    "beginbarticle", "beginbbook", "endbbook", "endbibitem", "thinspace", "bibitem", "mathbb",
    "mathcal", "mathrm", "mathfrak", "mathbf", "mathscr", "mathsf", "operatorname", "Bbb", "textbackslash", "sk",
    "og", "fg", "natexlab", "relax", "small", "ensuremath", "mbox", "hbox", "BibEmph",
)  # fmt: skip
_MEANING = {
    **dict.fromkeys(_ITALIC_NAMES, ITALIC),
    **dict.fromkeys(_TITLE_NAMES, TITLE),
    **dict.fromkeys(_BREAK_NAMES, BREAK),
    **dict.fromkeys(_SILENT_NAMES, ""),
    "AND": " and ",
    "bysame": "———",
}
_LONGEST = max(map(len, [*_MEANING, *SYMBOLS]))
_DROPPED = re.compile(r"\\binits(?:[^\W\d_]\.?[~ -]?)+|\\penalty\s?\d{0,5}")  # initials said twice; TeX's own
_SIGN_ACCENT = re.compile(r"\\(['`^\"~=.])\s?\{?\s?\\?([^\W\d_])")
_LETTER_ACCENT = re.compile(r"\\([uvHckrdbt])(?:\{|\s+\{?)\\?([^\W\d_])")
_COMMAND = re.compile(r"\\([A-Za-z]+)")


def plain(citation: str) -> str:
    """The citation with accents as characters and fields set off by MARKS; no command or brace is left."""
    text = _DROPPED.sub(" ", visible(citation[:MAX_CITATION]).translate(_NO_MARKS))
    text = _SIGN_ACCENT.sub(lambda match: accented(match[1], match[2]), text)
    text = _LETTER_ACCENT.sub(lambda match: accented(match[1], match[2]), text)
    text = _COMMAND.sub(lambda match: _resolved(match[1]), text)
    text = re.sub(r"\\([&%#_$])", r"\1", text)
    text = re.sub(r"\\.", " ", text.replace("\\\\", " "))
    text = typographic(text).replace("~", " ").replace("{", "").replace("}", "").replace("\\", " ")
    return re.sub(r"[^\S\x1c-\x1f]+", " ", unicodedata.normalize("NFC", text)).strip()


_NO_MARKS = {ord(mark): " " for mark in MARKS + "\x1c"}


def _resolved(word: str) -> str:
    for length in range(min(len(word), _LONGEST), 0, -1):
        front, rest = word[:length], word[length:]
        if front in _MEANING and (not rest or length > 1):
            # A known command and the text that lost braces have glued to it; a silent one
            # joins: M\textsuperscript{c}K.
            meaning = _MEANING[front]
            return f" {meaning} {rest}" if meaning else rest
        if front in SYMBOLS and (length > 1 or not rest or rest[0].islower()):
            return SYMBOLS[front] + rest
    if word[0] in ACCENTS and len(word) > 1:
        return accented(word[0], word[1:])
    return word
