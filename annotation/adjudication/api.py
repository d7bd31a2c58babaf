"""REST endpoints of adjudication and unblinding."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.profile.api import caller, understood
from accounts.rest.filters import StaffView
from accounts.rest.idempotency import writes
from annotation.adjudication import actions, unblinding
from annotation.adjudication.page import adjudication_page
from annotation.adjudication.reading import as_shown, queue, state_counts
from annotation.adjudication.settling import State
from annotation.campaigns.api import campaign_or_404
from annotation.core import queries
from annotation.core.item_names import item_called, item_name
from annotation.models import Adjudication, Campaign, Cause


class QueuedItemOut(serializers.Serializer[Any]):
    item = serializers.CharField(source="name", help_text="The item's opaque name.")
    problem = serializers.CharField(source="item.instance.key")
    domain = serializers.CharField(source="item.instance.domain")
    state = serializers.ChoiceField(choices=[state.value for state in State])
    grades = serializers.IntegerField()
    places = serializers.IntegerField(source="item.places")
    split = serializers.ListField(child=serializers.CharField())


class AdjudicationOut(serializers.Serializer[Any]):
    campaign = serializers.CharField()
    phase = serializers.CharField()
    counts = serializers.DictField(child=serializers.IntegerField())
    items = QueuedItemOut(many=True)


class AdjudicateIn(serializers.Serializer[Any]):
    question = serializers.CharField(max_length=100)
    step = serializers.CharField(max_length=50, required=False, allow_blank=True, default="")
    value = serializers.CharField(max_length=200)
    cause = serializers.ChoiceField(choices=Cause.choices, required=False, allow_blank=True, default="")
    note = serializers.CharField(max_length=5000, required=False, allow_blank=True, default="")
    supersedes = serializers.IntegerField(
        required=False, allow_null=True, default=None, help_text="The latest decision, where there is one."
    )


class AdjudicatedOut(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    question = serializers.CharField()
    step = serializers.CharField()
    value = serializers.CharField()
    overrules = serializers.BooleanField()
    cause = serializers.CharField()
    note = serializers.CharField()
    informed = serializers.BooleanField(help_text="The adjudicator was able to see systems.")
    amendment = serializers.BooleanField(help_text="Decided after the unblinding.")
    decided_at = serializers.DateTimeField()

    def to_representation(self, instance: Adjudication) -> dict[str, object]:
        return {**super().to_representation(instance), "decided_at": instance.decided_at.isoformat()}


class AnswerByLetterOut(serializers.Serializer[Any]):
    letter = serializers.CharField()
    value = serializers.CharField(allow_blank=True)
    comment = serializers.CharField(allow_blank=True)


class DisputedOut(serializers.Serializer[Any]):
    question = serializers.CharField(source="question.key")
    step = serializers.CharField()
    state = serializers.CharField()
    answers = AnswerByLetterOut(many=True)
    decision = AdjudicatedOut(allow_null=True)
    history = AdjudicatedOut(many=True)


class AdjudicatedItemOut(serializers.Serializer[Any]):
    item = serializers.CharField()
    problem = serializers.CharField()
    missing = serializers.IntegerField()
    questions = DisputedOut(many=True)


class UnblindingIn(serializers.Serializer[Any]):
    verb = serializers.ChoiceField(choices=["request", "confirm", "withdraw"])
    reason = serializers.CharField(max_length=1000, required=False, allow_blank=True, default="")


class UnblindingOut(serializers.Serializer[Any]):
    campaign = serializers.CharField()
    unblinded = serializers.BooleanField()
    reason = serializers.CharField()
    requested_by = serializers.CharField(allow_null=True)
    confirmed_by = serializers.CharField(allow_null=True)


class AdjudicationView(StaffView):
    @extend_schema(operation_id="campaign_adjudication", responses=AdjudicationOut)
    def get(self, request: Request, slug: str) -> Response:
        """Items that are split, agreed, incomplete or settled; graders and systems are not named."""
        campaign = campaign_or_404(slug)
        items = queue(campaign)
        body = {"campaign": slug, "phase": campaign.phase, "counts": state_counts(items), "items": items}
        return Response(AdjudicationOut(body).data)


class AdjudicatedItemView(StaffView):
    @extend_schema(operation_id="campaign_adjudication_item", responses=AdjudicatedItemOut)
    def get(self, request: Request, slug: str, name: str) -> Response:
        """What each grader said, by letter, and what was decided. The sides of a pair are in one order for all, which
        is not that of its outputs' systems or rows."""
        item = item_called(campaign_or_404(slug), name)
        page = adjudication_page(item)
        body = {
            "item": item_name(item.pk),
            "problem": item.instance.key,
            "missing": max(0, page.missing),
            "questions": page.disputed,
        }
        return Response(AdjudicatedItemOut(body).data)

    @writes("campaign_adjudicate", request=AdjudicateIn, responses={201: AdjudicatedOut})
    def post(self, request: Request, slug: str, name: str) -> Response:
        """Decide one question of a closed campaign's item."""
        item = item_called(campaign_or_404(slug), name)
        sent = understood(AdjudicateIn, request)
        made = actions.adjudicate(actor=caller(request), item=item, **sent)
        return Response(AdjudicatedOut(as_shown(made)).data, status=201)


class UnblindingView(StaffView):
    @extend_schema(operation_id="campaign_unblinding", responses=UnblindingOut)
    def get(self, request: Request, slug: str) -> Response:
        """Whether the campaign is unblinded, and who requested and confirmed it."""
        return Response(_unblinding(campaign_or_404(slug)))

    @writes("campaign_unblind", request=UnblindingIn, responses={200: UnblindingOut})
    def post(self, request: Request, slug: str) -> Response:
        """Request the unblinding of a closed campaign, confirm another person's request, or withdraw it."""
        campaign = campaign_or_404(slug)
        sent = understood(UnblindingIn, request)
        who = caller(request)
        if sent["verb"] == "request":
            unblinding.request_unblinding(actor=who, campaign=campaign, reason=sent["reason"])
        elif sent["verb"] == "confirm":
            unblinding.confirm_unblinding(actor=who, campaign=campaign)
        else:
            unblinding.withdraw_unblinding(actor=who, campaign=campaign)
        return Response(_unblinding(campaign))


def _unblinding(campaign: Campaign) -> dict[str, object]:
    row = queries.unblinding(campaign)
    return {
        "campaign": campaign.slug,
        "unblinded": bool(row and row.confirmed_at),
        "reason": row.reason if row else "",
        "requested_by": row.requested_by.email if row else None,
        "confirmed_by": row.confirmed_by.email if row and row.confirmed_by else None,
    }
