"""The words of a text in LaTeX: what a ranking by words counts, and what a model of meaning reads.

Commands become words (`\\subseteq` and "subset" are the same term), accents and styles go, hyphenated words count as
their parts and as one word, and what is left is stemmed. Queries and statements pass the same functions, so both must
come from the same VERSION.
"""

import hashlib
import re
import tomllib
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

# The module itself: the package's `stemmer()` would use PyStemmer where that happens to be installed.
from snowballstemmer.english_stemmer import EnglishStemmer

_CONTENT = Path(__file__).with_name("vocabulary.toml").read_bytes()
VOCABULARY = tomllib.loads(_CONTENT.decode())
VERSION = f"1-{hashlib.sha256(_CONTENT).hexdigest()[:8]}"
LONGEST_WORD = 64

_STOP_WORDS = frozenset(VOCABULARY["stop_words"].split())
SPOKEN = {name: said for said, names in VOCABULARY["spoken"].items() for name in names.split()}
SPOKEN |= dict.fromkeys(VOCABULARY["silent"].split(), "")
_NUMBERS: dict[str, str] = VOCABULARY["numbers"]
_LETTERS: dict[str, str] = VOCABULARY["letters"]
_SIGNS = {ord(sign): f" \\{name} " if name.isalpha() else name for sign, name in VOCABULARY["signs"].items()}
_PLAIN_LETTERS = {ord(letter): plain for letter, plain in VOCABULARY["plain_letters"].items()}

_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
# What refers to other places of the source or names a layout. Arguments are short here, which keeps the search linear.
_POINTERS = re.compile(
    r"\\(?:[a-zA-Z]{0,20}label|[a-zA-Z]{0,20}ref|[cC]ite[a-zA-Z]*|begin|end|includegraphics|url|href|tag|[hv]space)\*?"
    r"(?:\[[^\[\]]{0,200}\]){0,3}\{[^{}]{0,200}\}"
)
# \"o, \"{o}, {\"o}, \v{c}, \'{\i}; then \ss, \o{}, {\o}: within words, so no blanks come around them.
_MARK = r"\\(?:[\"'`^~=.]\s?|[uvHtcdbkr](?:\s+|(?=\{)))"
_ACCENT = re.compile(rf"\{{{_MARK}\{{?\\?([A-Za-z])\}}?\}}|{_MARK}(?:\{{\\?([A-Za-z])\}}|\\?([A-Za-z]))")
_LIGATURES = "|".join(_LETTERS)
_LIGATURE = re.compile(rf"\{{\\({_LIGATURES})\s?\}}|\\({_LIGATURES})(?![A-Za-z])(?:\{{\}}|[ ])?")
_SETS = re.compile(rf"\\(?:mathbb|bf|Bbb)\s*\{{?\s*([{''.join(_NUMBERS)}])(?![A-Za-z])\s*\}}?")
_COMMAND = re.compile(r"\\([A-Za-z]+)\*?|\\.|!!\^?(?:an?(?=\{))?", re.DOTALL)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*(?:-+[^\W\d_]+(?:'[^\W\d_]+)*)*|\d+")
_BARE = str.maketrans(dict.fromkeys("{}$~^_&", " "))


def plain(latex: str) -> str:
    """The text without markup, each command of a formula as a word: what a model of meaning reads."""
    return read(latex, spoken)


def read(latex: str, say: Callable[[str], str]) -> str:
    """The text without markup, with `say(name)` for each command that is not about letters."""
    text = latex
    if not text.isascii():
        text = text.translate(_SIGNS)
    if "%" in text:
        text = _COMMENT.sub("", text)
    if "\\" in text or "!!" in text:
        text = _POINTERS.sub(" ", text)
        text = _LIGATURE.sub(lambda found: _LETTERS[found[1] or found[2]], text)
        text = _ACCENT.sub(lambda found: found[1] or found[2] or found[3], text)
        text = _SETS.sub(lambda found: f" {_NUMBERS[found[1]]} ", text)
        text = _COMMAND.sub(lambda found: f" {say(found[1])} " if found[1] else " ", text)
    if not text.isascii():
        # NFKD takes letters and their accents apart, and turns the alphabets of mathematics into plain letters.
        text = unicodedata.normalize("NFKD", text.translate(_PLAIN_LETTERS))
        text = "".join(mark for mark in text if not unicodedata.combining(mark))
    return " ".join(text.translate(_BARE).split())


def terms(latex: str) -> list[str]:
    """The terms of a text in their order: lower case, stemmed, without stop words."""
    found: list[str] = []
    for piece in plain(latex).split(" "):
        # Most pieces come again and again; very long ones would only fill the memory.
        found += _kept(piece) if len(piece) <= LONGEST_WORD else _kept.__wrapped__(piece)
    return found


def spoken(name: str) -> str:
    """What a command says: itself if no table has it, with mixed capitals as words."""
    said = SPOKEN.get(name)
    return _CAMEL.sub(" ", name) if said is None else said


@lru_cache(maxsize=200_000)
def _kept(piece: str) -> tuple[str, ...]:
    """The terms between two blanks."""
    return tuple(term for word in WORD.findall(piece) for term in _of_word(word[: 2 * LONGEST_WORD]))


@lru_cache(maxsize=100_000)
def _of_word(word: str) -> tuple[str, ...]:
    """The terms of one word. "Semi-simple" is three: semi, simpl, and semisimpl, as some write it without a hyphen."""
    parts = [part for part in re.split(r"-+", word.lower()) if part]
    whole = ["".join(parts)] if len(parts) > 1 and "--" not in word else []  # Stone--Čech are two people
    return tuple(
        # A stemmer keeps the word that it works on in itself, so threads cannot share one.
        EnglishStemmer().stemWord(part[:LONGEST_WORD].removesuffix("'s").replace("'", ""))
        for part in parts + whole
        if part not in _STOP_WORDS
    )
