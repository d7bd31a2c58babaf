"""Text folded for comparison: accents, cases, scripts and spellings that one name or title has many of."""

import re
import unicodedata
from functools import lru_cache

_PLAIN = ("ss", "o", "l", "ae", "oe", "d", "d", "th", "i", "j", "h")
# Letters that NFKD leaves whole.
_WHOLE = str.maketrans(dict(zip("ßøłæœđðþıȷħ", _PLAIN, strict=True)))
# Russian and Ukrainian after ALA-LC without diacritics; soft and hard signs fall away.
_CYRILLIC = {
    **dict(zip("абвгдезийклмнопрстуфыэіїґ", "abvgdeziiklmnoprstufyeiig", strict=True)),
    **dict(zip("жхцчшщюяёє", ["zh", "kh", "ts", "ch", "sh", "shch", "iu", "ia", "e", "ie"], strict=True)),
    **dict.fromkeys("ъь", ""),
}
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})
_DELIMITERS = re.compile(r"\$\$?|\\[()\[\]]|\s+")
_WORD = re.compile(r"[^\W_]+")
_SPELLINGS = (  # of Russian names in Latin letters, each brought to one form
    ("tsch", "ch"), ("tch", "ch"), ("sch", "sh"), ("sh", "ch"), ("tz", "ts"), ("kh", "h"), ("ph", "f"), ("x", "ks"),
    ("yu", "iu"), ("ju", "iu"), ("ya", "ia"), ("ja", "ia"), ("j", "i"), ("y", "i"), ("w", "v"), ("oo", "u"),
)  # fmt: skip


def fold(text: str) -> str:
    """Lower case ASCII where there is a Latin or Cyrillic letter for it; other scripts stay as they are."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.lower().translate(_WHOLE)).lower()
    # й and ё are a letter with an accent after NFKD; the accent goes with the others
    bare = "".join(char for char in decomposed if not unicodedata.combining(char)).translate(_WHOLE)
    return "".join(_CYRILLIC.get(char, char) for char in bare)


def undelimited(formula: str) -> str:
    """A formula or a statement without delimiters of mathematics and white space."""
    return _DELIMITERS.sub("", formula)


def german(text: str) -> str:
    """The same with ä, ö, ü, å, ø as two letters: Müller is mueller."""
    return fold(unicodedata.normalize("NFC", text).lower().translate(_UMLAUTS))


def transliterated(folded: str) -> str:
    """A folded name with the spellings of one Russian name brought together: Ostrovskii is Ostrovsky."""
    for spelling, one in _SPELLINGS:
        folded = folded.replace(spelling, one)
    return re.sub(r"i+", "i", folded)


@lru_cache(maxsize=100_000)
def words(text: str) -> tuple[str, ...]:
    """The folded words of a text, letters and digits only. Kept: a title is compared with thousands of others."""
    return tuple(_WORD.findall(fold(text)))


def word_set(text: str) -> frozenset[str]:
    """The words of a list written as one text."""
    return frozenset(text.split())
