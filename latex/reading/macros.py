"""Macros: what a definition holds, and the table of a document with TeX's grouping."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from latex.reading.tokens import Token, spelled


@dataclass(frozen=True)
class Parameter:
    """One parameter of a macro.

    `required` takes a group or one token; `optional` takes [..] and else `default` (None: absent);
    `star` takes a star if there is one; `delimited` takes everything up to the tokens of `until`.
    """

    kind: Literal["required", "optional", "star", "delimited"]
    default: tuple[Token, ...] | None = None
    until: tuple[Token, ...] = ()


@dataclass(frozen=True)
class Macro:
    """A macro: tokens that must follow its name, then its parameters, then its replacement text."""

    parameters: tuple[Parameter, ...]
    body: tuple[Token, ...]
    prefix: tuple[Token, ...] = ()


def required(count: int) -> tuple[Parameter, ...]:
    return (Parameter("required"),) * max(0, min(count, 9))


def substitute(body: tuple[Token, ...], arguments: list[list[Token]]) -> list[Token]:
    """The replacement text with its arguments put in; ## becomes # for definitions inside definitions."""

    def argument(found: re.Match[str]) -> str:
        if found[1] is None:
            return "#"
        index = int(found[1])
        return spelled(arguments[index - 1]) if index <= len(arguments) else found[0]

    out: list[Token] = []
    for token in body:
        if token.kind == "raw" and "#" in token.text:  # code or a diagram
            out.append(token._replace(text=_PARAMETER.sub(argument, token.text)))
        elif token.kind != "#":
            out.append(token)
        elif len(token.text) > 2 or not token.text[-1].isdigit():
            out.append(token._replace(text=token.text[1:] or "#"))
        elif (index := int(token.text[-1])) <= len(arguments):
            out.extend(arguments[index - 1])
    return out


_PARAMETER = re.compile(r"#(?:#|([1-9]))")


class MacroTable:
    """Macros in force; a definition lasts until its group ends, unless it is global."""

    def __init__(self) -> None:
        self._macros: dict[str, Macro] = {}
        self._saved: list[list[tuple[int, str, Macro | None]]] = []
        self._made_global: dict[str, int] = {}
        self._clock = 0
        self.lasting = False  # whether every definition outlives its group
        self.endless: dict[str, Macro] = {}  # found to expand without end
        self.kept: frozenset[str] = (
            frozenset()
        )  # names that nothing may define: those the reader knows, in a package
        self.position: Callable[[], int] = lambda: 0  # where in the source reading has come to
        self.changes: list[
            tuple[int, str, Macro | None]
        ] = []  # what was defined, or ended with its group, and where

    def get(self, name: str) -> Macro | None:
        return self._macros.get(name)

    def all(self) -> Iterable[tuple[str, Macro]]:
        """Every macro in force, by its name."""
        return self._macros.items()

    def define(self, name: str, macro: Macro | None, everywhere: bool = False) -> None:
        """None takes the name's macro meaning away. `everywhere` outlives every open group."""
        self._clock += 1
        if everywhere or self.lasting:
            self._made_global[name] = self._clock
        elif self._saved:
            self._saved[-1].append((self._clock, name, self._macros.get(name)))
        self._set(name, macro)

    def _set(self, name: str, macro: Macro | None) -> None:
        self.changes.append((self.position(), name, macro))
        if macro is None:
            self._macros.pop(name, None)
        else:
            self._macros[name] = macro

    def open_group(self) -> None:
        self._saved.append([])

    def close_group(self) -> None:
        """Restores what the group changed, except where a global definition came later."""
        for moment, name, before in reversed(self._saved.pop() if self._saved else []):
            if self._made_global.get(name, 0) < moment:
                self._set(name, before)
