"""Rubrics as values: questions with scales, parsed from a protocol's rubric.toml, content-hashed.

Pure: no rows. annotation keeps a copy of what a campaign used; judging takes predicate names from here.
"""

import hashlib
import json
import tomllib
from dataclasses import asdict, dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any

NOT_ASSESSED = "not_assessed"
STEP_VALUES = ("correct", "incorrect", NOT_ASSESSED)
CHOICES = {
    "predicate": ("yes", "no", "uncertain"),
    "correctness": ("correct", "inconclusive", "incorrect"),
    "preference": ("first", "second", "tie", "both_bad"),
    "flag": ("yes", "no"),
    "first_error": STEP_VALUES,
    "steps": STEP_VALUES,
    "relevance": ("exact", "equivalent", "stronger", "related", "no", NOT_ASSESSED),
}
# answered step by step: up to the first wrong one, or each by itself
STEPWISE = ("first_error", "steps", "relevance")
NUMERIC = {"ordinal": (0, 5, Decimal(1)), "unit": (0, 1, Decimal("0.25"))}
_WITHOUT_STEPS = {"compare": "a pair has no common ones", "construction": "an instance has none"}
SCALES = (*CHOICES, *NUMERIC, "text")


class RubricError(ValueError):
    """A rubric file or an answer that does not fit; the message names the rubric and question."""


@dataclass(frozen=True)
class Question:
    """One question. `anchors` gives the meaning of each value in words; `positive` counts as success."""

    key: str
    text: str
    scale: str
    help: str = ""
    required: bool = True
    positive: str = ""
    anchors: dict[str, str] = field(default_factory=dict)

    @property
    def values(self) -> tuple[str, ...]:
        """The values that may be chosen, in order; empty for free text."""
        if self.scale in CHOICES:
            return CHOICES[self.scale]
        if self.scale in NUMERIC:
            low, high, step = NUMERIC[self.scale]
            count = int((high - low) / step)
            return tuple(f"{(low + step * i).normalize():f}" for i in range(count + 1))
        return ()

    @property
    def stepwise(self) -> bool:
        """Whether it is answered for each step of an output instead of once."""
        return self.scale in STEPWISE

    @property
    def judgments(self) -> tuple[str, ...]:
        """The values that say something: without "not assessed"."""
        return tuple(value for value in self.values if value != NOT_ASSESSED)

    def canonical(self, raw: str) -> str:
        """The canonical text of an answer; raises RubricError if it is not on the scale."""
        value = raw.strip()
        if self.scale == "text":
            return value
        if self.scale in NUMERIC:
            value = self._number(value)
        if value not in self.values:
            raise RubricError(f"{self.key}: {raw!r} is not one of {', '.join(self.values)}")
        return value

    def _number(self, value: str) -> str:
        try:
            return f"{Decimal(value).normalize():f}"
        except InvalidOperation as error:
            raise RubricError(f"{self.key}: {value!r} is not a number") from error


@dataclass(frozen=True)
class Rubric:
    """An immutable set of questions about one kind of subject, for one kind of campaign."""

    name: str
    version: int
    kind: str
    title: str
    questions: tuple[Question, ...]

    @property
    def label(self) -> str:
        return f"{self.name}-v{self.version}"

    @property
    def content(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def sha256(self) -> str:
        canonical = json.dumps(self.content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()

    def question(self, key: str) -> Question:
        """The question with this key; raises RubricError if there is none."""
        for question in self.questions:
            if question.key == key:
                return question
        raise RubricError(f"{self.label} has no question {key!r}")


def rubric_from_content(content: dict[str, Any]) -> Rubric:
    """The rubric kept in a row or a TOML table; raises RubricError for anything unexpected."""
    try:
        questions = tuple(Question(**question) for question in content["questions"])
        rubric = Rubric(**{**content, "questions": questions})
    except (TypeError, KeyError) as error:
        raise RubricError(f"rubric {content.get('name', '?')}: {error}") from error
    for question in questions:
        if question.scale not in SCALES:
            raise RubricError(f"{rubric.label}: question {question.key} has unknown scale {question.scale!r}")
        if question.stepwise and rubric.kind in _WITHOUT_STEPS:
            raise RubricError(
                f"{rubric.label}: {question.key} asks about steps, and {_WITHOUT_STEPS[rubric.kind]}"
            )
    if len({question.key for question in questions}) != len(questions):
        raise RubricError(f"{rubric.label}: a question key stands twice")
    return rubric


def parse_rubrics(text: str) -> tuple[Rubric, ...]:
    """All rubrics of a rubric.toml ([[rubric]] tables with [[rubric.questions]])."""
    return tuple(rubric_from_content(table) for table in tomllib.loads(text).get("rubric", []))
