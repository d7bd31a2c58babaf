"""Counters, as LaTeX numbers things: each may restart within another and prints with it."""

from collections.abc import Callable

from latex.limits import MAX_NAME, MAX_RELATIONS

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


class Counters:
    """Values, parents (whose step sets a child to zero) and the style each is printed in."""

    def __init__(self) -> None:
        self._values: dict[str, int] = {}
        self._parents: dict[str, str] = {"subsection": "section", "subsubsection": "subsection",
                                         "section": "chapter"}  # fmt: skip
        self._children: dict[str, list[str]] = {}
        for child, parent in self._parents.items():
            self._children.setdefault(parent, []).append(child)
        self._relations = 0  # every step may go through all of them
        self._styles: dict[str, str] = {"part": "Roman"}

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
        parts = [STYLES[self._styles.get(name, "arabic")](self.value(name))]
        for _ in range(20):
            name = self._parents.get(name, "")
            if not name or (name == "chapter" and not self.value("chapter")):
                break
            parts.append(STYLES[self._styles.get(name, "arabic")](self.value(name)))
        return ".".join(reversed(parts))
