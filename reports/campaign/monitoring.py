"""Signs that a reviewer's labels deserve a second look (STATISTICS.md 3 ix). No rows here.

A sign asks a coordinator to read some grades again; it removes nothing, and nobody is ranked by it:
reviewers come in the order of their names. Systems do not occur.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from benchmark.rubrics import Question, Rubric
from reports.campaign.data import CampaignData, GradeTime, Reviewer, ReviewerLabel
from reports.core.seen_labels import SeenLabel
from reports.core.wording import in_words
from stats.core.estimate import Estimate, Reason, undefined
from stats.raters.anchoring import anchoring
from stats.raters.monitoring import (
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


def monitoring_document(rubric: Rubric, data: CampaignData) -> dict[str, Any]:
    """Per reviewer: severity, drift, agreement, overlap and time on task, with the signs that follow."""
    questions = [q for q in rubric.questions if q.scale.passes or q.scale.aggregation == "mean"]
    by_question = {question.key: _question(question, data) for question in questions}
    overlap, times = _overlap(data), _times(data)
    return {
        "format": FORMAT,
        "questions": {
            q.key: {"text": q.text, "favourable": q.scale.success_in_words if _by_success(q) else ""}
            for q in questions
        },
        "reviewers": [
            _reviewer(reviewer, by_question, overlap[reviewer.key], times[reviewer.key])
            for reviewer in data.reviewers
        ],
    }


def _by_success(question: Question) -> bool:
    """Whether leniency is to answer with a success more often, and not to give higher numbers."""
    return question.scale.aggregation == "majority"


def anchoring_document(question: Question, labels: Sequence[SeenLabel]) -> dict[str, Any]:
    """Do reviewers follow a verdict that was in sight? Shares by arm with intervals, and their difference.

    A label agrees where it is the verdict's value; where the verdict's values are not on the question's scale
    ("yes" on a scale of correctness), where both or neither are favourable. Every label counts with its arm.
    """
    agrees = [_agrees(question, label) for label in labels]
    found = anchoring(agrees, [label.before for label in labels], [label.reviewer for label in labels])
    return {
        "question": question.key,
        "labels": len(labels),
        "visible": found.visible.as_json(),
        "hidden": found.hidden.as_json(),
        "difference": found.difference.as_json(),
    }


def _agrees(question: Question, label: SeenLabel) -> bool:
    if label.verdict in question.scale.values:
        return label.value == label.verdict
    return (label.value in question.scale.success) == (label.verdict == "yes")


def _reviewer(
    reviewer: Reviewer,
    by_question: Mapping[str, Mapping[int, dict[str, Any]]],
    overlap: Mapping[str, int],
    time: dict[str, Any],
) -> dict[str, Any]:
    questions = {key: found[reviewer.key] for key, found in by_question.items() if reviewer.key in found}
    return {
        "reviewer": reviewer.name,
        "rater": reviewer.rater,
        **overlap,
        "questions": questions,
        "time": time,
        "signs": [*_signs(questions), *_time_signs(time)],
    }


def _signs(questions: Mapping[str, Mapping[str, Any]]) -> list[str]:
    found = []
    for key, entry in questions.items():
        if entry["flagged"]:
            way = "more" if entry["z"] > 0 else "less"
            found.append(f"{in_words(key)}: {way} lenient than the others")
        if entry["drifts_from"] is not None:
            found.append(f"{in_words(key)}: drifts from label {entry['drifts_from']} on")
    return found


def _time_signs(time: Mapping[str, Any]) -> list[str]:
    names = (("slow", "unusually slow"), ("fast", "unusually fast"), ("unread", "too fast to have been read"))
    return [f"{time[key]} grade{'s' * (time[key] != 1)} {words}" for key, words in names if time[key]]


def _question(question: Question, data: CampaignData) -> dict[int, dict[str, Any]]:
    """Reviewer to their entry, for those who answered the question."""
    labels = [x for x in data.labels if x.question == question.key and x.state == "answered" and not x.step]
    people = sorted({label.reviewer for label in labels})
    if not labels:
        return {}
    judge = _chosen if _by_success(question) else _graded
    signs, agreement = judge(question, labels, people), _agreement(labels)
    return {
        person: {
            "labels": sum(label.reviewer == person for label in labels),
            **signs[person],
            "agreement": agreement[person],
        }
        for person in people
    }


def _chosen(
    question: Question, labels: Sequence[ReviewerLabel], people: Sequence[int]
) -> dict[int, dict[str, Any]]:
    """Severity and drift of the favourable answer, given how many gave it on each output."""
    items = _codes([label.item for label in labels])
    raters = np.array([people.index(label.reviewer) for label in labels], dtype=np.int64)
    yes = np.array([label.value in question.scale.success for label in labels], dtype=np.float64)
    residual, variance = label_residuals(items, yes)
    found = {}
    for entry in severity(items, raters, yes):
        mine = (raters == entry.rater) & (variance > 0)
        drifts = _drift(residual[mine] / np.sqrt(variance[mine]))
        found[people[entry.rater]] = {**_severity(entry), "drifts_from": drifts}
    return found


def _graded(
    question: Question, labels: Sequence[ReviewerLabel], people: Sequence[int]
) -> dict[int, dict[str, Any]]:
    """Severity of scores on the outputs that all of these reviewers graded; without two, none."""
    scores: dict[int, dict[int, float]] = {}
    for label in labels:
        scores.setdefault(label.item, {})[label.reviewer] = float(label.value)
    complete = [[given[p] for p in people] for given in scores.values() if len(given) == len(people)]
    if len(complete) < 2 or len(people) < 2:
        entries = [Severity(at, len(complete), 0.0, None, None, None, False) for at in range(len(people))]
    else:
        entries = graded_severity(complete)
    return {people[entry.rater]: {**_severity(entry), "drifts_from": None} for entry in entries}


def _severity(entry: Severity) -> dict[str, Any]:
    return {
        "compared": entry.items,
        "excess": entry.excess,
        "z": entry.z,
        "p": entry.p,
        "adjusted_p": entry.adjusted_p,
        "flagged": entry.flagged,
    }


def _drift(standardised: Any) -> int | None:
    """Number, from 1, of the label on an item with disagreement at which the mean first leaves its limits."""
    at = drift(standardised)[1]
    return None if at is None else at + 1


def _agreement(labels: Sequence[ReviewerLabel]) -> dict[int, dict[str, object]]:
    """Share of pairs with another reviewer of the same item who chose the same value."""
    by_item: dict[int, list[ReviewerLabel]] = {}
    for label in labels:
        by_item.setdefault(label.item, []).append(label)
    same: dict[int, int] = {}
    pairs: dict[int, int] = {}
    for members in by_item.values():
        for one in members:
            others = [other for other in members if other.reviewer != one.reviewer]
            pairs[one.reviewer] = pairs.get(one.reviewer, 0) + len(others)
            alike = sum(other.value == one.value for other in others)
            same[one.reviewer] = same.get(one.reviewer, 0) + alike
    return {key: _share(same[key], n).as_json() for key, n in pairs.items()}


def _share(same: int, pairs: int) -> Estimate:
    """Without an interval: the pairs of one label share it, so they are not independent."""
    if not pairs:
        return undefined("pairs", Reason.NO_PAIRABLE, n=0)
    rule = "pairs of this reviewer's label with another's on the same output"
    return Estimate(value=same / pairs, method="pairs", k=same, n=pairs, denom_rule=rule)


def _overlap(data: CampaignData) -> dict[int, dict[str, int]]:
    graded: dict[int, set[int]] = {reviewer.key: set() for reviewer in data.reviewers}
    raters: dict[int, int] = {}
    for time in data.times:
        graded.setdefault(time.reviewer, set()).add(time.item)
        raters[time.item] = raters.get(time.item, 0) + 1
    return {
        key: {"graded": len(items), "overlap": sum(raters[item] > 1 for item in items)}
        for key, items in graded.items()
    }


def _times(data: CampaignData) -> dict[int, dict[str, Any]]:
    """Times against the whole campaign's. Grades without a time (imported ones, say) take no part."""
    timed = [time for time in data.times if time.seconds > 0]
    scores = time_scores([time.seconds for time in timed]) if timed else None
    of: dict[int, list[tuple[GradeTime, float | None]]] = {reviewer.key: [] for reviewer in data.reviewers}
    for at, time in enumerate(timed):
        of.setdefault(time.reviewer, []).append((time, None if scores is None else float(scores[at])))
    return {key: _time(rows) for key, rows in of.items()}


def _time(rows: Sequence[tuple[GradeTime, float | None]]) -> dict[str, Any]:
    scores = [score for _, score in rows if score is not None]
    return {
        "timed": len(rows),
        "median_seconds": float(np.median([time.seconds for time, _ in rows])) if rows else None,
        "slow": sum(score > SLOW_OR_FAST for score in scores),
        "fast": sum(score < -SLOW_OR_FAST for score in scores),
        "unread": sum(time.seconds < fewest_seconds(time.characters) for time, _ in rows),
    }


def _codes(values: Sequence[int]) -> Any:
    return np.unique(np.array(values, dtype=np.int64), return_inverse=True)[1].astype(np.int64)
