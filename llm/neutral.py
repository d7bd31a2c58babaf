"""Removes from untrusted text anything that could be mistaken for the structure of a prompt.

The mathematics is left intact: a marker is broken by a visible space or marked by a visible note, and invisible
characters are dropped. So a judge sees the words of the text without the markers that could make them act as
instructions.
"""

import re
import unicodedata

_INVISIBLE = {"Cf", "Cc", "Co", "Cs", "Cn"}
_KEPT = {"\n", "\t"}
_NOTE = "(in the text:) "

# Chat-template tokens, closing and opening tags of roles and sections, fences, and what imitates a verdict.
# Every pattern begins with a literal and has bounded gaps, so the time is linear in the text.
_BROKEN_BY_BLANK = re.compile(
    r"<(?=\|[^|<>\n]{1,40}\|>)"
    r"|<(?=/?\s{0,3}(?:system|user|assistant|human|instructions?|proof|data|answer|verdict|judge|think|s)\s{0,3}>)"
    r"|<(?=<\s{0,3}/?SYS\s{0,3}>>)"
    r"|\[(?=/?INST\])"
    r"|\[(?=\[\s{0,3}/?(?:DATA|END)\b)"
    r"|(?<!\S)\[(?=\[\s{0,3}(?:[ABC]|yes|no|tie|rating)\b[^\n\]]{0,20}\]\](?![^\s.,]))"
    r"|`(?=``)",
    re.IGNORECASE,
)
_NOTED = re.compile(
    r"\"label\"\s{0,8}:"
    r"|^[ \t]{0,8}(?:#{1,6} )?(?:final )?(?:verdict|label|judge?ment|thought process|score|grade)\s{0,3}:"
    r"|^[ \t]{0,8}(?:system|assistant|user|human)\s{0,3}:"
    r"|\\boxed\{\s{0,8}(?:\\text\{)?\s{0,8}(?:in)?correct",
    re.IGNORECASE | re.MULTILINE,
)


def visible(text: str) -> str:
    """The text without control, format (zero-width, bidirectional, tag) and unassigned characters."""
    unified = text.replace("\r\n", "\n").replace("\r", "\n")
    dropped = {c for c in set(unified) - _KEPT if unicodedata.category(c) in _INVISIBLE}
    return unified.translate(dict.fromkeys(map(ord, dropped))) if dropped else unified


def neutralise(text: str, nonce: str) -> str:
    """The text as data: visible characters only, fence and role markers broken, verdict imitations noted.

    `nonce` never occurs in the result, so no line of the text can open or close a fence made with it.
    """
    marked = _NOTED.sub(lambda hit: _NOTE + hit[0], visible(text))
    broken = _BROKEN_BY_BLANK.sub(lambda hit: hit[0] + " ", marked)
    return broken.replace(nonce, "(marker)")
