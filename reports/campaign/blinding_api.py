"""REST: whether blinding held in a closed campaign, for owners."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.refusal import Refused
from accounts.rest.auth import IsOwner
from accounts.rest.filters import StrictView
from reports.campaign.blinding import blinding_document
from reports.campaign.views import campaign_or_404
from reports.core.serializers import EstimateOut
from reports.scores.api import invalid


class BlindingRowOut(serializers.Serializer[Any]):
    system = serializers.CharField()
    right = serializers.IntegerField()
    wrong = serializers.IntegerField()
    no_idea = serializers.IntegerField()
    bang = EstimateOut(allow_null=True)


class BlindingOut(serializers.Serializer[Any]):
    campaign = serializers.CharField()
    systems = BlindingRowOut(many=True)
    guesses = serializers.IntegerField()
    skipped = serializers.IntegerField(help_text="Submitted places without an answer.")
    james = EstimateOut(allow_null=True)


class BlindingView(StrictView):
    permission_classes = [IsOwner]

    @extend_schema(operation_id="campaigns_blinding", responses=BlindingOut)
    def get(self, request: Request, slug: str) -> Response:
        """Guesses by system with Bang's index, and James's index."""
        try:
            return Response(blinding_document(campaign_or_404(slug)))
        except Refused as refusal:
            raise invalid(refusal) from refusal
