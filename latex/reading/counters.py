"""Counters, as LaTeX numbers things: each may restart within another and prints with it."""

import re
from collections.abc import Callable

from latex.limits import MAX_NAME, MAX_NUMBER, MAX_RELATIONS

_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"),
          (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip
_LARGEST = 100_000


def roman(number: int) -> str:
    if not 0 < number < 4000:
        return str(number)
    out = []
    for value, letters in _ROMAN:
        count, number = divmod(number, value)
        out.append(letters * count)
    return "".join(out)


def alph(number: int) -> str:
    return chr(96 + number) if 0 < number <= 26 else str(number)


STYLES: dict[str, Callable[[int], str]] = {
    "arabic": str,
    "roman": roman,
    "Roman": lambda number: roman(number).upper(),
    "alph": alph,
    "Alph": lambda number: alph(number).upper(),
    "fnsymbol": lambda number: "*" * min(max(number, 0), 5),
}


# What a redefined \\the.. is made of: a counter in a style, another counter as that one prints, words; fonts and braces
# add nothing to a number.
_PRINTED = re.compile(
    r"\\@?(?P<style>arabic|roman|Roman|alph|Alph|fnsymbol)\s*(?:\{\s*(?P<name>[A-Za-z*]+)\s*\}|\\c@(?P<register>[A-Za-z]+)\s*)"
    r"|\\the(?P<other>[A-Za-z]+)\s*"
    r"|\\(?:rm|bf|it|sf|sc|upshape|normalfont|bfseries|text|textup|textrm|textbf|textit|mbox)(?![A-Za-z])\s*|[{}]"
    r"|(?P<words>[^\\{}$#&%_^~<>\ue000-\uf8ff]+)"
)
_MAX_PIECES = 50


class Counters:
    """Values, parents (whose step sets a child to zero) and the style each is printed in.

    `declared` gives the body of a document's own \\the<name>, or "".
    """

    def __init__(self, declared: Callable[[str], str] = lambda name: "") -> None:
        self._declared = declared
        self._values: dict[str, int] = {"secnumdepth": 3}
        self._parents: dict[str, str] = {"subsection": "section", "subsubsection": "subsection",
                                         "section": "chapter"}  # fmt: skip
        self._children: dict[str, list[str]] = {}
        for child, parent in self._parents.items():
            self._children.setdefault(parent, []).append(child)
        self._relations = 0  # every step may go through all of them
        self._styles: dict[str, str] = {
            "part": "Roman",
            "enumii": "alph",
            "enumiii": "roman",
            "enumiv": "Alph",
        }

    def within(self, name: str, parent: str) -> None:
        if name == parent or len(name) > MAX_NAME or self._is_ancestor(name, parent):
            return
        children = self._children.setdefault(parent, [])
        if name not in children:
            if self._relations == MAX_RELATIONS:
                return
            self._relations += 1
            children.append(name)
        self._parents[name] = parent

    def reset_with(self, name: str, parent: str) -> None:
        """The parent's step sets it to zero, and its number stays without the parent's."""
        children = self._children.setdefault(parent, [])
        if name != parent and name not in children and self._relations < MAX_RELATIONS:
            self._relations += 1
            children.append(name)

    def parent(self, name: str) -> str:
        return self._parents.get(name, "")

    def without(self, name: str) -> None:
        parent = self._parents.pop(name, "")
        if name in self._children.get(parent, []):
            self._children[parent].remove(name)
            self._relations -= 1

    def _is_ancestor(self, name: str, of: str) -> bool:
        for _ in range(20):
            if of == name:
                return True
            of = self._parents.get(of, "")
        return bool(of)

    def style(self, name: str, style: str) -> None:
        self._styles[name] = style

    def value(self, name: str) -> int:
        return self._values.get(name, 0)

    def set(self, name: str, value: int) -> None:
        self._values[name] = max(-_LARGEST, min(value, _LARGEST))

    def step(self, name: str) -> str:
        """Adds one, sets what counts within it to zero, and returns the printed number."""
        self.set(name, self.value(name) + 1)
        todo = list(self._children.get(name, ()))
        for child in todo:
            self._values[child] = 0
            todo.extend(c for c in self._children.get(child, ()) if c not in todo)
        return self.printed(name)

    def printed(self, name: str) -> str:
        return self._printed(name, [_MAX_PIECES])

    def _printed(self, name: str, left: list[int]) -> str:
        parts: list[str] = []
        for _ in range(20):
            if (declared := self.written(self._declared(name), left)) is not None:
                parts.append(declared)
                break
            parts.append(STYLES[self._styles.get(name, "arabic")](self.value(name)))
            name = self._parents.get(name, "")
            if not name or (name == "chapter" and not self.value("chapter")):
                break
        return ".".join(reversed(parts))

    def written(self, body: str, left: list[int] | None = None) -> str | None:
        """What the body of a \\the.. prints; None if there is none, or if it is more than a number."""
        body, out, at = body.strip(), [], 0
        left = [_MAX_PIECES] if left is None else left
        if not body or len(body) > MAX_NAME:
            return None
        while at < len(body):
            piece = _PRINTED.match(body, at)
            left[0] -= 1
            if piece is None or left[0] < 0:
                return None
            at = piece.end()
            if piece["style"]:
                out.append(STYLES[piece["style"]](self.value(piece["name"] or piece["register"])))
            elif piece["other"]:
                if piece["other"] not in self._values and piece["other"] not in self._parents:
                    return None
                out.append(self._printed(piece["other"], left))
            else:
                out.append(piece["words"] or "")
        printed = "".join(out)
        return printed if len(printed) <= MAX_NUMBER else None
