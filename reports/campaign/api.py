"""REST endpoints of a campaign's results, for coordinators and owners. Only the guesses name systems: for owners."""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.profile.api import caller, understood
from accounts.refusal import Refused
from accounts.rest.auth import IsOwner
from accounts.rest.documents import schema_of
from accounts.rest.errors import RefusalOut
from accounts.rest.filters import StrictView
from annotation.models import Campaign
from canonical.documents import as_json
from reports.campaign.blinding import Blinding, blinding
from reports.campaign.calibration import Calibration, calibration_agreement
from reports.campaign.monitoring import Monitoring
from reports.campaign.reliability import Reliability
from reports.campaign.results import (
    CampaignResults,
    campaign_results,
    monitored_reviewers,
    question_reliability,
)
from reports.campaign.views import campaign_or_404
from reports.core.choosing import only_known
from reports.core.rest import ReadingView, invalid
from reports.verdicts.copies import copy_verdicts, verdicts_document


class _CampaignView(ReadingView):
    """A document about one campaign; parameters other than those it knows are refused."""

    def campaign(self, request: Request, slug: str, *known: str) -> Campaign:
        try:
            only_known(request.query_params, *known)
        except Refused as refusal:
            raise invalid(refusal) from refusal
        return campaign_or_404(slug)


class CampaignResultsView(_CampaignView):
    @extend_schema(operation_id="campaigns_results", responses=schema_of(CampaignResults))
    def get(self, request: Request, slug: str) -> Response:
        """The numbers behind the campaign's results page."""
        return Response(as_json(campaign_results(self.campaign(request, slug))))


class ReliabilityView(_CampaignView):
    @extend_schema(
        operation_id="campaigns_question",
        parameters=[
            OpenApiParameter("more", enum=["errors"], description="Add what the labels say when experts err.")
        ],
        responses=schema_of(Reliability),
    )
    def get(self, request: Request, slug: str, question: str) -> Response:
        """Every agreement coefficient, every pair of experts, every value of the scale."""
        campaign = self.campaign(request, slug, "more")
        return Response(
            as_json(question_reliability(campaign, question, request.query_params.get("more", "")))
        )


class MonitoringView(_CampaignView):
    @extend_schema(operation_id="campaigns_monitoring", responses=schema_of(Monitoring))
    def get(self, request: Request, slug: str) -> Response:
        """By name, in the order of names; never a ranking."""
        return Response(as_json(monitored_reviewers(self.campaign(request, slug))))


class CalibrationAgreementView(_CampaignView):
    @extend_schema(operation_id="campaigns_calibration_agreement", responses=schema_of(Calibration))
    def get(self, request: Request, slug: str) -> Response:
        """Every coefficient of the blind answers and of those after the discussion."""
        return Response(as_json(calibration_agreement(self.campaign(request, slug))))


class VerdictsIn(serializers.Serializer[Any]):
    judge = serializers.CharField(default="", allow_blank=True, help_text="A judge version's label.")
    predicate = serializers.CharField(default="", allow_blank=True)
    question = serializers.CharField(default="", allow_blank=True)
    before_share = serializers.FloatField(default=0.0, min_value=0, max_value=1)
    seed = serializers.IntegerField(default=1, min_value=0)


class CampaignVerdictsView(_CampaignView):
    @extend_schema(operation_id="campaigns_verdicts", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, slug: str) -> Response:
        """What is attached, and how its claims were marked."""
        return Response(verdicts_document(self.campaign(request, slug)))

    @extend_schema(
        operation_id="campaigns_attach_verdicts",
        request=VerdictsIn,
        responses={201: OpenApiTypes.OBJECT, 409: RefusalOut},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Copy a judge's verdicts to a draft; they are frozen from then on."""
        campaign = self.campaign(request, slug)
        copy_verdicts(actor=caller(request), campaign=campaign, **understood(VerdictsIn, request))
        return Response(verdicts_document(campaign), status=201)


class BlindingView(ReadingView, StrictView):
    permission_classes = [IsOwner]

    @extend_schema(operation_id="campaigns_blinding", responses=schema_of(Blinding))
    def get(self, request: Request, slug: str) -> Response:
        """Guesses by system with Bang's index, and James's index."""
        return Response(as_json(blinding(campaign_or_404(slug))))
