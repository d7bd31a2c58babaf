"""Small decisions about formulas: what a tag shows, which columns KaTeX reads, what \\[..\\] merely wraps."""

import re

from latex.formulas.words import BARE, DISPLAYS, ROW_SETS, TEXT_ARGUMENT
from latex.reading.tokens import Token

_ROWS = frozenset(name.rstrip("*") for name in DISPLAYS if name != "displaymath" and name not in BARE)


_AS_TALL = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ123456789",
    "xlxlxlylljllxxxyyxxlxxxxyx" + "X" * 26 + "0" * 9,
)
_WITH_TEXT = TEXT_ARGUMENT | {"footnote", "raisebox"}
_WORD = re.compile(r"[^\W\d_]{3}")


def has_words(tokens: list[Token]) -> bool:
    """Whether three letters follow each other: a word, not a symbol."""
    return any(token.kind == "text" and _WORD.search(token.text) for token in tokens)


def has_dollar_outside_text(tokens: list[Token]) -> bool:
    """Whether there is a dollar sign that is in no argument which is text anyway, as that of \\text{if $x>0$} is."""
    depth, text_depth, argument_next = 0, 0, False
    for token in tokens:
        if token.kind == "$" and not text_depth:
            return True
        if token.kind == "{":
            depth += 1
            text_depth = text_depth or (depth if argument_next else 0)
        ended = token.kind == "}" and depth == text_depth > 0
        if token.kind == "}":
            depth -= 1
            text_depth = 0 if ended else text_depth
        if token.kind != "space":  # \raisebox has its text in the second argument
            argument_next = ended or (token.kind == "word" and token.text in _WITH_TEXT)
    return False


def masked(tokens: list[Token]) -> list[Token]:
    """The tokens with every letter and digit exchanged for one of the same height; other scripts become x."""
    found = []
    for token in tokens:
        if token.kind == "text":
            tall = token.text.translate(_AS_TALL)
            token = token._replace(text="".join(c if c.isascii() or not c.isalnum() else "x" for c in tall))
        found.append(token)
    return found


def shown_tag(tag: str) -> str:
    starred = tag.startswith("\\tag*")
    inside = tag[tag.index("{") + 1 : -1]
    return inside if starred else f"({inside})"


def number_in(tag: str) -> str:
    return tag[tag.index("{") + 1 : -1] if tag else ""


def columns(specification: str) -> str:
    """A column specification with only what KaTeX reads: l, c, r and bars."""
    out: list[str] = []
    depth = 0
    for character in specification[:500]:
        depth += (character == "{") - (character == "}")
        if depth == 0 and character in "lcr|:":
            out.append(character)
        elif depth == 0 and character in "pmbX":
            out.append("l")
    return "".join(out) or "l"


def unwrapped(tokens: list[Token]) -> tuple[list[Token], str]:
    """\\[\\begin{align}..\\end{align}\\] is what its author meant: the rows themselves."""
    inner = [i for i, token in enumerate(tokens) if token.kind not in ("space", "par")]
    if len(inner) < 8 or tokens[inner[0]].text != "begin" or tokens[inner[0]].kind != "word":
        return tokens, ""
    depth = 0
    for place, index in enumerate(inner):
        if tokens[index].kind == "word" and tokens[index].text in ("begin", "end"):
            depth += 1 if tokens[index].text == "begin" else -1
            if depth == 0 and place != len(inner) - 4:
                return tokens, ""
    name = tokens[inner[2]].text
    words = {token.text for token in tokens if token.kind == "word"}
    body = tokens[inner[3] + 1 : inner[-4]]
    if name in DISPLAYS and name.rstrip("*") in _ROWS:
        return body, name + "*" if name + "*" in DISPLAYS and "label" not in words else name
    if "tag" in words and name in ROW_SETS:
        return body, ROW_SETS[name]
    return tokens, ""
