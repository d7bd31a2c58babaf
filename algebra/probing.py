"""Are two expressions equal? Tried at random points of several domains.

Nobody says in a formula where its letters live. So they are tried as integers, in (0, 1), above 1, negative,
of mixed sign and of very different sizes, and a verdict needs the same outcome in all domains: equal at every
point (yes) or a counter-example in each (no). Everything else is unknown, and the reason names the domains.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal

from algebra.tree import Node
from algebra.values import Evaluation, StepBudget, Undefined, Untrusted, Value, context

POINTS = 6  # at which a domain has to agree
TRIES = 30  # points drawn for a domain before it is left out
SEED = 20261121
_EQUAL = context.mpf(10) ** -80
_DIFFERENT = context.mpf(10) ** -20
Kind = Literal["real", "positive", "integer", "natural", "complex"]
_NATURAL: Kind = "natural"
Outcome = Literal["equal", "differ", "partial", "empty"]
Draw = Callable[[random.Random], Value]


@dataclass(frozen=True)
class ProbeResult:
    """What probing found. `example` is a counter-example as text by symbol, of the first domain that has one.

    `provable` says that nothing was seen against equality, so that a proof would settle it.
    """

    value: Literal["yes", "no", "unknown"]
    reason: str
    points: int = 0
    example: Mapping[str, str] = field(default_factory=dict)
    provable: bool = False


@dataclass
class _Tried:
    """Counts over the points of one domain."""

    equal: int = 0
    differ: int = 0
    one_sided: int = 0
    too_close: int = 0  # to tell whether equal
    kinks_differ: bool = False
    parts_differ: bool = False
    example: Mapping[str, str] = field(default_factory=dict)

    @property
    def outcome(self) -> Outcome:
        if self.differ:
            return "differ"
        if self.one_sided:
            return "partial"
        return "equal" if self.equal and not self.too_close else "empty"

    def compare(
        self, sides: Sequence[Evaluation], values: Sequence[Value | None], point: Mapping[str, Value]
    ) -> None:
        """Count the values of both sides at one point; None where a side has none."""
        left, right = values
        if left is None or right is None:
            self.one_sided += (left is None) != (right is None)
            return
        size = max(abs(left), abs(right), sides[0].scale, sides[1].scale)
        distance = abs(left - right)
        own_size = max(abs(left), abs(right))
        self.kinks_differ |= sides[0].branches != sides[1].branches
        self.parts_differ |= sides[0].applied != sides[1].applied or sides[0].opaque or sides[1].opaque
        if distance == 0 or distance <= min(size * _EQUAL, own_size * _DIFFERENT):
            self.equal += 1
        elif own_size < size * _EQUAL or distance <= own_size * _DIFFERENT:
            self.too_close += 1  # what is left of much larger addends may be rounding alone
        else:
            self.differ += 1
            if not self.example:
                shown = {name: context.nstr(value, 8) for name, value in point.items()}
                ends = {"left": context.nstr(left, 12), "right": context.nstr(right, 12)}
                self.example = {**shown, **ends}


def symbols(node: Node) -> set[str]:
    """Free symbols, without constants and bound variables."""
    if node.kind == "symbol":
        return set() if node.name in _CONSTANTS else {node.name}
    if node.kind in ("sum", "prod", "integral"):
        lower, upper, body = node.args
        return symbols(lower) | symbols(upper) | (symbols(body) - {node.name})
    return set().union(*(symbols(arg) for arg in node.args))


def probe(left: Node, right: Node, kinds: Mapping[str, Kind]) -> ProbeResult:
    """Compares two resolved expressions. `kinds` says what is known of symbols. Raises TooMuch."""
    names = sorted(symbols(left) | symbols(right))
    whole = _whole_numbers(left) | _whole_numbers(right)
    known: dict[str, Kind] = {**dict.fromkeys(whole, _NATURAL), **kinds}
    complexes = any(kind == "complex" for kind in known.values()) or has_complex_parts(left, right)
    unknown = any(node.kind in ("apply", "integral", "sum", "prod") for node in _walk(left, right))
    domains = _domains(complexes) if names or unknown else _domains(False)[:1]
    tried: dict[str, _Tried] = {}
    budget = StepBudget()
    for title, draw in domains:
        # strings seed a generator the same way in every process, hashes of them do not
        rng = random.Random(f"{SEED} {title}")
        tried[title] = _try_domain(left, right, names, known, draw, rng, complexes, budget)
    outcomes = {title: domain.outcome for title, domain in tried.items() if domain.outcome != "empty"}
    points = sum(domain.equal + domain.differ for domain in tried.values())
    example = next((domain.example for domain in tried.values() if domain.example), {})
    if not outcomes:
        reason = "no point was found at which both sides can be computed reliably"
        return ProbeResult("unknown", reason, provable=True)
    if set(outcomes.values()) == {"equal"}:
        if any(domain.kinks_differ for domain in tried.values()):
            reason = "equal at every point tried, but kinks are at different places"
            return ProbeResult("unknown", reason, points, provable=True)
        where = f"{len(outcomes)} domain{'s' * (len(outcomes) > 1)}"
        return ProbeResult("yes", f"equal at {points} random points in {where}", points)
    if set(outcomes.values()) == {"differ"}:
        if any(domain.parts_differ for domain in tried.values()):
            return ProbeResult(
                "unknown", "not equal unless the functions that are not named satisfy a relation", points
            )
        if symbols(left) != symbols(right):
            return ProbeResult(
                "unknown", "not equal unless symbols of one side are defined by others", points
            )
        return ProbeResult("no", "a counter-example in every domain", points, example)
    words = {"equal": "equal", "differ": "different", "partial": "defined on one side only"}
    found = [
        f"{word} where the letters are {', '.join(title for title, is_ in outcomes.items() if is_ == outcome)}"
        for outcome, word in words.items()
        if outcome in outcomes.values()
    ]
    reason = "it depends on the range of the letters: " + "; ".join(found)
    return ProbeResult("unknown", reason, points, example)


_CONSTANTS = {"\\pi", "e!", "i!", "\\infty"}


def _domains(complexes: bool) -> list[tuple[str, Draw]]:
    def uniform(low: float, high: float) -> Draw:
        return lambda rng: context.mpf(rng.uniform(low, high))

    domains: list[tuple[str, Draw]] = [
        ("integers above 1", lambda rng: context.mpf(rng.randint(2, 30))),
        ("between 0 and 1", uniform(0.05, 0.95)),
        ("above 1", uniform(1.05, 5.0)),
        ("negative", uniform(-4.0, -0.1)),
        ("of mixed sign", uniform(-4.0, 4.0)),
        ("of all sizes", lambda rng: context.mpf(rng.choice((-1, 1)) * 10 ** rng.uniform(-9.0, 12.0))),
    ]
    if complexes:
        part = uniform(-3.0, 3.0)
        domains.append(("complex", lambda rng: context.mpc(part(rng), part(rng))))
    return domains


def _try_domain(
    left: Node,
    right: Node,
    names: Sequence[str],
    kinds: Mapping[str, Kind],
    draw: Draw,
    rng: random.Random,
    complexes: bool,
    budget: StepBudget,
) -> _Tried:
    tried = _Tried()
    for _ in range(TRIES):
        if tried.equal + tried.differ + tried.one_sided >= POINTS:
            break
        point: dict[str, Value] = {}
        for name in names:
            value, kind = draw(rng), kinds.get(name)
            if kind in ("natural", "integer"):
                whole = context.mpf(rng.randint(1, 40))
                value = -whole if kind == "integer" and context.re(value) < 0 else whole
            elif kind == "positive":
                value = abs(value)
            elif kind == "real":
                value = context.re(value)
            point[name] = value

        def invent(key: str) -> Value:
            return draw(random.Random(key))

        sides = [Evaluation(point, invent, complexes, budget=budget) for _ in range(2)]
        values: list[Value | None] = [None, None]
        try:
            for at, node in enumerate((left, right)):
                with suppress(Undefined):
                    values[at] = sides[at].value(node)
        except Untrusted:
            continue
        tried.compare(sides, values, point)
    return tried


def _walk(*sides: Node) -> Iterator[Node]:
    for side in sides:
        yield from side.walk()


def has_complex_parts(*sides: Node) -> bool:
    for node in _walk(*sides):
        if node.kind == "symbol" and (node.name == "i!" or node.name[0] in "zw" or node.name == "\\zeta"):
            return True
        if node.kind == "call" and node.name in ("Re", "Im"):
            return True
    return False


def _whole_numbers(node: Node) -> set[str]:
    """Symbols that can only be integers: in the bounds of sums, and exponents of negative numbers."""
    found: set[str] = set()
    for below in node.walk():
        if below.kind in ("sum", "prod"):
            found |= symbols(below.args[0]) | symbols(below.args[1])
        if below.kind == "pow":
            base, exponent = below.args
            if base.kind == "neg" and base.args[0].kind == "number":
                found |= symbols(exponent)
    return found
