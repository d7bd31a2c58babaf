"""Rows of one campaign as plain values: labels with their reviewers and times, grades, and places.

Nothing here names a system, a run or a stratum: what is computed from it may be looked at before a campaign
is closed.
"""

import datetime as dt
from dataclasses import dataclass

from django.db.models import Sum
from django.db.models.functions import Coalesce, Length

from annotation.campaigns.pairing import upright
from annotation.models import Answer, Assignment, AssignmentState, Campaign, Grade
from benchmark.overlaps import cluster_of


@dataclass(frozen=True)
class Reviewer:
    """A person with places in the campaign. `rater` is their name in the label table."""

    key: int
    name: str
    rater: str


@dataclass(frozen=True)
class ReviewerLabel:
    """One live answer. `item` is a number within the campaign, `step` empty for an answer about the whole, `shown` of a
    pair the side on which the reviewer saw what they preferred."""

    item: int
    reviewer: int
    question: str
    value: str
    state: str
    cluster: str
    step: str = ""
    shown: str = ""


@dataclass(frozen=True)
class GradeTime:
    """One live grade: when it was given, how long it took, how long the graded text is."""

    item: int
    reviewer: int
    at: dt.datetime
    seconds: int
    characters: int


@dataclass(frozen=True)
class CampaignData:
    """Everything that monitoring and reliability read, in the order of submission."""

    reviewers: tuple[Reviewer, ...]
    labels: tuple[ReviewerLabel, ...]
    times: tuple[GradeTime, ...]


def campaign_data(campaign: Campaign) -> CampaignData:
    """Three queries, however many labels there are."""
    people = (
        Assignment.objects.filter(item__campaign=campaign)
        .exclude(state=AssignmentState.RELEASED)
        .order_by("reviewer__name", "reviewer__email")
        .values_list("reviewer", "reviewer__name", "reviewer__email", "reviewer__rater")
        .distinct()
    )
    times = (
        Grade.objects.filter(superseded_by=None, assignment__item__campaign=campaign)
        .order_by("created_at", "id")
        .values_list(
            "assignment__item",
            "assignment__reviewer",
            "created_at",
            "active_seconds",
            Coalesce(Length("assignment__item__output__text"), 0),
        )
    )
    # those given independently, not in sight of a verdict (ADR 0019), and of pairs the first presentation only
    answers = (
        Answer.objects.filter(
            grade__superseded_by=None,
            grade__assignment__item__campaign=campaign,
            grade__assignment__repeat=False,
        )
        .exclude(grade__verdict_seen=True)
        .order_by("grade__created_at", "grade_id", "id")
        .values_list(
            "grade__assignment__item",
            "grade__assignment__reviewer",
            "question",
            "value",
            "state",
            "grade__assignment__item__instance__key",
            "grade__assignment__item__instance__paper__key",
            "step",
            "grade__assignment__swapped",
        )
    )
    labels = (
        # sides in the item's order: reviewers saw either one first
        ReviewerLabel(
            item,
            reviewer,
            question,
            upright(value, swapped=swapped),
            state,
            cluster_of(paper) if paper else instance,
            step,
            value,
        )
        for item, reviewer, question, value, state, instance, paper, step, swapped in answers.iterator(
            chunk_size=5000
        )
    )
    return CampaignData(
        tuple(Reviewer(key, name or email, rater) for key, name, email, rater in people),
        tuple(labels),
        tuple(GradeTime(*row) for row in times.iterator(chunk_size=5000)),
    )


def submitted_days(campaign: Campaign) -> list[tuple[dt.date, int]]:
    """Grades submitted by the end of each day (UTC) on which one was; a corrected grade counts at its first."""
    first = Grade.objects.filter(
        supersedes=None, assignment__item__campaign=campaign, assignment__repeat=False
    )
    found: dict[dt.date, int] = {}
    times = first.order_by("created_at").values_list("created_at", flat=True)
    for number, at in enumerate(times.iterator(chunk_size=5000), start=1):
        found[at.astimezone(dt.UTC).date()] = number
    return list(found.items())


def grades_in(campaign: Campaign) -> int:
    """How many grades are in, each at its latest version."""
    live = Grade.objects.filter(superseded_by=None, assignment__item__campaign=campaign)
    return live.filter(assignment__repeat=False).count()


def places_wanted(campaign: Campaign) -> int:
    """How many grades the campaign wants in all."""
    return campaign.items.aggregate(n=Sum("places"))["n"] or 0
