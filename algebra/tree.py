"""A formula as it was read: expressions, chains of relations, collections and matrices. All immutable."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Node:
    """An expression.

    kind       name                args
    number     -                   -, with `value`
    symbol     atom's name         -
    add        -                   addends
    mul        -                   factors, in their order
    neg        -                   one
    div        -                   numerator, denominator
    pow        -                   base, exponent
    call       known function      arguments
    apply      unknown function    arguments
    maybe      letter              the bracket behind it, and the bracket's exponent if it has one
    sum, prod  bound variable      lower, upper, body
    integral   bound variable      lower, upper, integrand
    """

    kind: str
    name: str = ""
    args: tuple["Node", ...] = ()
    value: Fraction | None = None

    def walk(self) -> Iterator["Node"]:
        """This node and all below it."""
        yield self
        for arg in self.args:
            yield from arg.walk()


@dataclass(frozen=True)
class Chain:
    """Sides joined by relations: `relations[i]` (=, <, <=, != or in) is between sides i and i + 1."""

    sides: tuple["Side", ...]
    relations: tuple[str, ...]


@dataclass(frozen=True)
class Collection:
    """Items between brackets: a set {...}, a tuple (...), or an interval with at least one square bracket."""

    opening: str
    closing: str
    items: tuple["Side", ...]


@dataclass(frozen=True)
class Matrix:
    """Rows of equal length."""

    rows: tuple[tuple[Node, ...], ...]


Side = Node | Collection | Matrix
Formula = Side | Chain


def nodes(formula: Formula) -> Iterator[Node]:
    """Every node of a formula."""
    if isinstance(formula, Node):
        yield from formula.walk()
    elif isinstance(formula, Chain):
        for side in formula.sides:
            yield from nodes(side)
    elif isinstance(formula, Collection):
        for item in formula.items:
            yield from nodes(item)
    else:
        for row in formula.rows:
            for entry in row:
                yield from entry.walk()


def number(value: int | Fraction) -> Node:
    """A constant."""
    return Node("number", value=Fraction(value))


def symbol(name: str) -> Node:
    """An atom."""
    return Node("symbol", name)
