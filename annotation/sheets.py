"""The grading page as values: rendered parts, blocks of the text, and the rubric's questions with answers."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.answers import KINDS, SEVERITIES
from annotation.documents import documents
from annotation.material import Material, ShownProof, material
from annotation.models import Assignment
from annotation.rail import Mark, rail
from benchmark.protocol import Part
from benchmark.rendering import Rendered
from benchmark.rubrics import Question, Rubric, rubric_from_content

VALUE_WORDS = {"both_bad": "both bad"}


@dataclass(frozen=True)
class ShownPart:
    """A titled part and its rendered document."""

    title: str
    collapsed: bool
    document: Any


@dataclass(frozen=True)
class Choice:
    """A radio card. `key` is the number key that picks it."""

    value: str
    label: str
    anchor: str
    key: str
    chosen: bool


@dataclass(frozen=True)
class AskedQuestion:
    """One question of the form with what was answered so far and why it was refused, if it was."""

    key: str
    text: str
    help: str
    scale: str
    required: bool
    choices: tuple[Choice, ...]
    value: str
    comment: str
    abstained: bool
    problem: str


@dataclass(frozen=True)
class SheetProof:
    """A proof with the rail of its blocks, and the parts that belong to it."""

    side: str
    proof: ShownPart
    more: tuple[ShownPart, ...]
    rail: tuple[Mark, ...]


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
    severities: tuple[str, ...] = SEVERITIES
    kinds: tuple[tuple[str, str], ...] = tuple((kind, kind.replace("_", " ")) for kind in KINDS if kind)

    @property
    def is_pair(self) -> bool:
        """Whether two proofs are compared."""
        return len(self.proofs) == 2


def sheet(
    place: Assignment, *, content: Mapping[str, Any] | None = None, problems: Mapping[str, str] | None = None
) -> Sheet:
    """The page of a place: with its draft, or with `content` that was just refused because of `problems`."""
    draft = getattr(place, "draft", None)
    rubric = rubric_from_content(place.item.campaign.rubric.content)
    shown = material(place)
    answered = content if content is not None else (draft.content if draft else {})
    rendered = iter(documents(shown))
    return Sheet(
        place=place,
        shown=shown,
        rubric=rubric,
        rubric_sha256=place.item.campaign.rubric.sha256,
        parts=tuple(_shown(part, rendered) for part in shown.instance_parts),
        proofs=tuple(_proof(proof, rendered) for proof in shown.proofs),
        questions=tuple(_asked(question, answered, problems or {}) for question in rubric.questions),
        content=answered,
        draft_version=draft.version if draft else 0,
        active_seconds=draft.active_seconds if draft else 0,
        problems=problems or {},
    )


def _shown(part: Part, rendered: Iterator[Rendered]) -> ShownPart:
    return ShownPart(part.title, part.collapsed, next(rendered))


def _proof(proof: ShownProof, rendered: Iterator[Rendered]) -> SheetProof:
    main, *more = [_shown(part, rendered) for part in proof.parts]
    return SheetProof(proof.prefix.rstrip("-"), main, tuple(more), tuple(rail(main.document.blocks)))


def _asked(question: Question, content: Mapping[str, Any], problems: Mapping[str, str]) -> AskedQuestion:
    value = str(content.get("answers", {}).get(question.key, ""))
    return AskedQuestion(
        key=question.key,
        text=question.text,
        help=question.help,
        scale=question.scale,
        required=question.required,
        choices=tuple(_choices(question, value)),
        value=value,
        comment=str(content.get("comments", {}).get(question.key, "")),
        abstained=question.key in content.get("abstained", []),
        problem=problems.get(question.key, ""),
    )


def _choices(question: Question, chosen: str) -> list[Choice]:
    numeric = question.scale == "ordinal"
    return [
        Choice(
            value=value,
            label=VALUE_WORDS.get(value, value),
            anchor=question.anchors.get(value, ""),
            key=value if numeric else str(place),
            chosen=value == chosen,
        )
        for place, value in enumerate(question.values, start=1)
    ]
