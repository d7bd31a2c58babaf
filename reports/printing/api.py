"""REST endpoints of printed reports, for coordinators and owners."""

from typing import Any

from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.profile.api import caller, understood
from accounts.rest.auth import IsStaffOfTheStudy
from accounts.rest.filters import ListedFilters, StaffView
from reports.core.requests import release_or_404
from reports.models import ReportJob, ReportPer
from reports.printing.jobs import ask_report, cancel_report, has_file, retry_report
from reports.printing.report import ReportOrder
from reports.printing.views import file_response


class ReportIn(serializers.Serializer[Any]):
    """What the report is to hold; left out, it is the score without items."""

    campaign = serializers.SlugField(required=False, default="", allow_blank=True)
    track = serializers.CharField(required=False, default="", allow_blank=True)
    condition = serializers.CharField(required=False, default="", allow_blank=True)
    judge = serializers.CharField(required=False, default="", allow_blank=True)
    tuple = serializers.CharField(
        required=False,
        default="",
        allow_blank=True,
        help_text="A frozen tuple, or none for runs of no tuple.",
    )
    score = serializers.BooleanField(required=False, default=True)
    items = serializers.BooleanField(required=False, default=False)
    identities = serializers.BooleanField(required=False, default=False)
    per = serializers.ChoiceField(
        required=False,
        default="",
        allow_blank=True,
        choices=ReportPer.choices,
        help_text="A ZIP with one file for each; it has items and no score.",
    )


class ReportOut(serializers.ModelSerializer[ReportJob]):
    """A report: `done` of `total` items are printed; the file is there while `available`."""

    release = serializers.CharField(source="release.name", read_only=True)
    campaign = serializers.CharField(source="campaign.slug", default="", read_only=True)
    tuple = serializers.CharField(source="frozen_tuple", read_only=True)
    asked_by = serializers.CharField(source="asked_by.email", read_only=True)
    available = serializers.SerializerMethodField()

    class Meta:
        model = ReportJob
        fields = (
            "id", "release", "campaign", "track", "condition", "judge", "tuple", "score", "items", "identities", "per",
            "asked_by", "state", "done", "total", "error", "available", "sha256",
            "size", "pages", "created_at", "finished_at", "expires_at",
        )  # fmt: skip
        read_only_fields = fields

    def get_available(self, job: ReportJob) -> bool:
        return has_file(job)


def _jobs() -> Any:
    return ReportJob.objects.select_related("release", "campaign", "asked_by")


class ReportsView(ListAPIView[ReportJob]):
    permission_classes = [IsStaffOfTheStudy]
    filter_backends = [ListedFilters]
    serializer_class = ReportOut
    queryset = ReportJob.objects.none()

    def get_queryset(self) -> Any:
        if getattr(self, "swagger_fake_view", False):
            return ReportJob.objects.none()
        return _jobs().filter(release=release_or_404(self.kwargs["name"]))

    @extend_schema(operation_id="releases_reports")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """All of them, also those whose file is gone."""
        return super().get(request, *args, **kwargs)

    @extend_schema(operation_id="releases_reports_ask", request=ReportIn, responses={202: ReportOut})
    def post(self, request: Request, name: str) -> Response:
        """Queue a report; follow it at its own address."""
        release = release_or_404(name)
        wanted = understood(ReportIn, request)
        slug, frozen_tuple = wanted.pop("campaign"), wanted.pop("tuple")
        campaign = get_object_or_404(release.campaigns, slug=slug) if slug else None
        if wanted["per"]:
            wanted |= {"items": True, "score": False}
        order = ReportOrder(release, campaign, frozen_tuple=frozen_tuple, **wanted)
        job = ask_report(actor=caller(request), order=order)
        return Response(ReportOut(job).data, status=202)


class ReportView(StaffView):
    @extend_schema(operation_id="reports_show", responses=ReportOut)
    def get(self, request: Request, pk: int) -> Response:
        """State and progress of a report."""
        return Response(ReportOut(get_object_or_404(_jobs(), pk=pk)).data)


class ReportCancelView(StaffView):
    @extend_schema(operation_id="reports_cancel", request=None, responses=ReportOut)
    def post(self, request: Request, pk: int) -> Response:
        """Cancels a report that is queued or running."""
        cancel_report(actor=caller(request), job=get_object_or_404(_jobs(), pk=pk))
        return Response(ReportOut(_jobs().get(pk=pk)).data)


class ReportRetryView(StaffView):
    @extend_schema(operation_id="reports_retry", request=None, responses=ReportOut)
    def post(self, request: Request, pk: int) -> Response:
        """Puts a report that failed, was cancelled, or has lost its file back into the queue."""
        retry_report(actor=caller(request), job=get_object_or_404(_jobs(), pk=pk))
        return Response(ReportOut(_jobs().get(pk=pk)).data)


class ReportFileView(StaffView):
    @extend_schema(
        operation_id="reports_file",
        responses={(200, "application/pdf"): OpenApiResponse(OpenApiTypes.BINARY, description="The file.")},
    )
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        """As a download; 404 when it is not done, or was removed after its time."""
        return file_response(get_object_or_404(_jobs(), pk=pk))
