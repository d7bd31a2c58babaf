"""Training as reviewers and coordinators read it: what is still to do, and answers compared with the gold."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404

from accounts.access import is_study_staff, role_names
from accounts.models import RoleName, User
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
from benchmark.rubrics import Question, rubric_from_content
from stats.core.scale import value_words


class TrainingFirst(Refused):
    """Training has to be finished before real items. Carries the campaign."""

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign
        super().__init__("This campaign begins with training; answer its items first.", code="training_first")


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
        or (RoleName.REVIEWER in role_names(reviewer) and queries.has_free(reviewer, campaign))
        or TrainingAttempt.objects.filter(reviewer=reviewer, item__training__campaign=campaign).exists()
    )


def own_training_or_404(user: User, slug: str) -> Campaign:
    """The open campaign of that slug if it has a training and this reviewer has work in it; else raises Http404."""
    rows = Campaign.objects.select_related("rubric", "release__benchmark", "training")
    campaign = rows.filter(slug=slug, training__isnull=False).first()
    if campaign is None or is_study_staff(user) or not trains(user, campaign):
        raise Http404
    return campaign


@dataclass(frozen=True)
class Compared:
    """A question with the reviewer's own answers and the gold, by step: `same` says that all are equal. Free text is
    shown next to the gold, but nobody writes the same words: it is not `comparable`."""

    key: str
    text: str
    own: tuple[tuple[str, str, str], ...]  # step, words, comment
    gold: tuple[tuple[str, str], ...]  # step, words
    rationale: str
    same: bool
    comparable: bool


def compared(item: TrainingItem, attempt: TrainingAttempt) -> list[Compared]:
    """The reviewer's answer and the gold, question by question; gold is empty where there is none."""
    gold: dict[str, list[TrainingGold]] = {}
    own: dict[str, list[TrainingAnswer]] = {}
    for row in item.gold.order_by("pk"):
        gold.setdefault(row.question, []).append(row)
    for answer in attempt.answers.order_by("pk"):
        own.setdefault(answer.question, []).append(answer)
    questions = rubric_from_content(item.training.campaign.rubric.content).questions
    found = []
    for question in questions:
        if question.key in own or question.key in gold:
            mine, wanted = own.get(question.key, []), gold.get(question.key, [])
            found.append(
                Compared(
                    key=question.key,
                    text=question.text,
                    own=tuple((row.step, _words(row.value), row.comment) for row in mine),
                    gold=tuple((row.step, _words(row.value)) for row in wanted),
                    rationale=next((row.rationale for row in wanted if row.rationale), ""),
                    same=_same(question, _values(mine), _values(wanted)),
                    comparable=bool(wanted) and question.scale.has_values,
                )
            )
    return found


def _values(rows: Iterable[TrainingAnswer | TrainingGold]) -> dict[str, str]:
    return {row.step: row.value for row in rows}


def _same(question: Question, own: Mapping[str, str], gold: Mapping[str, str]) -> bool:
    """Whether the answers by step are the gold.

    A required question has a label for every step. Older gold may have more, because rules were steps once.
    """
    asked = {step: value for step, value in gold.items() if step in own} if question.required else gold
    return bool(asked) and own == asked


def _words(value: str) -> str:
    return value_words(value) or "cannot be judged"


@dataclass
class Trained:
    """A reviewer's training; `questions` are key to {same, answered}."""

    reviewer: str
    rater: str
    done: int = 0
    skipped: bool = False
    questions: dict[str, dict[str, int]] = field(default_factory=dict)


@dataclass(frozen=True)
class TrainingResults:
    """The results of a training: reviewers listed by name, not ranked.

    Only items and questions with gold count. Free text does not.
    """

    campaign: str
    items: int
    may_skip: bool
    sha256: str
    questions: list[str]
    reviewers: list[Trained]


def training_results(campaign: Campaign) -> TrainingResults:
    """The results of the training, for the campaign's staff."""
    training = TrainingSet.objects.filter(campaign=campaign).first()
    rubric = rubric_from_content(campaign.rubric.content)
    compared_ones = {question.key: question for question in rubric.questions if question.scale.has_values}
    keys = list(compared_ones)
    if training is None:
        return TrainingResults(campaign.slug, 0, False, "", keys, [])
    gold: dict[int, dict[str, dict[str, str]]] = {}
    for row in TrainingGold.objects.filter(item__training=training):
        gold.setdefault(row.item_id, {}).setdefault(row.question, {})[row.step] = row.value
    people: dict[int, Trained] = {}
    attempts = TrainingAttempt.objects.filter(item__training=training).select_related("reviewer")
    for attempt in attempts.prefetch_related("answers").order_by("pk"):
        who = attempt.reviewer
        person = people.setdefault(who.pk, Trained(who.name or who.email, who.rater))
        person.done += 1
        own: dict[str, dict[str, str]] = {}
        for answer in attempt.answers.all():
            own.setdefault(answer.question, {})[answer.step] = answer.value
        for question, values in gold.get(attempt.item_id, {}).items():
            if question in compared_ones:
                counts = person.questions.setdefault(question, {"same": 0, "answered": 0})
                counts["answered"] += 1
                counts["same"] += _same(compared_ones[question], own.get(question, {}), values)
    for skip in training.skips.select_related("reviewer"):
        who = skip.reviewer
        people.setdefault(who.pk, Trained(who.name or who.email, who.rater)).skipped = True
    return TrainingResults(
        campaign=campaign.slug,
        items=training.items.count(),
        may_skip=training.may_skip,
        sha256=training.sha256,
        questions=keys,
        reviewers=sorted(people.values(), key=lambda person: (person.reviewer, person.rater)),
    )


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
    questions = rubric_from_content(campaign.rubric.content).questions
    texts = {question.key for question in questions if not question.scale.has_values}
    for answer in answers:
        attempt = answer.attempt
        wanted = gold.get((attempt.item_id, answer.question, answer.step))
        compared_with = None if answer.question in texts else wanted
        same = "" if compared_with is None else "yes" if compared_with == answer.value else "no"
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
