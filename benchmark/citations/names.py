"""Names of authors as citations write them, and whether two of them can be one person."""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import takewhile

from benchmark.citations.folding import fold, german, transliterated, word_set

PARTICLES = word_set("van von der den de del della di dal da dos du la le ter ten zu zur el al af av bin ibn")
_CAPITAL_PARTICLES = frozenset({"Van", "Von", "Der", "De", "Di", "Del", "Dal", "El"})
_SUFFIX = re.compile(r",?\s+(?:Jr|Sr|II|III|IV|V)\.?$")
_ET_AL = re.compile(r"[,;]?\s*(?:and|&)?\s*\bet\s+al\b\.?|[,;]?\s+(?:and|&)\s+others\b\.?", re.IGNORECASE)
_AND = re.compile(r"\s*(?:;|,?\s+(?:and|und|et|&)\s+|,\s*&\s*)\s*", re.IGNORECASE)
_LETTERS = re.compile(r"[^\W\d_]+")
_INITIAL = re.compile(r"[^\W\d_](?:[^\W\d_]?\.)?-?|[A-Z]{2}")
MAX_AUTHORS = 60  # more names than that are not a list of authors


class Likeness(StrEnum):
    """How two names, or two lists of names, compare."""

    SAME = "same"
    SPELLING = "spelling"  # the same up to transliteration or a name written in parts
    TYPING = "typing"  # one letter apart
    PART = "part"  # one list goes on where the other says et al.
    OVERLAP = "overlap"  # some names in common
    NONE = "none"
    UNKNOWN = "unknown"  # a side names nobody


@dataclass(frozen=True)
class Name:
    """A person: `surname` as written, and the given names or initials.

    What is folded is kept, because a list of authors is compared with thousands of others.
    """

    surname: str
    given: str = ""

    @cached_property
    def keys(self) -> frozenset[str]:
        """The folded surname without spaces and hyphens, with and without particles, umlauts in both spellings."""
        parts = _LETTERS.findall(self.surname)
        core = "".join(part for part in parts if part.lower() not in PARTICLES)
        return frozenset(
            form for name in (core, "".join(parts)) if name for form in (fold(name), german(name))
        )

    @cached_property
    def initials(self) -> str:
        """The folded first letters of the given names."""
        return "".join(fold(part)[:1] for part in _LETTERS.findall(self.given))

    @cached_property
    def parts(self) -> frozenset[str]:
        """Every folded word of the whole name longer than an initial."""
        return frozenset(
            fold(part) for part in _LETTERS.findall(f"{self.given} {self.surname}") if len(part) > 2
        )

    @cached_property
    def first(self) -> str:
        """The folded first given name or initial."""
        return next((fold(part) for part in _LETTERS.findall(self.given)), "")

    def swapped_with(self, other: "Name") -> bool:
        """Whether one's surname is the other's given name and the other way round: Li Jiayu and Jiayu Li."""
        return bool(self.given) and bool(
            Name(self.given).keys & other.keys and Name(other.given).keys & self.keys
        )


@dataclass(frozen=True)
class Authors:
    """A list of authors; `open` if it ends in et al."""

    names: tuple[Name, ...] = ()
    open: bool = False


def read_authors(text: str) -> Authors:
    """Names from "Last, F., Last, F.", "F. Last and G. Last", "Last, First; Last, First" and mixtures of them."""
    cut = _ET_AL.search(text)
    text = (text[: cut.start()] if cut else text).strip(" ,:;–—")
    inverted = ";" in text  # one comma parts a surname from given names
    names: list[Name] = []
    for group in _AND.split(text)[:MAX_AUTHORS]:
        parted = _SUFFIX.sub("", group.strip(" ,()[]")).split(",")
        pieces = [piece.strip() for piece in parted if piece.strip()]
        at = 0
        while at < len(pieces):
            following = pieces[at + 1] if at + 1 < len(pieces) else ""
            # what holds no initial can be a surname alone
            alone = not any(map(_are_initials, pieces[at].split()))
            # a piece behind a comma belongs to the surname before it; a full name does if it is the only one
            words = following.split() if len(pieces) == 2 else []
            given = (
                _are_initials(following) or len(words) == 1 or (len(words) == 2 and _are_initials(words[1]))
            )
            turned = alone and (given or (inverted and len(pieces) == 2 and at == 0))
            names.append(Name(pieces[at], following) if turned else _in_order(pieces[at]))
            at += 2 if turned else 1
    names = [name for name in names if _LETTERS.search(name.surname)]
    return Authors(tuple(names[:MAX_AUTHORS]), open=bool(cut))


def _are_initials(piece: str) -> bool:
    """Whether a text is initials only: J., J. L., F.-H., Yu., FH."""
    parts = [part for token in piece.split() for part in re.findall(r"[^.-]+\.?-?", token)]
    return bool(parts) and all(map(_INITIAL.fullmatch, parts))


def _in_order(piece: str) -> Name:
    """First names, then the surname, which takes the particles before it along."""
    tokens = _SUFFIX.sub("", piece).split()
    if not tokens:
        return Name("")
    if not _are_initials(tokens[-1]):
        tokens[-1] = tokens[-1].rstrip(".")
    if (
        len(tokens) > 1 and _are_initials(tokens[-1]) and not _are_initials(tokens[0])
    ):  # Hardt R., written backwards
        surname = list(takewhile(lambda token: not _are_initials(token), tokens))
        return Name(" ".join(surname), " ".join(tokens[len(surname) :]))
    tokens = " ".join(tokens).replace(".", ". ").split()
    at = len(tokens) - 1
    while at > 0 and (tokens[at - 1] in PARTICLES or tokens[at - 1] in _CAPITAL_PARTICLES):
        at -= 1
    return Name(" ".join(tokens[at:]), " ".join(tokens[:at]))


def compare(one: Name, other: Name) -> Likeness:
    """SAME, SPELLING, TYPING or NONE. Given names that contradict each other make two persons."""
    # initials that leave no room for the other: J. Li and Z. Li are two persons
    left, right = one.initials, other.initials
    apart = left and right and left[0] not in right and right[0] not in left
    if apart and not one.swapped_with(other):
        return Likeness.NONE
    # called by a full first name and not by the same: Peter and Paul, but Mike and Michael too
    left, right = one.first, other.first
    if len(left) > 2 and len(right) > 2 and left != right and not one.swapped_with(other):
        return Likeness.TYPING if one.keys & other.keys else Likeness.NONE
    if one.keys & other.keys:
        return Likeness.SAME
    if {transliterated(key) for key in one.keys} & {transliterated(key) for key in other.keys}:
        return Likeness.SPELLING
    if one.parts and other.parts and (one.parts <= other.parts or other.parts <= one.parts):
        return Likeness.SPELLING  # Duminil Copin, H. and Hugo Duminil-Copin; Li Jiayu and Jiayu Li
    if any(_one_apart(left, right) for left in one.keys for right in other.keys):
        return Likeness.TYPING
    return Likeness.NONE


def compare_lists(one: Authors, other: Authors) -> Likeness:
    """How two lists of authors compare, whatever the order of their names."""
    if not one.names or not other.names:
        return Likeness.UNKNOWN
    shorter, longer = sorted((one, other), key=lambda authors: len(authors.names))
    # of each name of the shorter list that has a partner of its own in the longer one
    likeness: list[Likeness] = []
    left, free = list(shorter.names), list(longer.names)
    for wanted in (Likeness.SAME, Likeness.SPELLING, Likeness.TYPING):
        for name in list(left):
            partner = next((other for other in free if compare(name, other) == wanted), None)
            if partner is not None:
                free.remove(partner)
                left = [other for other in left if other is not name]
                likeness.append(wanted)
    if len(likeness) == len(shorter.names):
        if len(shorter.names) == len(longer.names):
            return max(likeness, key=list(Likeness).index)
        leads = compare(one.names[0], other.names[0]) in (Likeness.SAME, Likeness.SPELLING)
        return Likeness.PART if shorter.open and leads else Likeness.OVERLAP
    return Likeness.OVERLAP if likeness else Likeness.NONE


def _one_apart(left: str, right: str) -> bool:
    """One letter changed, left out, put in or swapped with its neighbour, in names of six letters and more."""
    if min(len(left), len(right)) < 6 or abs(len(left) - len(right)) > 1 or left == right:
        return False
    start = next(
        (i for i, pair in enumerate(zip(left, right, strict=False)) if pair[0] != pair[1]), len(right)
    )
    a, b = left[start:], right[start:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[:2] == b[:2][::-1] and a[2:] == b[2:])
