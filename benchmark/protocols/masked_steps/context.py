"""What the problem and the proof say about letters: ranges that are assumed, and equations that tie them.

Two formulas that differ as formulas may agree in a proof whose letters are tied to each other (let a + b = 1).
So an equation that shares a letter with them, and is neither an identity nor the definition of a letter that
they do not contain, overrides a "no".
"""

import re
from collections import Counter
from collections.abc import Iterator

from algebra import Kind, NotUnderstood, compare, letters, read
from algebra.tree import Chain, Node
from benchmark.protocols.masked_steps.schema import MASK

MAX_EQUATIONS = 40
_MATHEMATICS = re.compile(
    r"\$\$(.+?)\$\$|\$(.+?)\$|\\\[(.+?)\\\]|\\\((.+?)\\\)"
    r"|\\begin\{(?:equation|align|gather|multline)\*?\}(.+?)\\end\{",
    re.DOTALL,
)
_ORDERED = re.compile(
    r"\b(semi)?groups?\b|\brings?\b|\bmatri(x|ces)\b|\boperators?\b|\balgebras?\b|\bmonoids?\b|\bpermutations?\b"
    r"|\bquaternions?\b|\bnon-?commut|\bendomorphisms?\b|\bautomorphisms?\b|\bmodules?\b",
    re.IGNORECASE,
)
_NO_PLAIN_NUMBERS = re.compile(
    r"\bmod(ulo)?\b|\\p?mod\b|\bcongruen|\bfinite fields?\b|\bcharacteristic\b|\bquotient|\bup to\b|\bisomorphi",
    re.IGNORECASE,
)
_LETTER = re.compile(r"\\[A-Za-z]+|[A-Za-z]")
_NUMBER_SETS: dict[str, Kind] = {
    "\\mathbb{N}": "natural",
    "\\mathbb{Z}": "integer",
    "\\mathbb{R}": "real",
    "\\mathbb{C}": "complex",
}


def formulas(text: str) -> Iterator[str]:
    """The formulas of a text, those with the mask left out; lines of an alignment one by one."""
    for match in _MATHEMATICS.finditer(text):
        found = next(group for group in match.groups() if group is not None)
        for line in found.split("\\\\") if match.group(5) else [found]:
            if MASK not in line:
                yield line.replace("&", " ").strip()


def assumed(problem: str) -> dict[str, Kind]:
    """What the problem's formulas say about a letter: x > 0, n \\ge 1, x \\in \\mathbb{R}. Contradictions cancel."""
    found: dict[str, set[Kind]] = {}
    for text in formulas(problem):
        try:
            formula = read(text)
        except (NotUnderstood, RecursionError):
            continue
        if not isinstance(formula, Chain) or len(formula.relations) != 1:
            continue
        (left, right), relation = formula.sides, formula.relations[0]
        if relation in ("<", "<="):
            left, right, relation = right, left, ">"
        if not isinstance(left, Node) or not isinstance(right, Node) or left.kind != "symbol":
            continue
        kind: Kind | None = _NUMBER_SETS.get(right.name) if relation == "in" else None
        if relation in (">", ">=") and right.kind == "number" and (right.value or 0) >= 0:
            kind = "positive"
        if kind:
            found.setdefault(left.name, set()).add(kind)
    merged = {letter: _narrowest(kinds) for letter, kinds in found.items()}
    return {letter: kind for letter, kind in merged.items() if kind}


def is_ordered(text: str) -> bool:
    """Whether the text mentions objects whose product depends on the order."""
    return bool(_ORDERED.search(text))


def speaks_of_numbers(text: str) -> bool:
    """False where formulas that differ as numbers may still be the same: groups, residues, up to something."""
    return not (_ORDERED.search(text) or _NO_PLAIN_NUMBERS.search(text))


def ties(text: str, names: frozenset[str]) -> list[str]:
    """Equations of the text that tie letters among `names` to each other or to something else."""
    equations = list(dict.fromkeys(found for found in formulas(text) if len(_split(found)) > 1))
    if len(equations) > MAX_EQUATIONS:
        return [f"more than {MAX_EQUATIONS} equations"]
    defined = {equation: _defined(equation) for equation in equations}
    times = Counter(defined.values())
    # by single letters, so that what cannot be read counts too: x_1 is mentioned where x is
    plain = {letter for name in names for letter in _LETTER.findall(name)}
    found = []
    for equation, name in defined.items():
        definition = name and name not in names and times[name] == 1
        if not definition and not plain.isdisjoint(_LETTER.findall(equation)):
            sides = _split(equation)
            if len(sides) > 2 or compare(sides[0], sides[1]).value != "yes":  # an identity ties nothing
                found.append(equation)
    return found


def _narrowest(kinds: set[Kind]) -> Kind | None:
    """The one kind that implies the others; None where they do not nest (an integer that is positive does)."""
    if kinds <= {"positive", "integer", "natural", "real"}:
        if "natural" in kinds or {"positive", "integer"} <= kinds:
            return "natural"
        for kind in ("positive", "integer", "real"):
            if kind in kinds:
                return kind
    return "complex" if kinds == {"complex"} else None


def _defined(equation: str) -> str:
    """The name on the left of S = ..., if the right side does not contain it."""
    try:
        formula = read(equation)
    except (NotUnderstood, RecursionError):
        return ""
    if not isinstance(formula, Chain) or formula.relations != ("=",):
        return ""
    left, right = formula.sides
    if not isinstance(left, Node) or not isinstance(right, Node):
        return ""
    return left.name if left.kind in ("symbol", "apply", "maybe") and left.name not in letters(right) else ""


def _split(formula: str) -> list[str]:
    """The sides of a chain of equations; an = inside braces, as in the bounds of a sum, does not count."""
    sides, depth = [""], 0
    for character in formula:
        depth += (character == "{") - (character == "}")
        if character == "=" and depth == 0:
            sides.append("")
        else:
            sides[-1] += character
    return sides
