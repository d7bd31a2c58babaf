"""Words that were looked for, marked in rendered HTML: in text, never in a formula or a tag. Pure."""

import re

from retrieval import words

# Our renderer's HTML is well formed and escapes quotes in attributes.
_TAG = re.compile(r"""(<(?:[^<>"']|"[^"]*"|'[^']*')*>)""")
_OPENING = re.compile(r"<([a-zA-Z][a-zA-Z0-9]*)\b")
_FORMULA = re.compile(r'<(?:math|svg|code|pre|[a-z]+ class="(?:[^"]* )?math[" ])')
_VOID = {"br", "img", "hr", "wbr", "col", "input"}
_REFERENCE_OR_WORD = re.compile(rf"&(?:#\d+|#[xX][0-9a-fA-F]+|\w+);|{words.WORD.pattern}")


def marked(html: str, terms: frozenset[str]) -> str:
    """The HTML with <mark> around each word of which a term is in `terms`. Nothing else changes."""
    if not terms:
        return html

    def mark(found: re.Match[str]) -> str:
        word = found[0]
        if word.startswith("&") or terms.isdisjoint(words.terms(word)):
            return word
        return f"<mark>{word}</mark>"

    inside: list[str] = []  # elements that are open, from the formula on
    parts = _TAG.split(html)  # text and tags take turns
    for at, part in enumerate(parts):
        if at % 2 == 0:
            if not inside:
                parts[at] = _REFERENCE_OR_WORD.sub(mark, part)
        elif part.startswith("</"):
            if inside:
                inside.pop()
        elif (inside or _FORMULA.match(part)) and not part.endswith("/>"):
            opened = _OPENING.match(part)
            if opened and opened[1].lower() not in _VOID:
                inside.append(opened[1])
    return "".join(parts)
