"""Calibration rounds as their readers see them: the blind answers side by side, the discussion, and the second answers.

Graders appear under the letter that adjudication uses (annotation/adjudication/reading.py): by item, after their opaque
handles, so that a letter stands for different people on different items.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import Http404

import latex
from accounts.models import User
from accounts.refusal import Refused
from annotation.adjudication.settling import letter
from annotation.campaigns.pairing import upright
from annotation.core.material import problem_title
from annotation.core.places import of_the_same_text, place_or_404, waits_elsewhere
from annotation.core.queries import live_grade
from annotation.models import (
    Assignment,
    AssignmentState,
    CalibrationItem,
    CalibrationRemark,
    CalibrationRound,
    Campaign,
    Item,
    LaterGrade,
    Occasion,
)
from benchmark.rendering.stored import rendered_all
from benchmark.rubrics import rubric_from_content
from stats.core.scale import value_words

STAFF = "coordinator"


def current_round(campaign: Campaign) -> CalibrationRound | None:
    """The round that is not ended, if there is one."""
    return CalibrationRound.objects.filter(campaign=campaign, ended_at=None).first()


def is_revealed(item: Item | int) -> bool:
    """Whether the blind answers of the item have been shown to those who gave them."""
    pk = item if isinstance(item, int) else item.pk
    return CalibrationItem.objects.filter(item=pk, round__revealed_at__isnull=False).exists()


def require_unrevealed(place: Assignment) -> None:
    """Raise Refused (code "revealed") once the blind answers to an item are final.

    So they are where the reviewer may have read what others said about the same text in another campaign.
    """
    read_elsewhere = of_the_same_text(place).filter(state=AssignmentState.SUBMITTED, item__revealed=True)
    if is_revealed(place.item_id) or read_elsewhere.exists():
        raise blind_answers_are_final()


def blind_answers_are_final() -> Refused:
    """The refusal of a grade after the reveal."""
    return Refused(
        "The answers to this item were revealed for discussion; the blind ones are final.", code="revealed"
    )


def discussed(place: Assignment) -> CalibrationItem | None:
    """The item in calibration that the holder of a submitted place may read; None before the reveal, and as long as
    they have to grade the same text in another campaign."""
    if place.state != AssignmentState.SUBMITTED:
        return None
    rows = CalibrationItem.objects.select_related("round")
    found = rows.filter(item=place.item_id, round__revealed_at__isnull=False).first()
    return None if found is None or waits_elsewhere(place) else found


def discussed_or_404(user: User, handle: str) -> tuple[Assignment, CalibrationItem]:
    """The reviewer's own place with its item in calibration; raises Http404 before the reveal and for others."""
    place = place_or_404(user, handle)
    subject = discussed(place)
    if subject is None:
        raise Http404
    return place, subject


@dataclass(frozen=True)
class GradersAnswers:
    """One grader's answers to a question: blind, and after the discussion if they answered again."""

    letter: str
    own: bool
    blind: tuple[tuple[str, str, str], ...]  # step, words, comment
    after: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class DiscussedQuestion:
    """A question with what everybody answered."""

    key: str
    text: str
    graders: tuple[GradersAnswers, ...]


@dataclass(frozen=True)
class SaidRemark:
    """A remark in blocks, by letter."""

    letter: str
    own: bool
    at: datetime
    text: str
    blocks: tuple[latex.Block, ...]


@dataclass(frozen=True)
class Discussion:
    """Everything said about an item; `open` while remarks and second answers are accepted.

    Sides of a pair are told as the reader's place shows them; `exchanged` are the letters of those who saw them the
    other way round.
    """

    questions: tuple[DiscussedQuestion, ...]
    remarks: tuple[SaidRemark, ...]
    open: bool
    answered_again: bool
    exchanged: tuple[str, ...]


def discussion(subject: CalibrationItem, read_at: Assignment) -> Discussion:
    """The discussion of a revealed item as the holder of a place on it sees it there."""
    reader = read_at.reviewer
    rows = Assignment.objects.filter(
        item=subject.item_id, state=AssignmentState.SUBMITTED, repeat=False
    ).order_by("handle")
    places = list(rows.prefetch_related("later_grades__answers"))
    letters = {place.reviewer_id: letter(index) for index, place in enumerate(places)}
    exchanged = {place.reviewer_id for place in places if place.swapped != read_at.swapped}
    again = LaterGrade.objects.filter(
        assignment__item=subject.item_id, assignment__reviewer=reader, occasion=Occasion.DISCUSSION
    )
    remarks = list(CalibrationRemark.objects.filter(subject=subject).order_by("created_at", "pk"))
    texts = [(remark.text, "markdown", f"r{n}-") for n, remark in enumerate(remarks, start=1)]
    rubric = rubric_from_content(subject.item.campaign.rubric.content)
    blind = {place.pk: live_grade(place, "answers") for place in places}
    after = {
        place.pk: next((row for row in place.later_grades.all() if row.occasion == Occasion.DISCUSSION), None)
        for place in places
    }
    return Discussion(
        questions=tuple(
            DiscussedQuestion(
                key=question.key,
                text=question.text,
                graders=tuple(
                    GradersAnswers(
                        letter=letter(index),
                        own=place.reviewer_id == reader.pk,
                        blind=_answers(blind[place.pk], question.key, place.reviewer_id in exchanged),
                        after=_answers(after[place.pk], question.key, place.reviewer_id in exchanged),
                    )
                    for index, place in enumerate(places)
                ),
            )
            for question in rubric.questions
        ),
        remarks=tuple(
            SaidRemark(
                letter=letters.get(remark.author_id, STAFF),
                own=remark.author_id == reader.pk,
                at=remark.created_at,
                text=remark.text,
                blocks=document.shown,
            )
            for remark, document in zip(remarks, rendered_all(texts), strict=True)
        ),
        open=subject.round.ended_at is None,
        answered_again=again.exists(),
        exchanged=tuple(sorted(letters[reviewer] for reviewer in exchanged)),
    )


def _answers(grade: Any, question: str, exchanged: bool) -> tuple[tuple[str, str, str], ...]:
    rows = grade.answers.all() if grade is not None else ()
    return tuple(
        (row.step, value_words(upright(row.value, swapped=exchanged)) or "cannot be judged", row.comment)
        for row in rows
        if row.question == question
    )


def own_discussions(reviewer: User) -> list[dict[str, object]]:
    """{handle, title, open, waits} of every revealed item that the reviewer answered, latest first.

    `waits` names a campaign in which they have to grade the same text before they may read what others said.
    """
    places = Assignment.objects.filter(
        reviewer=reviewer,
        repeat=False,
        state=AssignmentState.SUBMITTED,
        item__calibration__round__revealed_at__isnull=False,
    )
    read = places.select_related("item__instance", "item__calibration__round")
    return [
        {
            "handle": place.handle,
            "title": problem_title(place.item.instance.payload, place.item.instance.key),
            "open": place.item.calibration.round.ended_at is None,
            "waits": waits_elsewhere(place),
        }
        for place in read.order_by("-item__calibration__round__revealed_at", "handle")
    ]


def round_values(campaign: Campaign) -> list[dict[str, object]]:
    """The campaign's rounds, newest first, with their items: {made_at, revealed_at, ended_at, items: [...]}.

    An item says how many blind answers, waiting places and second answers it has, and its remarks. No systems.
    """
    found: list[dict[str, object]] = []
    for row in campaign.calibration_rounds.order_by("-made_at", "-pk"):
        related = row.items.select_related("item__instance")
        subjects = sorted(
            related.prefetch_related("remarks", "item__assignments__later_grades"),
            key=lambda subject: (subject.item.instance.key, subject.pk),
        )
        items = []
        for subject in subjects:
            every = list(subject.item.assignments.all())
            places = [place for place in every if not place.repeat]
            graders = sorted(
                (p for p in places if p.state == AssignmentState.SUBMITTED), key=lambda p: p.handle
            )
            letters = {place.reviewer_id: letter(index) for index, place in enumerate(graders)}
            remarks = sorted(subject.remarks.all(), key=lambda remark: (remark.created_at, remark.pk))
            again = [row for place in places for row in place.later_grades.all()]
            items.append(
                {
                    "problem": subject.item.instance.key,
                    "answered": len(graders),
                    "waiting": sum(place.state == AssignmentState.WAITING for place in every),
                    "remarks": [
                        {
                            "letter": letters.get(remark.author_id, STAFF),
                            "at": remark.created_at,
                            "text": remark.text,
                        }
                        for remark in remarks
                    ],
                    "answered_again": sum(later.occasion == Occasion.DISCUSSION for later in again),
                }
            )
        found.append(
            {
                "made_at": row.made_at,
                "revealed_at": row.revealed_at,
                "ended_at": row.ended_at,
                "items": items,
            }
        )
    return found
