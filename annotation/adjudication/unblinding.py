"""Showing the systems of a closed campaign: one person requests it, another confirms."""

from django.db import transaction
from django.utils import timezone

from accounts.access import is_study_staff, lacks_second_factor
from accounts.models import User
from accounts.refusal import NotAllowed, Refused
from accounts.trail import record
from annotation.campaigns.actions import locked, require_staff
from annotation.core import phases
from annotation.core.phases import Verb
from annotation.models import Assignment, AssignmentState, Campaign, Unblinding


@transaction.atomic
def request_unblinding(*, actor: User, campaign: Campaign, reason: str) -> Unblinding:
    """Request that the systems of a closed campaign be shown; takes effect when someone else confirms.

    Raises Refused while the campaign is not closed (the reason counts its open assignments), without a
    reason, or when it has already been requested.
    """
    _require_entitled(actor)
    campaign = locked(campaign)
    if not phases.allows(campaign.phase, Verb.UNBLIND):
        waiting = Assignment.objects.filter(item__campaign=campaign, state=AssignmentState.WAITING).count()
        raise Refused(
            f"Close the campaign before unblinding; it is {campaign.phase} with {waiting} open assignments.",
            code="wrong_phase",
        )
    reason = reason.strip()
    if not reason:
        raise Refused("Say why the systems should be shown.", code="no_reason", field="reason")
    if len(reason) > 1000:
        raise Refused("The reason is longer than 1000 characters.", code="too_long", field="reason")
    if Unblinding.objects.filter(campaign=campaign, withdrawn_at=None).exists():
        raise Refused("The unblinding of this campaign has already been requested.", code="already_requested")
    asked = Unblinding.objects.create(campaign=campaign, reason=reason, requested_by=actor)
    record(actor=actor, verb="request_unblinding", target=campaign, reason=reason)
    return asked


@transaction.atomic
def confirm_unblinding(*, actor: User, campaign: Campaign) -> Unblinding:
    """Confirm the request of another person, who may still make it. From now on campaign pages show systems, decisions
    are amendments."""
    _require_entitled(actor)
    campaign = locked(campaign)
    asked = _open_request(campaign)
    if asked.requested_by_id == actor.pk:
        raise NotAllowed("Unblinding takes two people: someone else has to confirm your request.")
    if not (asked.requested_by.is_active and is_study_staff(asked.requested_by)):
        raise Refused(
            "The account of the person who requested this has been closed, or they no longer run studies. Withdraw the "
            "request and make your own.",
            code="requested_by_nobody",
        )
    asked.confirmed_by, asked.confirmed_at = actor, timezone.now()
    asked.save(update_fields=["confirmed_by", "confirmed_at"])
    details = {"requested_by": asked.requested_by_id}
    record(actor=actor, verb="confirm_unblinding", target=campaign, reason=asked.reason, details=details)
    return asked


@transaction.atomic
def withdraw_unblinding(*, actor: User, campaign: Campaign) -> Unblinding:
    """Withdraw a request, or decline it, before it is confirmed."""
    _require_entitled(actor)
    campaign = locked(campaign)
    asked = _open_request(campaign)
    asked.withdrawn_at = timezone.now()
    asked.save(update_fields=["withdrawn_at"])
    record(actor=actor, verb="withdraw_unblinding", target=campaign)
    return asked


def _open_request(campaign: Campaign) -> Unblinding:
    asked = Unblinding.objects.filter(campaign=campaign, withdrawn_at=None).first()
    if asked is None:
        raise Refused("Nobody has requested this unblinding.", code="not_requested")
    if asked.confirmed_at is not None:
        raise Refused("The campaign is already unblinded.", code="already_unblinded")
    return asked


def _require_entitled(actor: User) -> None:
    require_staff(actor)
    if lacks_second_factor(actor):
        raise NotAllowed("Set up your second factor first; unblinding needs two people who have one.")
