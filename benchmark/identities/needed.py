"""What a text must contain for a pattern to match, so that most patterns need not be tried on most texts.

A search that ignores case costs some ten nanoseconds for each letter of the text and each of hundreds of patterns;
looking for a word costs a thirtieth of that.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

_TOKEN = re.compile(
    r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]"  # an escape, a class
    r"|\((?:\?(?:(?:-?i)?:|<?[=!]|.))?|[|)]"  # what opens a group, parts alternatives and ends a group
    r"|(?:[?*+]|\{\d*(?:,\d*)?\})[?+]?|.",  # how often, and single characters
    re.DOTALL,
)
_RARE = 3  # letters of English; fewer are in every long text
_NOTHING: frozenset[str] = frozenset()


class Sought:
    """A pattern that ignores case, and what a text must contain for it."""

    def __init__(self, pattern: str) -> None:
        self.pattern = re.compile(pattern, re.IGNORECASE)
        self._needed = needed(pattern)

    def may_match(self, lower_case: str) -> bool:
        """Whether the pattern can match the text of which this is `lowered`."""
        return may_match(self._needed, lower_case)


def may_match(texts: frozenset[str], lower_case: str) -> bool:
    """Whether a pattern that needs one of these texts can match the text of which this is `lowered`."""
    return not texts or any(text in lower_case for text in texts)


def lowered(text: str) -> str:
    """A text in lower case, in which a letter is found wherever a pattern that ignores case finds it."""
    return text.casefold().replace("ı", "i")  # which Python takes for an i


def needed(pattern: str) -> frozenset[str]:
    """Texts in lower case, one of which is in every match of `pattern`; none where nothing is known.

    Raises ValueError for groups of other kinds than `(`, `(?:`, `(?-i:` and those that look around.
    """
    return _needed(sign[0] for sign in _TOKEN.finditer(pattern))


def _needed(signs: Iterator[str]) -> frozenset[str]:
    """Reads up to the end of the group."""
    alternatives: list[frozenset[str]] = []
    parts: list[str | frozenset[str]] = []  # of the alternative: letters, and what its groups need
    for sign in signs:
        if sign in ("|", ")"):
            alternatives.append(_rarest(parts))
            parts = []
            if sign == ")":
                break
        elif sign in ("(", "(?:", "(?i:", "(?-i:"):
            parts.append(_needed(signs))
        elif sign in ("(?=", "(?!", "(?<=", "(?<!"):
            _needed(signs)
            parts.append(_NOTHING)
        elif sign.startswith("(?"):
            raise ValueError(f"A group that begins with {sign} is not known here.")
        elif sign[0] in "?*" or sign.startswith(("{0", "{,")):
            parts[-1] = _NOTHING
        elif len(sign) == 1 and (sign.isalpha() or (sign.isascii() and sign.isalnum()) or sign in " -_@"):
            parts.append(lowered(sign))
        else:  # a class, an escape, what is repeated at least once
            parts.append(_NOTHING)
    else:
        alternatives.append(_rarest(parts))
    return frozenset().union(*alternatives) if all(alternatives) else _NOTHING


def _rarest(parts: Sequence[str | frozenset[str]]) -> frozenset[str]:
    """Of what a sequence needs, the texts of which the commonest is rarest; none if that is in every long text."""
    runs = [
        "".join(map(str, run))
        for letters, run in groupby(parts, lambda part: isinstance(part, str))
        if letters
    ]
    known = [frozenset([run]) for run in runs] + [
        part for part in parts if isinstance(part, frozenset) and part
    ]
    best = max(known, key=lambda texts: min(map(_rarity, texts)), default=_NOTHING)
    return best if all(_rarity(text) >= _RARE for text in best) else _NOTHING


def _rarity(text: str) -> int:
    """Its length, in which @ and a letter that English does not have count as several."""
    return sum(_RARE if character == "@" or not character.isascii() else 1 for character in text)
