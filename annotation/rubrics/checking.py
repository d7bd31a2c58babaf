"""What is wrong with a form, or will cost something later. Pure: content in, sentences with their places out."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.text import capfirst

from annotation.rubrics.available import question_faults, rubric_faults
from benchmark.protocol import Protocol
from benchmark.rubric_rules import contradictions
from benchmark.rubrics import Question, Rubric, RubricError, rubric_from_content


@dataclass(frozen=True)
class Fault:
    """Why a form cannot be used yet. `question` is the number of the question from 0, None for the form itself."""

    reason: str
    question: int | None = None


@dataclass(frozen=True)
class Check:
    """Something that was looked at: all right, or worth another thought before the form is used."""

    words: str
    good: bool


@dataclass(frozen=True)
class CheckedForm:
    """`rubric` is there if the form can be used; `questions` are those that are whole, with their numbers."""

    rubric: Rubric | None
    questions: tuple[tuple[int, Question], ...]
    faults: tuple[Fault, ...]
    checks: tuple[Check, ...]


def checked_form(
    content: Mapping[str, Any], protocol: Protocol, earlier: Iterable[Rubric] = ()
) -> CheckedForm:
    """The form with everything that is wrong with it; `earlier` are versions of it that exist."""
    faults: list[Fault] = []
    whole: list[tuple[int, Question]] = []
    given = content.get("questions")
    tables: list[Any] = given if isinstance(given, list) else []
    head = {key: value for key, value in content.items() if key not in ("questions", "rules")}
    empty = None
    try:
        empty = rubric_from_content({**head, "questions": []})
    except RubricError as error:
        faults.append(Fault(_sentence(str(error))))
    if not tables:
        faults.append(Fault("Add a question: the form has none."))
    for number, table in enumerate(tables):
        try:
            alone = rubric_from_content(_HEAD | {"kind": head.get("kind", "")} | {"questions": [table]})
        except (RubricError, TypeError) as error:
            faults.append(Fault(_sentence(str(error)), number))
            continue
        (question,) = alone.questions
        whole.append((number, question))
        faults += [Fault(_sentence(reason), number) for reason in question_faults(alone, question, protocol)]
    rubric = None
    if empty is not None and tables and len(whole) == len(tables):
        try:
            rubric = rubric_from_content(content)
        except RubricError as error:
            faults.append(Fault(_sentence(str(error))))
        else:
            faults += [Fault(_sentence(reason)) for reason in rubric_faults(rubric, protocol)]
    checks = tuple(_checks(whole, rubric, earlier))
    return CheckedForm(None if faults else rubric, tuple(whole), tuple(faults), checks)


_HEAD = {"name": "form", "version": 1, "title": "Form"}


def _sentence(reason: str) -> str:
    """A reason of the reader of files as a sentence of its own: without the name of the form, with a capital."""
    for beginning in ("rubric form: ", "question 1: "):
        reason = reason.removeprefix(beginning)
    reason = capfirst(reason)
    return reason if reason.endswith(".") else f"{reason}."


def _checks(
    whole: Iterable[tuple[int, Question]], rubric: Rubric | None, earlier: Iterable[Rubric]
) -> Iterator[Check]:
    # points speak for themselves
    scales = [
        q.scale for _, q in whole if q.scale.level == "ordinal" and isinstance(q.declared["scale"], Mapping)
    ]
    silent = [value for scale in scales for value in scale.values if not scale.anchors.get(value)]
    if silent:
        yield Check(f"Say in words what these levels mean: {', '.join(silent[:8])}.", good=False)
    elif scales:
        yield Check("Every level has words.", good=True)
    if rubric is None:
        return
    contradicting = list(contradictions(rubric.rules))
    for words in contradicting:
        yield Check(words, good=False)
    if rubric.rules and not contradicting:
        yield Check("No rule contradicts another.", good=True)
    for other in earlier:
        if other.name != rubric.name or other.version == rubric.version:
            continue
        # whether answers to this version can be analysed together with those to the other one
        before = {question.key: question.scale for question in other.questions}
        for question in rubric.questions:
            old, new = before.get(question.key), question.scale
            if old is not None and (old.values, old.level) != (new.values, new.level):
                yield Check(
                    f"“{question.text}” had other values in version {other.version}: "
                    "its answers cannot be pooled with the new ones.",
                    good=False,
                )
