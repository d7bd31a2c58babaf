"""Which rubrics a campaign can have: those of its protocol, and those that coordinators imported.

A rubric file is TOML as in the protocols' folders. Text in, values out; `known_rubrics` alone reads rows.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from django.http import Http404

from annotation.models import CampaignKind
from annotation.models import Rubric as RubricRow
from benchmark.protocol import Protocol
from benchmark.protocols import get_protocol
from benchmark.rubrics import Question, Rubric, RubricError, rubric_from_content

MAX_FILE_BYTES = 200_000
MAX_QUESTIONS = 50
_NAME = re.compile(r"[a-z][a-z0-9-]{0,89}")
_KEY = re.compile(r"[a-z][a-z0-9_]{0,89}")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_RUBRIC_HEADER = re.compile(r"\s*\[\[\s*rubric\s*\]\]")
_QUESTION_HEADER = re.compile(r"\s*\[\[\s*rubric\s*\.\s*questions\s*\]\]")


class RubricFileError(RubricError):
    """A rubric file that cannot be used; the message begins with its line where that is known."""


def known_rubrics(protocol: str) -> list[Rubric]:
    """The rubrics of a protocol's folder, then those imported for it, in the order of their labels."""
    own = get_protocol(protocol).rubrics
    labels = {rubric.label for rubric in own}
    rows = RubricRow.objects.filter(protocol=protocol).order_by("name", "version")
    return [*own, *(rubric_from_content(row.content) for row in rows if row.label not in labels)]


def rubric_called(protocol: str, label: str) -> Rubric:
    """The rubric with this label among those; raises RubricError naming what there is."""
    rubrics = known_rubrics(protocol)
    for rubric in rubrics:
        if rubric.label == label:
            return rubric
    known = ", ".join(rubric.label for rubric in rubrics) or "none"
    raise RubricError(f"protocol {protocol} has no rubric {label!r}; it has {known}")


def rubric_or_404(protocol: str, label: str) -> Rubric:
    """The same; raises Http404, for an unknown protocol too."""
    try:
        return rubric_called(protocol, label)
    except (KeyError, RubricError) as error:
        raise Http404 from error


def read_rubric_file(content: bytes, protocol: Protocol) -> list[Rubric]:
    """The rubrics of a file for outputs of the protocol; raises RubricFileError with line and reason."""
    if len(content) > MAX_FILE_BYTES:
        raise RubricFileError(f"The file is longer than {MAX_FILE_BYTES // 1000} kB.")
    try:
        text = content.decode("utf-8-sig")
        document = tomllib.loads(text)
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise RubricFileError(f"Line {line}: the file is not UTF-8.") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise RubricFileError(f"The file is not TOML: {error}.") from error
    tables = document.get("rubric")
    if set(document) != {"rubric"} or not isinstance(tables, list) or not tables:
        raise RubricFileError("The file must consist of [[rubric]] tables and nothing else.")
    lines = text.splitlines()
    rubrics = []
    for number, table in enumerate(tables):
        start = _line(lines, _RUBRIC_HEADER, number)
        questions = table.get("questions") if isinstance(table, dict) else None
        if not isinstance(questions, list) or not questions:
            raise RubricFileError(f"{_at(start)}the rubric has no questions.")
        # The head first, then each question by itself, so that an error is reported with its own line.
        try:
            rubric_from_content({**table, "questions": [], "rules": []})
        except RubricError as error:
            raise RubricFileError(f"{_at(start)}{error}.") from error
        for place, asked in enumerate(questions):
            line = _line(lines, _QUESTION_HEADER, place, after=start)
            try:
                rubric = rubric_from_content({**table, "questions": [asked], "rules": []})
            except RubricError as error:
                raise RubricFileError(f"{_at(line or start)}{error}.") from error
            for reason in question_faults(rubric, rubric.questions[0], protocol):
                raise RubricFileError(f"{_at(line or start)}{reason}")
        try:
            rubric = rubric_from_content(table)
        except RubricError as error:
            raise RubricFileError(f"{_at(start)}{error}.") from error
        for reason in rubric_faults(rubric, protocol):
            raise RubricFileError(f"{_at(start)}{reason}")
        rubrics.append(rubric)
    return rubrics


def rubric_faults(rubric: Rubric, protocol: Protocol) -> Iterator[str]:
    """Why a rubric, apart from its questions, cannot be used on releases of the protocol."""
    if not _NAME.fullmatch(rubric.name):
        yield f"the name {rubric.name!r} must be lowercase letters, digits and dashes, beginning with a letter."
    if any(rubric.name == own.name for own in protocol.rubrics):
        yield f"{rubric.name} is the name of a rubric of {protocol.title}; choose another."
    if not 1 <= rubric.version <= 30_000:
        yield "the version must be a number from 1."
    if rubric.kind not in CampaignKind.values:
        yield f"kind {rubric.kind!r} is not one of {', '.join(CampaignKind.values)}."
    if not rubric.title.strip() or len(rubric.title) > 200:
        yield "the title must have between 1 and 200 characters."
    if len(rubric.questions) > MAX_QUESTIONS:
        yield f"a rubric has at most {MAX_QUESTIONS} questions."
    if not any(question.required for question in rubric.questions):
        yield "at least one question must be required."
    prefers = [question for question in rubric.questions if question.scale.kind == "preference"]
    if rubric.kind == CampaignKind.COMPARE and not prefers:
        yield "a comparison needs a question with the scale preference."
    if rubric.kind == CampaignKind.AUDIT:
        asked = {question.key for question in rubric.questions}
        if not any(asked.issuperset(metric.needs) for metric in protocol.metrics):
            needs = " or ".join(" and ".join(metric.needs) for metric in protocol.metrics)
            yield f"an audit of judge labels must ask {needs}."


def question_faults(rubric: Rubric, question: Question, protocol: Protocol) -> Iterator[str]:
    """Why a question of the rubric cannot be asked on releases of the protocol."""
    if not _KEY.fullmatch(question.key):
        yield f"the key {question.key!r} must be lowercase letters, digits and underscores, beginning with a letter."
    if not question.text.strip() or len(question.text) > 2_000:
        yield f"{question.key}: the text must have between 1 and 2,000 characters."
    if max(map(len, (question.help, *question.scale.anchors.values()))) > 2_000:
        yield f"{question.key}: help and anchors have at most 2,000 characters."
    # Scores of judges and audits read these answers as yes, no and uncertain.
    judged = {predicate.key for predicate in protocol.all_predicates}
    judged |= {item.key for item in protocol.construction_items}
    if rubric.kind == CampaignKind.CONSTRUCTION and question.key not in judged:
        yield f"{question.key}: {protocol.title} has no such item of a construction audit."
    like_predicate = question.scale.judged_like_predicates and question.scale.success == {"yes"}
    if question.key in judged and question.scale.kind != "preference" and not like_predicate:
        yield f"{question.key} is a predicate of {protocol.title}; its scale is predicate."
    if question.scale.kind == "preference" and rubric.kind != CampaignKind.COMPARE:
        yield f"{question.key}: only a rubric of kind compare asks for a preference."


def _line(lines: list[str], header: re.Pattern[str], number: int, after: int = 1) -> int:
    """The line, from 1, of the header with this number (from 0) at or after another line; 0 if not found."""
    found = [at for at, line in enumerate(lines, start=1) if at >= after and header.match(line)]
    return found[number] if number < len(found) else 0


def _at(line: int) -> str:
    return f"Line {line}: " if line else ""


def rubric_toml(rubric: Rubric) -> str:
    """The rubric as a file that `read_rubric_file` reads into an equal one."""
    plain = {key: value for key, value in rubric.content.items() if key not in ("questions", "rules")}
    blocks = ["[[rubric]]", *_fields(plain)]
    for question in rubric.content["questions"]:
        blocks += [
            "",
            "[[rubric.questions]]",
            *_fields({k: v for k, v in question.items() if v not in ("", {})}),
        ]
    for rule in rubric.rules:
        blocks += ["", "[[rubric.rules]]", *_fields(rule.content)]
    return "\n".join(blocks) + "\n"


def _fields(table: Mapping[str, Any]) -> list[str]:
    return [f"{name} = {_toml(value)}" for name, value in table.items()]


def _toml(value: Any) -> str:
    """A text, number, truth value, list or table in TOML: JSON's texts are TOML's, but for one character."""
    if isinstance(value, Mapping):
        named = {name if _BARE.fullmatch(name) else _toml(name): _toml(each) for name, each in value.items()}
        inside = ", ".join(f"{name} = {each}" for name, each in named.items())
        return f"{{ {inside} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
