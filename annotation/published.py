"""Taking in grades that were given elsewhere: a published study, or an earlier export of ours.

An imported campaign arrives closed. Importing the same grades again changes nothing; other grades under the
name of an existing campaign are refused.
"""

import datetime as dt
import hashlib
import secrets
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from accounts.actions import record
from accounts.models import User
from accounts.refusal import Refused
from annotation.models import (
    Answer,
    Assignment,
    AssignmentState,
    Campaign,
    Grade,
    Item,
    Phase,
)
from annotation.models import Rubric as RubricRow
from benchmark.models import Output, Release
from benchmark.rubrics import Rubric

IMPORTED_DOMAIN = "imported.invalid"


@dataclass(frozen=True)
class PublishedAnswer:
    """One answer in canonical text, as an Answer row holds it."""

    question: str
    step: str
    value: str
    state: str
    confidence: float | None
    comment: str


@dataclass(frozen=True)
class PublishedGrade:
    """All answers of one rater about one output. Without a known design the two sizes are None."""

    output: Output
    rater: str
    answers: tuple[PublishedAnswer, ...]
    stratum: str
    stratum_size: int | None
    sample_size: int | None
    active_seconds: int
    created_at: dt.datetime | None
    line: int


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
    """Store the grades as a closed campaign; returns how many are new (0 when all were here already)."""
    campaign = Campaign.objects.filter(slug=slug).first()
    if campaign:
        _check_unchanged(campaign, release, grades)
        return 0
    campaign = _open_campaign(actor, release, slug, rubric, kind, track, grades)
    items = _store_items(campaign, grades)
    raters = _raters(grades)
    assignments = _store_assignments(campaign, items, raters, grades)
    _store_grades(rubric, assignments, grades)
    Campaign.objects.filter(pk=campaign.pk).update(phase=Phase.CLOSED, closed_at=timezone.now())
    record(actor=actor, verb="import grades", target=campaign, details={"grades": len(grades)})
    return len(grades)


def rater_email(rater: str) -> str:
    """The address under which a rater is kept: their own, or a stand-in that can never receive mail."""
    if "@" in rater and " " not in rater:
        return rater.lower()
    return f"{hashlib.sha256(rater.encode()).hexdigest()[:16]}@{IMPORTED_DOMAIN}"


def rater_name(email: str, name: str) -> str:
    """The inverse of rater_email: how the rater was called in the file, or their own address."""
    return name if email.endswith(f"@{IMPORTED_DOMAIN}") else email


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


def _open_campaign(
    actor: User | None,
    release: Release,
    slug: str,
    rubric: Rubric,
    kind: str,
    track: str,
    grades: Sequence[PublishedGrade],
) -> Campaign:
    owner = actor or _stand_in("the platform")
    per_item = Counter(grade.output.pk for grade in grades)
    return Campaign.objects.create(
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


def _store_items(campaign: Campaign, grades: Sequence[PublishedGrade]) -> dict[int, Item]:
    first: dict[int, PublishedGrade] = {}
    for grade in grades:
        first.setdefault(grade.output.pk, grade)
    items = [_item(campaign, grade, len(first)) for grade in first.values()]
    taken = Counter(grade.output.pk for grade in grades)
    for item in items:
        item.places = item.places_taken = taken[item.output_id]
    return {item.output_id: item for item in Item.objects.bulk_create(items, batch_size=500)}


def _item(campaign: Campaign, grade: PublishedGrade, n_items: int) -> Item:
    size = n_items if grade.stratum_size is None else grade.stratum_size
    sample = n_items if grade.sample_size is None else grade.sample_size
    if not 1 <= sample <= size:
        raise Refused(
            f"sample_size {sample} is not between 1 and stratum_size {size}.",
            line=grade.line,
            field="sample_size",
        )
    return Item(
        campaign=campaign,
        output=grade.output,
        instance=grade.output.instance,
        stratum=grade.stratum,
        stratum_size=size,
        sample_size=sample,
        inclusion_probability=sample / size,
    )


def _raters(grades: Sequence[PublishedGrade]) -> dict[str, User]:
    names = sorted({grade.rater for grade in grades})
    known = {
        user.email: user for user in User.objects.filter(email__in=[rater_email(name) for name in names])
    }
    return {name: known.get(rater_email(name)) or _stand_in(name) for name in names}


def _stand_in(name: str) -> User:
    """An inactive user without a usable password, who only carries the name."""
    email = rater_email(name)
    existing = User.objects.filter(email=email).first()
    return existing or User.objects.create_user(email, None, name=name, is_active=False)


def _store_assignments(
    campaign: Campaign, items: dict[int, Item], raters: dict[str, User], grades: Sequence[PublishedGrade]
) -> list[Assignment]:
    return Assignment.objects.bulk_create(
        [
            Assignment(
                item=items[grade.output.pk],
                reviewer=raters[grade.rater],
                handle=secrets.token_urlsafe(18),
                position=position,
                state=AssignmentState.SUBMITTED,
                submitted_at=grade.created_at or timezone.now(),
                shown_sha256=grade.output.sha256,
            )
            for position, grade in enumerate(grades)
        ],
        batch_size=500,
    )


def _store_grades(
    rubric: Rubric, assignments: Sequence[Assignment], grades: Sequence[PublishedGrade]
) -> None:
    rows = Grade.objects.bulk_create(
        [
            Grade(
                assignment=assignment,
                rubric_sha256=rubric.sha256,
                shown_sha256=assignment.shown_sha256,
                active_seconds=grade.active_seconds,
                idempotency_key=f"import:{assignment.handle}",
                created_at=grade.created_at or timezone.now(),
            )
            for assignment, grade in zip(assignments, grades, strict=True)
        ],
        batch_size=500,
    )
    Answer.objects.bulk_create(
        [
            Answer(
                grade=row,
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


def _check_unchanged(campaign: Campaign, release: Release, grades: Sequence[PublishedGrade]) -> None:
    if campaign.release_id != release.pk:
        raise Refused(
            f"Campaign {campaign.slug} belongs to release {campaign.release.name}.", code="other_release"
        )
    stored = _stored_answers(campaign)
    for grade in grades:
        found = stored.get((grade.output.pk, rater_email(grade.rater)))
        if found != frozenset(grade.answers):
            raise Refused(
                f"Campaign {campaign.slug} already exists and holds other labels of {grade.rater} here; "
                "nothing was imported. Import under another campaign name.",
                code="labels_differ",
                line=grade.line,
            )


def _stored_answers(campaign: Campaign) -> dict[tuple[int, str], frozenset[PublishedAnswer]]:
    answers = Answer.objects.filter(
        grade__assignment__item__campaign=campaign, grade__superseded_by=None
    ).values_list(
        "grade__assignment__item__output_id",
        "grade__assignment__reviewer__email",
        "question",
        "step",
        "value",
        "state",
        "confidence",
        "comment",
    )
    found: dict[tuple[int, str], set[PublishedAnswer]] = {}
    for output_id, email, question, step, value, state, confidence, comment in answers.iterator():
        answer = PublishedAnswer(question, step, value, state, confidence, comment)
        found.setdefault((output_id, email), set()).add(answer)
    return {key: frozenset(values) for key, values in found.items()}
