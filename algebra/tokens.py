"""LaTeX of one formula to tokens. What has no place in a formula is refused here, by name."""

import re
from dataclasses import dataclass

MAX_CHARS = 2000
_TOKEN = re.compile(
    r"(?P<command>\\(?:[A-Za-z]+\*?|[^A-Za-z]))|(?P<number>\d+(?:\.\d+)?)|(?P<letter>[A-Za-z])|(?P<sign>\S)"
)
_NO_MEANING = frozenset([
    "\\,", "\\;", "\\:", "\\!", "\\", "\\ ", "~", "\\quad", "\\qquad", "\\left", "\\right", "\\big", "\\Big", "\\bigg",
    "\\Bigg", "\\bigl", "\\bigr", "\\Bigl", "\\Bigr", "\\biggl", "\\biggr", "\\Biggl", "\\Biggr", "\\displaystyle",
    "\\textstyle", "\\limits", "\\nolimits",
])  # fmt: skip
_SAME = {
    "\\dfrac": "\\frac",
    "\\tfrac": "\\frac",
    "\\dbinom": "\\binom",
    "\\tbinom": "\\binom",
    "\\le": "\\leq",
    "\\leqslant": "\\leq",
    "\\ge": "\\geq",
    "\\geqslant": "\\geq",
    "<": "\\lt",
    ">": "\\gt",
    "\\neq": "\\ne",
    "\\coloneqq": "=",
    "\\ast": "*",
    "\\lvert": "|",
    "\\rvert": "|",
    "\\vert": "|",
    "\\lVert": "\\|",
    "\\rVert": "\\|",
    "\\Vert": "\\|",
    "\\lbrace": "\\{",
    "\\rbrace": "\\}",
    "\\lbrack": "[",
    "\\rbrack": "]",
    "\\varepsilon": "\\epsilon",
    "\\operatorname*": "\\operatorname",
    "\u2212": "-",
    "\u2264": "\\leq",
    "\u2265": "\\geq",
}
_WRAPPERS = (("$$", "$$"), ("\\[", "\\]"), ("\\(", "\\)"), ("$", "$"))


class NotUnderstood(Exception):
    """The text is not a formula that this package reads; the message says why."""


@dataclass(frozen=True)
class FormulaToken:
    """A piece of a formula. `kind` is command, number, letter or sign; `bar` tells \\left| from \\right|."""

    kind: str
    text: str
    bar: str = ""


def bare(text: str) -> str:
    """The formula without mathematics delimiters around it and punctuation behind it."""
    stripped = _without_stop(text)
    for opening, closing in _WRAPPERS:
        if stripped.startswith(opening) and stripped.endswith(closing) and len(stripped) > len(opening):
            return _without_stop(stripped[len(opening) : -len(closing)])
    return stripped


def _without_stop(text: str) -> str:
    stripped = text.strip()
    return stripped if stripped.endswith(("\\,", "\\;")) else stripped.rstrip(".,;").rstrip()


def tokenize(text: str) -> list[FormulaToken]:
    """The tokens of a formula; spacing, sizes and spelling variants are gone. Raises NotUnderstood."""
    if len(text) > MAX_CHARS:
        raise NotUnderstood(f"longer than {MAX_CHARS} characters")
    tokens: list[FormulaToken] = []
    side = ""
    for match in _TOKEN.finditer(bare(text)):
        kind, found = match.lastgroup or "", match.group()
        found = _SAME.get(found, found)
        if found in ("\\left", "\\right"):
            side = found
            continue
        if found in _NO_MEANING:
            continue
        tokens.append(FormulaToken("sign" if len(found) == 1 and kind == "command" else kind, found, side))
        side = ""
    if not tokens:
        raise NotUnderstood("there is no formula")
    return tokens
