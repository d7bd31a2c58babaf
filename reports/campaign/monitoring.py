"""Signs that a reviewer's labels deserve a second look (STATISTICS.md 3 ix). No rows here.

A sign asks a coordinator to read some grades again; it removes nothing, and nobody is ranked by it:
reviewers come in the order of their names. Systems do not occur.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from benchmark.rubrics import Question, Rubric
from reports.campaign.data import CampaignData, GradeTime, ReviewerLabel
from reports.core.seen_labels import SeenLabel
from reports.core.wording import in_words
from stats.core.estimate import Estimate, Reason, undefined
from stats.pairs.position_bias import binomial_p
from stats.raters.anchoring import anchoring
from stats.raters.monitoring import (
    P_OF_SEVERE,
    SLOW_OR_FAST,
    Severity,
    drift,
    fewest_seconds,
    graded_severity,
    label_residuals,
    severity,
    time_scores,
)

FORMAT = "touchstone-monitoring-1"


@dataclass(frozen=True, kw_only=True)
class MonitoredQuestion:
    """One reviewer's labels of one question."""

    labels: int
    compared: int
    excess: float
    z: float | None
    p: float | None
    adjusted_p: float | None
    flagged: bool
    drifts_from: int | None
    agreement: Estimate


@dataclass(frozen=True, kw_only=True)
class TimeOnTask:
    timed: int
    median_seconds: float | None
    slow: int
    fast: int
    unread: int


@dataclass(frozen=True, kw_only=True)
class ChosenSides:
    """How often one reviewer preferred the side shown first, and the second; p of the exact test that either is as
    likely."""

    first: int
    second: int
    p: float | None
    flagged: bool


@dataclass(frozen=True, kw_only=True)
class MonitoredReviewer:
    reviewer: str
    rater: str
    graded: int
    overlap: int
    questions: Mapping[str, MonitoredQuestion]
    sides: Annotated[Mapping[str, ChosenSides], "By question about pairs."]
    time: TimeOnTask
    signs: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class AnchoringShares:
    """Share of labels that agree with the verdict, where it was visible before the grade and where hidden."""

    question: str
    labels: int
    visible: Estimate
    hidden: Estimate
    difference: Estimate


@dataclass(frozen=True, kw_only=True)
class Monitoring:
    """Reviewers of a campaign in the order of their names, with the signs that ask for a second look."""

    format: str
    questions: Mapping[str, Mapping[str, str]]
    reviewers: Sequence[MonitoredReviewer]
    anchoring: AnchoringShares | None = None


def monitoring(rubric: Rubric, data: CampaignData) -> Monitoring:
    """Per reviewer: severity, drift, agreement, overlap and time on task, with the signs that follow."""
    questions = [q for q in rubric.questions if q.scale.passes or q.scale.aggregation == "mean"]
    by_question = {question.key: _question(question, data) for question in questions}
    preferences = [question.key for question in rubric.questions if question.scale.kind == "preference"]
    preferred: dict[tuple[str, int], Counter[str]] = defaultdict(Counter)
    for label in data.labels:
        preferred[label.question, label.reviewer][label.shown] += 1
    # Times are judged against the whole campaign's. Grades without one (imported ones, say) take no part.
    timed = [time for time in data.times if time.seconds > 0]
    scores = time_scores([time.seconds for time in timed])
    times: dict[int, list[GradeTime]] = defaultdict(list)
    deviations: dict[int, list[float]] = defaultdict(list)
    for at, time in enumerate(timed):
        times[time.reviewer].append(time)
        if scores is not None:
            deviations[time.reviewer].append(float(scores[at]))
    items: dict[int, set[int]] = defaultdict(set)
    for time in data.times:
        items[time.reviewer].add(time.item)
    raters = Counter(item for each in items.values() for item in each)
    reviewers = []
    for reviewer in data.reviewers:
        mine, deviating = times[reviewer.key], deviations[reviewer.key]
        spent = TimeOnTask(
            timed=len(mine),
            median_seconds=float(np.median([time.seconds for time in mine])) if mine else None,
            slow=sum(score > SLOW_OR_FAST for score in deviating),
            fast=sum(score < -SLOW_OR_FAST for score in deviating),
            unread=sum(time.seconds < fewest_seconds(time.characters) for time in mine),
        )
        own = {key: found[reviewer.key] for key, found in by_question.items() if reviewer.key in found}
        sides = {}
        for key in preferences:
            first, second = (preferred[key, reviewer.key][side] for side in ("first", "second"))
            p = binomial_p(first, first + second)
            flagged = p is not None and p < P_OF_SEVERE
            sides[key] = ChosenSides(first=first, second=second, p=p, flagged=flagged)
        reviewers.append(
            MonitoredReviewer(
                reviewer=reviewer.name,
                rater=reviewer.rater,
                graded=len(items[reviewer.key]),
                overlap=sum(raters[item] > 1 for item in items[reviewer.key]),
                questions=own,
                sides=sides,
                time=spent,
                signs=_signs(own, sides, spent),
            )
        )
    return Monitoring(
        format=FORMAT,
        questions={
            q.key: {"text": q.text, "favourable": q.scale.success_in_words if _by_success(q) else ""}
            for q in questions
        },
        reviewers=reviewers,
    )


def _by_success(question: Question) -> bool:
    """Whether leniency is to answer with a success more often, and not to give higher numbers."""
    return question.scale.aggregation == "majority"


def anchoring_of(question: Question, labels: Sequence[SeenLabel]) -> AnchoringShares:
    """Do reviewers follow a verdict that was in sight? Shares by arm with intervals, and their difference.

    A label agrees where it is the verdict's value; where the verdict's values are not on the question's scale
    ("yes" on a scale of correctness), where both or neither are favourable. Every label counts with its arm.
    """
    scale = question.scale
    agrees = [
        label.value == label.verdict
        if label.verdict in scale.values
        else (label.value in scale.success) == (label.verdict == "yes")
        for label in labels
    ]
    found = anchoring(
        agrees,
        [label.before for label in labels],
        [label.reviewer for label in labels],
        [label.item for label in labels],
    )
    return AnchoringShares(question=question.key, labels=len(labels), **vars(found))


def _signs(
    questions: Mapping[str, MonitoredQuestion], sides: Mapping[str, ChosenSides], time: TimeOnTask
) -> list[str]:
    found = []
    for key, chosen in sides.items():
        if chosen.flagged:
            side, count = max(("first", chosen.first), ("second", chosen.second), key=lambda each: each[1])
            decided = chosen.first + chosen.second
            found.append(f"{in_words(key)}: prefers the side shown {side} in {count} of {decided} pairs")
    for key, entry in questions.items():
        if entry.flagged:
            way = "more" if entry.z and entry.z > 0 else "less"
            found.append(f"{in_words(key)}: {way} lenient than the others")
        if entry.drifts_from is not None:
            found.append(f"{in_words(key)}: drifts from disagreement {entry.drifts_from} on")
    grades = (
        (time.slow, "unusually slow"),
        (time.fast, "unusually fast"),
        (time.unread, "too fast to have been read"),
    )
    return [*found, *(f"{n} grade{'s' * (n != 1)} {words}" for n, words in grades if n)]


def _question(question: Question, data: CampaignData) -> dict[int, MonitoredQuestion]:
    """Reviewer to their entry, for those who answered the question."""
    labels = [x for x in data.labels if x.question == question.key and x.state == "answered" and not x.step]
    people = sorted({label.reviewer for label in labels})
    if not labels:
        return {}
    judge = _chosen if _by_success(question) else _graded
    given = Counter(label.reviewer for label in labels)
    by_item: dict[int, list[ReviewerLabel]] = defaultdict(list)
    for label in labels:
        by_item[label.item].append(label)
    # pairs with another reviewer of the same item, and those who chose the same value
    pairs: Counter[int] = Counter()
    same: Counter[int] = Counter()
    for label in labels:
        others = [other for other in by_item[label.item] if other.reviewer != label.reviewer]
        pairs[label.reviewer] += len(others)
        same[label.reviewer] += sum(other.value == label.value for other in others)
    rule = "pairs of this reviewer's label with another's on the same output"
    found = {}
    for entry, drifts_from in judge(question, labels, people):
        reviewer = people[entry.rater]
        k, n = same[reviewer], pairs[reviewer]
        # without an interval: the pairs of one label share it, so they are not independent
        agreement = undefined("pairs", Reason.NO_PAIRABLE, n=0)
        if n:
            agreement = Estimate(value=k / n, method="pairs", k=k, n=n, denom_rule=rule)
        found[reviewer] = MonitoredQuestion(
            labels=given[reviewer],
            compared=entry.items,
            excess=entry.excess,
            z=entry.z,
            p=entry.p,
            adjusted_p=entry.adjusted_p,
            flagged=entry.flagged,
            drifts_from=drifts_from,
            agreement=agreement,
        )
    return found


def _chosen(
    question: Question, labels: Sequence[ReviewerLabel], people: Sequence[int]
) -> Iterator[tuple[Severity, int | None]]:
    """Severity of the favourable answer, given how many gave it on each output, and the number, from 1, of the label
    on an item with disagreement at which the mean first leaves its limits.
    """
    items = np.unique(np.array([label.item for label in labels]), return_inverse=True)[1].astype(np.int64)
    raters = np.array([people.index(label.reviewer) for label in labels], dtype=np.int64)
    yes = np.array([label.value in question.scale.success for label in labels], dtype=np.float64)
    residual, variance = label_residuals(items, yes)
    for entry in severity(items, raters, yes):
        mine = (raters == entry.rater) & (variance > 0)
        at = drift(residual[mine] / np.sqrt(variance[mine]))
        yield entry, None if at is None else at + 1


def _graded(
    question: Question, labels: Sequence[ReviewerLabel], people: Sequence[int]
) -> Iterator[tuple[Severity, None]]:
    """Severity of scores on the outputs that all of these reviewers graded; without two, none. No drift."""
    scores: dict[int, dict[int, float]] = {}
    for label in labels:
        scores.setdefault(label.item, {})[label.reviewer] = float(label.value)
    complete = [[given[p] for p in people] for given in scores.values() if len(given) == len(people)]
    if len(complete) < 2 or len(people) < 2:
        entries = [Severity(at, len(complete), 0.0, None, None, None, False) for at in range(len(people))]
    else:
        entries = graded_severity(complete)
    return ((entry, None) for entry in entries)
