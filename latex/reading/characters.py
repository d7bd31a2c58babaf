"""Characters: accents and symbols of text mode, typographic quotes, and those that are never seen."""

import re
import unicodedata
from html import escape

from latex.reading.tokens import Token

ACCENTS = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307",
    "u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "d": "\u0323", "b": "\u0331", "k": "\u0328",
    "r": "\u030a", "t": "\u0361",
}  # fmt: skip

SYMBOLS = {
    "S": "§", "P": "¶", "dag": "†", "ddag": "‡", "copyright": "©", "textcopyright": "©", "pounds": "£",
    "ldots": "…", "dots": "…", "textellipsis": "…", "textbackslash": "\\", "textasciitilde": "~",
    "textasciicircum": "^", "textbar": "|", "textless": "<", "textgreater": ">", "textbullet": "•",
    "textperiodcentered": "·", "textdegree": "°", "textregistered": "®", "texttrademark": "™", "ss": "ß",
    "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "aa": "å", "AA": "Å",
    "i": "ı", "j": "ȷ", "dh": "ð", "th": "þ", "dj": "đ", "DJ": "Đ", "textemdash": "—", "textendash": "–",
    "textquoteleft": "‘", "textquoteright": "’", "textquotedblleft": "“", "textquotedblright": "”",
    "textquotesingle": "'", "guillemotleft": "«", "guillemotright": "»", "lbrack": "[", "rbrack": "]",
    "textunderscore": "_", "textbraceleft": "{", "textbraceright": "}", "textdollar": "$", "textsection": "§",
    "textvisiblespace": "␣", "LaTeX": "LaTeX", "TeX": "TeX", "BibTeX": "BibTeX", "LaTeXe": "LaTeX2e", "AmS": "AMS",
    "quad": "\u2003", "qquad": "\u2003\u2003", "enspace": "\u2002", "enskip": "\u2002", "thinspace": "\u2009",
    "qed": "□", "qedsymbol": "□", "textasteriskcentered": "*", "slash": "/", "colon": ":",
    "nobreakspace": "\u00a0", "space": " ", "textonehalf": "½", "texteuro": "€", "euro": "€", "numero": "№",
    "textnumero": "№", "textordfeminine": "ª", "textordmasculine": "º", "textmu": "µ",
    "glqq": "„", "grqq": "“", "flqq": "«", "frqq": "»",
    "lq": "‘", "rq": "’", "guillemetleft": "«", "guillemetright": "»", "og": "«\u00a0", "fg": "\u00a0»",
    "quotedblbase": "„", "quotesinglbase": "‚", "textpm": "±", "texttimes": "×", "textdiv": "÷", "textminus": "−",
    "textperthousand": "‰", "textonequarter": "¼", "textthreequarters": "¾", "textlnot": "¬", "textsurd": "√",
    "textrightarrow": "→", "textleftarrow": "←", "textbardbl": "‖",
    "dotfill": "…", "hrulefill": "", "checkmark": "✓",
}  # fmt: skip

# Control symbols in running text: escaped characters and spacing.
ESCAPED = {
    "%": "%", "&": "&", "#": "#", "$": "$", "_": "_", "{": "{", "}": "}", " ": " ", ",": "\u2009", ";": "\u2004",
    ":": "\u2005", "!": "", "/": "", "-": "", "@": "", "|": "‖", ">": "", "<": "", "+": "", "*": "", "\n": " ",
}  # fmt: skip

# Zero-width, bidirectional and tag characters, soft hyphens: they hide text or reorder it.
INVISIBLE = re.compile(
    "[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f\x00-\x08\x0b\x0e-\x1f\x7f]"
)
_PRIVATE = re.compile("[\ud800-\udfff\ue000-\uf8ff]")
_TYPOGRAPHIC = re.compile("---?|``|''|[`']|[?!]`")
_SHAPES = {"---": "—", "--": "–", "``": "“", "''": "”", "`": "‘", "'": "’", "?`": "¿", "!`": "¡"}


def accented(accent: str, base: str) -> str:
    """One letter under its accent: accented("'", "e") is é."""
    base = {"ı": "i", "ȷ": "j"}.get(base, base)
    return unicodedata.normalize("NFC", base[:1] + ACCENTS[accent]) + base[1:]


def typographic(text: str) -> str:
    """TeX's dashes and quotation marks as characters."""
    return _TYPOGRAPHIC.sub(lambda match: _SHAPES[match.group()], text)


def visible(text: str) -> str:
    """The text without characters that nobody sees."""
    return INVISIBLE.sub("", text)


def no_placeholders(text: str) -> str:
    """Same length; private-use characters, which rendering uses as its own marks, and lone surrogates become U+FFFD."""
    return _PRIVATE.sub("\ufffd", text)


def html_text(text: str) -> str:
    return escape(visible(text), quote=False)


def html_attribute(text: str) -> str:
    return escape(visible(text), quote=True)


def plain_words(tokens: list[Token]) -> str:
    """Tokens as bare words, for names of images and titles of links."""
    return visible("".join(t.text for t in tokens if t.kind in ("text", "space", "_", "~", "&", "#"))).strip()
