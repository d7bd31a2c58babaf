"""Removing passages from a text so that every system's text is treated alike and can still be typeset."""

import re
from collections.abc import Iterable

MARK = "[redacted]"
_SIGNS = re.compile(r"\\.|[{}$]|\n", re.DOTALL)


def redact(source: str, spans: Iterable[tuple[int, int]], text_format: str) -> str:
    """`source` with each passage [start, end) replaced by one and the same mark, whatever it was.

    Overlapping passages count as one. In LaTeX and Markdown a brace or dollar sign whose partner is outside the passage
    stays, so that the rest of the document is read as before.
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
        parts += [source[done:start], MARK]
        if text_format != "plain":
            parts.append(_unpaired(taken))
        done = end
    return "".join([*parts, source[done:]])


def _unpaired(taken: str) -> str:
    """The braces and dollar signs of a passage that have no partner in it, and a line end if it held one."""
    open_signs: list[str] = []
    closing: list[str] = []
    dollars, line_end = 0, ""
    for found in _SIGNS.finditer(taken):
        sign = found[0]
        if sign == "{":
            open_signs.append(sign)
        elif sign == "}":
            if open_signs:
                open_signs.pop()
            else:
                closing.append(sign)
        elif sign == "$":
            dollars += 1
        elif sign == "\n":
            line_end = "\n"
    return "".join([*closing, *open_signs, "$" * (dollars % 2), line_end])
