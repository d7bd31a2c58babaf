"""Comments shared among reviewers: proposed by one of them, decided about by the study's staff.

A shared comment must not reveal who wrote an answer, who graded it or that its item occurs: it is a copy of the text
only, staff read it first, and one that names a system or a person is refused.
"""

from itertools import chain

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from accounts.profile.saved_comments import checked_comment
from accounts.refusal import NotAllowed, Refused
from accounts.trail import record
from annotation.assigning.actions import require_blind_reviewer
from annotation.campaigns.actions import require_staff
from annotation.comments.bank import campaigns_of
from annotation.core.identities import name_in, person_names, system_names
from annotation.models import Campaign, SharedComment, SharingState

DECISIONS = {
    SharingState.PROPOSED: {SharingState.SHARED, SharingState.DECLINED},
    SharingState.DECLINED: {SharingState.SHARED},
    SharingState.SHARED: {SharingState.WITHDRAWN},
    SharingState.WITHDRAWN: {SharingState.SHARED},
}
MOST_WAITING = 50  # proposals of one person in one campaign


@transaction.atomic
def propose_comment(*, reviewer: User, campaign: Campaign, text: str) -> SharedComment:
    """Ask that a comment be shared in a campaign in which the reviewer holds a place.

    The same words again are not proposed twice. Raises NotAllowed for anybody else, Refused for an empty or
    overlong comment, or for the 51st waiting proposal (code "too_many_proposals").
    """
    require_blind_reviewer(reviewer)
    if not campaigns_of(reviewer).filter(pk=campaign.pk).exists():
        raise NotAllowed("You have no place in this campaign.")
    text = checked_comment(text)
    User.objects.select_for_update().get(pk=reviewer.pk)
    mine = SharedComment.objects.filter(proposed_by=reviewer, campaign=campaign)
    known = mine.filter(text=text, state__in=[SharingState.PROPOSED, SharingState.SHARED]).first()
    if known is not None:
        return known
    if mine.filter(state=SharingState.PROPOSED).count() >= MOST_WAITING:
        raise Refused(
            f"{MOST_WAITING} of your comments are already waiting for a decision.", code="too_many_proposals"
        )
    row = SharedComment.objects.create(
        protocol=campaign.rubric.protocol, campaign=campaign, text=text, proposed_by=reviewer
    )
    record(actor=reviewer, verb="propose_comment", target=row, details={"campaign": campaign.slug})
    return row


@transaction.atomic
def share_comment(*, actor: User, campaign: Campaign, text: str, everywhere: bool = False) -> SharedComment:
    """Share a comment written by staff with the reviewers of a campaign, or with `everywhere` of its protocol."""
    require_staff(actor)
    text = checked_comment(text)
    _require_nameless(text)
    row = SharedComment.objects.create(
        protocol=campaign.rubric.protocol,
        campaign=None if everywhere else campaign,
        text=text,
        state=SharingState.SHARED,
        proposed_by=actor,
        decided_by=actor,
        decided_at=timezone.now(),
    )
    record(actor=actor, verb="share_comment", target=row, details={"campaign": campaign.slug})
    return row


@transaction.atomic
def decide_comment(
    *, actor: User, comment: SharedComment, state: str, everywhere: bool = False
) -> SharedComment:
    """Share, decline or withdraw; `everywhere` shares with every campaign of the protocol.

    Raises Refused with code wrong_state where the present state does not lead there, or names_somebody.
    """
    require_staff(actor)
    comment = SharedComment.objects.select_for_update().get(pk=comment.pk)
    if state not in DECISIONS[SharingState(comment.state)]:
        raise Refused(f"The comment is {comment.state}; it cannot be made {state}.", code="wrong_state")
    if state == SharingState.SHARED:
        _require_nameless(comment.text)
        comment.campaign = None if everywhere else comment.campaign
    comment.state, comment.decided_by, comment.decided_at = state, actor, timezone.now()
    comment.save(update_fields=["state", "campaign", "decided_by", "decided_at"])
    record(actor=actor, verb="decide_comment", target=comment, details={"state": state})
    return comment


def _require_nameless(text: str) -> None:
    name = name_in(text, chain(system_names(), person_names()))
    if name:
        raise Refused(
            f"The comment names {name}. A shared comment must not name a system or a person of the study.",
            code="names_somebody",
            field="text",
        )
