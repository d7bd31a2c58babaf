"""Titles compared: equal, parts of one series, close, in another language, or far apart."""

import re
from enum import StrEnum

from benchmark.citations.folding import word_set, words

_NUMERALS = [
    "i",
    "ii",
    "iii",
    "iv",
    "v",
    "vi",
    "vii",
    "viii",
    "ix",
    "x",
    "xi",
    "xii",
    "xiii",
    "xiv",
    "xv",
    "xvi",
]
_ROMAN = {roman: str(number) for number, roman in enumerate(_NUMERALS, 1)}
_SERIES = frozenset({"part", "parts", "volume", "vol", "chapter", "no", "teil", "partie"})
_SMALL = word_set(
    "a an the of on in for and to by with at from via is are as its their some le la les l de des du "
    "d un une et sur dans der die das des und uber von zur zum o ob i v"
)
_LANGUAGES = {
    "english": word_set("the of on and in for with to by from"),
    "french": word_set("le la les des du sur et un une dans pour"),
    "german": word_set("der die das und uber von zur zum eine einer fur"),
    "russian": word_set("ob o dlia na po iz pri teoriia teorii"),
    "italian": word_set("il lo gli della delle di sul sulla per"),
}
_CYRILLIC = re.compile("[\u0400-\u04ff]")
NEAR_SHARE = 0.5  # of the content words of both titles together


class TitleMatch(StrEnum):
    """How two titles compare."""

    EQUAL = "equal"
    OTHER_PART = "other part"
    CLOSE = "close"
    OTHER_LANGUAGE = "other language"
    FAR = "far"
    UNKNOWN = "unknown"


def compare_titles(one: str, other: str) -> TitleMatch:
    """UNKNOWN if a title is missing. EQUAL means word for word after folding, numerals of parts included."""
    left, right = words(one), words(other)
    if not left or not right:
        return TitleMatch.UNKNOWN
    if left == right or "".join(left) == "".join(right):
        return TitleMatch.EQUAL
    if _only_numbers_differ(left, right):
        return TitleMatch.OTHER_PART
    if _near(left, right):
        return TitleMatch.CLOSE
    if _language(one, left) != _language(other, right):
        return TitleMatch.OTHER_LANGUAGE
    return TitleMatch.FAR


def content_words(text: str) -> tuple[str, ...]:
    """The folded words that carry a title's meaning, plurals in -s as singulars."""
    return tuple(singular(word) for word in words(text) if word not in _SMALL)


def singular(word: str) -> str:
    """A folded word without its plural s."""
    plural = len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return word[:-1] if plural else word


def _only_numbers_differ(left: tuple[str, ...], right: tuple[str, ...]) -> bool:
    """Part I and part II: the titles are the same without their numbers, or go apart at a number of each."""
    bare_left, numbers_left = _split_numbers(left)
    bare_right, numbers_right = _split_numbers(right)
    if bare_left == bare_right:
        return bool(numbers_left) and bool(numbers_right) and numbers_left != numbers_right
    at = next((at for at, pair in enumerate(zip(left, right, strict=False)) if pair[0] != pair[1]), 0)
    here = [_ROMAN.get(word, word) for word in (left[at], right[at])]
    return at >= 2 and all(map(str.isdecimal, here)) and here[0] != here[1]


def _split_numbers(title: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    values = tuple(_ROMAN.get(word, word) for word in title)
    numbers = tuple(value for value in values if value.isdecimal())
    return tuple(value for value in values if not value.isdecimal() and value not in _SERIES), numbers


def _near(left: tuple[str, ...], right: tuple[str, ...]) -> bool:
    """Half of the content words in common, one title inside the other, or letters that nearly agree."""
    one, other = (
        frozenset(singular(word) for word in title if word not in _SMALL) for title in (left, right)
    )
    if one and other and len(one & other) >= NEAR_SHARE * len(one | other):
        return True
    if one and other and (one <= other or other <= one) and min(len(one), len(other)) >= 2:
        return True
    # three-letter runs: typing errors, words run together
    one, other = (
        frozenset(text[at : at + 3] for at in range(len(text) - 2))
        for text in ("".join(left), "".join(right))
    )
    return bool(one and other) and len(one & other) >= 0.7 * len(one | other)


def _language(title: str, folded: tuple[str, ...]) -> str:
    if _CYRILLIC.search(title):
        return "russian"
    counts = {name: sum(word in small for word in folded) for name, small in _LANGUAGES.items()}
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] >= 1 and best != "english" and counts[best] > counts["english"] else "english"
