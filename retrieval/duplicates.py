"""Statements that say the same: identical, near or related, whatever their macros and variables are called.

A statement is read as words. Names of variables and of commands that no table knows are exchangeable, so a run of four
words (a shingle) has the first place of each name in place of the name. The Jaccard coefficient of two sets of shingles
falls below a half where one word in ten is different, so what stays in order counts as well.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

from retrieval import words
from retrieval.formulas import formula_terms

KINDS = ("identical", "near", "related", "different")  # of likeness, the most alike first
LENGTH = 4  # words in a shingle
NEAR, RELATED = 0.5, 0.2  # Jaccard coefficients of shingles
NEAR_IN_ORDER = 0.8  # of the words of both
SHORTEST = 8  # words: a shorter statement is not near another one
FORMULA_TERMS = 40  # from so many on, equal formulas make two statements near
_LONGEST = 600  # words that are compared in order
_COMMON = 200  # a shingle in more statements than this finds no pairs by itself
_NAME = "\\"  # no word begins with it
_WORD = re.compile(r"\\[A-Za-z]+|[^\W\d_]+|\d+|[=<>+*/|!]")
_LETTERS = frozenset(words.VOCABULARY["formulas"]["greek"].split()) | {
    name for name in words.SPOKEN if name.startswith("var") and name != "varnothing"
}


_Having = dict[str | tuple[str | int, ...], list[int]]  # statements by the whole text and by shingle


@dataclass(frozen=True)
class Likeness:
    """How alike two statements are: "identical", "near", "related" or "different"; the coefficient is from 0 to 1."""

    kind: str
    jaccard: float


@dataclass(frozen=True)
class Pair:
    """Two statements by their keys, in order, and how alike they are."""

    one: str
    other: str
    likeness: Likeness


class Read:
    """A statement as it is compared. Reading is most of the work, so keep what is compared again."""

    def __init__(self, latex: str) -> None:
        self.latex = latex
        named = words.plain(latex).lower()
        self.exact = " ".join("".join(sign if sign.isalnum() else " " for sign in named).split())
        numbers: dict[str, int] = {}
        # Words as they are, names as the number of their first place in the statement.
        self.tokens: list[str | int] = []
        for word in _WORD.findall(words.read(latex, _said)):
            is_name = word.startswith(_NAME) or (len(word) == 1 and word.isalpha())
            self.tokens.append(numbers.setdefault(word, len(numbers)) if is_name else word.lower())

    @cached_property
    def shingles(self) -> frozenset[tuple[str | int, ...]]:
        """All runs of four words, names numbered by their first place in the run. The whole, if there are fewer."""
        found = set()
        for at in range(max(len(self.tokens) - LENGTH + 1, 1)):
            run = self.tokens[at : at + LENGTH]
            found.add(tuple(run.index(token) if isinstance(token, int) else token for token in run))
        return frozenset(found)

    @cached_property
    def words(self) -> int:
        """How many words it has besides names, numbers and signs."""
        return sum(isinstance(token, str) and token.isalpha() for token in self.tokens)

    @cached_property
    def formula_terms(self) -> list[str]:
        """The terms of its formulas."""
        return formula_terms(self.latex)


def _said(name: str) -> str:
    """What a command says; _NAME and the command for one that can have another name."""
    if name in _LETTERS:
        return _NAME + name
    said = words.SPOKEN.get(name)
    return _NAME + name if said is None else said


def likeness(one: Read, other: Read) -> Likeness:
    """How alike two statements are.

    Identical: equal but for markup. Near: a quarter of the shingles and four fifths of the words in order are common,
    or half and nine tenths where there are few words besides names and signs; or equal formulas that are not short.
    Related: a fifth of the shingles is common.
    """
    if one.exact == other.exact:
        return Likeness("identical", 1.0)
    shared = len(one.shingles & other.shingles)
    jaccard = shared / (len(one.shingles) + len(other.shingles) - shared)
    if jaccard < RELATED:
        return Likeness("different", jaccard)
    wordy = min(one.words, other.words) >= SHORTEST
    first, second = (
        # Which name it is matters where there are few words; among many, one new name would shift all numbers after it.
        [token if isinstance(token, str) or not wordy else -1 for token in read.tokens[:_LONGEST]]
        for read in (one, other)
    )
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    in_order = matcher.ratio() if matcher.quick_ratio() >= NEAR_IN_ORDER else 0.0
    alike = (
        in_order >= NEAR_IN_ORDER and jaccard >= NEAR / 2 if wordy else in_order >= 0.9 and jaccard >= NEAR
    )
    equal_formulas = len(one.formula_terms) >= FORMULA_TERMS and one.formula_terms == other.formula_terms
    long_enough = min(len(one.tokens), len(other.tokens)) >= SHORTEST
    near = long_enough and (alike or equal_formulas)
    return Likeness("near" if near else "related", jaccard)


def compare(one: str, other: str) -> Likeness:
    """`likeness` of two texts in LaTeX."""
    return likeness(Read(one), Read(other))


def pairs(
    statements: Iterable[tuple[str, str]], against: Iterable[tuple[str, str]] | None = None
) -> list[Pair]:
    """All pairs that are at least related, among (key, LaTeX), or of each of them with each of `against`.

    The most alike come first. `statements` are kept in memory and `against` is read once, so the larger of the two
    belongs there. Two statements are compared if they are identical or share a shingle that few have.
    """
    having: _Having = defaultdict(list)
    first: list[tuple[str, Read]] = []
    found = []

    def keep(key: str, read: Read) -> None:
        having[read.exact].append(len(first))
        for shingle in read.shingles:
            having[shingle].append(len(first))
        first.append((key, read))

    def compare_with_kept(key: str, read: Read) -> Iterator[tuple[str, Likeness]]:
        candidates = set(having.get(read.exact, ()))
        for shingle in read.shingles:
            numbers = having.get(shingle, ())
            if len(numbers) <= _COMMON:
                candidates.update(numbers)
        for number in candidates:
            other_key, other = first[number]
            alike = likeness(other, read)
            if alike.kind != "different":
                yield other_key, alike

    for key, latex in statements:
        read = Read(latex)
        if against is None:
            for other, alike in compare_with_kept(key, read):
                found.append(Pair(min(key, other), max(key, other), alike))
        keep(key, read)
    for key, latex in against or ():
        for one, alike in compare_with_kept(key, Read(latex)):
            found.append(Pair(one, key, alike))
    return sorted(
        found,
        key=lambda pair: (KINDS.index(pair.likeness.kind), -pair.likeness.jaccard, pair.one, pair.other),
    )
