"""Drafts and grades: nothing typed is lost, nothing submitted is overwritten."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts.actions import record
from accounts.models import User
from accounts.refusal import NotAllowed, Refused
from annotation import phases, queries
from annotation.actions.assigning import require_blind_reviewer, require_uninformed
from annotation.answers import Flaggable, Submission, checked, content_sha256, shaped
from annotation.calibration import require_unrevealed
from annotation.documents import anchors
from annotation.flag_places import flag_places
from annotation.flagging import write_flags
from annotation.material import SIDES, material, shown_first
from annotation.models import Answer, Assignment, AssignmentState, Comment, Draft, Grade
from annotation.phases import Verb
from annotation.reasons import write_reasons
from annotation.reveal import require_revisable
from annotation.training import require_trained
from benchmark.models import Output
from benchmark.protocols import get_protocol
from benchmark.rubrics import rubric_from_content

MAX_ACTIVE_SECONDS = 7 * 24 * 3600


class DraftConflict(Refused):
    """Another tab or device saved first. Carries both texts; nothing was overwritten."""

    def __init__(self, *, stored: Draft, sent: dict[str, Any]) -> None:
        self.stored = stored
        self.sent = sent
        super().__init__(
            "This item was changed in another window or on another device.", code="draft_conflict"
        )


def require_own(reviewer: User, assignment: Assignment) -> None:
    """Raise NotAllowed unless the place belongs to `reviewer`, blind, and was not given up."""
    require_blind_reviewer(reviewer)
    if assignment.reviewer_id != reviewer.pk or assignment.state == AssignmentState.RELEASED:
        raise NotAllowed("This place is not yours.")


def locked(assignment: Assignment) -> Assignment:
    """The assignment's row with what a grade needs, held until the transaction ends."""
    rows = Assignment.objects.select_for_update(of=("self",)).select_related(
        "item__campaign__rubric",
        "item__campaign__release__benchmark",
        "item__instance",
        "item__output__redacted",
        "item__second__redacted",
    )
    return rows.get(pk=assignment.pk)


@transaction.atomic
def open_item(*, reviewer: User, assignment: Assignment, shown_sha256: str) -> None:
    """Note the first time the item was looked at, and the fingerprint of what was shown."""
    require_own(reviewer, assignment)
    fresh = Assignment.objects.filter(pk=assignment.pk, first_opened_at=None)
    if fresh.update(first_opened_at=timezone.now(), shown_sha256=shown_sha256):
        record(actor=reviewer, verb="open_item", target=assignment)


@transaction.atomic
def save_draft(
    *, reviewer: User, assignment: Assignment, version: int, content: Any, active_seconds: int = 0
) -> Draft:
    """Save over `version` (0: nothing saved yet) and return the draft with its new version.

    Raises DraftConflict when another window saved since; sending the stored text again is no conflict.
    """
    assignment = locked(assignment)
    require_own(reviewer, assignment)
    phases.require(assignment.item.campaign.phase, Verb.GRADE)
    content = shaped(content)
    draft = Draft.objects.filter(assignment=assignment).first()
    if assignment.state == AssignmentState.SUBMITTED and (draft is None or draft.locked_at is not None):
        raise Refused("This item is submitted; reopen it to change it.", code="already_submitted")
    if draft is None:
        draft = Draft(assignment=assignment, version=0)
    elif draft.content == content:
        version = draft.version
    elif draft.version != version:
        raise DraftConflict(stored=draft, sent=content)
    return _store(draft, content, active_seconds)


def _store(draft: Draft, content: dict[str, Any], active_seconds: int) -> Draft:
    """Drafts are saved every few seconds, so they alone write no audit row; their grade will."""
    draft.version += 1
    draft.content = content
    draft.active_seconds = max(draft.active_seconds, _bounded(active_seconds))
    draft.saved_at = timezone.now()
    draft.save()
    return draft


def _bounded(seconds: int) -> int:
    return max(0, min(int(seconds), MAX_ACTIVE_SECONDS))


@transaction.atomic
def submit_grade(
    *,
    reviewer: User,
    assignment: Assignment,
    content: Any,
    idempotency_key: str,
    rubric_sha256: str,
    active_seconds: int = 0,
    draft_version: int | None = None,
) -> Grade:
    """Lock the reviewer's answers as a grade. The same key and body again return the same grade.

    Raises Incomplete (naming the questions), DraftConflict when `draft_version` is not the stored one, and
    Refused with code idempotency_mismatch, stale_rubric, stale_item, training_first,
    revealed, already_submitted or wrong_phase.
    """
    assignment = locked(assignment)
    require_own(reviewer, assignment)
    content = shaped(content)
    earlier = _replayed(assignment, idempotency_key, content)
    if earlier is not None:
        return earlier
    phases.require(assignment.item.campaign.phase, Verb.GRADE)
    require_uninformed(reviewer, assignment.item.campaign)
    require_unrevealed(assignment.item_id)
    require_trained(reviewer, assignment.item.campaign)
    if assignment.state == AssignmentState.SUBMITTED:
        raise Refused("This item is already submitted.", code="already_submitted")
    return _write(
        reviewer=reviewer,
        assignment=assignment,
        content=content,
        key=idempotency_key,
        rubric_sha256=rubric_sha256,
        active_seconds=active_seconds,
        draft_version=draft_version,
        supersedes=None,
    )


@transaction.atomic
def revise_grade(
    *,
    reviewer: User,
    assignment: Assignment,
    content: Any,
    idempotency_key: str,
    rubric_sha256: str,
    active_seconds: int = 0,
    draft_version: int | None = None,
) -> Grade:
    """A new grade that supersedes the live one, while the campaign is open. Otherwise as `submit_grade`."""
    assignment = locked(assignment)
    require_own(reviewer, assignment)
    content = shaped(content)
    earlier = _replayed(assignment, idempotency_key, content)
    if earlier is not None:
        return earlier
    phases.require(assignment.item.campaign.phase, Verb.GRADE)
    require_uninformed(reviewer, assignment.item.campaign)
    require_unrevealed(assignment.item_id)
    require_revisable(assignment.item.campaign)
    live = queries.live_grade(assignment)
    if live is None:
        raise Refused("There is no grade to revise yet.", code="not_submitted")
    return _write(
        reviewer=reviewer,
        assignment=assignment,
        content=content,
        key=idempotency_key,
        rubric_sha256=rubric_sha256,
        active_seconds=active_seconds,
        draft_version=draft_version,
        supersedes=live,
    )


def _replayed(assignment: Assignment, key: str, content: dict[str, Any]) -> Grade | None:
    if not key.strip() or len(key) > 200:
        raise Refused("A submission needs an idempotency key of at most 200 characters.", code="no_key")
    grade = Grade.objects.filter(assignment=assignment, idempotency_key=key).first()
    if grade is not None and grade.request_sha256 != content_sha256(content):
        raise Refused("This idempotency key was used for other answers.", code="idempotency_mismatch")
    return grade


def _write(
    *,
    reviewer: User,
    assignment: Assignment,
    content: dict[str, Any],
    key: str,
    rubric_sha256: str,
    active_seconds: int,
    draft_version: int | None,
    supersedes: Grade | None,
) -> Grade:
    submission = _validated(assignment, content, rubric_sha256)
    seconds = _lock_draft(assignment, content, active_seconds, draft_version)
    now = timezone.now()
    grade = Grade.objects.create(
        assignment=assignment,
        supersedes=supersedes,
        rubric_sha256=rubric_sha256,
        shown_sha256=assignment.shown_sha256,
        active_seconds=seconds,
        seen_before=submission.seen_before,
        statement_wrong=submission.statement_wrong,
        note=submission.note,
        idempotency_key=key,
        request_sha256=content_sha256(content),
        created_at=now,
    )
    _write_answers(grade, submission, _sides(assignment))
    write_reasons(grade, submission)
    write_flags(grade, submission.flags, _sides(assignment))
    Assignment.objects.filter(pk=assignment.pk).update(
        state=AssignmentState.SUBMITTED, submitted_at=now, shown_sha256=assignment.shown_sha256
    )
    verb = "submit_grade" if supersedes is None else "revise_grade"
    record(actor=reviewer, verb=verb, target=grade, details={"assignment": assignment.handle})
    return grade


def _validated(assignment: Assignment, content: dict[str, Any], rubric_sha256: str) -> Submission:
    """Check rubric, material and answers; notes on the assignment what is shown if it never was."""
    rubric_row = assignment.item.campaign.rubric
    if rubric_sha256 != rubric_row.sha256:
        raise Refused(
            "The questions have changed since the page was opened; your text is kept. Reload the page.",
            code="stale_rubric",
        )
    shown = material(assignment)
    if assignment.shown_sha256 and assignment.shown_sha256 != shown.sha256:
        raise Refused(
            "The text has changed since the page was opened; your text is kept. Reload the page.",
            code="stale_item",
        )
    assignment.shown_sha256 = shown.sha256
    blocks, steps = anchors(shown)
    protocol = get_protocol(assignment.item.campaign.release.benchmark.protocol)
    flaggable = Flaggable(protocol.flag_kinds, flag_places(shown) if content.get("flags") else {})
    return checked(rubric_from_content(rubric_row.content), content, blocks, steps, flaggable)


def _lock_draft(
    assignment: Assignment, content: dict[str, Any], active_seconds: int, draft_version: int | None
) -> int:
    """Keep the submitted text as the locked draft and return the active seconds."""
    draft = Draft.objects.filter(assignment=assignment).first() or Draft(assignment=assignment, version=0)
    if draft_version is not None and draft.version != draft_version and draft.content != content:
        raise DraftConflict(stored=draft, sent=content)
    draft.locked_at = timezone.now()
    return _store(draft, content, active_seconds).active_seconds


def _sides(assignment: Assignment) -> dict[str, Output]:
    """What a preference names, by the side it stood on; empty unless a pair was shown."""
    if assignment.item.second is None:
        return {}
    return dict(zip(SIDES, shown_first(assignment), strict=True))


def _write_answers(grade: Grade, submission: Submission, sides: Mapping[str, Output]) -> None:
    questions = grade.assignment.item.campaign.rubric.content["questions"]
    preferences = {question["key"] for question in questions if question["scale"] == "preference"}
    Answer.objects.bulk_create(
        Answer(
            grade=grade,
            question=answer.question,
            step=answer.step,
            value=answer.value,
            state=answer.state,
            comment=answer.comment,
            preferred=sides.get(answer.value) if answer.question in preferences else None,
        )
        for answer in submission.answers
    )
    Comment.objects.bulk_create(
        Comment(
            grade=grade,
            block=comment.block,
            start=comment.start,
            end=comment.end,
            severity=comment.severity,
            kind=comment.kind,
            text=comment.text,
        )
        for comment in submission.comments
    )


@transaction.atomic
def reopen_grade(*, reviewer: User, assignment: Assignment) -> Draft:
    """Unlock the text of a submitted grade for revision; the grade stays live until it is superseded."""
    assignment = locked(assignment)
    require_own(reviewer, assignment)
    phases.require(assignment.item.campaign.phase, Verb.GRADE)
    require_unrevealed(assignment.item_id)
    require_revisable(assignment.item.campaign)
    draft = Draft.objects.filter(assignment=assignment).first()
    if assignment.state != AssignmentState.SUBMITTED or draft is None:
        raise Refused("There is no grade to reopen.", code="not_submitted")
    if draft.locked_at is not None:
        draft.locked_at = None
        draft.version += 1
        draft.save(update_fields=["locked_at", "version"])
        record(actor=reviewer, verb="reopen_grade", target=assignment)
    return draft
