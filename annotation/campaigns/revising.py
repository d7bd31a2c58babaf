"""Changing a campaign: its terms, what will be drawn, and discarding a draw."""

from typing import Any

from django.db import transaction

from accounts.models import User
from accounts.refusal import Refused
from accounts.trail import record
from annotation.campaigns.actions import (
    keep_rubric,
    locked,
    require_day_to_come,
    require_sound_terms,
    require_staff,
)
from annotation.core import phases
from annotation.core.phases import Phase, Verb
from annotation.models import (
    Assignment,
    Campaign,
    CampaignKind,
    CampaignSetup,
    Reveal,
    SetupStep,
    TrainingSet,
)

WHAT = (
    "release",
    "rubric",
    "track",
    "condition",
    "seed",
    "reviewers_per_item",
)  # what the draw rests on, or copies
TERMS = (
    *WHAT,
    "name",
    "problem_rule",
    "split_by",
    "most_per_reviewer",
    "with_search",
    "due_on",
    "instructions",
)
WHILE_OPEN = ("due_on", "instructions")


@transaction.atomic
def revise_campaign(*, actor: User, campaign: Campaign, **terms: Any) -> Campaign:
    """Change some of TERMS; `rubric` is a label, as for create_campaign. The same terms again change nothing.

    Everything may change until the items are drawn, then all but WHAT, and WHILE_OPEN until the campaign is
    closed. With another release, rubric, track or condition, the choices for the draw are reset. Raises Refused
    naming the field, as create_campaign does and (code "drawn" or "wrong_phase") when it is too late.
    """
    require_staff(actor)
    if unknown := terms.keys() - {*TERMS}:
        raise ValueError(f"not terms of a campaign: {', '.join(sorted(unknown))}")
    campaign = locked(campaign)
    if "rubric" in terms or "release" in terms:
        release = terms.get("release", campaign.release)
        kept = keep_rubric(release.benchmark.protocol, terms.get("rubric", campaign.rubric.label))
        terms |= {"rubric": kept}
        if kept.content["kind"] == CampaignKind.CONSTRUCTION:
            terms |= {"track": "", "condition": None}
    changed = {name: value for name, value in terms.items() if getattr(campaign, name) != value}
    if not changed:
        return campaign
    if campaign.phase == Phase.CLOSED:
        raise Refused("The terms of a closed campaign cannot change.", code="wrong_phase")
    asked = [name for name in ("release", "rubric") if name in changed]
    if asked and TrainingSet.objects.filter(campaign=campaign).exists():
        raise Refused(
            "This can no longer change: the attached training answers this rubric.",
            code="trained",
            field=asked[0],
        )
    late = [name for name in changed if name not in WHILE_OPEN]
    if late and campaign.phase == Phase.OPEN:
        raise Refused(
            "This can no longer change: reviewers are at work. In an open campaign you can change the due date "
            "and the instructions.",
            code="wrong_phase",
            field=late[0],
        )
    drawn = [name for name in changed if name in WHAT]
    if drawn and campaign.items.exists():
        raise Refused(
            "This can no longer change: the items are drawn. Discard the draw first.",
            code="drawn",
            field=drawn[0],
        )
    require_day_to_come(changed.get("due_on"))
    for name, value in changed.items():
        setattr(campaign, name, value)
    campaign.kind = campaign.rubric.content["kind"]
    require_sound_terms(campaign)
    campaign.save(update_fields=[*changed, "kind"])
    if changed.keys() & {"release", "rubric", "track", "condition"}:
        CampaignSetup.objects.filter(campaign=campaign).update(reached=SetupStep.TERMS, draw={})
    details = {name: str(value) for name, value in changed.items()}
    record(actor=actor, verb="revise_campaign", target=campaign, details=details)
    return campaign


@transaction.atomic
def keep_setup(*, actor: User, campaign: Campaign, step: str, **kept: Any) -> None:
    """Record that `step` was saved, with its values of `draw` and `minutes_per_item`.

    Raises Refused when the campaign has opened, or when a draw is chosen although there is one.
    """
    require_staff(actor)
    campaign = locked(campaign)
    if campaign.phase != Phase.DRAFT:
        raise Refused("Only a draft can be set up.", code="wrong_phase")
    if "draw" in kept and campaign.items.exists():
        raise Refused("The items are drawn. Discard the draw first.", code="drawn")
    setup, _ = CampaignSetup.objects.select_for_update().get_or_create(campaign=campaign)
    order = SetupStep.values
    setup.reached = max(setup.reached, step, key=order.index)
    for name, value in kept.items():
        setattr(setup, name, value)
    setup.save(update_fields=["reached", *kept])


@transaction.atomic
def discard_draw(*, actor: User, campaign: Campaign) -> int:
    """Discard the draw of a draft; returns how many items were removed. Runs that it froze stay frozen.

    The audit trail records both, so that nobody can redraw until they like the sample without leaving a trace.
    Raises Refused when there is no draw, or (code "assigned") when any place was ever given.
    """
    require_staff(actor)
    campaign = locked(campaign)
    phases.require(campaign.phase, Verb.DRAW)
    if Assignment.objects.filter(item__campaign=campaign).exists():
        raise Refused("Reviewers have places on these items, so the draw is final.", code="assigned")
    if Reveal.objects.filter(campaign=campaign).exists():
        raise Refused(
            "A judge's verdicts are attached to these items, so the draw is final.", code="verdicts"
        )
    count, _ = campaign.items.all().delete()
    if not count:
        raise Refused("There is no draw to discard.", code="nothing_drawn")
    campaign.frame = None
    campaign.save(update_fields=["frame"])
    record(actor=actor, verb="discard_draw", target=campaign, details={"items": count, "seed": campaign.seed})
    return count
