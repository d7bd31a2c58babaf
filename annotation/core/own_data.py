"""Everything that is stored about one person, their labels included: what they may ask for at any time."""

from collections.abc import Mapping
from typing import Any

from django.db.models import F, Model, QuerySet

from accounts.models import User
from accounts.profile.personal_data import personal_data
from annotation.comments.bank import proposals_of
from annotation.grading.reasons import seen_where, unjudged_reason
from annotation.guessing.guesses import named_by
from annotation.models import Assignment, CalibrationRemark, Draft, Reminder, SideDraft, TrainingAttempt


def own_data(user: User) -> dict[str, object]:
    """accounts.profile.personal_data with `places`: each place with its draft, grades, answers, comments and flags; and
    `training`: what was answered to training items; `drafts_beside_grading`: what is typed and not yet kept there.

    Systems and runs are not among it: what a person may not see while blind they may not download either.
    """
    places = (
        Assignment.objects.filter(reviewer=user)
        .select_related("item__campaign", "item__instance", "draft", "system_guess")
        .prefetch_related(
            "grades__answers",
            "grades__comments",
            "grades__flags__spans",
            "grades__unjudged",
            "grades__seen_where",
            "later_grades__answers",
            "claim_marks__claim",
        )
        .order_by("pk")
    )
    reminders = Reminder.objects.filter(reviewer=user).order_by("sent_on").values("sent_on", "waiting")
    remarks = (
        CalibrationRemark.objects.filter(author=user)
        .order_by("pk")
        .values("text", "created_at", campaign=F("subject__round__campaign__slug"))
    )
    attempts = (
        TrainingAttempt.objects.filter(reviewer=user)
        .select_related("item__training__campaign")
        .prefetch_related("answers")
        .order_by("pk")
    )
    named = named_by(user)
    drafts = SideDraft.objects.filter(reviewer=user).order_by("pk")
    return {
        **personal_data(user),
        "reminders_sent": list(reminders),
        "proposed_comments": [
            {
                "campaign": row.campaign.slug if row.campaign else "",
                **_values(row, "text", "state", "proposed_at"),
            }
            for row in proposals_of(user)
        ],
        "remarks_in_discussions": list(remarks),
        "drafts_beside_grading": [
            {"form": row.occasion or "training", "content": row.content, "saved_at": row.saved_at}
            for row in drafts
        ],
        "training": [
            {
                "campaign": attempt.item.training.campaign.slug,
                "item": attempt.item.number,
                "created_at": attempt.created_at,
                "answers": [
                    _values(row, "question", "step", "value", "comment") for row in attempt.answers.all()
                ],
            }
            for attempt in attempts
        ],
        "places": [_place(place, named) for place in places.iterator(chunk_size=200)],
    }


def unfinished_rows(user: User) -> list[QuerySet[Any]]:
    """Drafts of theirs that no submitted grade holds."""
    return [
        Draft.objects.filter(assignment__reviewer=user, locked_at=None),
        SideDraft.objects.filter(reviewer=user),
    ]


def _values(row: Model, *names: str) -> dict[str, object]:
    return {name: getattr(row, name) for name in names}


def _place(place: Assignment, named: Mapping[int, str]) -> dict[str, object]:
    draft, guess = getattr(place, "draft", None), getattr(place, "system_guess", None)
    return {
        "handle": place.handle,
        "campaign": place.item.campaign.slug,
        "domain": place.item.instance.domain,
        "state": place.state,
        "assigned_at": place.assigned_at,
        "submitted_at": place.submitted_at,
        "draft": draft and _values(draft, "content", "active_seconds", "saved_at"),
        "system_guess": guess and {"system": named.get(place.pk, ""), "created_at": guess.created_at},
        "claim_marks": [
            {"claim": row.claim.text, "mark": row.mark, "created_at": row.created_at}
            for row in place.claim_marks.all()
        ],
        "later": [
            {
                **_values(later, "occasion", "reason", "created_at"),
                "answers": [
                    _values(row, "question", "step", "value", "comment") for row in later.answers.all()
                ],
            }
            for later in place.later_grades.all()
        ],
        "grades": [
            {
                **_values(
                    grade,
                    "created_at",
                    "active_seconds",
                    "searches",
                    "seen_before",
                    "statement_wrong",
                    "note",
                ),
                "seen_where": seen_where(grade),
                "unjudged": unjudged_reason(grade),
                "answers": [
                    _values(answer, "question", "step", "value", "state", "comment")
                    for answer in grade.answers.all()
                ],
                "comments": [
                    _values(said, "block", "start", "end", "severity", "kind", "text", "anchor")
                    for said in grade.comments.all()
                ],
                "flags": [
                    {
                        **_values(flag, "kind", "link", "note"),
                        "spans": [
                            _values(span, "block", "start", "end", "text") for span in flag.spans.all()
                        ],
                    }
                    for flag in grade.flags.all()
                ],
            }
            for grade in place.grades.all()
        ],
    }
