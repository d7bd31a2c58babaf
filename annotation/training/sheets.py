"""Training pages as values: the material with the form, and the gold with its rationale rendered."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

import latex
from annotation.core.documents import texts
from annotation.core.files import SheetFile, sheet_files
from annotation.core.material import Material
from annotation.grading.sheets import AskedQuestion, SheetProof, ShownPart, asked_questions, shown_proofs
from annotation.models import TrainingItem
from annotation.training.material import training_material
from annotation.training.reading import Compared
from benchmark.protocols import get_protocol
from benchmark.rendering.stored import rendered, rendered_all
from benchmark.rubrics import rubric_from_content
from benchmark.steps import steps_of


@dataclass(frozen=True)
class TrainingSheet:
    """What a training item shows and asks."""

    shown: Material
    parts: tuple[ShownPart, ...]
    proofs: tuple[SheetProof, ...]
    files: tuple[SheetFile, ...]
    questions: tuple[AskedQuestion, ...]


@dataclass(frozen=True)
class GoldShown:
    """A compared question and its rationale in blocks."""

    question: Compared
    rationale: tuple[latex.Block, ...]


def training_sheet(
    item: TrainingItem,
    *,
    content: Mapping[str, Any] | None = None,
    problems: Mapping[str, str] | None = None,
) -> TrainingSheet:
    """The page of an item, with `content` that was just refused because of `problems`."""
    campaign = item.training.campaign
    shown = training_material(item, get_protocol(campaign.release.benchmark.protocol))
    files = sheet_files(
        shown, lambda file: reverse("training-file", args=[campaign.slug, item.number, file.number])
    )
    parts, proofs = shown_proofs(shown, files)
    steps = steps_of(proofs[0].proof.document.blocks)
    rubric = rubric_from_content(campaign.rubric.content)
    return TrainingSheet(
        shown=shown,
        parts=parts,
        proofs=proofs,
        files=files,
        questions=asked_questions(rubric, content or {}, problems or {}, steps),
    )


def training_texts(item: TrainingItem) -> list[tuple[str, str, str]]:
    """What the pages of an item render: what is shown, every rationale and the note."""
    protocol = get_protocol(item.training.campaign.release.benchmark.protocol)
    said = [*item.gold.values_list("rationale", flat=True), item.note]
    return [*texts(training_material(item, protocol)), *((words, "markdown", "") for words in said if words)]


def gold_shown(questions: Sequence[Compared]) -> list[GoldShown]:
    """Each rationale rendered from Markdown with LaTeX, by itself."""
    reasons = [(question.rationale, "markdown", f"why{n}-") for n, question in enumerate(questions, start=1)]
    return [
        GoldShown(question, document.shown)
        for question, document in zip(questions, rendered_all(reasons), strict=True)
    ]


def note_shown(item: TrainingItem) -> tuple[latex.Block, ...]:
    """The note on the whole item."""
    return rendered(item.note, "markdown", "note-").shown if item.note else ()
