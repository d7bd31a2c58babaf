"""Removing passages from a text so that every system's text is treated alike and can still be typeset."""

import re
from collections.abc import Iterable

MARK = "[redacted]"
_SIGNS = re.compile(r"\\.|\$\$|[{}$]|\n", re.DOTALL)
_PARTNERS = {"}": "{", r"\)": r"\(", r"\]": r"\[", "$": "$", "$$": "$$"}
_TAKES_BRACKETS = re.compile(r"(?:\\\\\*?|\\[A-Za-z]+|\})\s*\Z")  # what stands before an optional argument


def redact(source: str, spans: Iterable[tuple[int, int]], text_format: str) -> str:
    """`source` with each passage [start, end) replaced by one and the same mark, whatever it was.

    Overlapping passages count as one. In LaTeX and Markdown a brace or a sign of a formula whose partner is outside the
    passage stays, so that the rest of the document is read as before.
    """
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    parts: list[str] = []
    done = 0
    for start, end in merged:
        taken = source[start:end]
        parts.append(source[done:start])
        if text_format == "latex" and _TAKES_BRACKETS.search(source[max(done, start - 40) : start]):
            parts.append("{}")  # else the mark would be an argument, which no reader sees
        parts.append(MARK)
        if text_format != "plain":
            left = _unpaired(taken)
            parts.append(f"{left} " if left.endswith("$") and source.startswith("$", end) else left)
        done = end
    return "".join([*parts, source[done:]])


def _unpaired(taken: str) -> str:
    """The braces and signs of formulas of a passage that have no partner in it, and a line end if it held one."""
    left: list[str] = []
    line_end = ""
    for found in _SIGNS.finditer(taken):
        sign = found[0]
        if sign == "\n":
            line_end = sign
        elif sign in _PARTNERS:
            if left and left[-1] == _PARTNERS[sign]:
                left.pop()
            else:
                left.append(sign)
        elif sign in _PARTNERS.values():
            left.append(sign)
    return "".join([*left, line_end])
