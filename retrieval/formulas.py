"""The terms of a formula: runs of one to three tokens, and runs of three and four whose variables have no names.

Before that, ways of writing are made equal: \\le and \\leq, \\dfrac and \\frac, spaces, \\left and \\right, braces
around one token. Named runs find the same formula, anonymous runs find it with other letters.
"""

import hashlib
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from retrieval import words

VERSION = words.VERSION
LONGEST_FORMULA = 4_000  # tokens; what follows is left out
_NAMED, _ANONYMOUS = (1, 2, 3), (3, 4)
_DEEPEST = 200

Hashes = NDArray[np.uint64]

_TABLES = words.VOCABULARY["formulas"]
_SAME = {"\\" + name: one for one, names in words.VOCABULARY["same"].items() for name in names.split()}
_SIGNS = {
    sign: _SAME.get("\\" + name, "\\" + name) if name.isalpha() else name
    for sign, name in words.VOCABULARY["signs"].items()
}
_DROPPED = frozenset(_TABLES["dropped"].split()) | {"\\ ", "\\\n"}
_FONTS = frozenset(_TABLES["fonts"].split())
_VARIABLES = frozenset("\\" + name for name in _TABLES["greek"].split())

_ENVIRONMENTS = "|".join(_TABLES["environments"].split())
_OPENING = re.compile(rf"\\\\|\\\$|\$\$|\$|\\\(|\\\[|\\begin\s*\{{((?:{_ENVIRONMENTS})\*?)\}}|(?<!\\)%[^\n]*")
_TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|\d+(?:\.\d+)?|[^\s]", re.DOTALL)
_PLAIN_WORD = re.compile(r"(?<![\\A-Za-z{])[A-Za-z]{3,}")
_LOOKS_LIKE_ONE = re.compile(r"[\\^_=<>+*/|]|\d")


def formulas(latex: str) -> list[str]:
    """The sources of all formulas of a text, in their order. A formula that never closes reaches to the end."""
    found, at = [], 0
    while opening := _OPENING.search(latex, at):
        sign, at = opening[0], opening.end()
        if opening[1]:
            closing = rf"\end{{{opening[1]}}}"
        else:
            closing = {"$": "$", "$$": "$$", r"\(": r"\)", r"\[": r"\]"}.get(sign, "")
        if not closing:
            continue
        end = latex.find(closing, at)
        while sign == "$" and end > 0 and latex[end - 1] == "\\":
            end = latex.find(closing, end + 1)
        end = len(latex) if end < 0 else end
        found.append(latex[at:end])
        at = end + len(closing)
    return found


def tokens(formula: str) -> list[str]:
    """The tokens of one formula, written in one way."""
    found: list[str] = []
    opened: list[int] = []
    font = ""
    for written in _TOKEN.findall(formula[: LONGEST_FORMULA * 20]):
        sign = _SAME.get(written) or _SIGNS.get(written, written)
        if sign in _DROPPED:
            continue
        if sign in _FONTS:
            font = sign
        elif sign == "{":
            if len(opened) < _DEEPEST:
                opened.append(len(found))
                found.append(sign)
        elif sign == "}":
            if not opened:
                continue
            start = opened.pop()
            if len(found) - start <= 2:  # nothing or one token: \mathcal{H}_{n} is \mathcal H_n
                del found[start]
            else:
                found.append(sign)
        else:
            found.append(font + sign if font and sign.isalpha() else sign)
            font = ""
    return found[:LONGEST_FORMULA]


def formula_terms(latex: str) -> list[str]:
    """The terms of all formulas of a text, or of a bare formula, as hashes of 16 hexadecimal digits, sorted.

    A text without any delimiter is one formula if it has a sign of one and fewer than two plain words.
    """
    found = formulas(latex)
    if not found and _LOOKS_LIKE_ONE.search(latex) and len(_PLAIN_WORD.findall(latex)) < 2:
        found = [latex]
    return [f"{term:016x}" for term in sorted(int(term) for term in terms_of([found])[1])]


def terms_of(texts: Iterable[Sequence[str]]) -> tuple[NDArray[np.int32], Hashes]:
    """(number of the text, term) of every term of the formulas of each text. Texts are numbered from 0."""
    tokens_found: list[int] = []
    anonymous: list[int] = []
    formula_at: list[int] = []
    text_at: list[int] = []
    formula = 0
    for number, sources in enumerate(texts):
        for source in sources:
            row = tokens(source)
            for token in row:
                named, without_name = _hashes(token)
                tokens_found.append(named)
                anonymous.append(without_name)
            formula_at += [formula] * len(row)
            text_at += [number] * len(row)
            formula += 1
    named_tokens, kinds = np.array(tokens_found, np.uint64), np.array(anonymous, np.uint64)
    of_formula, of_text = np.array(formula_at, np.int64), np.array(text_at, np.int32)
    found_texts, found_terms = [], []
    for length in _NAMED:
        where = _runs(of_formula, length)
        found_texts.append(of_text[where])
        found_terms.append(_mixed([named_tokens[where + j] for j in range(length)], length))
    variable = kinds == 0
    for length in _ANONYMOUS:
        where = _runs(of_formula, length)
        window = [named_tokens[where + j] for j in range(length)]
        renamed, any_variable = [], np.zeros(len(where), bool)
        for j in range(length):
            # A variable is known by the place in the run where it is met first.
            first = np.full(len(where), j + 1, np.uint64)
            for i in range(j - 1, -1, -1):
                first[window[i] == window[j]] = i + 1
            is_variable = variable[where + j]
            any_variable |= is_variable
            renamed.append(np.where(is_variable, first, kinds[where + j]))
        found_texts.append(of_text[where[any_variable]])
        found_terms.append(_mixed([part[any_variable] for part in renamed], 10 + length))
    return np.concatenate(found_texts), np.concatenate(found_terms)


def _runs(of_formula: NDArray[np.int64], length: int) -> NDArray[np.int64]:
    """Where runs of `length` tokens begin that stay within one formula."""
    count = max(len(of_formula) - length + 1, 0)
    same = of_formula[:count] == of_formula[length - 1 : length - 1 + count]
    return np.flatnonzero(same)


def _mixed(parts: Sequence[Hashes], salt: int) -> Hashes:
    """One hash of several columns of numbers; arithmetic modulo 2^64, so equal on every machine."""
    mixed = np.full(len(parts[0]), salt, np.uint64)
    for part in parts:
        mixed = (mixed ^ part) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return mixed


@lru_cache(maxsize=100_000)
def _hashes(token: str) -> tuple[int, int]:
    """(hash of the token, hash without its name: 0 for a variable)."""
    named = (
        int.from_bytes(hashlib.blake2b(token.encode("utf-8", "replace"), digest_size=8).digest(), "big") | 1
    )
    bare = token
    for font in _FONTS:
        if token.startswith(font) and len(token) == len(font) + 1 and font != r"\mathbb":
            bare = token[-1]
    is_variable = bare in _VARIABLES or (len(bare) == 1 and bare.isalpha())
    return named, 0 if is_variable else named
