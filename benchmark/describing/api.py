"""REST endpoints that describe a release to the world, for coordinators and owners."""

from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from accounts.profile.api import caller, checked
from accounts.rest.errors import REFUSED, RefusalOut
from accounts.rest.filters import StaffView
from accounts.rest.idempotency import OPTIONAL_KEY, idempotent
from benchmark.describing.actions import describe_release
from benchmark.describing.croissant import croissant
from benchmark.describing.views import instances_download, outputs_download
from benchmark.models import Release, ReleaseDescription
from benchmark.releases.queries import release_or_404
from benchmark.reproduction.reproducing import reproduction


class DescriptionShape(serializers.ModelSerializer[ReleaseDescription]):
    class Meta:
        model = ReleaseDescription
        fields = ("licence", "creators", "citation", "homepage", "version", "published_on")


class DescriptionView(StaffView):
    @extend_schema(operation_id="releases_description", responses=DescriptionShape)
    def get(self, request: Request, name: str) -> Response:
        """The description; 404 while there is none."""
        return Response(DescriptionShape(get_object_or_404(ReleaseDescription, release__name=name)).data)

    @extend_schema(
        operation_id="releases_describe",
        parameters=[OPTIONAL_KEY],
        request=DescriptionShape,
        responses={200: DescriptionShape, 400: RefusalOut, 422: RefusalOut},
    )
    @idempotent
    def put(self, request: Request, name: str) -> Response:
        """Write or replace the description; a frozen release may be described too."""
        release = get_object_or_404(Release, name=name)
        sent = checked(DescriptionShape, request)
        return Response(
            DescriptionShape(
                describe_release(actor=caller(request), release=release, **sent.validated_data)
            ).data
        )


class CroissantView(StaffView):
    @extend_schema(operation_id="releases_croissant", responses={200: OpenApiTypes.OBJECT, 409: RefusalOut})
    def get(self, request: Request, name: str) -> Response:
        """Croissant 1.0 metadata of a described release."""
        release = release_or_404(name)
        file = reverse("api-release-instances-file", args=[name], request=request)
        page = reverse("release", args=[name], request=request)
        return Response(croissant(release, page=page, file=file))


class ReproductionView(StaffView):
    filters = {"second": "name of the release of the second run", "proximate": "keys, separated by commas"}

    @extend_schema(
        operation_id="releases_reproduction",
        parameters=[
            OpenApiParameter("second", str, required=True, description=filters["second"]),
            OpenApiParameter("proximate", str, description=filters["proximate"]),
        ],
        responses={200: OpenApiTypes.OBJECT, 400: RefusalOut},
    )
    def get(self, request: Request, name: str) -> Response:
        """How far another release, of a second run of the same curation, reproduces this one."""
        first, second = (
            get_object_or_404(Release.objects.select_related("benchmark"), name=wanted)
            for wanted in (name, request.query_params.get("second", ""))
        )
        keys = request.query_params.get("proximate", "")
        return Response(reproduction(first, second, filter(None, keys.split(","))))


class OutputsFileView(StaffView):
    filters = {"run": "SYSTEM, SYSTEM@TRACK or SYSTEM@TRACK+CONDITION"}

    @extend_schema(
        operation_id="releases_outputs_file",
        parameters=[OpenApiParameter("run", str, description=filters["run"], required=True)],
        responses={
            (200, "application/jsonlines"): OpenApiResponse(OpenApiTypes.STR, description="One a line."),
            **REFUSED,
        },
    )
    def get(self, request: Request, name: str) -> HttpResponseBase:
        """The outputs of a run as JSON Lines, to be imported elsewhere as they are."""
        return outputs_download(release_or_404(name), request.query_params.get("run", ""))


class InstancesFileView(StaffView):
    filters = {"published": "1: in the format that the benchmark publishes, if it has one"}

    @extend_schema(
        operation_id="releases_instances_file",
        parameters=[OpenApiParameter("published", str, description=filters["published"])],
        responses={
            (200, "application/jsonlines"): OpenApiResponse(OpenApiTypes.STR, description="One a line.")
        },
    )
    def get(self, request: Request, name: str) -> HttpResponseBase:
        """The instances as JSON Lines: the file whose hash the metadata names."""
        release = release_or_404(name)
        return instances_download(release, published=request.query_params.get("published") == "1")
