"""Results as LaTeX for graders: one block for each, so that each is a step that is labelled by itself."""

import re
from collections.abc import Sequence

from benchmark.protocols.theorem_search.schema import Statement

SHOWN = 20  # results of a list that graders see; no measure looks farther
_ESCAPES = {
    "\\": r"\textbackslash{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}
_TOKEN = re.compile(
    r"\\(begin|end)\s*\{([A-Za-z*]+)\}|(\\[\[\]()])|(\$\$?)|\\([A-Za-z@]+)|\\.|([{}])|(%)", re.DOTALL
)
_CLOSES = {"\\]": "\\[", "\\)": "\\("}
_RESTLESS = re.compile(
    r"def|gdef|edef|xdef|let|newcommand|renewcommand|providecommand|newenvironment|newtheorem|catcode|verb|endinput"
    r"|else|fi|or|if.*|begingroup|endgroup|bgroup|egroup|input|include|csname|expandafter|futurelet"
)
_FORBIDDEN = ("document", "verbatim", "comment", "lstlisting", "result")


def plain(text: str) -> str:
    """Plain text in LaTeX."""
    return "".join(_ESCAPES.get(sign, sign) for sign in " ".join(text.split()))


def stands_alone(text: str) -> bool:
    """Whether a piece of LaTeX ends all that it begins, so that it does not affect the text around it."""
    stack: list[str] = []
    for found in _TOKEN.finditer(text):
        verb, name, formula, dollar, command, brace, comment = found.groups()
        if comment or (command and _RESTLESS.fullmatch(command)) or name in _FORBIDDEN:
            return False
        if verb:
            mark, opens = f"env {name}", verb == "begin"
        elif formula:
            mark, opens = _CLOSES.get(formula, formula), formula not in _CLOSES
        elif dollar:
            mark, opens = dollar, stack[-1:] != [dollar]
        elif brace:
            mark, opens = "{", brace == "{"
        else:
            continue
        if opens:
            stack.append(mark)
        elif not stack or stack.pop() != mark:
            return False
    return not stack


def body(place: Statement) -> str:
    """The statement's text: as LaTeX if it is self-contained, otherwise its source."""
    return place.text.strip() if stands_alone(place.text) else plain(place.text)


def named(place: Statement) -> str:
    """Its place: paper, title and statement."""
    return ", ".join(plain(part) for part in (place.paper, place.title, place.statement) if part)


def listed(results: Sequence[Statement]) -> str:
    """The first results, one theorem-like block each."""
    blocks = [
        f"\\begin{{result}}[{{{named(result)}}}]\n{body(result)}\n\\end{{result}}"
        for result in results[:SHOWN]
    ]
    return "\n\n".join(["\\newtheorem{result}{Result}", *blocks])
