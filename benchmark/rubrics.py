"""Rubrics as values: questions with scales, parsed from a rubric file, content-hashed.

Pure: no rows. annotation keeps a copy of what a campaign used; judging takes predicate names from here.
"""

import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmark.rubric_rules import MAX_RULES, Rule, RuleError, rule_from
from stats.core.scale import NOT_ASSESSED as NOT_ASSESSED
from stats.core.scale import Scale, ScaleError, scale_from

_WITHOUT_STEPS = {"compare": "a pair has no common ones", "construction": "an instance has none"}
_QUESTION_FIELDS = {"key": str, "text": str, "help": str, "required": bool, "positive": str, "anchors": dict}
_RUBRIC_FIELDS = {"name": str, "version": int, "kind": str, "title": str, "questions": list, "rules": list}
_OPTIONAL = ("help", "required", "positive", "anchors")


class RubricError(ValueError):
    """A rubric file or an answer that does not fit; the message names the rubric and question."""


@dataclass(frozen=True)
class Question:
    """One question. `scale` knows what may be answered; `declared` is how the rubric wrote it down."""

    key: str
    text: str
    scale: Scale
    help: str = ""
    required: bool = True
    declared: Mapping[str, Any] = field(default_factory=dict)

    def canonical(self, raw: str) -> str:
        """The canonical text of an answer; raises RubricError if it is not on the scale."""
        try:
            return self.scale.canonical(raw)
        except ScaleError as error:
            raise RubricError(f"{self.key}: {error}") from error


@dataclass(frozen=True)
class Rubric:
    """An immutable set of questions about one kind of subject, for one kind of campaign."""

    name: str
    version: int
    kind: str
    title: str
    questions: tuple[Question, ...]
    rules: tuple[Rule, ...] = ()

    @property
    def label(self) -> str:
        return f"{self.name}-v{self.version}"

    @property
    def content(self) -> dict[str, Any]:
        """Plain JSON, from which `rubric_from_content` makes an equal rubric. Without rules it does not name them."""
        plain = {"name": self.name, "version": self.version, "kind": self.kind, "title": self.title}
        rules = {"rules": [rule.content for rule in self.rules]} if self.rules else {}
        return {**plain, "questions": [dict(question.declared) for question in self.questions], **rules}

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


def question(
    key: str,
    text: str,
    scale: str | Mapping[str, Any],
    help: str = "",
    required: bool = True,
    positive: str = "",
    anchors: Mapping[str, str] | None = None,
) -> Question:
    """The question of these fields of a rubric file; raises RubricError for a scale that does not exist."""
    try:
        known = scale_from(scale, positive=positive, anchors=anchors)
    except ScaleError as error:
        raise RubricError(f"question {key}: {error}") from error
    declared = {
        "key": key,
        "text": text,
        "scale": scale,
        "help": help,
        "required": required,
        "positive": positive,
        "anchors": dict(anchors or {}),
    }
    return Question(key, text, known, help, required, declared)


def rubric_from_content(content: Mapping[str, Any]) -> Rubric:
    """The rubric kept in a row or a TOML table; raises RubricError for anything unexpected."""
    name = content.get("name", "?")
    _require_fields(content, _RUBRIC_FIELDS, f"rubric {name}", optional=("rules",))
    questions = []
    for number, table in enumerate(content["questions"], start=1):
        if not isinstance(table, dict) or "scale" not in table:
            raise RubricError(f"rubric {name}: question {number} has no scale")
        plain = {key: value for key, value in table.items() if key != "scale"}
        _require_fields(plain, _QUESTION_FIELDS, f"rubric {name}: question {number}", optional=_OPTIONAL)
        if not all(isinstance(words, str) for words in plain.get("anchors", {}).values()):
            raise RubricError(f"rubric {name}: question {plain['key']}: an anchor is not text")
        try:
            questions.append(question(**table))
        except RubricError as error:
            raise RubricError(f"rubric {name}: {error}") from error
    tables: list[Any] = content.get("rules", [])
    if len(tables) > MAX_RULES:
        raise RubricError(f"rubric {name} has more than {MAX_RULES} rules")
    scales = {question.key: question.scale for question in questions}
    rules = []
    for number, table in enumerate(tables, start=1):
        try:
            rules.append(rule_from(table, scales))
        except RuleError as error:
            raise RubricError(f"rubric {name}: rule {number}: {error}") from error
    rubric = Rubric(**{**content, "questions": tuple(questions), "rules": tuple(rules)})
    for asked in questions:
        if asked.scale.stepwise and rubric.kind in _WITHOUT_STEPS:
            raise RubricError(
                f"{rubric.label}: {asked.key} asks about steps, and {_WITHOUT_STEPS[rubric.kind]}"
            )
    if len({asked.key for asked in questions}) != len(questions):
        raise RubricError(f"{rubric.label}: a question key appears twice")
    return rubric


def _require_fields(
    table: Mapping[str, Any], fields: Mapping[str, type], where: str, optional: tuple[str, ...]
) -> None:
    for name, value in table.items():
        if name not in fields:
            raise RubricError(f"{where} has a field {name!r}; known are {', '.join(fields)}")
        if type(value) is not fields[name]:
            raise RubricError(f"{where}: {name} must be a {fields[name].__name__}")
    for name in fields:
        if name not in table and name not in optional:
            raise RubricError(f"{where} lacks {name}")


def parse_rubrics(text: str) -> tuple[Rubric, ...]:
    """All rubrics of a rubric.toml ([[rubric]] tables with [[rubric.questions]])."""
    return tuple(rubric_from_content(table) for table in tomllib.loads(text).get("rubric", []))
