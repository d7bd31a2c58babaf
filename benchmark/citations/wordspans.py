"""The words of a LaTeX text with their places, accents read as letters."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from benchmark.citations.folding import fold
from benchmark.citations.plaintext import plain

MAX_SCANNED = 50_000  # characters of one text; the longest of a published release has under 5,000
_ACCENTED = (
    r"\\['`^\"~=.]\s?\{?\\?[^\W\d_]\}?|\\[uvHckrdbt](?:\{\\?[^\W\d_]\}|\s[^\W\d_])"
    r"|\\(?:ss|ae|oe|aa|[oOlL])(?![A-Za-z])\s?"
)
_WORD = re.compile(
    r"\\(?:ref|eqref|cref|label)\{[^{}]{0,200}\}"
    rf"|(?P<word>(?:\{{?(?:{_ACCENTED})\}}?|[^\W\d_])+)|\\[A-Za-z]+"
)
_SENTENCE_ENDS = re.compile(r"(?:^|[.!?:;]|\n)[\s\"“(\[$]*$")


@dataclass(frozen=True)
class Word:
    """A word: folded, with its first letter's case, its place in the text, and the text between it and the next."""

    folded: str
    start: int
    end: int
    capital: bool
    accented: bool
    opens: bool  # a sentence, or the text
    gap: str  # the text up to the next word

    @property
    def possessive(self) -> bool:
        """Whether 's or a bare apostrophe follows."""
        return self.gap[:1] in ("'", "’")


def read_words(text: str) -> tuple[Word, ...]:
    """The words of the first MAX_SCANNED characters. An 's is part of the gap, not a word."""
    text = text[:MAX_SCANNED]
    found = [
        match
        for match in _WORD.finditer(text)
        if match["word"]
        and not (match["word"] == "s" and text[match.start() - 1 : match.start()] in ("'", "’"))
    ]
    words = []
    for at, match in enumerate(found):
        raw = match["word"]
        letters = plain(raw)
        end = found[at + 1].start() if at + 1 < len(found) else len(text)
        words.append(
            Word(
                folded=fold(letters),
                start=match.start(),
                end=match.end(),
                capital=letters[:1].isupper(),
                accented=not raw.isascii() or "\\" in raw,
                opens=bool(_SENTENCE_ENDS.search(text, max(0, match.start() - 12), match.start())),
                gap=text[match.end() : end],
            )
        )
    return tuple(words)


def joined(words: Iterable[Word]) -> str:
    """The folded words run together."""
    return "".join(word.folded for word in words)
