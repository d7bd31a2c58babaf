"""REST endpoints of plans: audits of a release, and sample sizes without one."""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import TokenScope
from accounts.profile.api import caller, checked
from accounts.refusal import Refused
from accounts.rest.auth import IsSignedIn, IsStaffOfTheStudy
from benchmark.models import Release
from reports.audit.draw import AuditPlan, draw_audit
from reports.audit.frame import STRATA, SYSTEM_BUCKET
from reports.audit.precision import Expected
from reports.audit.request import ALLOCATIONS, PER_STRATUM, AuditRequest, audit_document
from reports.core.requests import release_or_404
from reports.core.rest import invalid
from reports.planning.forms import as_computed
from stats.analyses import plans
from stats.planning.allocations import PlannedStratum


def _share(**terms: Any) -> serializers.FloatField:
    return serializers.FloatField(min_value=0.0, max_value=1.0, **terms)


def _half_width() -> serializers.FloatField:
    return serializers.FloatField(min_value=0.0001, max_value=0.49, required=False, allow_null=True)


class AuditIn(serializers.Serializer[Any]):
    """Which audit is meant; shares, not percentages."""

    track = serializers.CharField(default="raw")
    condition = serializers.CharField(
        default="", allow_blank=True, help_text="Of the runs; left out, or usual: the usual one."
    )
    judge = serializers.CharField(default="", allow_blank=True)
    strata = serializers.ChoiceField(STRATA, default=SYSTEM_BUCKET)
    allocation = serializers.ChoiceField(ALLOCATIONS, default=PER_STRATUM)
    per_stratum = serializers.IntegerField(min_value=1, default=5)
    total = serializers.IntegerField(min_value=1, required=False, allow_null=True, default=None)
    sizes = serializers.DictField(child=serializers.IntegerField(min_value=0), default=dict)
    refuted = _share(default=Expected.refuted)
    missed = _share(default=Expected.missed)
    hours = serializers.FloatField(min_value=0.01, max_value=1000, default=Expected.hours)
    buckets = serializers.ListField(
        child=serializers.CharField(), required=False, allow_null=True, default=None
    )
    exclude = serializers.ListField(child=serializers.SlugField(), default=list)
    half_width = _half_width()

    def planned(self, release: Release) -> AuditPlan:
        """What valid data ask for; raises ValidationError or NotFound, not Refused."""
        sent = self.validated_data
        plain = ("track", "condition", "judge", "strata", "allocation", "per_stratum", "total", "sizes")
        request = AuditRequest(
            **{name: sent[name] for name in plain},
            expected=Expected(sent["refuted"], sent["missed"], sent["hours"]),
            buckets=None if sent["buckets"] is None else tuple(sent["buckets"]),
            exclude=tuple(sent["exclude"]),
        )
        try:
            return request.plan(release)
        except Refused as refusal:
            raise invalid(refusal) from refusal


class AuditDrawIn(AuditIn):
    """The audit and the campaign that it is drawn into; `plan` is the sha256 of the plan that was looked at."""

    name = serializers.CharField(max_length=200)
    rubric = serializers.CharField()
    reviewers_per_item = serializers.IntegerField(min_value=1, max_value=25, default=3)
    seed = serializers.IntegerField(min_value=0, max_value=2**53, default=1)
    plan = serializers.CharField()


class AuditDrawnOut(serializers.Serializer[Any]):
    campaign = serializers.CharField()
    items = serializers.IntegerField()
    plan = serializers.CharField()


class AuditPlanView(APIView):
    token_scope = TokenScope.READ
    permission_classes = [IsStaffOfTheStudy]

    @extend_schema(operation_id="releases_audit_plan", request=AuditIn, responses={200: OpenApiTypes.OBJECT})
    def post(self, request: Request, name: str) -> Response:
        """What would be drawn, the precision to expect, and other allocations. Nothing is written."""
        sent = checked(AuditIn, request)
        return Response(
            audit_document(sent.planned(release_or_404(name)), sent.validated_data.get("half_width"))
        )


class AuditDrawView(APIView):
    permission_classes = [IsStaffOfTheStudy]

    @extend_schema(operation_id="releases_audit_draw", request=AuditDrawIn, responses={201: AuditDrawnOut})
    def post(self, request: Request, name: str) -> Response:
        """Draw exactly the plan that was looked at into a new campaign; 409 `plan_changed` for another."""
        sent = checked(AuditDrawIn, request)
        terms, plan = sent.validated_data, sent.planned(release_or_404(name))
        if terms["plan"] != plan.sha256:
            raise Refused(
                "The plan has changed since it was shown; look at the new one.", code="plan_changed"
            )
        campaign = draw_audit(
            actor=caller(request),
            plan=plan,
            **{key: terms[key] for key in ("name", "rubric", "reviewers_per_item", "seed")},
        )
        drawn = {"campaign": campaign.slug, "items": plan.n_sampled, "plan": plan.sha256}
        return Response(AuditDrawnOut(drawn).data, status=201)


class StratumIn(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=200)
    size = serializers.IntegerField(min_value=0, max_value=10_000_000)
    guess = _share()
    hours = serializers.FloatField(min_value=0.01, max_value=10_000, default=1.0)
    judge = serializers.ChoiceField(("yes", "no"), required=False)
    sample = serializers.IntegerField(min_value=0, required=False)


class StrataPlanIn(serializers.Serializer[Any]):
    """Strata as on the page; `sample` in all of them or in none."""

    strata = serializers.ListField(child=StratumIn(), min_length=1, max_length=200)
    total = serializers.IntegerField(min_value=1, max_value=10_000_000)
    half_width = _half_width()

    def document(self) -> plans.Document:
        sent, strata = self.validated_data, []
        for row in sent["strata"]:
            judged = row["judge"] == "yes" if "judge" in row else row["guess"] >= 0.5
            strata.append(PlannedStratum(row["name"], row["size"], row["guess"], row["hours"], judged))
        own = [row["sample"] for row in sent["strata"] if "sample" in row]
        return plans.strata_plan(strata, sent["total"], half_width=sent.get("half_width"), custom=own or None)


class AgreementPlanIn(serializers.Serializer[Any]):
    """A pilot as a square table of counts, rater one in rows."""

    pilot = serializers.ListField(
        child=serializers.ListField(
            child=serializers.IntegerField(min_value=0, max_value=10**6), max_length=20
        ),
        max_length=20,
    )
    items = serializers.IntegerField(min_value=2, max_value=100_000)
    half_width = serializers.FloatField(min_value=0.005, max_value=0.9, required=False, allow_null=True)

    def document(self) -> plans.Document:
        sent = self.validated_data
        return plans.agreement_plan(sent["pilot"], sent["items"], half_width=sent.get("half_width"))


class ComparisonPlanIn(serializers.Serializer[Any]):
    p1 = _share()
    p2 = _share()
    discordance = _share()
    power = serializers.FloatField(min_value=0.01, max_value=0.999, default=0.8)
    cluster_size = serializers.FloatField(min_value=1, max_value=100_000, default=1)
    correlation = _share(default=0)
    pilot = serializers.ListField(
        child=serializers.ListField(
            child=serializers.IntegerField(min_value=0, max_value=10**6), min_length=3, max_length=3
        ),
        max_length=10_000,
        default=list,
        help_text="Per cluster: items, only the first solves, only the second. Replaces size and correlation.",
    )

    def document(self) -> plans.Document:
        sent = self.validated_data
        discordance = as_computed(sent["discordance"], sent["p1"], sent["p2"])
        return plans.comparison_plan(**{**sent, "discordance": discordance})


class ProportionPlanIn(serializers.Serializer[Any]):
    p = _share()
    half_width = serializers.FloatField(min_value=0.0001, max_value=0.49)
    population = serializers.IntegerField(min_value=2, max_value=10_000_000, required=False, allow_null=True)

    def document(self) -> plans.Document:
        sent = self.validated_data
        return plans.proportion_plan(sent["p"], sent["half_width"], population=sent.get("population"))


_PLAN = {200: OpenApiTypes.OBJECT}


class PlannerView(APIView):
    """Plans without a release, computed and not stored."""

    token_scope = TokenScope.READ
    permission_classes = [IsSignedIn]

    def answer(self, shape: type[Any], request: Request) -> Response:
        sent = checked(shape, request)
        try:
            return Response(sent.document())
        except ValueError as refusal:
            raise ValidationError({"plan": str(refusal)}) from refusal


class StrataPlanView(PlannerView):
    @extend_schema(operation_id="plans_strata", request=StrataPlanIn, responses=_PLAN)
    def post(self, request: Request) -> Response:
        """Allocations of a number of audits over strata."""
        return self.answer(StrataPlanIn, request)


class AgreementPlanView(PlannerView):
    @extend_schema(operation_id="plans_agreement", request=AgreementPlanIn, responses=_PLAN)
    def post(self, request: Request) -> Response:
        """How well a study of so many items knows kappa."""
        return self.answer(AgreementPlanIn, request)


class ComparisonPlanView(PlannerView):
    @extend_schema(operation_id="plans_comparison", request=ComparisonPlanIn, responses=_PLAN)
    def post(self, request: Request) -> Response:
        """Items to tell two systems apart."""
        return self.answer(ComparisonPlanIn, request)


class ProportionPlanView(PlannerView):
    @extend_schema(operation_id="plans_proportion", request=ProportionPlanIn, responses=_PLAN)
    def post(self, request: Request) -> Response:
        """Items to know one share."""
        return self.answer(ProportionPlanIn, request)
