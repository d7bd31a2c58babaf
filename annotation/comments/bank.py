"""The comment bank: what a reviewer can insert into a comment, and what may be shared at all."""

from dataclasses import dataclass

from django.db.models import Q, QuerySet
from django.utils.crypto import salted_hmac

from accounts.models import User
from annotation.core import queries
from annotation.models import Assignment, Campaign, SharedComment, SharingState


def usable(campaign: Campaign) -> QuerySet[SharedComment]:
    """What is shared with the campaign's reviewers. The order reveals nothing: it is alphabetical."""
    everywhere = Q(campaign=None, protocol=campaign.rubric.protocol)
    return SharedComment.objects.filter(
        Q(campaign=campaign) | everywhere, state=SharingState.SHARED
    ).order_by("text", "pk")


def bank_of(place: Assignment) -> dict[str, object]:
    """What the holder of a place can insert: {own: [{id, text}], shared: [text]}, each in the order of words.

    `owner` only tells two people at one browser apart.
    """
    return {
        "owner": salted_hmac("annotation.comments.bank", str(place.reviewer_id)).hexdigest()[:16],
        "own": own_comments(place.reviewer),
        "shared": list(dict.fromkeys(usable(place.item.campaign).values_list("text", flat=True))),
    }


def own_comments(user: User) -> list[dict[str, int | str]]:
    """The person's saved comments as {id, text}."""
    return [{"id": row.pk, "text": row.text} for row in user.saved_comments.order_by("text", "pk")]


def campaigns_of(user: User) -> QuerySet[Campaign]:
    """Campaigns that have opened and in which the person holds a place: where they may propose a comment."""
    held = queries.own_assignments(user).order_by().values("item__campaign")
    return Campaign.objects.filter(pk__in=held).select_related("rubric").order_by("name", "pk")


@dataclass(frozen=True)
class SharedWith:
    """The comments that are shared in a campaign."""

    campaign: Campaign
    texts: list[str]


def shared_with(user: User) -> list[SharedWith]:
    """What is shared with the person, campaign by campaign."""
    campaigns = list(campaigns_of(user))
    protocols = {campaign.rubric.protocol for campaign in campaigns}
    rows = SharedComment.objects.filter(
        Q(campaign__in=campaigns) | Q(campaign=None, protocol__in=protocols), state=SharingState.SHARED
    ).order_by("text", "pk")
    found = []
    for campaign in campaigns:
        fitting = (
            row.text
            for row in rows
            if row.campaign_id == campaign.pk
            or (row.campaign_id is None and row.protocol == campaign.rubric.protocol)
        )
        found.append(SharedWith(campaign, list(dict.fromkeys(fitting))))
    return found


def proposals_of(user: User) -> QuerySet[SharedComment]:
    """What the person proposed, latest first."""
    return SharedComment.objects.filter(proposed_by=user).select_related("campaign").order_by("-pk")


def shared_in(campaign: Campaign) -> QuerySet[SharedComment]:
    """Everything proposed in or shared with a campaign, for its staff; those waiting for a decision come first."""
    everywhere = Q(campaign=None, protocol=campaign.rubric.protocol)
    rows = SharedComment.objects.filter(Q(campaign=campaign) | everywhere)
    return rows.select_related("decided_by").order_by("decided_at", "pk")
