"""The answers of a campaign as an adjudicator reads them: graders by letter, no names, no systems.

Letters follow the opaque handles of an item's places, so that a letter stands for different people on different items
and reveals nothing about when someone submitted. Sides of a pair are those of `is_turned`, which reveal as little.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from annotation.adjudication.settling import (
    ABSTAINED,
    Said,
    State,
    item_state,
    letter,
    question_state,
    tally_words,
)
from annotation.campaigns.pairing import upright
from annotation.core.item_names import is_turned, item_name
from annotation.core.material import problem_title
from annotation.models import (
    Adjudication,
    Answer,
    Assignment,
    AssignmentState,
    Campaign,
    Grade,
    Item,
    LabelState,
    SplitBy,
)
from benchmark.rubrics import rubric_from_content
from stats.core.scale import Scale, value_words

Key = tuple[str, str]  # question and step
LATEST = Q(superseded_by__isnull=True)
LATEST_PRIMARY = Q(amendment=False) & (Q(superseded_by__isnull=True) | Q(superseded_by__amendment=True))


@dataclass(frozen=True)
class QueuedItem:
    """A line of the queue. `split` names the undecided questions on which graders differ, `words` says how."""

    item: Item
    state: State
    grades: int
    split: tuple[str, ...]
    words: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return item_name(self.item.pk)

    @property
    def title(self) -> str:
        return problem_title(self.item.instance.payload, self.item.instance.key)


def decidable(campaign: Campaign) -> list[str]:
    """The questions whose answers can be settled: all but free text."""
    questions = rubric_from_content(campaign.rubric.content).questions
    return [question.key for question in questions if question.scale.has_values]


def verdict_scales(campaign: Campaign) -> dict[str, Scale]:
    """The scales of the questions on which only different verdicts are a split; none if different answers are."""
    if campaign.split_by != SplitBy.VERDICT:
        return {}
    questions = rubric_from_content(campaign.rubric.content).questions
    return {question.key: question.scale for question in questions if question.scale.passes}


def live_answers(items: Iterable[Item], questions: Sequence[str]) -> dict[int, list[Said]]:
    """By item, what each grader answered; mirrored repeats and free texts are left out."""
    turned = {item.pk: is_turned(item) for item in items}
    rows = (
        Answer.objects.filter(
            grade__superseded_by=None,
            grade__assignment__item__in=list(turned),
            grade__assignment__repeat=False,
            question__in=questions,
        )
        .order_by("grade__assignment__handle", "question", "step")
        .values_list(
            "grade__assignment__item_id",
            "grade__assignment_id",
            "question",
            "step",
            "value",
            "state",
            "grade__assignment__swapped",
        )
    )
    found: dict[int, list[Said]] = defaultdict(list)
    for item, grader, question, step, value, state, swapped in rows:
        answer = upright(value, swapped=bool(swapped) != turned[item])
        found[item].append(Said(grader, question, step, ABSTAINED if state == LabelState.ABSTAIN else answer))
    return dict(found)


def by_question(said: Iterable[Said]) -> dict[Key, list[str]]:
    """Question and step to the values given, as `Said` has them."""
    found: dict[Key, list[str]] = defaultdict(list)
    for answer in said:
        found[answer.question, answer.step].append(answer.value)
    return dict(found)


def decisions(items: Iterable[Item]) -> dict[int, dict[Key, Adjudication]]:
    """By item, the latest decision on each question, amendments included."""
    found: dict[int, dict[Key, Adjudication]] = defaultdict(dict)
    for row in Adjudication.objects.filter(LATEST, item__in=list(items)):
        found[row.item_id][row.question, row.step] = row
    return dict(found)


def as_shown(decision: Adjudication) -> Adjudication:
    """The decision, its value in the order of a pair's sides that adjudicators see; not to be saved."""
    decision.value = upright(decision.value, swapped=is_turned(decision.item))
    return decision


def primary_decisions() -> QuerySet[Adjudication]:
    """Decisions that count in primary scores: the latest ones before the unblinding."""
    return Adjudication.objects.filter(LATEST_PRIMARY)


def queue(campaign: Campaign) -> list[QueuedItem]:
    """Every item with its state, those that need a decision first."""
    items = list(campaign.items.select_related("instance"))
    said, decided = live_answers(items, decidable(campaign)), decisions(items)
    rows, scales = [], verdict_scales(campaign)
    for item in items:
        answers = by_question(said.get(item.pk, []))
        settled = decided.get(item.pk, {})
        grades = len({answer.grader for answer in said.get(item.pk, [])})
        state = item_state(answers, missing=item.places - grades, decided=settled, scales=scales)
        split = [
            key
            for key, values in answers.items()
            if question_state(values, scales.get(key[0])) is State.SPLIT
        ]
        left = [key for key in split if key not in settled]
        words = [
            f"{value_words(question)}{f' {step}' if step else ''}: {tally_words(answers[question, step])}"
            for question, step in left
        ]
        undecided = dict.fromkeys(question for question, _ in left)
        rows.append(QueuedItem(item, state, grades, tuple(undecided), tuple(words)))
    order = list(State)
    first = (State.SPLIT, State.OPEN)
    return sorted(
        rows,
        key=lambda row: (
            row.state not in first,
            order.index(row.state),
            row.item.instance.domain,
            row.item.instance.key,
            row.name,
        ),
    )


def state_counts(rows: Iterable[QueuedItem]) -> dict[State, int]:
    """How many items are in each state, every state named."""
    counts = Counter(row.state for row in rows)
    return {state: counts[state] for state in State}


def graders(item: Item) -> list[tuple[str, Grade]]:
    """(letter, live grade) of everyone who graded the item, in the order of their handles."""
    places = Assignment.objects.filter(item=item, state=AssignmentState.SUBMITTED, repeat=False)
    grades = (
        Grade.objects.filter(assignment__in=places, superseded_by=None)
        .select_related("assignment")
        .prefetch_related("answers", "comments")
        .order_by("assignment__handle")
    )
    return [(letter(index), grade) for index, grade in enumerate(grades)]
