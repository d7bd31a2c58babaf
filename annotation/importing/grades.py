"""Importing grades that were given elsewhere: in a published study, or in an earlier export of our own.

An imported campaign arrives closed. Importing the same grades again changes nothing; other grades under the
name of an existing campaign are refused.
"""

import datetime as dt
import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Self

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from accounts.refusal import Refused
from accounts.trail import record
from annotation.campaigns.naming import objection_to
from annotation.core.phases import Phase
from annotation.grading.answers import CheckedComment
from annotation.importing.comments import same_comments
from annotation.importing.stand_ins import raters_named, stand_in
from annotation.models import (
    Answer,
    Assignment,
    AssignmentState,
    Campaign,
    Comment,
    Grade,
    Item,
)
from annotation.models import Rubric as RubricRow
from benchmark.models import Instance, Output, Release
from benchmark.rubrics import Rubric
from stats.tables.names import same_name

SubjectKey = tuple[int, int, int]
GradeKey = tuple[SubjectKey, bool | None, str]
IMPORTED = "import:"  # begins the idempotency key of an imported grade


def subject_key(instance: Instance, output: Output | None, second: Output | None) -> SubjectKey:
    """What was judged, whatever its order: the instance's id, then those of its outputs from the smallest, 0 where
    there is none."""
    outputs = [*sorted(row.pk for row in (output, second) if row), 0, 0]
    return instance.pk, outputs[0], outputs[1]


@dataclass(frozen=True)
class PublishedAnswer:
    """One answer in canonical text, as an Answer row holds it."""

    question: str
    step: str
    value: str
    state: str
    confidence: float | None
    comment: str
    line: int = field(default=0, compare=False)


class FactsOfAGrade(NamedTuple):
    """What a grade has once for all its answers: each field is one of Grade and a column of the label table.

    `verdict_seen`: whether a judge's verdict was in sight. `searches`: how often the grader searched. None if unknown.
    """

    verdict_seen: bool | None
    searches: int | None

    @classmethod
    def of_cells(cls, cells: Mapping[str, str]) -> Self:
        """Of any row of the grade; the cells are checked."""
        return cls(
            verdict_seen={"yes": True, "no": False}.get(cells["verdict_seen"]),
            searches=int(cells["searches"]) if cells["searches"] else None,
        )


@dataclass(frozen=True)
class PublishedGrade:
    """All answers of one rater about one output, about a pair as shown (`output` first, then `second`), or
    without an output about the instance itself.

    Without a known design the two sizes are None. `repeat`: the rater had the pair before, sides exchanged.
    `comments`: None if none were imported, which is not the same as a grade without comments.
    """

    instance: Instance
    output: Output | None
    rater: str
    answers: tuple[PublishedAnswer, ...]
    stratum: str
    stratum_size: int | None
    sample_size: int | None
    active_seconds: int
    created_at: dt.datetime | None
    facts: FactsOfAGrade
    line: int
    second: Output | None = None
    repeat: bool = False
    comments: tuple[CheckedComment, ...] | None = None
    file: str = ""

    @property
    def subject(self) -> SubjectKey:
        return subject_key(self.instance, self.output, self.second)

    @property
    def swapped(self) -> bool | None:
        """For a pair: whether the output with the larger id was shown first."""
        return None if self.output is None or self.second is None else self.output.pk > self.second.pk

    @property
    def sha256(self) -> str:
        """Of the content that was judged."""
        return self.instance.sha256 if self.output is None else self.output.sha256


@transaction.atomic
def import_grades(
    *,
    actor: User | None,
    release: Release,
    slug: str,
    rubric: Rubric,
    kind: str,
    track: str,
    grades: Sequence[PublishedGrade],
) -> int:
    """Store the grades as a closed campaign; returns how many are new (0 if all existed already).

    Raises Refused for a name that no campaign can have, and for a campaign that exists with other labels.
    """
    campaign = Campaign.objects.filter(slug=slug).first()
    if campaign:
        _check_unchanged(campaign, release, grades)
        return 0
    if objection := objection_to(slug):
        raise Refused(objection, line=grades[0].line, field="campaign")
    owner = actor or stand_in("the platform")
    per_item = Counter(grade.subject for grade in grades if not grade.repeat)
    campaign = Campaign.objects.create(
        slug=slug,
        name=slug.replace("-", " ").capitalize(),
        release=release,
        rubric=rubric_row(release.benchmark.protocol, rubric),
        kind=kind,
        track=track,
        reviewers_per_item=min(max(per_item.values()), 25),
        seed=0,
        phase=Phase.OPEN,
        created_by=owner,
        opened_at=timezone.now(),
    )
    items = _store_items(campaign, grades)
    raters = raters_named(grade.rater for grade in grades)
    assignments = Assignment.objects.bulk_create(
        [
            Assignment(
                item=items[grade.subject],
                swapped=grade.swapped,
                repeat=grade.repeat,
                reviewer=raters[grade.rater],
                handle=secrets.token_urlsafe(18),
                position=position,
                state=AssignmentState.SUBMITTED,
                submitted_at=grade.created_at or timezone.now(),
                shown_sha256=grade.sha256,
            )
            for position, grade in enumerate(grades)
        ],
        batch_size=500,
    )
    _store_grades(rubric, assignments, grades)
    Campaign.objects.filter(pk=campaign.pk).update(phase=Phase.CLOSED, closed_at=timezone.now())
    record(actor=actor, verb="import grades", target=campaign, details={"grades": len(grades)})
    return len(grades)


def rubric_row(protocol: str, rubric: Rubric) -> RubricRow:
    """The stored copy of a rubric version. Raises Refused when the version is stored with other content."""
    row, _ = RubricRow.objects.get_or_create(
        protocol=protocol,
        name=rubric.name,
        version=rubric.version,
        defaults={"content": rubric.content, "sha256": rubric.sha256},
    )
    if row.sha256 != rubric.sha256:
        raise Refused(
            f"{rubric.label} is stored with other questions; a changed rubric needs a new version number.",
            code="rubric_changed",
        )
    return row


def _store_items(campaign: Campaign, grades: Sequence[PublishedGrade]) -> dict[SubjectKey, Item]:
    first: dict[SubjectKey, PublishedGrade] = {}
    for grade in grades:
        first.setdefault(grade.subject, grade)
    taken = Counter(grade.subject for grade in grades if not grade.repeat)
    mirrored = {grade.subject for grade in grades if grade.repeat}
    domains = dict(campaign.release.instances.values_list("pk", "domain"))
    items = {}
    for subject, grade in first.items():
        size = len(first) if grade.stratum_size is None else grade.stratum_size
        sample = len(first) if grade.sample_size is None else grade.sample_size
        if not 1 <= sample <= size:
            reason = f"sample_size {sample} is not between 1 and stratum_size {size}."
            raise Refused(reason, line=grade.line, field="sample_size")
        instance, output, second = subject
        items[subject] = Item(
            campaign=campaign,
            instance_id=instance,
            domain=domains[instance],
            output_id=output or None,
            second_id=second or None,
            stratum=grade.stratum,
            stratum_size=size,
            sample_size=sample,
            inclusion_probability=sample / size,
            places=taken[subject],
            places_taken=taken[subject],
            mirrored=subject in mirrored,
        )
    Item.objects.bulk_create(items.values(), batch_size=500)
    return items


def _store_grades(
    rubric: Rubric, assignments: Sequence[Assignment], grades: Sequence[PublishedGrade]
) -> None:
    preferences = {question.key for question in rubric.questions if question.scale.kind == "preference"}
    rows = Grade.objects.bulk_create(
        [
            Grade(
                assignment=assignment,
                rubric_sha256=rubric.sha256,
                shown_sha256=assignment.shown_sha256,
                active_seconds=grade.active_seconds,
                idempotency_key=f"{IMPORTED}{assignment.handle}",
                created_at=grade.created_at or timezone.now(),
                **grade.facts._asdict(),
            )
            for assignment, grade in zip(assignments, grades, strict=True)
        ],
        batch_size=500,
    )
    Answer.objects.bulk_create(
        [
            Answer(
                grade=row,
                preferred={"first": grade.output, "second": grade.second}.get(answer.value)
                if grade.second and answer.question in preferences
                else None,
                question=answer.question,
                step=answer.step,
                value=answer.value,
                state=answer.state,
                confidence=answer.confidence,
                comment=answer.comment,
            )
            for row, grade in zip(rows, grades, strict=True)
            for answer in grade.answers
        ],
        batch_size=500,
    )
    Comment.objects.bulk_create(
        [
            Comment(grade=row, **vars(comment))
            for row, grade in zip(rows, grades, strict=True)
            for comment in grade.comments or ()
        ],
        batch_size=500,
    )


def _check_unchanged(campaign: Campaign, release: Release, grades: Sequence[PublishedGrade]) -> None:
    if campaign.release_id != release.pk:
        raise Refused(
            f"Campaign {campaign.slug} belongs to release {campaign.release.name}.", code="other_release"
        )
    place = (
        "assignment__item__instance_id",
        "assignment__item__output_id",
        "assignment__item__second_id",
        "assignment__swapped",
        "assignment__reviewer__rater",
    )
    live = Grade.objects.filter(assignment__item__campaign=campaign, superseded_by=None)
    known: dict[GradeKey, FactsOfAGrade] = {}
    rows = live.values_list(*place, *FactsOfAGrade._fields)
    for instance, output, second, swapped, rater, *facts in rows.iterator():
        known[(instance, output or 0, second or 0), swapped, same_name(rater)] = FactsOfAGrade(*facts)
    answers = Answer.objects.filter(grade__in=live).values_list(
        *(f"grade__{name}" for name in place), "question", "step", "value", "state", "confidence", "comment"
    )
    stored: dict[GradeKey, set[PublishedAnswer]] = {}
    for instance, output, second, swapped, rater, *said in answers.iterator():
        key = (instance, output or 0, second or 0), swapped, same_name(rater)
        stored.setdefault(key, set()).add(PublishedAnswer(*said))
    remarks: dict[GradeKey, list[Comment]] = {}
    if any(grade.comments is not None for grade in grades):
        comments = Comment.objects.filter(grade__in=live).select_related("grade__assignment__item")
        for row in comments.select_related("grade__assignment__reviewer"):
            held, item = row.grade.assignment, row.grade.assignment.item
            key = (
                (item.instance_id, item.output_id or 0, item.second_id or 0),
                held.swapped,
                same_name(held.reviewer.rater),
            )
            remarks.setdefault(key, []).append(row)
    for grade in grades:
        key = grade.subject, grade.swapped, grade.rater
        differs = stored.get(key) != set(grade.answers) or any(
            said is not None and said != fact for said, fact in zip(grade.facts, known[key], strict=True)
        )
        other = "labels" if differs else ""
        if grade.comments is not None and not same_comments(remarks.get(key, []), grade.comments):
            other = other or "comments"
        if other:
            line, why = _first_difference(grade, stored.get(key, set()))
            file = f"{grade.file}: " if grade.file else ""
            raise Refused(
                f"{file}Campaign {campaign.slug} already exists and holds other {other} of {grade.rater} here{why}; "
                "nothing was imported. Import under another campaign name.",
                code="labels_differ",
                line=line,
            )


def _first_difference(grade: PublishedGrade, stored: set[PublishedAnswer]) -> tuple[int, str]:
    """The line of the first answer whose value is stored as another one, and both in words."""
    known = {(answer.question, answer.step): answer for answer in stored}
    for given in grade.answers:
        before = known.get((given.question, given.step))
        if before and (before.value, before.state) != (given.value, given.state):
            there, here = (told.value or told.state for told in (before, given))
            return given.line, f": {given.question} is {there!r}, and {here!r} in the file"
    return grade.line, ""
