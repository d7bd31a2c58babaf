"""Training as reviewers and coordinators read it: what is still to do, and answers compared with the gold."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from accounts.access import is_study_staff
from accounts.models import User
from accounts.refusal import Refused
from annotation.core import queries
from annotation.core.phases import Phase
from annotation.models import (
    Assignment,
    AssignmentState,
    Campaign,
    TrainingAnswer,
    TrainingAttempt,
    TrainingGold,
    TrainingItem,
    TrainingSet,
    TrainingSkip,
)
from benchmark.rubrics import rubric_from_content
from stats.core.scale import value_words


class TrainingFirst(Refused):
    """Training has to be finished before real items. Carries the campaign."""

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign
        super().__init__("This campaign begins with training; answer its items first.", code="training_first")


def training_of(campaign: Campaign) -> TrainingSet | None:
    """The campaign's training, if it has one."""
    return TrainingSet.objects.filter(campaign=campaign).first()


def unfinished(reviewer: User, campaign: Campaign) -> QuerySet[TrainingItem]:
    """What the reviewer still has to do before real work in this campaign, in order; empty once skipped."""
    return items_left(reviewer).filter(training__campaign=campaign).order_by("number")


def items_left(reviewer: User) -> QuerySet[TrainingItem]:
    """The training items, of all campaigns, that the reviewer has neither answered nor skipped."""
    done = TrainingAttempt.objects.filter(item=OuterRef("pk"), reviewer=reviewer)
    skipped = TrainingSkip.objects.filter(training=OuterRef("training"), reviewer=reviewer)
    return TrainingItem.objects.exclude(Exists(done)).exclude(Exists(skipped))


def require_trained(reviewer: User, campaign: Campaign) -> None:
    """Raise Refused (code "training_first") while training is left to do."""
    if unfinished(reviewer, campaign).exists():
        raise TrainingFirst(campaign)


def trains(reviewer: User, campaign: Campaign) -> bool:
    """Whether the person has items in the open campaign, or could take some."""
    if campaign.phase != Phase.OPEN:
        return False
    held = Assignment.objects.filter(reviewer=reviewer, item__campaign=campaign)
    return (
        held.exclude(state=AssignmentState.RELEASED).exists()
        or queries.has_free(reviewer, campaign)
        or TrainingAttempt.objects.filter(reviewer=reviewer, item__training__campaign=campaign).exists()
    )


def own_training(user: User, slug: str) -> Campaign | None:
    """The open campaign of that slug if it has a training and this reviewer has work in it; else None."""
    rows = Campaign.objects.select_related("rubric", "release__benchmark", "training")
    campaign = rows.filter(slug=slug, training__isnull=False).first()
    if campaign is None or is_study_staff(user) or not trains(user, campaign):
        return None
    return campaign


@dataclass(frozen=True)
class Compared:
    """A question with the reviewer's own answers and the gold, by step: `same` says that all are equal."""

    key: str
    text: str
    own: tuple[tuple[str, str, str], ...]  # step, words, comment
    gold: tuple[tuple[str, str], ...]  # step, words
    rationale: str
    same: bool


def compared(item: TrainingItem, attempt: TrainingAttempt) -> list[Compared]:
    """The reviewer's answer and the gold, question by question; gold is empty where there is none."""
    gold: dict[str, list[TrainingGold]] = {}
    own: dict[str, list[TrainingAnswer]] = {}
    for row in item.gold.order_by("pk"):
        gold.setdefault(row.question, []).append(row)
    for answer in attempt.answers.order_by("pk"):
        own.setdefault(answer.question, []).append(answer)
    questions = rubric_from_content(item.training.campaign.rubric.content).questions
    return [
        _compared(question, own.get(question.key, []), gold.get(question.key, []))
        for question in questions
        if question.key in own or question.key in gold
    ]


def _compared(question: Any, own: list[TrainingAnswer], gold: list[TrainingGold]) -> Compared:
    return Compared(
        key=question.key,
        text=question.text,
        own=tuple((row.step, _words(row.value), row.comment) for row in own),
        gold=tuple((row.step, _words(row.value)) for row in gold),
        rationale=next((row.rationale for row in gold if row.rationale), ""),
        same=bool(gold) and _values(own) == _values(gold),
    )


def _values(rows: Iterable[TrainingAnswer | TrainingGold]) -> dict[str, str]:
    return {row.step: row.value for row in rows}


def _words(value: str) -> str:
    return value_words(value) or "cannot be judged"


def training_results(campaign: Campaign) -> dict[str, Any]:
    """The results of the training, for the campaign's staff: reviewers listed by name, not ranked.

    {"items", "may_skip", "questions": [key], "reviewers": [{"reviewer", "rater", "done", "skipped",
    "questions": {key: {"same", "answered"}}}]}; only items and questions with gold count. Free text does not.
    """
    training = training_of(campaign)
    rubric = rubric_from_content(campaign.rubric.content)
    keys = [question.key for question in rubric.questions if question.scale.has_values]
    rows = _result_rows(training) if training else []
    people: dict[int, dict[str, Any]] = {}
    for reviewer, question, same in rows:
        person = people.setdefault(reviewer.pk, _empty_row(reviewer))
        if question in keys:
            counts = person["questions"].setdefault(question, {"same": 0, "answered": 0})
            counts["answered"] += 1
            counts["same"] += same
    if training:
        _add_counts(training, people)
    return {
        "campaign": campaign.slug,
        "items": training.items.count() if training else 0,
        "may_skip": bool(training and training.may_skip),
        "sha256": training.sha256 if training else "",
        "questions": keys,
        "reviewers": sorted(people.values(), key=lambda person: (person["reviewer"], person["rater"])),
    }


def _empty_row(reviewer: User) -> dict[str, Any]:
    name = reviewer.name or reviewer.email
    return {"reviewer": name, "rater": reviewer.rater, "done": 0, "skipped": False, "questions": {}}


def _add_counts(training: TrainingSet, people: dict[int, dict[str, Any]]) -> None:
    for attempt in TrainingAttempt.objects.filter(item__training=training).select_related("reviewer"):
        people.setdefault(attempt.reviewer_id, _empty_row(attempt.reviewer))["done"] += 1
    for skip in training.skips.select_related("reviewer"):
        people.setdefault(skip.reviewer_id, _empty_row(skip.reviewer))["skipped"] = True


def _result_rows(training: TrainingSet) -> list[tuple[User, str, bool]]:
    """(reviewer, question, same as the gold) for every attempt and question that has gold."""
    gold: dict[tuple[int, str], dict[str, str]] = {}
    for item, question, step, value in TrainingGold.objects.filter(item__training=training).values_list(
        "item_id", "question", "step", "value"
    ):
        gold.setdefault((item, question), {})[step] = value
    attempts = (
        TrainingAttempt.objects.filter(item__training=training)
        .select_related("reviewer")
        .prefetch_related("answers")
        .order_by("pk")
    )
    found = []
    for attempt in attempts:
        own: dict[str, dict[str, str]] = {}
        for answer in attempt.answers.all():
            own.setdefault(answer.question, {})[answer.step] = answer.value
        found += [
            (attempt.reviewer, question, own.get(question, {}) == values)
            for (item, question), values in gold.items()
            if item == attempt.item_id
        ]
    return found


def training_rows(campaign: Campaign) -> Iterable[list[object]]:
    """The table of training answers: a header, then one row per reviewer, item, question and step.

    It is not a label table: these answers are about training items and enter no score.
    """
    yield [
        "campaign",
        "rater",
        "training_item",
        "question",
        "step",
        "value",
        "gold",
        "same",
        "comment",
        "created_at",
    ]
    gold = {
        (row.item_id, row.question, row.step): row.value
        for row in TrainingGold.objects.filter(item__training__campaign=campaign)
    }
    answers = (
        TrainingAnswer.objects.filter(attempt__item__training__campaign=campaign)
        .select_related("attempt__item", "attempt__reviewer")
        .order_by("attempt__reviewer__rater", "attempt__item__number", "pk")
    )
    for answer in answers:
        attempt = answer.attempt
        wanted = gold.get((attempt.item_id, answer.question, answer.step))
        same = "" if wanted is None else "yes" if wanted == answer.value else "no"
        yield [
            campaign.slug,
            attempt.reviewer.rater,
            attempt.item.number,
            answer.question,
            answer.step,
            answer.value,
            wanted or "",
            same,
            answer.comment,
            attempt.created_at.isoformat(),
        ]
