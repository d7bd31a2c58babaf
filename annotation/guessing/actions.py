"""Asking which system wrote an answer: switched on by a coordinator, answered once after submitting."""

from django.db import transaction

from accounts.models import User
from accounts.refusal import Refused
from accounts.trail import record
from annotation.campaigns.actions import locked as locked_campaign
from annotation.campaigns.actions import require_staff
from annotation.core import phases
from annotation.core.phases import Phase, Verb
from annotation.grading.actions import locked, require_own
from annotation.guessing.guesses import asks_for_guesses
from annotation.models import Assignment, AssignmentState, Campaign, CampaignKind, GuessQuestion, SystemGuess

MAX_NAME = 100


@transaction.atomic
def ask_for_guesses(*, actor: User, campaign: Campaign) -> GuessQuestion:
    """Switch the question on; only before the campaign opens, so that all reviewers are asked."""
    require_staff(actor)
    campaign = locked_campaign(campaign)
    if campaign.phase != Phase.DRAFT:
        raise Refused("Guesses can only be switched on before the campaign opens.", code="wrong_phase")
    if campaign.kind in (CampaignKind.COMPARE, CampaignKind.CONSTRUCTION):
        raise Refused(
            "Guesses can only be asked about single answers, not about pairs or instances.", code="wrong_kind"
        )
    question, made = GuessQuestion.objects.get_or_create(campaign=campaign, defaults={"asked_by": actor})
    if made:
        record(actor=actor, verb="ask_for_guesses", target=campaign)
    return question


@transaction.atomic
def guess_system(*, reviewer: User, assignment: Assignment, system: str) -> SystemGuess:
    """Store the guess, a name in the reviewer's own words or "" for no idea. It changes no grade and is final.

    Every name is accepted alike, whether or not such a system takes part. Raises Refused with code not_asked,
    wrong_phase (after the close systems may be public, and guesses are counted), not_submitted, already_guessed or
    too_long.
    """
    assignment = locked(assignment)
    require_own(reviewer, assignment)
    campaign = assignment.item.campaign
    if not asks_for_guesses(campaign):
        raise Refused("This campaign does not ask for guesses.", code="not_asked")
    phases.require(campaign.phase, Verb.GRADE)
    if assignment.state != AssignmentState.SUBMITTED:
        raise Refused("Submit your grade before the guess.", code="not_submitted")
    if SystemGuess.objects.filter(assignment=assignment).exists():
        raise Refused("You have already answered this question.", code="already_guessed")
    named = system.strip()
    if len(named) > MAX_NAME:
        raise Refused(f"A name has at most {MAX_NAME} characters.", code="too_long", field="system")
    guess = SystemGuess.objects.create(assignment=assignment, named=named)
    record(actor=reviewer, verb="guess_system", target=assignment)
    return guess
