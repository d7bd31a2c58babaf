"""Verdicts shown to reviewers: attached while in draft, claims marked after the grade, amendments recorded in addition
to it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.db import transaction

from accounts.models import User
from accounts.refusal import Refused
from accounts.trail import record
from annotation.calibration.actions import require_first_later, store_later
from annotation.campaigns.actions import locked as locked_campaign
from annotation.campaigns.actions import require_staff
from annotation.core.phases import Phase
from annotation.grading.actions import locked, require_own
from annotation.grading.drafting import later_draft, save_over
from annotation.models import (
    Assignment,
    AssignmentState,
    Campaign,
    CampaignKind,
    ClaimMark,
    LaterGrade,
    Mark,
    Occasion,
    Reveal,
    ShownClaim,
    ShownVerdict,
    SideDraft,
)
from annotation.reveal.rules import draw_arms, reveal_of, shown_verdict
from benchmark.rendering.stored import ask_for
from canonical import sha256_of


@dataclass(frozen=True)
class VerdictCopy:
    """What is copied of a judge's verdict on an item."""

    item: int
    value: str
    claims: tuple[str, ...] = ()


@transaction.atomic
def attach_verdicts(
    *,
    actor: User,
    campaign: Campaign,
    question: str,
    judge: str,
    predicate: str,
    verdicts: Sequence[VerdictCopy],
    withheld: int = 0,
    before_share: float = 0.0,
    seed: int = 1,
) -> Reveal:
    """Freeze `verdicts` as what reviewers of the campaign are shown; a place on an item without one sees none.

    `before_share` of the places, drawn with `seed`, see the verdict before they grade. Raises Refused with code
    wrong_phase (not a draft), wrong_kind, attached, no_verdicts or bad_share.
    """
    require_staff(actor)
    campaign = locked_campaign(campaign)
    if campaign.phase != Phase.DRAFT:
        raise Refused("Verdicts can only be attached before the campaign opens.", code="wrong_phase")
    if campaign.kind not in (CampaignKind.GRADE, CampaignKind.AUDIT):
        raise Refused("Verdicts can only be shown for single answers.", code="wrong_kind")
    if reveal_of(campaign) is not None:
        raise Refused("Verdicts are already attached.", code="attached")
    if not 0 <= before_share <= 1:
        raise Refused("The share must be between 0 and 1.", code="bad_share", field="before_share")
    if not verdicts:
        raise Refused("The judge has no verdicts on these items.", code="no_verdicts")
    content = sorted((asdict(copy) for copy in verdicts), key=lambda copy: int(copy["item"]))
    reveal = Reveal.objects.create(
        campaign=campaign,
        question=question,
        judge=judge,
        predicate=predicate,
        before_share=before_share,
        seed=seed,
        withheld=withheld,
        sha256=sha256_of(content),
        attached_by=actor,
    )
    rows = [ShownVerdict(reveal=reveal, item_id=copy.item, value=copy.value) for copy in verdicts]
    ShownVerdict.objects.bulk_create(rows)
    ShownClaim.objects.bulk_create(
        ShownClaim(verdict=row, number=number, text=text)
        for row, copy in zip(rows, verdicts, strict=True)
        for number, text in enumerate(copy.claims, start=1)
    )
    ask_for((text, "markdown") for copy in verdicts for text in copy.claims)
    draw_arms(reveal, Assignment.objects.filter(item__campaign=campaign))
    details = {
        "verdicts": len(verdicts),
        "sha256": reveal.sha256,
        "before_share": before_share,
        "judge": judge,
    }
    record(actor=actor, verb="attach_verdicts", target=campaign, details=details)
    return reveal


@transaction.atomic
def mark_claims(*, reviewer: User, assignment: Assignment, marks: Mapping[str, str]) -> None:
    """Mark every claim of the verdict, by its number, as right, wrong or irrelevant; once.

    Raises Refused with code not_submitted, no_verdict, already_marked or incomplete.
    """
    assignment = locked(assignment)
    require_own(reviewer, assignment)
    if assignment.state != AssignmentState.SUBMITTED:
        raise Refused("Claims can only be marked after the grade.", code="not_submitted")
    claims = {
        str(claim.number): claim for claim in ShownClaim.objects.filter(verdict__item=assignment.item_id)
    }
    if not claims or shown_verdict(assignment) is None:  # one that is hidden still is like none
        raise Refused("There is no claim to mark.", code="no_verdict")
    if ClaimMark.objects.filter(assignment=assignment).exists():
        raise Refused("You have already marked these claims.", code="already_marked")
    if set(marks) != set(claims) or not set(marks.values()) <= set(Mark.values):
        raise Refused("Mark every claim right, wrong or irrelevant.", code="incomplete", field="marks")
    ClaimMark.objects.bulk_create(
        ClaimMark(assignment=assignment, claim=claims[number], mark=mark) for number, mark in marks.items()
    )
    record(actor=reviewer, verb="mark_claims", target=assignment)


@transaction.atomic
def save_amendment(*, reviewer: User, assignment: Assignment, version: int, content: Any) -> SideDraft:
    """Save what is typed of an amendment over `version` (0: nothing saved yet); its reason is the note.

    Raises DraftConflict, and Refused with code no_verdict, already_answered or not_submitted.
    """
    assignment = _with_verdict(reviewer, assignment)
    require_first_later(assignment, Occasion.VERDICT)
    return save_over(later_draft(assignment, Occasion.VERDICT), version, content)


def _with_verdict(reviewer: User, assignment: Assignment) -> Assignment:
    """The reviewer's place, held, if it is submitted and they may see a verdict on its item."""
    assignment = locked(assignment)
    require_own(reviewer, assignment)
    if assignment.state == AssignmentState.SUBMITTED and shown_verdict(assignment) is None:
        raise Refused("No verdict is shown on this item.", code="no_verdict")
    return assignment


@transaction.atomic
def amend_after_verdict(*, reviewer: User, assignment: Assignment, content: Any, reason: str) -> LaterGrade:
    """Record other answers after the verdict was shown, once, outside the primary labels.

    Raises Incomplete, and Refused with code not_submitted, no_verdict, already_answered or no_reason.
    """
    assignment = _with_verdict(reviewer, assignment)
    later = store_later(assignment, Occasion.VERDICT, content, reason)
    record(actor=reviewer, verb="amend_after_verdict", target=later)
    return later
