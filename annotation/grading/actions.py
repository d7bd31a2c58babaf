"""Drafts and grades: nothing typed is lost, nothing submitted is overwritten."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from accounts.refusal import NotAllowed, Refused
from accounts.trail import record
from annotation.assigning.actions import require_blind_reviewer, saw_systems
from annotation.calibration.reading import blind_answers_are_final, require_unrevealed
from annotation.core import phases, queries
from annotation.core.documents import anchors
from annotation.core.files import file_pages
from annotation.core.identities import informed_people
from annotation.core.material import SIDES, material, shown_first
from annotation.core.phases import Verb
from annotation.core.places import is_locked, own_or_none
from annotation.core.queries import PlaceToGrade, place_to_grade
from annotation.grading.answers import Flaggable, Submission, checked, shaped
from annotation.grading.flag_places import flag_places
from annotation.grading.flagging import write_flags
from annotation.grading.reasons import write_reasons
from annotation.models import Answer, Assignment, AssignmentState, Comment, Draft, Grade, SideDraft
from annotation.reveal.rules import require_revisable, verdict_in_sight
from annotation.training.reading import require_trained
from benchmark.protocols import get_protocol
from benchmark.rubrics import rubric_from_content
from canonical import sha256_of

MAX_ACTIVE_SECONDS = 7 * 24 * 3600
MAX_KEY_LENGTH = 200


class NoPlace(NotAllowed):
    """The person has no such place; this says nothing about whether someone else has."""

    def __init__(self) -> None:
        super().__init__("This place belongs to someone else.")


class DraftConflict(Refused):
    """Another tab or device saved first. Carries both texts; nothing was overwritten."""

    def __init__(self, *, stored: Draft | SideDraft, sent: Mapping[str, object]) -> None:
        self.stored = stored
        self.sent = sent
        super().__init__(
            "This item was changed in another window or on another device.", code="draft_conflict"
        )

    def further(self) -> dict[str, object]:
        names = (
            "version",
            "content",
            "active_seconds",
            "saved_at",
        )  # the drafts of other forms have no clock
        return {"stored": {name: getattr(self.stored, name) for name in names if hasattr(self.stored, name)}}


def require_own(reviewer: User, assignment: Assignment) -> None:
    """Raise NotAllowed unless the place belongs to `reviewer`, blind, and was not given up."""
    require_blind_reviewer(reviewer)
    if assignment.reviewer_id != reviewer.pk or assignment.state == AssignmentState.RELEASED:
        raise NotAllowed("This place belongs to someone else.")


def locked(assignment: Assignment) -> Assignment:
    """The assignment's row with what a grade needs, held until the transaction ends."""
    rows = Assignment.objects.select_for_update(of=("self",)).select_related(*queries.SHOWN_WITH_A_PLACE)
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

    Raises DraftConflict when another window saved since; sending the stored text again is not a conflict.
    """
    held = Assignment.objects.select_for_update(of=("self",)).select_related("item__campaign")
    assignment = held.get(pk=assignment.pk)
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


def _store(draft: Draft, content: Mapping[str, object], active_seconds: int) -> Draft:
    """Drafts are saved every few seconds, so they write no audit row; their grade will.

    The same text again keeps its version: a window that was closed may send it after the next one has read it.
    """
    if not draft.version or draft.content != content:
        draft.version += 1
    draft.content = content
    draft.active_seconds = max(draft.active_seconds, min(int(active_seconds), MAX_ACTIVE_SECONDS))
    draft.saved_at = timezone.now()
    draft.save()
    return draft


@dataclass(frozen=True)
class Sent:
    """What a reviewer sends to be locked as a grade."""

    content: Any
    idempotency_key: str
    rubric_sha256: str
    active_seconds: int = 0
    draft_version: int | None = None
    shown_sha256: str = ""  # of the text that was read; empty: of the text at the first opening


@dataclass(frozen=True)
class Submitted:
    """A grade with what it says; `said` is None where the grade already existed under the same key."""

    grade: Grade
    said: Submission | None


@transaction.atomic
def submit_or_revise(*, reviewer: User, handle: str, sent: Sent) -> Submitted:
    """Lock the reviewer's answers as a grade; on a reopened place it supersedes the live one.

    The same key and body again return the same grade. Raises NoPlace for every handle that the reviewer cannot see,
    whether it exists or not; Incomplete (naming the questions), DraftConflict when `draft_version` is not the stored
    one, and Refused with code no_key, idempotency_mismatch, stale_rubric, stale_item, training_first, revealed,
    verdict_shown, already_submitted or wrong_phase.
    """
    # A waiting place is held by marking it as submitted, which spares a statement; a refusal takes the mark back.
    waiting = Assignment.objects.filter(handle=handle, reviewer=reviewer, state=AssignmentState.WAITING)
    marked = waiting.update(state=AssignmentState.SUBMITTED, submitted_at=timezone.now())
    if not marked:
        Assignment.objects.select_for_update().filter(handle=handle).first()
    # Everything is read only now: what another window wrote while this one waited for the row is seen.
    read = place_to_grade(reviewer, handle)
    if read is None or own_or_none(reviewer, read.assignment) is None:
        raise NoPlace
    require_own(reviewer, read.assignment)
    assignment, campaign = read.assignment, read.assignment.item.campaign
    was_submitted = not marked and assignment.state == AssignmentState.SUBMITTED
    content = shaped(sent.content)
    if not sent.idempotency_key.strip() or len(sent.idempotency_key) > MAX_KEY_LENGTH:
        raise Refused("A submission needs an idempotency key of at most 200 characters.", code="no_key")
    if was_submitted:  # a place that was waiting has no grade yet
        earlier = assignment.grades.filter(idempotency_key=sent.idempotency_key).first()
        if earlier is not None and earlier.request_sha256 != sha256_of(content):
            raise Refused("This idempotency key was used for other answers.", code="idempotency_mismatch")
        if earlier is not None:
            return Submitted(earlier, None)
    phases.require(campaign.phase, Verb.GRADE)
    if read.may_be_informed and reviewer.pk in informed_people(campaign.release):
        raise saw_systems()
    if read.is_revealed:
        raise blind_answers_are_final()
    supersedes = None
    if was_submitted and not is_locked(assignment):
        require_revisable(campaign)
        supersedes = queries.live_grade(assignment)
    else:
        if read.has_training:
            require_trained(reviewer, campaign)
        if was_submitted:
            raise Refused("This item is already submitted.", code="already_submitted")
    return _write(reviewer, read, sent, content, supersedes=supersedes)


def _write(
    reviewer: User, read: PlaceToGrade, sent: Sent, content: Mapping[str, Any], *, supersedes: Grade | None
) -> Submitted:
    assignment = read.assignment
    seen_before = assignment.shown_sha256
    rubric_row = assignment.item.campaign.rubric
    if sent.rubric_sha256 != rubric_row.sha256:
        raise Refused(
            "The questions have changed since the page was opened; your text is kept. Reload the page.",
            code="stale_rubric",
        )
    shown = material(assignment)
    if (sent.shown_sha256 or assignment.shown_sha256 or shown.sha256) != shown.sha256:
        raise Refused(
            "The text has changed since the page was opened; your text is kept. Reload the page.",
            code="stale_item",
        )
    assignment.shown_sha256 = shown.sha256
    rubric = rubric_from_content(rubric_row.content)
    needed = content.get("anchored") or any(question.scale.stepwise for question in rubric.questions)
    blocks, steps = anchors(shown) if needed else ({}, ())
    protocol = get_protocol(rubric_row.protocol)
    flaggable = Flaggable(protocol.flag_kinds, flag_places(shown) if content.get("flags") else {})
    pages = file_pages(shown) if content.get("anchored") else {}
    submission = checked(rubric, content, blocks, steps, flaggable, pages)
    # the submitted text is kept as the locked draft
    draft = getattr(assignment, "draft", None) or Draft(assignment=assignment, version=0)
    if sent.draft_version is not None and draft.version != sent.draft_version and draft.content != content:
        raise DraftConflict(stored=draft, sent=content)
    draft.locked_at = timezone.now()
    seconds = _store(draft, content, sent.active_seconds).active_seconds
    now = timezone.now()
    grade = Grade.objects.create(
        assignment=assignment,
        supersedes=supersedes,
        rubric_sha256=sent.rubric_sha256,
        shown_sha256=assignment.shown_sha256,
        active_seconds=seconds,
        seen_before=submission.seen_before,
        statement_wrong=submission.statement_wrong,
        verdict_seen=read.saw_verdict or (verdict_in_sight(assignment) if read.shows_verdicts else None),
        searches=submission.searches if assignment.item.campaign.with_search else None,
        note=submission.note,
        idempotency_key=sent.idempotency_key,
        request_sha256=sha256_of(content),
        created_at=now,
    )
    # what a preference names, by the side it was shown on; empty unless a pair was shown
    sides = dict(zip(SIDES, shown_first(assignment), strict=True)) if assignment.item.second else {}
    preferences = {question.key for question in rubric.questions if question.scale.kind == "preference"}
    Answer.objects.bulk_create(
        Answer(
            grade=grade,
            preferred=sides.get(answer.value) if answer.question in preferences else None,
            **vars(answer),
        )
        for answer in submission.answers
    )
    Comment.objects.bulk_create(Comment(grade=grade, **vars(comment)) for comment in submission.comments)
    write_reasons(grade, submission)
    write_flags(grade, submission.flags, sides)
    if supersedes is not None or seen_before != assignment.shown_sha256:
        Assignment.objects.filter(pk=assignment.pk).update(
            submitted_at=now, shown_sha256=assignment.shown_sha256
        )
    verb = "submit_grade" if supersedes is None else "revise_grade"
    record(actor=reviewer, verb=verb, target=grade, details={"assignment": assignment.handle})
    return Submitted(grade, submission)


@transaction.atomic
def reopen_grade(*, reviewer: User, assignment: Assignment) -> Draft:
    """Unlock the text of a submitted grade for revision; the grade stays live until it is superseded."""
    assignment = locked(assignment)
    require_own(reviewer, assignment)
    phases.require(assignment.item.campaign.phase, Verb.GRADE)
    require_unrevealed(assignment)
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
