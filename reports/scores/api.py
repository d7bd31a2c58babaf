"""REST endpoints of scores, labels and artifacts, for coordinators and owners: systems are named here."""

import json
from typing import Any, cast

from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.generics import ListAPIView
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.access import role_names
from accounts.models import RoleName, User
from accounts.profile.api import checked
from accounts.refusal import NotAllowed
from accounts.rest.auth import IsStaffOfTheStudy
from accounts.rest.documents import schema_of
from accounts.rest.filters import ListedFilters
from canonical.documents import as_json
from reports.artifact.freezing import freeze_artifact
from reports.audit.document import JudgeAudit, judge_audit
from reports.comparison.document import ComparedSystems, comparison
from reports.comparison.pair_sources import PairSources
from reports.comparison.serializers import PairsOut
from reports.core.downloads import chosen_rows, csv_download
from reports.core.outcomes import chosen_kind, outcomes
from reports.core.requests import release_or_404
from reports.core.rest import CHOICE, ReadingView, chosen_or_error, query
from reports.labels.filters import FILTERS
from reports.labels.pages import chosen_page
from reports.models import Artifact
from reports.scores.inputs import collect_chosen
from reports.scores.kept import kept_score
from reports.scores.shape import Score
from reports.scores.success_types import types_of_successes
from stats.tables.labels import COLUMNS


class LabelOut(serializers.Serializer[Any]):
    """A row of the canonical label table; every cell is text, empty where the column does not apply."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {column: serializers.CharField(allow_blank=True, default="") for column in COLUMNS}


class LabelPageOut(serializers.Serializer[Any]):
    """`next` is the address of the following rows, null on the last page."""

    next = serializers.URLField(allow_null=True)
    results = LabelOut(many=True)


class ArtifactOut(serializers.ModelSerializer[Artifact]):
    """A frozen score; its content is at the address of its hash."""

    release = serializers.CharField(source="release.name", read_only=True)

    class Meta:
        model = Artifact
        fields = ("sha256", "kind", "release", "created_at")
        read_only_fields = fields


class ArtifactIn(serializers.Serializer[Any]):
    """Which score to freeze; left out, the first track and judge and the usual condition are meant."""

    track = serializers.CharField(required=False, default="", allow_blank=True)
    condition = serializers.CharField(required=False, default="", allow_blank=True)
    judge = serializers.CharField(required=False, default="", allow_blank=True)
    tuple = serializers.CharField(required=False, default="", allow_blank=True)


PAGE, MAX_PAGE = 100, 1000
_PAGING = ("format", "after", "page_size")


class ScoreView(ReadingView):
    @extend_schema(operation_id="releases_score", parameters=CHOICE, responses=schema_of(Score))
    def get(self, request: Request, name: str) -> Response:
        """The document that `manage.py score --json` prints."""
        chosen = self.chosen(request, name)
        return Response(as_json(kept_score(chosen)))


class ComparisonView(ReadingView):
    @extend_schema(
        operation_id="releases_comparison",
        parameters=[
            *CHOICE,
            query("outcome", "judge:METRIC or CAMPAIGN:QUESTION; left out: the first there is."),
        ],
        responses=schema_of(ComparedSystems),
    )
    def get(self, request: Request, name: str) -> Response:
        """Differences with intervals, a test by paper with Holm, Cochran's Q; open campaigns are not compared."""
        inputs = collect_chosen(self.chosen(request, name, "outcome"))
        kind = chosen_kind(inputs, request.query_params.get("outcome", ""))
        return Response(as_json(comparison(outcomes(inputs, kind), seed=inputs.seed)))


class PairsView(ReadingView):
    """Systems two at a time, as experts or judges chose or as the grades of a closed campaign imply it."""

    @extend_schema(
        operation_id="releases_pairs",
        parameters=[
            *CHOICE,
            query(
                "grades",
                "CAMPAIGN:QUESTION, PREDICATE@JUDGE, or PREDICATE@ for all judges together; left out: the first.",
            ),
        ],
        responses=PairsOut,
    )
    def get(self, request: Request, name: str) -> Response:
        """What `manage.py analyse pairs --json` says about them; direct choices come before implied ones."""
        chosen, grades = self.chosen(request, name, "grades"), request.query_params.get("grades", "")
        return Response(PairSources.of(chosen.release, collect_chosen(chosen)).document(grades))


class JudgeAuditView(ReadingView):
    @extend_schema(operation_id="releases_judge_audit", parameters=CHOICE, responses=schema_of(JudgeAudit))
    def get(self, request: Request, name: str) -> Response:
        """Every audit with its coefficients, exclusions and, once it is closed, its strata."""
        inputs = collect_chosen(self.chosen(request, name))
        return Response(as_json(judge_audit(inputs, types_of_successes(inputs))))


class CsvRenderer(BaseRenderer):
    """Makes `?format=csv` known; the rows themselves are streamed past it."""

    media_type = "text/csv"
    format = "csv"

    def render(self, data: Any, accepted_media_type: Any = None, renderer_context: Any = None) -> bytes:
        return json.dumps(data, ensure_ascii=False, default=str).encode()


class LabelsView(ReadingView):
    """The canonical label table: pages of JSON, or with format=csv all of it, streamed."""

    renderer_classes = [JSONRenderer, CsvRenderer]

    @extend_schema(
        operation_id="releases_labels",
        parameters=[
            OpenApiParameter("format", str, OpenApiParameter.QUERY, enum=["json", "csv"]),
            query("after", "Key of the row to go on after (JSON); `next` holds it."),
            OpenApiParameter(
                "page_size", int, OpenApiParameter.QUERY, description=f"At most {MAX_PAGE} (JSON)."
            ),
            query("campaign", "Only this campaign's expert labels."),
            OpenApiParameter(
                "identities", str, OpenApiParameter.QUERY, enum=["0", "1"], description="1: not blinded."
            ),
            *(query(column, "Wanted values, separated by commas.") for column in FILTERS),
        ],
        responses={
            (200, "application/json"): LabelPageOut,
            (200, "text/csv"): OpenApiResponse(OpenApiTypes.STR, description="Header and rows."),
        },
    )
    def get(self, request: Request, name: str) -> HttpResponseBase:
        """Expert labels without identities; `identities=1` adds systems, strata and the judges' verdicts."""
        release = release_or_404(name)
        asked = {key: value for key, value in request.query_params.dict().items() if key not in _PAGING}
        if request.accepted_renderer.format == "csv":
            return csv_download(chosen_rows(release, asked), f"labels-{release.name}.csv")
        text = request.query_params.get("page_size", str(PAGE))
        if not (text.isascii() and text.isdigit() and 0 < len(text) < 12 and int(text) > 0):
            raise ValidationError({"page_size": "must be a whole number above zero"})
        after, size = request.query_params.get("after", ""), min(int(text), MAX_PAGE)
        page = chosen_page(release, asked, after=after, size=size)
        following = None
        if page.next:
            address = request.query_params.copy()
            address["after"] = page.next
            following = request.build_absolute_uri(f"{request.path}?{address.urlencode()}")
        return Response({"next": following, "results": LabelOut(page.rows, many=True).data})


class ArtifactsView(ListAPIView[Artifact]):
    permission_classes = [IsStaffOfTheStudy]
    filter_backends = [ListedFilters]
    serializer_class = ArtifactOut
    queryset = Artifact.objects.none()

    def get_queryset(self) -> Any:
        if getattr(self, "swagger_fake_view", False):
            return Artifact.objects.none()
        release = release_or_404(self.kwargs["name"])
        return release.artifacts.select_related("release").defer("content")

    @extend_schema(operation_id="releases_artifacts")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """All of them, without their content."""
        return super().get(request, *args, **kwargs)

    @extend_schema(operation_id="releases_artifacts_freeze", request=ArtifactIn, responses={201: ArtifactOut})
    def post(self, request: Request, name: str) -> Response:
        """Freeze the score of a track (owners). Equal labels give the artifact that is already there."""
        if RoleName.OWNER not in role_names(request.user):
            raise NotAllowed("Only owners freeze a score.")
        release = release_or_404(name)
        sent = checked(ArtifactIn, request)
        chosen = chosen_or_error(release, sent.validated_data)
        made = freeze_artifact(
            actor=cast(User, request.user),
            release=release,
            track=chosen.track,
            judge=chosen.judge,
            condition=chosen.condition,
            frozen_tuple=chosen.frozen_tuple,
        )
        return Response(ArtifactOut(made).data, status=201)


class ArtifactView(APIView):
    permission_classes = [IsStaffOfTheStudy]

    @extend_schema(operation_id="releases_artifact_show", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, name: str, sha256: str) -> Response:
        """The artifact as `manage.py verify_artifact` reads it (owners)."""
        if RoleName.OWNER not in role_names(request.user):
            raise NotAllowed("Only owners read a frozen score.")
        found = get_object_or_404(Artifact, release__name=name, sha256=sha256)
        return Response(json.loads(found.content))
