"""The grading page as values: rendered parts, blocks of the text, and the rubric's questions with answers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.urls import reverse

from annotation.core.documents import documents
from annotation.core.files import SheetFile, pictures_in, sheet_files
from annotation.core.material import Material, material
from annotation.grading.answers import KINDS
from annotation.grading.unjudged import UnjudgedReason
from annotation.models import Answer, Assignment
from annotation.reveal.rules import ReadVerdict, read_verdict
from benchmark.files.pictures import illustrated
from benchmark.leakage_kinds import Subject
from benchmark.protocol import Part
from benchmark.releases.showing import ShownPart
from benchmark.rendering.stored import Rendered
from benchmark.rubric_rules import SEVERITIES
from benchmark.rubrics import Question, Rubric, rubric_from_content
from benchmark.steps import Step, steps_of
from latex.pictures import Picture
from stats.core.scale import Scale, value_words


@dataclass(frozen=True)
class Choice:
    """A radio card. `key` is the number key that picks it, if it has one."""

    value: str
    label: str
    anchor: str
    key: str
    chosen: bool


@dataclass(frozen=True)
class AskedStep:
    """One step of a stepwise question: the `field` of its radio in first-error mode, or of its three `choices`."""

    step: Step
    field: str
    chosen: bool
    choices: tuple[Choice, ...]


@dataclass(frozen=True)
class AskedQuestion:
    """One question of the form with its answer so far and why that was refused, if it was.

    A stepwise question has `steps` instead of choices, and the `meanings` of its values once for all.
    """

    key: str
    text: str
    help: str
    scale: Scale
    required: bool
    choices: tuple[Choice, ...]
    value: str
    comment: str
    abstained: bool
    problem: str
    steps: tuple[AskedStep, ...] = ()
    meanings: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class SheetProof:
    """A proof and the parts that belong to it; or an audited part of an instance."""

    side: str
    subject: Subject
    proof: ShownPart
    more: tuple[ShownPart, ...]


@dataclass(frozen=True)
class Sheet:
    """Everything the grading page prints."""

    place: Assignment
    shown: Material
    rubric: Rubric
    rubric_sha256: str
    parts: tuple[ShownPart, ...]
    proofs: tuple[SheetProof, ...]
    questions: tuple[AskedQuestion, ...]
    content: Mapping[str, Any]
    draft_version: int
    active_seconds: int
    problems: Mapping[str, str] = field(default_factory=dict)
    verdict: ReadVerdict | None = None
    files: tuple[SheetFile, ...] = ()
    severities: tuple[str, ...] = SEVERITIES
    reasons: tuple[tuple[str, str], ...] = tuple((reason.value, reason.label) for reason in UnjudgedReason)
    kinds: tuple[tuple[str, str], ...] = tuple((kind, kind.replace("_", " ")) for kind in KINDS if kind)

    @property
    def is_pair(self) -> bool:
        """Whether two proofs are compared."""
        return any(shown.side for shown in self.proofs)

    @property
    def is_instance(self) -> bool:
        """Whether an instance is audited, without any answer to it."""
        return self.place.item.output_id is None

    @property
    def has_steps(self) -> bool:
        """Whether a question is about steps."""
        return any(question.steps for question in self.questions)

    @property
    def step_names(self) -> dict[str, str]:
        """The names of the steps that questions are about, by key."""
        return {asked.step.key: asked.step.name for question in self.questions for asked in question.steps}


def sheet(
    place: Assignment, *, content: Mapping[str, Any] | None = None, problems: Mapping[str, str] | None = None
) -> Sheet:
    """The page of a place: with its draft, or with `content` that was just refused because of `problems`."""
    draft = getattr(place, "draft", None)
    rubric = rubric_from_content(place.item.campaign.rubric.content)
    shown = material(place)
    answered = content if content is not None else (draft.content if draft else {})
    files = own_files(place, shown)
    parts, proofs = shown_proofs(shown, files)
    steps = steps_of(proofs[0].proof.document.blocks) if len(proofs) == 1 else ()
    return Sheet(
        place=place,
        shown=shown,
        rubric=rubric,
        rubric_sha256=place.item.campaign.rubric.sha256,
        parts=parts,
        proofs=proofs,
        questions=asked_questions(rubric, answered, problems or {}, steps),
        content=answered,
        draft_version=draft.version if draft else 0,
        active_seconds=draft.active_seconds if draft else 0,
        problems=problems or {},
        verdict=read_verdict(place),
        files=files,
    )


def own_files(place: Assignment, shown: Material) -> tuple[SheetFile, ...]:
    """The files of an item with the addresses under which the holder of its place reads them."""
    return sheet_files(
        shown,
        lambda file: reverse("item-file", args=[place.handle, file.number]),
        lambda file: reverse("item-file-commented", args=[place.handle, file.number]),
    )


def shown_proofs(
    shown: Material, files: Sequence[SheetFile]
) -> tuple[tuple[ShownPart, ...], tuple[SheetProof, ...]]:
    """The rendered parts of the problem, and the rendered proofs, with their pictures among the files."""
    rendered = iter(documents(shown))
    pictures = pictures_in(files, "problem-")
    parts = tuple(_shown(part, next(rendered), pictures) for part in shown.instance_parts)
    proofs = []
    for proof in shown.proofs:
        pictures = pictures_in(files, f"{proof.side}-" if proof.side else "")
        main, *more = [_shown(part, next(rendered), pictures) for part in proof.parts]
        proofs.append(SheetProof(proof.side, proof.subject, main, tuple(more)))
    return parts, tuple(proofs)


def asked_questions(
    rubric: Rubric, content: Mapping[str, Any], problems: Mapping[str, str], steps: tuple[Step, ...]
) -> tuple[AskedQuestion, ...]:
    """The form: every question with what `content` answers and why it was refused."""
    answers, comments = content.get("answers", {}), content.get("comments", {})
    return tuple(
        AskedQuestion(
            key=question.key,
            text=question.text,
            help=question.help,
            scale=question.scale,
            required=question.required,
            choices=() if question.scale.stepwise else _choices(question, str(answers.get(question.key, ""))),
            value=str(answers.get(question.key, "")),
            comment=str(comments.get(question.key, "")),
            abstained=question.key in content.get("abstained", []),
            problem=problems.get(question.key, ""),
            steps=tuple(_asked_steps(question, content, steps)) if question.scale.stepwise else (),
            meanings=tuple((value_words(value), words) for value, words in question.scale.anchors.items()),
        )
        for question in rubric.questions
    )


def _shown(part: Part, document: Rendered, pictures: Mapping[int, Picture]) -> ShownPart:
    return ShownPart(part.title, part.collapsed, illustrated(document, pictures))


def _asked_steps(
    question: Question, content: Mapping[str, Any], steps: tuple[Step, ...]
) -> Iterator[AskedStep]:
    if question.scale.kind == "first_error":
        first = content.get("answers", {}).get(question.key)
        for step in steps:
            yield AskedStep(step, f"answer-{question.key}", step.key == first, ())
        return
    labels = content.get("steps", {}).get(question.key, {})
    for step in steps:
        label = labels.get(step.key, "") if isinstance(labels, Mapping) else ""
        yield AskedStep(step, f"step-{question.key}-{step.key}", False, _choices(question, label))


def _choices(question: Question, chosen: str) -> tuple[Choice, ...]:
    scale = question.scale
    return tuple(
        Choice(value, value_words(value), scale.anchors.get(value, ""), key, chosen=value == chosen)
        for value, key in zip(scale.values, scale.number_keys, strict=True)
    )


def own_answers(page: Sheet, answers: Iterable[Answer]) -> list[dict[str, object]]:
    """What was answered to each question, in words: {text, given: [{step, words, comment}]}."""
    names = page.step_names
    given: dict[str, list[dict[str, str]]] = {}
    for answer in answers:
        words = value_words(answer.value) or "cannot be judged"
        step = names.get(answer.step, answer.step)
        given.setdefault(answer.question, []).append(
            {"step": step, "words": words, "comment": answer.comment}
        )
    return [{"text": question.text, "given": given.get(question.key, ())} for question in page.questions]


def first_answers(places: Sequence[Assignment]) -> dict[int, str]:
    """By place, in words, what was answered to the first question of its form."""
    first = {place.pk: place.item.campaign.rubric.content["questions"][0]["key"] for place in places}
    live = Answer.objects.filter(grade__assignment__in=first, grade__superseded_by__isnull=True, step="")
    rows = live.values_list("grade__assignment", "question", "value")
    return {place: value_words(value) for place, question, value in rows if first[place] == question}
