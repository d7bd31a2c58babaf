"""How each kind of campaign is drawn. Everything before the draw that depends on the kind is looked up here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from accounts.models import User
from accounts.refusal import Refused
from annotation.campaigns import actions, draw_counts, pairs
from annotation.campaigns.draw_counts import DrawFrame, Size
from annotation.campaigns.setup_forms import DrawForm, InstancesForm, OutputsForm, PairsForm
from annotation.models import Campaign, CampaignKind, CampaignSetup, Item
from benchmark.models import Release


@dataclass(frozen=True)
class DrawWay:
    """The form of the choices, the frame they are made on, what they would draw, and the action that draws."""

    units: str
    form: type[DrawForm]
    frame: Callable[[Release, str, str | None], DrawFrame]
    size: Callable[..., Size]
    draw: Callable[..., list[Item]]


DRAW_WAYS: Mapping[str, DrawWay] = {
    CampaignKind.GRADE: DrawWay(
        "outputs", OutputsForm, draw_counts.outputs_frame, draw_counts.domains_size, actions.draw_items
    ),
    CampaignKind.CONSTRUCTION: DrawWay(
        "instances", InstancesForm, draw_counts.instances_frame, draw_counts.domains_size, actions.draw_items
    ),
    CampaignKind.COMPARE: DrawWay(
        "pairs", PairsForm, draw_counts.pairs_frame, draw_counts.pairs_size, pairs.draw_pairs
    ),
}
# kinds whose campaign is planned and made on another page, by the name of its address
PLANNED_ELSEWHERE: Mapping[str, str] = {CampaignKind.AUDIT: "audit-draw"}


def chosen(campaign: Campaign) -> Mapping[str, Any]:
    """The choices of the campaign's draw; empty before they are made, and for a draft without a setup."""
    setup = CampaignSetup.objects.filter(campaign=campaign).first()
    return setup.draw if setup and campaign.kind in DRAW_WAYS else {}


def size_of(way: DrawWay, frame: DrawFrame, choices: Mapping[str, Any]) -> Size:
    """What the choices of the way's form would draw from the frame."""
    return way.size(
        frame, **{name: value for name, value in choices.items() if name != "leave_out_undecided"}
    )


def draw_as_chosen(*, actor: User, campaign: Campaign) -> list[Item]:
    """Draw what the campaign's setup says. Raises Refused as the kind's action does, and before anything is chosen."""
    choices = chosen(campaign)
    if not choices:
        raise Refused("Choose the items first.", code="nothing_chosen")
    return DRAW_WAYS[campaign.kind].draw(actor=actor, campaign=campaign, **choices)
