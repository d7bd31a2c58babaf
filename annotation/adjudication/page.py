"""One item as an adjudicator sees it: what the graders saw, what each answered and why, nothing filled in."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from annotation.adjudication.reading import (
    as_shown,
    by_question,
    decidable,
    graders,
    live_answers,
    verdict_scales,
)
from annotation.adjudication.settling import State, question_state, split_words
from annotation.campaigns.pairing import upright, upright_block
from annotation.core.files import SheetFile, pdf_or_404, sheet_files
from annotation.core.item_names import is_turned, item_name
from annotation.core.material import item_material
from annotation.grading.file_marks import commented_pdf
from annotation.grading.remarks import Remark
from annotation.grading.sheets import ShownPart, shown_proofs
from annotation.models import Adjudication, Cause, Grade, Item
from benchmark.models import CleanCopy
from benchmark.rubrics import Question, rubric_from_content
from benchmark.steps import steps_of
from stats.core.scale import value_words


@dataclass(frozen=True)
class GradersAnswer:
    """What one grader said: `value` in words, "" where they could not judge it, with what the form says it means."""

    letter: str
    value: str
    comment: str
    meaning: str = ""


@dataclass(frozen=True)
class Disputed:
    """A question to be decided. `decision` is the latest one, `history` all of them, oldest first.

    `words` say what the graders said together, and on what they differ.
    """

    question: Question
    step: str
    step_name: str  # as the graders saw it
    state: State
    answers: tuple[GradersAnswer, ...]
    choices: tuple[tuple[str, str, str], ...]  # value, its words, what it means
    decision: Adjudication | None
    history: tuple[Adjudication, ...]
    words: str = ""

    @property
    def key(self) -> str:
        """A name that is unique on the page."""
        return f"{self.question.key}-{self.step}" if self.step else self.question.key


@dataclass(frozen=True)
class AdjudicationPage:
    """Everything the page prints."""

    item: Item
    title: str
    domain: str
    parts: tuple[ShownPart, ...]
    proofs: tuple[Any, ...]
    disputed: tuple[Disputed, ...]
    remarks: tuple[Remark, ...]
    notes: tuple[tuple[str, str], ...]
    missing: int
    exchanged: tuple[str, ...] = ()  # letters of those who saw the sides of the pair the other way round
    texts: tuple[
        tuple[Question, tuple[tuple[str, str], ...]], ...
    ] = ()  # free text by letter: nothing to decide
    files: tuple[SheetFile, ...] = ()
    causes: tuple[tuple[str, str], ...] = tuple(Cause.choices)


def adjudication_page(item: Item) -> AdjudicationPage:
    """The page of an item of a campaign; the pair of a comparison is in the order of `is_turned`."""
    turned = is_turned(item)
    campaign, shown = item.campaign, item_material(item, swapped=turned)
    files = sheet_files(
        shown,
        lambda file: reverse("adjudicate-file", args=[campaign.slug, item_name(item.pk), file.number]),
        lambda file: reverse(
            "adjudicate-file-commented", args=[campaign.slug, item_name(item.pk), file.number]
        ),
    )
    parts, proofs = shown_proofs(shown, files)
    steps = steps_of(proofs[0].proof.document.blocks) if len(proofs) == 1 else ()
    names = {step.key: step.name for step in steps}
    found = graders(item)
    answers = by_question(live_answers([item], decidable(campaign)).get(item.pk, []))
    rows_of_item = Adjudication.objects.filter(item=item).select_related("item", "decided_by").order_by("pk")
    past = [as_shown(row) for row in rows_of_item]
    latest = {(row.question, row.step): row for row in past}
    rows, texts, scales = [], [], verdict_scales(campaign)
    for question in rubric_from_content(campaign.rubric.content).questions:
        if not question.scale.has_values:
            said = [
                (letter, row.value)
                for letter, grade in found
                for row in grade.answers.all()
                if row.question == question.key and row.value
            ]
            texts += [(question, tuple(said))] if said else []
        for (key, step), values in answers.items():
            if key != question.key:
                continue
            given = [
                GradersAnswer(letter, value_words(value), row.comment, question.scale.anchors.get(value, ""))
                for letter, grade in found
                for row in grade.answers.all()
                if (row.question, row.step) == (key, step)
                for value in [upright(row.value, swapped=bool(grade.assignment.swapped) != turned)]
            ]
            rows.append(
                Disputed(
                    question=question,
                    step=step,
                    step_name=names.get(step, step),
                    state=question_state(values, scales.get(key)),
                    answers=tuple(given),
                    choices=tuple(
                        (value, value_words(value), question.scale.anchors.get(value, ""))
                        for value in question.scale.judgments
                    ),
                    decision=latest.get((key, step)),
                    history=tuple(row for row in past if (row.question, row.step) == (key, step)),
                    words=split_words(values, question.scale),
                )
            )
    return AdjudicationPage(
        item=item,
        title=shown.title,
        domain=shown.domain,
        parts=parts,
        proofs=proofs,
        disputed=tuple(rows),
        remarks=_remarks(item, found),
        notes=tuple((letter, grade.note) for letter, grade in found if grade.note),
        missing=item.places - len(found),
        exchanged=tuple(
            letter for letter, grade in found if item.second_id and grade.assignment.swapped != turned
        ),
        texts=tuple(texts),
        files=files,
    )


def commented_file(item: Item, number: int) -> bytes:
    """A PDF of the item with everybody's comments, their authors called by letters as on the page; or Http404."""
    file = pdf_or_404(item_material(item, swapped=is_turned(item)), number)
    copy = CleanCopy.objects.get(pk=file.copy)
    return commented_pdf(bytes(copy.data), file.block, _remarks(item, graders(item)))


def _remarks(item: Item, found: Iterable[tuple[str, Grade]]) -> tuple[Remark, ...]:
    turned = is_turned(item)
    return tuple(
        Remark(
            upright_block(comment.block, swapped=bool(grade.assignment.swapped) != turned), comment, letter
        )
        for letter, grade in found
        for comment in grade.comments.all()
    )
