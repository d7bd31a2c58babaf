"""A source cut to the passages around its statements, as the authors' code does with the cited source."""

import re
from itertools import islice

MOST, BEFORE, AFTER = 24, 300, 2_500  # passages; characters before and after the word that begins a statement
MOST_PIECES = 8  # of a source without such a word
_STATEMENT = re.compile(r"\b(?:theorem|lemma|proposition|corollary|claim|remark)\b", re.IGNORECASE)


def blocks_of(text: str) -> list[str]:
    """The passages around the first words that name a statement, in the order of the text; they may overlap.

    It is a rule for words and not for LaTeX: most sources are read from PDF files. Nothing of a text without such a
    word.
    """
    found = islice(_STATEMENT.finditer(text), MOST)
    return [text[max(0, word.start() - BEFORE) : word.start() + AFTER] for word in found]


def pieces_of(text: str) -> list[str]:
    """The beginning of a text in pieces as long as a passage."""
    return [text[start : start + AFTER] for start in range(0, min(len(text), MOST_PIECES * AFTER), AFTER)]
