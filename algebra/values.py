"""Numerical values of expressions at a point, to 120 digits, with the conditions under which they can be trusted."""

import hashlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import mpmath

from algebra.tree import Node

DIGITS = 120
MAX_TERMS = 60
MAX_STEPS = 200_000
MAX_BITS = 4000  # magnitudes beyond 2^4000 are not computed
_MOST_BITS_OF_A_NUMBER = 230  # 69 digits; values that differ from the 80th on are taken for equal
_VANISHING = 1e-40  # an addend this much smaller than another is not seen by a comparison
_FLAT = 1e-20  # nearer to 0 than this, sin x and x have too many digits in common
_CANCELLED = mpmath.mpf(10) ** -90  # a sum this much smaller than its addends is zero up to rounding

context = mpmath.MPContext()
context.dps = DIGITS
Value = Any  # mpf or mpc of `context`
_CONSTANTS = {"\\pi": context.pi, "e!": context.e, "i!": context.mpc(0, 1)}


class Undefined(Exception):
    """The expression has no value at this point."""


class Untrusted(Exception):
    """The expression may have a value here, but none that is computed reliably: the point says nothing."""


class TooMuch(Exception):
    """The computation is longer than its budget; the message says so."""


@dataclass
class StepBudget:
    """Steps that may still be done, shared by all points of a comparison."""

    steps: int = MAX_STEPS

    def spend(self) -> None:
        """Raises TooMuch when nothing is left."""
        self.steps -= 1
        if self.steps < 0:
            raise TooMuch(f"more than {MAX_STEPS} steps to compute")


@dataclass
class Evaluation:
    """One point: symbol to value. `draw` invents values for unknown functions from a hash of their arguments.

    After `value`, `applied` holds the unknown functions met with their arguments, `opaque` says whether an
    integral or infinite sum was represented by a hash (equal values then mean equal parts, unequal ones nothing),
    `scale` is the largest addend, 0 if there is none. `branches` holds where functions with a kink or step were met,
    up to what makes the same kink: equal sets mean that both expressions switch at the same places.
    """

    point: Mapping[str, Value]
    draw: Callable[[str], Value]
    complex_values: bool = False
    applied: set[str] = field(default_factory=set)
    branches: set[str] = field(default_factory=set)
    opaque: bool = False
    scale: Value = field(default_factory=lambda: context.mpf(0))
    budget: StepBudget = field(default_factory=StepBudget)

    def value(self, node: Node) -> Value:
        """Raises Undefined, Untrusted or TooMuch."""
        try:
            found = self._value(node, self.point)
        except (ZeroDivisionError, ValueError, OverflowError, mpmath.libmp.ComplexResult) as error:
            raise Undefined(str(error)) from error
        return self._checked(found)

    def _checked(self, found: Value) -> Value:
        if not context.isfinite(found):
            raise Undefined("not finite")
        if isinstance(found, context.mpc):
            if found.imag == 0 or abs(found.imag) < abs(found) * _CANCELLED:
                return found.real
            if not self.complex_values:
                raise Undefined("not real")
        if found != 0 and abs(context.mag(found)) > MAX_BITS:
            raise Untrusted("too large or too small")
        return found

    def _value(self, node: Node, point: Mapping[str, Value]) -> Value:
        self.budget.spend()
        if node.kind == "number":
            assert node.value is not None
            above, below = node.value.numerator, node.value.denominator
            if max(above.bit_length(), below.bit_length()) > _MOST_BITS_OF_A_NUMBER:
                raise Untrusted("a number with more digits than are compared")
            return context.mpf(above) / below
        if node.kind == "symbol":
            if node.name == "\\infty":
                raise Untrusted("infinity inside an expression")
            constant = _CONSTANTS.get(node.name)
            return point[node.name] if constant is None else +constant
        if node.kind in ("sum", "prod"):
            return self._big(node, point)
        if node.kind == "integral":
            return self._integral(node, point)
        args = [self._checked(self._value(arg, point)) for arg in node.args]
        if node.kind == "add":
            return self._add(args)
        if node.kind == "neg":
            return -args[0]
        if node.kind == "mul":
            return context.fprod(args)
        if node.kind == "div":
            return args[0] / args[1]
        if node.kind == "pow":
            return _power(args[0], args[1])
        if node.kind == "call":
            return self._call(node, args)
        return self._apply(node.name, args)

    def _add(self, addends: list[Value]) -> Value:
        """The sum; zero when it cancels. Untrusted when an addend is too small to show next to another."""
        sizes = [abs(addend) for addend in addends if addend != 0]
        if not sizes:
            return context.mpf(0)
        largest = max(sizes)
        if min(sizes) < largest * _VANISHING:
            raise Untrusted("badly conditioned")
        self.scale = max(self.scale, largest)
        total = context.fsum(addends)
        return context.mpf(0) if abs(total) < largest * _CANCELLED else total

    def _call(self, node: Node, args: list[Value]) -> Value:
        if node.name in _LIKE_POLYNOMIALS and 0 < abs(args[0]) < _FLAT:
            raise Untrusted("too close to where a function looks like its first terms")
        found = _FUNCTIONS[node.name](*args)
        if node.name in _ROUNDED and abs(found) < _ROUNDED[node.name](args) * _CANCELLED:
            found = context.mpf(0)
        if node.name in _KINKS and any(below.kind in ("symbol", "apply") for below in node.walk()):
            self.branches.add(_key("kink", sorted(_KINKS[node.name](found, args), key=context.nstr)))
        elif node.name in ("sqrt", "root", "ln") and _square(node.args[0]):
            self.branches.add(_key("kink", [abs(found)]))
        return found

    def _apply(self, name: str, args: list[Value]) -> Value:
        key = _key(name, args)
        self.applied.add(key)
        drawn = self.draw(key)
        return abs(drawn) if name == "\\|" else drawn

    def _big(self, node: Node, point: Mapping[str, Value]) -> Value:
        lower, upper, body = node.args
        start = self._checked(self._value(lower, point))
        if upper.kind == "symbol" and upper.name == "\\infty":
            tests = [start + step for step in (0, 1, 2, 3, 5, 8, 13, 21, 34)]
            return self._stand_in(
                f"{node.kind} from {context.nstr(start, 25)}", node.name, body, tests, point
            )
        end = self._checked(self._value(upper, point))
        if (
            start != context.floor(start)
            or end != context.floor(end)
            or not 0 <= end - start + 1 <= MAX_TERMS
        ):
            raise Untrusted("bounds that cannot be run through")
        values = [
            self._checked(self._value(body, {**point, node.name: start + step}))
            for step in range(int(end - start) + 1)
        ]
        return self._add(values) if node.kind == "sum" else context.fprod(values)

    def _integral(self, node: Node, point: Mapping[str, Value]) -> Value:
        lower, upper, body = node.args
        ends = [_end(bound) or self._checked(self._value(bound, point)) for bound in (lower, upper)]
        name = "integral " + " ".join(end if isinstance(end, str) else context.nstr(end, 25) for end in ends)
        low, high = (context.mpf(2) if isinstance(end, str) else end for end in ends)
        width = high - low if high != low else context.mpf(1)
        tests = [low + width * context.mpf(share) / 97 for share in (11, 37, 59, 83)]
        return self._stand_in(name, node.name, body, tests, point)

    def _stand_in(
        self, name: str, variable: str, body: Node, tests: list[Value], point: Mapping[str, Value]
    ) -> Value:
        """A value that depends on nothing but the bounds and the body's values at `tests`."""
        self.opaque = True
        values = [self._checked(self._value(body, {**point, variable: test})) for test in tests]
        return self.draw(_key(name, values))


def _square(node: Node) -> bool:
    """Whether a square of a sum is a factor, so that its root has a kink somewhere."""
    if node.kind == "pow":
        exponent = node.args[1].value
        even = exponent is not None and exponent.denominator == 1 and exponent % 2 == 0
        return even and any(below.kind == "add" for below in node.args[0].walk())
    return node.kind in ("mul", "div", "neg") and any(_square(arg) for arg in node.args)


def _key(name: str, args: list[Value]) -> str:
    shown = ", ".join(context.nstr(arg, 25) for arg in args)
    return hashlib.sha256(f"{name}: {shown}".encode()).hexdigest()


def _end(bound: Node) -> str:
    """The name of an infinite bound; "" for a finite one."""
    if bound.kind == "neg" and _end(bound.args[0]) == "infinity":
        return "minus infinity"
    return "infinity" if bound.kind == "symbol" and bound.name == "\\infty" else ""


def _power(base: Value, exponent: Value) -> Value:
    if base == 0:
        if context.re(exponent) <= 0:
            raise Undefined("a power of zero")
        return context.mpf(0)
    if 0 < abs(exponent) < _FLAT:
        raise Untrusted("an exponent too small to show")
    if abs(exponent) * abs(context.log(base, 2)) > MAX_BITS:
        raise Untrusted("a power that is too large")
    return context.power(base, exponent)


def _factorial(value: Value) -> Value:
    if abs(value) > 200:
        raise Untrusted("a factorial that is too large")
    if context.im(value) == 0 and value == context.floor(value) and value < 0:
        raise Untrusted("a factorial of a negative integer")  # outside every range that is meant
    return context.factorial(value)


def _root(value: Value, index: Value) -> Value:
    """The real root of a negative number for an odd index, as analysts read it."""
    whole = index == context.floor(index) and index > 0
    if isinstance(value, context.mpf) and value < 0 and whole and int(index) % 2 == 1:
        return -_power(-value, 1 / index)
    return _power(value, 1 / index)


def _up_to(most: float, function: Callable[..., Value], what: str) -> Callable[..., Value]:
    def bounded(*args: Value) -> Value:
        if max(map(abs, args)) > most:
            raise Untrusted(f"{what} that is too large")
        return function(*args)

    return bounded


def _step(function: Callable[[Value], Value]) -> Callable[[Value], Value]:
    def rounded(value: Value) -> Value:
        near = context.nint(context.re(value))
        if value != near and abs(value - near) < _CANCELLED * 10**20:
            raise Untrusted("too close to a step")
        return function(value)

    return rounded


def _whole(function: Callable[[int, int], int]) -> Callable[..., Value]:
    def over_integers(*args: Value) -> Value:
        if any(arg != context.floor(arg) for arg in args) or not args:
            raise Undefined("a divisor of something that is not an integer")
        found = int(args[0])
        for arg in args[1:]:
            found = function(found, int(arg))
        return context.mpf(abs(found))

    return over_integers


# From a kinked function's value and arguments to what tells its kinks: |x - y| and |y - x| have the same.
_KINKS: dict[str, Callable[[Value, list[Value]], list[Value]]] = {
    "abs": lambda found, args: [found],
    "min": lambda found, args: args,
    "max": lambda found, args: args,
    "gcd": lambda found, args: args,
    "lcm": lambda found, args: args,
    "floor": lambda found, args: [args[0] - found],
    "ceil": lambda found, args: [found - args[0]],
    "Re": lambda found, args: args,
    "Im": lambda found, args: args,
}
_LIKE_POLYNOMIALS = {
    *("sin", "cos", "tan", "cot", "sec", "csc", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "exp"),
    *("factorial", "binom"),
}
# Functions with zeros where rounding leaves a rest, and what that rest is small against: sin(pi) is zero.
_ROUNDED: dict[str, Callable[[list[Value]], Value]] = {
    **dict.fromkeys(
        ("sin", "cos", "tan", "cot", "sinh", "cosh", "tanh", "Re", "Im"), lambda args: abs(args[0])
    ),
    **dict.fromkeys(("ln", "log"), lambda args: context.mpf(1)),
}
_FUNCTIONS: dict[str, Callable[..., Value]] = {
    "sin": context.sin,
    "cos": context.cos,
    "tan": context.tan,
    "cot": context.cot,
    "sec": context.sec,
    "csc": context.csc,
    "arcsin": context.asin,
    "arccos": context.acos,
    "arctan": _up_to(1 / _FLAT, context.atan, "a tangent"),
    "sinh": context.sinh,
    "cosh": context.cosh,
    "tanh": _up_to(20, context.tanh, "an argument of tanh"),  # 1 but for 10^-17
    "exp": _up_to(MAX_BITS / 2, context.exp, "a power"),
    "ln": context.log,
    "log": context.log,
    "min": min,
    "max": max,
    "gcd": _whole(math.gcd),
    "lcm": _whole(math.lcm),
    "sqrt": context.sqrt,
    "root": _root,
    "abs": abs,
    "factorial": _factorial,
    "binom": _up_to(200, context.binomial, "a binomial coefficient"),
    "floor": _step(context.floor),
    "ceil": _step(context.ceil),
    "Re": context.re,
    "Im": context.im,
}
