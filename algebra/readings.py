"""Notation with two readings. A verdict counts only when it is the same in every reading.

f(x) may be a value or a product, e the base of the logarithm or a letter, i the imaginary unit or an index,
log the natural logarithm or one to a base that is not named.
"""

from collections.abc import Iterable, Mapping
from itertools import product

from algebra.tokens import NotUnderstood
from algebra.tree import Chain, Collection, Formula, Matrix, Node, nodes, symbol

MAX_READINGS = 16
_GREEK = {"\\pi", "\\lambda", "\\alpha", "\\beta", "\\epsilon", "\\delta"}
_QUANTITIES = frozenset("abcijklmnpqrstuvwxyzABCDKLMNQRUVWXYZ") | _GREEK
_ANGLES = frozenset(["\\pi", "\\theta", "\\omega", "\\xi", "\\phi", "\\varphi", "\\alpha"])
Reading = Mapping[str, str]


def readings(formulas: Iterable[Formula]) -> list[Reading]:
    """Every reading of formulas in one context. Raises NotUnderstood when there are too many."""
    found = [node for formula in formulas for node in nodes(formula)]
    bound = {node.name for node in found if node.kind in ("sum", "prod", "integral")}
    bare = {node.name for node in found if node.kind == "symbol"} | bound
    choices: dict[str, tuple[str, ...]] = {}
    for letter in sorted({node.name for node in found if node.kind == "maybe"}):
        settled = letter in bare and letter in _QUANTITIES
        choices[f"{letter}("] = ("product",) if settled else ("product", "value")
    mentioned = bare | {node.name for node in found if node.kind == "maybe"}
    exponents = [node.args[1] for node in found if node.kind == "pow" and node.args[0] == symbol("e")]
    if "e" in mentioned:
        euler = any(exponent.kind != "number" for exponent in exponents)
        choices["e"] = ("letter",) if "e" in bound else ("constant",) if euler else ("constant", "letter")
    if "i" in mentioned:
        # e to a power with an i and an angle
        names = [{below.name for below in power.walk() if below.kind == "symbol"} for power in exponents]
        unit = any("i" in inside and inside & _ANGLES for inside in names)
        choices["i"] = ("letter",) if "i" in bound else ("constant",) if unit else ("constant", "letter")
    if any(node.kind == "call" and node.name == "log" for node in found):
        choices["log"] = ("natural", "general")
    combinations = [dict(zip(choices, picked, strict=True)) for picked in product(*choices.values())]
    if len(combinations) > MAX_READINGS:
        raise NotUnderstood(f"the notation has {len(combinations)} readings")
    return list(combinations)


def resolve(formula: Formula, reading: Reading) -> Formula:
    """The formula in one reading: no node of kind maybe is left, constants are symbols e! and i!."""
    if isinstance(formula, Node):
        return _node(formula, reading)
    if isinstance(formula, Chain):
        sides = tuple(resolve(side, reading) for side in formula.sides)
        return Chain(sides, formula.relations)  # type: ignore[arg-type]  # a side stays a side
    if isinstance(formula, Collection):
        items = tuple(resolve(item, reading) for item in formula.items)
        return Collection(formula.opening, formula.closing, items)  # type: ignore[arg-type]
    return Matrix(tuple(tuple(_node(entry, reading) for entry in row) for row in formula.rows))


def _node(node: Node, reading: Reading) -> Node:
    args = tuple(_node(arg, reading) for arg in node.args)
    if node.kind == "symbol":
        return _symbol(node.name, reading)
    if node.kind == "call" and node.name == "log" and reading.get("log") == "general":
        return Node("mul", args=(symbol("log!"), Node("call", "ln", args)))
    if node.kind != "maybe":
        return Node(node.kind, node.name, args, node.value)
    inner, power = args[0], args[1:]
    if reading[f"{node.name}("] == "value":
        value = Node("apply", node.name, (inner,))
        return Node("pow", args=(value, *power)) if power else value
    factor = Node("pow", args=(inner, *power)) if power else inner
    return Node("mul", args=(_symbol(node.name, reading), factor))


def _symbol(name: str, reading: Reading) -> Node:
    if name in ("\\mathrm{e}", "\\mathrm{i}"):
        return symbol(f"{name[-2]}!")
    return symbol(f"{name}!") if reading.get(name) == "constant" else symbol(name)
