"""Are two formulas equivalent? Expressions, equations, inequalities, sets, tuples, intervals and matrices."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any, Literal

from algebra.probing import Kind, has_complex_parts, probe, symbols
from algebra.proving import needs_order, proved_equal, proved_equal_in_order
from algebra.reader import read
from algebra.readings import readings, resolve
from algebra.tokens import NotUnderstood, bare, tokenize
from algebra.tree import Chain, Collection, Formula, Matrix, Node, nodes, number
from algebra.values import Evaluation, TooMuch, Undefined, Untrusted, context

Verdict = Literal["yes", "no", "unknown"]
MAX_ITEMS = 12


@dataclass(frozen=True)
class Comparison:
    """The verdict with its reason in words; `evidence` is plain JSON (method, points, counter-example)."""

    value: Verdict
    reason: str
    evidence: Mapping[str, Any] = field(default_factory=dict)


def compare(
    truth: str, answer: str, kinds: Mapping[str, Kind] | None = None, *, ordered: bool = False
) -> Comparison:
    """Whether two LaTeX formulas are equivalent as formulas in their letters.

    `kinds` says what is known of letters (by their name in LaTeX, subscripts in braces: "x_{1}"); `ordered`
    that no two letters may be exchanged in a product, because they name elements of a group, say. A "no" means
    that they differ wherever the letters live; relations among letters that the text around the formulas
    imposes are not known here.
    """
    if truth.strip() and bare(truth) == bare(answer):
        return Comparison("yes", "the same text", {"method": "text"})
    try:
        if [token.text for token in tokenize(truth)] == [token.text for token in tokenize(answer)]:
            return Comparison("yes", "the same formula up to spacing", {"method": "text"})
        sides = (_read("the truth", truth), _read("the answer", answer))
        comparer, first = _Comparer(kinds or {}, ordered), None
        for reading in readings(sides):
            found = comparer.formulas(*(resolve(side, reading) for side in sides))
            first = first or found
            if found.value != first.value:
                how = ", ".join(f"{name.removesuffix('(')} as {meant}" for name, meant in reading.items())
                return Comparison("unknown", f"it depends on how the notation is read: {how}", found.evidence)
        assert first is not None  # a formula has at least one reading
        return first
    except TooMuch as error:
        return Comparison("unknown", str(error), {"method": "none"})
    except NotUnderstood as error:
        return Comparison("unknown", f"not read: {error}", {"method": "none"})


def _read(which: str, text: str) -> Formula:
    try:
        return read(text)
    except (NotUnderstood, RecursionError) as error:
        raise NotUnderstood(f"{which}: {error}") from error


@dataclass(frozen=True)
class _Comparer:
    kinds: Mapping[str, Kind]
    ordered: bool

    def formulas(self, truth: Formula, answer: Formula) -> Comparison:
        if truth == answer:
            return Comparison("yes", "the same formula", {"method": "structure"})
        if isinstance(truth, Chain) and isinstance(answer, Chain):
            return self.chains(truth, answer)
        if isinstance(truth, Node) and isinstance(answer, Node):
            return self.expressions(truth, answer)
        if isinstance(truth, Collection) and isinstance(answer, Collection):
            return self.collections(truth, answer)
        if isinstance(truth, Matrix) and isinstance(answer, Matrix):
            return self.matrices(truth, answer)
        return Comparison("unknown", "the two are not of the same kind", {"method": "structure"})

    def expressions(self, truth: Node, answer: Node) -> Comparison:
        if truth == answer:
            return Comparison("yes", "the same expression", {"method": "structure"})
        finding = probe(truth, answer, self.kinds)
        evidence: dict[str, object] = {"method": "probing", "points": finding.points}
        if finding.example:
            evidence["example"] = dict(finding.example)
        if finding.value == "yes" or finding.provable:
            ordered = needs_order(truth, answer, ordered=self.ordered)
            real = not has_complex_parts(truth, answer) and "complex" not in self.kinds.values()
            in_order = ordered and proved_equal_in_order(truth, answer, ordered=self.ordered)
            if in_order or (not ordered and proved_equal(truth, answer, real=real)):
                return Comparison("yes", "their difference simplifies to zero", {"method": "proof"})
            if ordered:
                return Comparison("unknown", "equal if the letters commute, which is not known", evidence)
        return Comparison(finding.value, finding.reason, evidence)

    # -- collections and matrices

    def collections(self, truth: Collection, answer: Collection) -> Comparison:
        if max(len(truth.items), len(answer.items)) > MAX_ITEMS:
            return Comparison("unknown", f"more than {MAX_ITEMS} items")
        if truth.opening == "\\{" or answer.opening == "\\{":
            return self._sets(truth, answer)
        if len(truth.items) != len(answer.items):
            return Comparison("unknown", "lists of different lengths")
        pairs = [self.formulas(*pair) for pair in zip(truth.items, answer.items, strict=True)]
        together = _all(pairs)
        if (truth.opening, truth.closing) != (answer.opening, answer.closing):
            ends = [item.value for item in truth.items if isinstance(item, Node) and item.kind == "number"]
            known = [end for end in ends if end is not None]
            if together.value == "yes" and len(known) == 2 and known[0] < known[1]:
                return Comparison("no", "an end belongs to one interval only", {"method": "structure"})
            return Comparison("unknown", "brackets of different kinds")
        if together.value == "no" and self._sets(truth, answer).value != "no":
            return Comparison("unknown", "the same items in another order, or possibly so", together.evidence)
        return together

    def _sets(self, truth: Collection, answer: Collection) -> Comparison:
        """Equal when each item has an equal in the other; different when one differs from all of the other."""
        curly = [side.opening == "\\{" for side in (truth, answer)]
        if curly[0] != curly[1]:
            return Comparison("unknown", "a set and a list")
        unsure = False
        for here, there in ((truth.items, answer.items), (answer.items, truth.items)):
            for item in here:
                found = [self.formulas(item, other) for other in there]
                if all(comparison.value == "no" for comparison in found):
                    return Comparison("no", "an item of one is not in the other", found[0].evidence)
                unsure |= all(comparison.value != "yes" for comparison in found)
        if unsure:
            return Comparison("unknown", "items that could not be matched")
        return Comparison("yes", "the same items", {"method": "items"})

    def matrices(self, truth: Matrix, answer: Matrix) -> Comparison:
        if [len(row) for row in truth.rows] != [len(row) for row in answer.rows]:
            return Comparison("unknown", "matrices of different shapes")
        pairs = zip(sum(truth.rows, ()), sum(answer.rows, ()), strict=True)
        return _all([self.expressions(*pair) for pair in pairs])

    # -- relations

    def chains(self, truth: Chain, answer: Chain) -> Comparison:
        truth, answer = _oriented(truth), _oriented(answer)
        if len(truth.relations) != len(answer.relations):
            return Comparison("unknown", "chains of different lengths")
        sides = self._sidewise(truth, answer)
        if sides.value == "yes" or len(truth.relations) > 1:
            return sides if sides.value == "yes" else Comparison("unknown", "chains whose sides differ")
        relations = (truth.relations[0], answer.relations[0])
        if not all(isinstance(side, Node) for side in (*truth.sides, *answer.sides)) or "in" in relations:
            return self._solved(truth, answer) if relations == ("=", "=") else _undecided()
        if set(relations) == {"<", "<="}:
            return self._strictness(truth, answer)
        if relations[0] != relations[1]:
            return _undecided()
        scaled = self._scaled(truth, answer)
        if scaled is not None:
            return scaled
        if relations[0] == "=":
            return self._solved(truth, answer)
        return self._truth_values(truth, answer) if relations[0] in ("<", "<=") else _undecided()

    def _sidewise(self, truth: Chain, answer: Chain) -> Comparison:
        """Side by side; also back to front where all relations are symmetric."""
        orders = [answer]
        if set(answer.relations) <= {"=", "!="}:
            orders.append(Chain(answer.sides[::-1], answer.relations[::-1]))
        for order in orders:
            if order.relations == truth.relations:
                found = _all([self.formulas(*pair) for pair in zip(truth.sides, order.sides, strict=True)])
                if found.value == "yes":
                    return found
        return _undecided()

    def _scaled(self, truth: Chain, answer: Chain) -> Comparison | None:
        """Yes where the difference of the sides is a constant multiple, positive for an inequality."""
        one, other = _difference(truth), _difference(answer)
        names = sorted(symbols(one) | symbols(other))
        point = {name: context.mpf(17 + 12 * place) for place, name in enumerate(names)}
        try:
            above, below = (
                Evaluation(point, lambda key: context.mpf(int(key[:6], 16) + 1)).value(node)
                for node in (one, other)
            )
        except (Undefined, Untrusted):
            return None
        if above == 0 or below == 0 or not all(isinstance(value, context.mpf) for value in (above, below)):
            return None
        # A simple fraction by which the two differ at one point; still to be confirmed.
        for denominator in range(1, 61):
            scaled = above / below * denominator
            nearest = context.nint(scaled)
            if 0 < abs(nearest) < 10**6 and abs(scaled - nearest) < context.mpf(10) ** -60:
                break
        else:
            return None
        ratio = Fraction(int(nearest), denominator)
        if truth.relations[0] in ("<", "<=") and ratio < 0:
            return None
        equal = self.expressions(one, Node("mul", args=(number(ratio), other)))
        if equal.value != "yes":
            return None
        return Comparison("yes", f"{ratio} times the other, side minus side", equal.evidence)

    def _strictness(self, truth: Chain, answer: Chain) -> Comparison:
        """A strict and a weak inequality of the same sides: no, if the sides can be equal."""
        alike = Chain(answer.sides, truth.relations)
        same = self._sidewise(truth, alike).value == "yes" or self._scaled(truth, alike) is not None
        place = self._equality(_difference(truth)) if same else None
        if place is None:
            return _undecided()
        return Comparison(
            "no", "one is strict, and the sides can be equal", {"method": "example", "example": place}
        )

    def _equality(self, difference: Node) -> dict[str, str] | None:
        """Positive integers at which the difference is zero, found among small ones."""
        names = sorted(symbols(difference))
        if not 0 < len(names) <= 3:
            return None
        for values in product(range(1, 9), repeat=len(names)):
            point = {name: context.mpf(value) for name, value in zip(names, values, strict=True)}
            try:
                if Evaluation(point, lambda _: context.mpf(1)).value(difference) == 0:
                    return {name: str(value) for name, value in zip(names, values, strict=True)}
            except (Undefined, Untrusted):
                continue
        return None

    def _solved(self, truth: Chain, answer: Chain) -> Comparison:
        """No for S = A and S = B with A, B different, where S is a letter or value that A and B do not contain."""
        (a, b), (c, d) = truth.sides, answer.sides
        arrangements = [((a, b), (c, d)), ((b, a), (d, c)), ((a, b), (d, c)), ((b, a), (c, d))]
        for one, other in arrangements:
            if not isinstance(one[0], Node) or self.formulas(one[0], other[0]).value != "yes":
                continue
            if not _is_free(one[0], one[1], other[1]):
                continue
            rest = self.formulas(one[1], other[1])
            if rest.value == "no":
                return Comparison("no", f"the same left side, but {rest.reason}", rest.evidence)
        return _undecided()

    def _truth_values(self, truth: Chain, answer: Chain) -> Comparison:
        """No for X < A and X < B under the same condition as for equations."""
        for side in (0, 1):
            one, other = truth.sides[side], answer.sides[side]
            rest = (truth.sides[1 - side], answer.sides[1 - side])
            if not isinstance(one, Node) or self.formulas(one, other).value != "yes":
                continue
            if not _is_free(one, *rest):
                continue
            found = self.formulas(*rest)
            if found.value == "no":
                return Comparison("no", f"one side is the same, but {found.reason}", found.evidence)
        return _undecided()


def _undecided() -> Comparison:
    return Comparison(
        "unknown", "relations that are neither the same nor shown to differ", {"method": "none"}
    )


def _all(pairs: Sequence[Comparison]) -> Comparison:
    for value in ("no", "unknown"):
        for pair in pairs:
            if pair.value == value:
                return pair
    return pairs[-1]


def _oriented(chain: Chain) -> Chain:
    """> and >= turned round; a chain that mixes directions keeps them."""
    if set(chain.relations) <= {">", ">=", "="} and set(chain.relations) != {"="}:
        turned = tuple({">": "<", ">=": "<="}.get(relation, relation) for relation in chain.relations)
        return Chain(chain.sides[::-1], turned[::-1])
    return chain


def _difference(chain: Chain) -> Node:
    left, right = chain.sides
    assert isinstance(left, Node)
    assert isinstance(right, Node)
    return Node("add", args=(left, Node("neg", args=(right,))))


def _is_free(side: Node, *others: Formula) -> bool:
    """Whether the side can take any value whatever the others are: a letter, or an unknown function's value,
    that they do not contain, or a product with such a letter."""
    if side.kind == "mul":
        return any(factor.kind == "symbol" and _is_free(factor, *others) for factor in side.args)
    if side.kind not in ("symbol", "apply"):
        return False
    return not any(
        node.name == side.name for other in others for node in nodes(other) if node.kind == side.kind
    )
