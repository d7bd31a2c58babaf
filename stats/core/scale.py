"""Scales as values: what may be answered, how it is measured, and what follows from it. Pure.

Everything that depends on a scale asks the object; nothing compares its name. There are a few scales with names
of their own (`NAMED`), and scales that a rubric defines (`own_scale`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, Literal, get_args

Level = Literal["nominal", "ordinal", "interval"]
Kind = Literal["choice", "preference", "first_error", "steps", "text"]
LEVELS: tuple[Level, ...] = get_args(Level)
NOT_ASSESSED = "not_assessed"
JUDGED = ("yes", "no", "uncertain")  # what judges answer about a predicate
SPLIT = "split"
MAX_VALUES, MAX_VALUE_LENGTH = 25, 40
_OWN_FIELDS = ("level", "values", "success", "correctness")


class ScaleError(ValueError):
    """A scale or an answer that does not fit; the message is for the author of a rubric."""


@dataclass(frozen=True)
class Scale:
    """`values` in the order in which they are shown; none for free text.

    `kind` says how it is answered: one value, a side of a pair, the first wrong step, a value for each step, or
    text. `success` are the values that count as a success; it may be empty. `correctness` says that a success means a
    correct text, which a fatal comment contradicts. `best_first` says at which end of an ordered scale the best value
    is. `unclear` is the value of an output on which its experts differ.
    `anchors` say in words what a value means.
    """

    name: str
    values: tuple[str, ...]
    level: Level = "nominal"
    kind: Kind = "choice"
    success: frozenset[str] = frozenset()
    correctness: bool = False
    best_first: bool = True
    unclear: str = "uncertain"
    anchors: Mapping[str, str] = field(default_factory=dict)

    @property
    def aggregation(self) -> Literal["majority", "mean", "none"]:
        """What several experts' answers become."""
        if self.kind == "text":
            return "none"
        return "mean" if self.level == "interval" else "majority"

    @property
    def stepwise(self) -> bool:
        """Whether it is answered for each step of an output instead of once."""
        return self.kind in ("first_error", "steps")

    @property
    def has_values(self) -> bool:
        """Whether answers can be counted, compared and decided; free text cannot."""
        return self.kind != "text"

    @property
    def ranked(self) -> bool:
        """Whether of two single answers one can be the better one."""
        return self.kind == "choice" and self.level != "nominal"

    @property
    def passes(self) -> bool:
        """Whether a single answer is a success or not."""
        return self.kind == "choice" and bool(self.success)

    @property
    def judged_like_predicates(self) -> bool:
        """Whether experts answer in the values that judges give."""
        return self.kind == "choice" and self.values == JUDGED

    @property
    def judgments(self) -> tuple[str, ...]:
        """The values that say something: without "not assessed"."""
        return tuple(value for value in self.values if value != NOT_ASSESSED)

    @property
    def range(self) -> tuple[float, float]:
        """The ends of an interval scale."""
        numbers = [float(value) for value in self.values]
        return min(numbers), max(numbers)

    @property
    def primary_coefficient(self) -> str:
        """The coefficient of agreement that leads: Krippendorff's alpha at the scale's level."""
        return primary_coefficient(self.level)

    @property
    def success_in_words(self) -> str:
        """The values that count as a success, in their order: "flawless or minor"."""
        return " or ".join(value_words(value) for value in self.values if value in self.success)

    @property
    def number_keys(self) -> tuple[str, ...]:
        """For each value the digit whose key picks it, or none: its place, or itself where some values are digits.

        On a scale of points the key 7 never picks anything but 7, also where there are halves or more than nine.
        """
        digits = tuple("0123456789")
        if any(value in digits for value in self.values):
            return tuple(value if value in digits else "" for value in self.values)
        return tuple(str(place) if place < 10 else "" for place in range(1, len(self.values) + 1))

    def height(self, value: str) -> float:
        """The place of a value on a ranked scale; higher is better."""
        if not self.ranked:
            raise ScaleError(f"the values of {self.name} have no order")
        if self.level == "interval":
            return float(value)
        place = float(self.values.index(value))
        return -place if self.best_first else place

    def canonical(self, raw: str) -> str:
        """The canonical text of an answer; raises ScaleError if it is not on the scale."""
        value = raw.strip()
        if self.kind == "text":
            return value
        if self.level == "interval":
            value = _number(value)
        if value not in self.values:
            raise ScaleError(f"{raw!r} is not one of {', '.join(self.values)}")
        return value

    def passed_by_majority(self, answers: Sequence[str]) -> bool:
        """Whether more than half of the answers are successes."""
        return 2 * sum(answer in self.success for answer in answers) > len(answers)

    def passed_unanimously(self, answers: Sequence[str]) -> bool:
        """Whether there are answers and all are successes."""
        return bool(answers) and all(answer in self.success for answer in answers)


def primary_coefficient(level: str) -> str:
    """The name of Krippendorff's alpha at this level of measurement."""
    return f"krippendorff_alpha_{level}"


def value_words(value: str) -> str:
    """A value as people read it: "both_bad" is "both bad"."""
    return value.replace("_", " ")


_STEPS = ("correct", "incorrect", NOT_ASSESSED)
NAMED = {
    scale.name: scale
    for scale in (
        Scale("predicate", JUDGED, success=frozenset({"yes"})),
        Scale(
            "correctness",
            ("correct", "inconclusive", "incorrect"),
            "ordinal",
            success=frozenset({"correct"}),
            correctness=True,
            unclear="inconclusive",
        ),
        Scale("preference", ("first", "second", "tie", "both_bad"), kind="preference"),
        Scale("flag", ("yes", "no"), success=frozenset({"yes"})),
        Scale("first_error", _STEPS, kind="first_error"),
        Scale("steps", _STEPS, kind="steps"),
        Scale("relevance", ("exact", "equivalent", "stronger", "related", "no", NOT_ASSESSED), kind="steps"),
        Scale("ordinal", ("0", "1", "2", "3", "4", "5"), "interval", best_first=False),
        Scale("unit", ("0", "0.25", "0.5", "0.75", "1"), "interval", best_first=False),
        Scale("text", (), kind="text"),
    )
}


def scale_from(declared: Any, *, positive: str = "", anchors: Mapping[str, str] | None = None) -> Scale:
    """The scale that a question declares: a name, or a table with level, values and success.

    `positive` is the one value of a named scale that counts as a success, if it is not the usual one. Raises
    ScaleError for an unknown name and for a table that defines no scale.
    """
    if isinstance(declared, str):
        if declared not in NAMED:
            raise ScaleError(
                f"unknown scale {declared!r}; there are {', '.join(NAMED)}, or a table of your own"
            )
        scale = NAMED[declared]
        if positive:
            scale = replace(scale, success=frozenset({positive}))
    else:
        if positive:
            raise ScaleError("a scale of its own names its successes in `success`, not in `positive`")
        scale = own_scale(declared)
    strange = [value for value in (*scale.success, *(anchors or {})) if value not in scale.values]
    if strange:
        raise ScaleError(
            f"{strange[0]!r} is not one of {', '.join(scale.values) or 'the values: there are none'}"
        )
    return replace(scale, anchors=dict(anchors or {}))


def own_scale(table: Any) -> Scale:
    """A scale of a rubric's own: {level, values, success, correctness}.

    On ordinal ones the successes are at the better end, and are about correctness unless the table says otherwise.
    """
    if not isinstance(table, Mapping):
        raise ScaleError("a scale is a name or a table with level, values and success")
    for name in table:
        if name not in _OWN_FIELDS:
            raise ScaleError(f"a scale has no field {name!r}, only {', '.join(_OWN_FIELDS)}")
    level = table.get("level")
    if level not in LEVELS:
        raise ScaleError(f"level {level!r} is not one of {', '.join(LEVELS)}")
    values = _texts(table.get("values"), "values")
    success = _texts(table.get("success", []), "success")
    correctness = table.get("correctness", level == "ordinal")
    if not isinstance(correctness, bool):
        raise ScaleError("correctness must be true or false")
    if not 2 <= len(values) <= MAX_VALUES:
        raise ScaleError(f"a scale has between 2 and {MAX_VALUES} values, not {len(values)}")
    for value in values:
        if not value or value != " ".join(value.split()) or not value.isprintable():
            raise ScaleError(f"value {value!r} must be words without line breaks or blanks at its ends")
        if len(value) > MAX_VALUE_LENGTH:
            raise ScaleError(f"value {value!r} is longer than {MAX_VALUE_LENGTH} characters")
        if value in (NOT_ASSESSED, SPLIT, "abstain", "unavailable") or value[0] in "=+-@":
            raise ScaleError(f"{value!r} cannot be a value: it has a meaning of its own in tables")
    if level == "interval":
        values, success = tuple(map(_number, values)), tuple(map(_number, success))
        if [float(value) for value in values] != sorted(map(float, values)):
            raise ScaleError("the numbers of an interval scale go from the lowest to the highest")
    if len({value.casefold() for value in values}) < len(values):
        raise ScaleError("a value occurs twice")
    strange = [value for value in success if value not in values]
    if strange:
        raise ScaleError(f"success {strange[0]!r} is not one of {', '.join(values)}")
    if len(set(success)) == len(values):
        raise ScaleError("if every value is a success, nothing can fail")
    if correctness and level != "ordinal" and not success:
        raise ScaleError("a scale of correctness needs `success`")
    return Scale(
        name=f"{level}: {', '.join(values)}",
        values=values,
        level=level,
        success=frozenset(success),
        correctness=correctness,
        best_first=_best_first(level, values, frozenset(success)),
        unclear=SPLIT,
    )


def _best_first(level: Level, values: Sequence[str], success: frozenset[str]) -> bool:
    """Where an ordered scale begins; the successes of one are at its better end."""
    if level == "nominal":
        return True
    if level == "interval":
        if success and success != frozenset(values[-len(success) :]):
            raise ScaleError("the successes of an interval scale are its highest values")
        return False
    if not success:
        raise ScaleError("an ordinal scale needs `success`: it also says which end is the better one")
    if success == frozenset(values[: len(success)]):
        return True
    if success == frozenset(values[-len(success) :]):
        return False
    raise ScaleError("the successes of an ordinal scale are its first values or its last ones, without a gap")


def _texts(given: Any, name: str) -> tuple[str, ...]:
    if not isinstance(given, list | tuple) or not all(isinstance(value, str) for value in given):
        raise ScaleError(f'{name} must be a list of texts, such as ["good", "bad"]')
    return tuple(given)


def _number(value: str) -> str:
    try:
        number = Decimal(value)
        sane = number.is_finite() and abs(number) <= 1_000_000 and number == round(number, 6)
    except ArithmeticError as error:
        raise ScaleError(f"{value!r} is not a number") from error
    if not sane:
        raise ScaleError(f"{value!r} is not a number of at most six decimals up to a million")
    return f"{number.normalize() + 0:f}"
