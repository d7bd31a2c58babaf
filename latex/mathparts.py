"""Small decisions about formulas: what a tag shows, which columns KaTeX reads, what \\[..\\] merely wraps."""

from latex.mathwords import BARE, DISPLAYS, ROW_SETS
from latex.tokens import Token

_ROWS = frozenset(name.rstrip("*") for name in DISPLAYS if name != "displaymath" and name not in BARE)


def has_words(content: str) -> bool:
    run = 0
    previous = ""
    for character in content:
        if character == "\\":
            run = -100
        elif character.isalnum():
            run = run + 1 if previous != "\\" or run > 0 else run
        else:
            run = 0
        if run >= 4:
            return True
        previous = character
    return False


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
        return body, name if "label" in words or name.endswith("*") else name + "*"
    if "tag" in words and name in ROW_SETS:
        return body, ROW_SETS[name]
    return tokens, ""
