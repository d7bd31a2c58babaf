"""Equality proved by SymPy, with letters that may stand for matrices or group elements not commuting.

Probing treats letters as numbers. Where two letters that often name operators are multiplied, AB = BA must not
pass: there a yes needs this proof.
"""

import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import sympy

from algebra.tree import Node

SECONDS = 2.0  # of processor time for one proof
_CONSTANTS = frozenset({"e!", "i!", "log!"})
_LARGEST_EXPONENT = 32
_GREEK_OPERATORS = (
    "\\sigma", "\\tau", "\\rho", "\\phi", "\\varphi", "\\psi", "\\gamma", "\\Gamma", "\\Phi",
    "\\Psi", "\\Sigma", "\\pi",
)  # fmt: skip
_OPERATORS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZgh").union(_GREEK_OPERATORS)
T = TypeVar("T")


class _TooSlow(Exception):
    pass


class _NotConvertible(Exception):
    pass


@dataclass(frozen=True)
class _Letters:
    """What letters stand for: those in `operators` do not commute, the others are numbers."""

    operators: frozenset[str]
    real: bool = False


def proved_equal(left: Node, right: Node, *, real: bool) -> bool:
    """Whether SymPy shows left - right = 0, the letters being complex or real numbers; False says nothing."""
    return _limited(lambda: _zero(left, right, _Letters(frozenset(), real)))


def needs_order(left: Node, right: Node, *, ordered: bool) -> bool:
    """Whether two different letters meet in a product that may stand for operators; all may if `ordered`."""
    return len(_operators(left, right, ordered)) > 1


def proved_equal_in_order(left: Node, right: Node, *, ordered: bool) -> bool:
    """Whether left = right also if letters that may name operators do not commute."""
    operators = frozenset(_operators(left, right, ordered))
    return _limited(lambda: _zero(left, right, _Letters(operators)))


def _letters(side: Node, ordered: bool) -> set[str]:
    """Operator letters that meet in one product."""
    found: set[str] = set()
    for node in side.walk():
        if node.kind in ("mul", "div"):
            here = set()
            for name in _names(node):
                plain = name.split("_")[0].rstrip("'").removesuffix("^*")
                styled = plain.startswith(("\\mathbf", "\\mathcal", "\\boldsymbol"))
                if plain in _OPERATORS or styled or (ordered and name not in _CONSTANTS):
                    here.add(name)
            if len(here) > 1:
                found |= here
    return found


def _operators(left: Node, right: Node, ordered: bool) -> set[str]:
    """Operator letters of both sides, less those that are divisors or arguments of a function of numbers.

    Where order is known to matter, nothing is taken for a number.
    """
    letters = _letters(left, ordered) | _letters(right, ordered)
    scalars: set[str] = set()
    for side in (left, right):
        for node in side.walk():
            if node.kind == "div":
                scalars |= _names(node.args[1])
            elif node.kind in ("call", "sum", "prod", "integral"):
                scalars |= _names(node)
    return letters if ordered else letters - scalars


def _names(node: Node) -> set[str]:
    return {below.name for below in node.walk() if below.kind == "symbol"}


def _zero(left: Node, right: Node, letters: _Letters) -> bool:
    try:
        difference = _convert(left, letters) - _convert(right, letters)
    except _NotConvertible:
        return False
    if sympy.expand(difference) == 0:
        return True
    return not letters.operators and bool(sympy.cancel(sympy.together(difference)) == 0)


def _convert(node: Node, letters: _Letters) -> Any:
    if node.kind == "number":
        assert node.value is not None
        if node.value.numerator.bit_length() > 2000:
            raise _NotConvertible
        return sympy.Rational(node.value.numerator, node.value.denominator)
    if node.kind == "symbol":
        constants = {"\\pi": sympy.pi, "e!": sympy.E, "i!": sympy.I}
        if node.name == "\\infty":
            raise _NotConvertible
        if node.name in constants:
            return constants[node.name]
        if node.name in letters.operators:
            return sympy.Symbol(node.name, commutative=False)
        return sympy.Symbol(node.name, real=True) if letters.real else sympy.Symbol(node.name)
    args = [_convert(arg, letters) for arg in node.args]
    if node.kind == "apply":
        return sympy.Function(node.name)(*args)
    if node.kind == "call":
        if node.name in ("sin", "cos", "tan", "exp", "ln", "sqrt"):
            return getattr(sympy, node.name)(*args)
        return sympy.Abs(args[0]) if node.name == "abs" else sympy.Function(f"{node.name}!")(*args)
    if node.kind == "pow":
        base, exponent = args
        if exponent.is_number and not (exponent.is_Rational and abs(exponent) <= _LARGEST_EXPONENT):
            raise _NotConvertible
        return base**exponent if base != 0 else _refuse()
    builders: dict[str, Callable[..., Any]] = {
        "add": sympy.Add,
        "mul": sympy.Mul,
        "neg": lambda arg: -arg,
        "div": lambda above, below: above / below if below != 0 else _refuse(),
    }
    return builders.get(node.kind, _refuse)(*args)


def _refuse(*_: Any) -> Any:
    raise _NotConvertible


def _limited(compute: Callable[[], T]) -> T | bool:
    """The result, or False after SECONDS of processor time. Outside the main thread nothing is computed."""
    if threading.current_thread() is not threading.main_thread():
        return False

    def stop(*_: Any) -> None:
        raise _TooSlow

    before = signal.signal(signal.SIGVTALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
        try:
            return compute()
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.signal(signal.SIGVTALRM, before)
    except (_TooSlow, RecursionError, ArithmeticError, ValueError, TypeError, AttributeError):
        return False  # no proof: SymPy fails in many ways on odd input, and none of them is a yes
