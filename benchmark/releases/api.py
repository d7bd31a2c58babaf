"""REST endpoints of releases, systems and outputs, for coordinators and owners: systems are named here."""

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.generics import ListAPIView, RetrieveAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.profile.api import caller
from accounts.rest.auth import IsStaffOfTheStudy
from accounts.rest.filters import StaffView
from accounts.rest.idempotency import writes
from benchmark.models import Instance, Output, Release, System
from benchmark.releases import queries
from benchmark.releases import serializers as shape
from benchmark.releases.freezing import freeze_release


@extend_schema_view(get=extend_schema(operation_id="releases_list"))
class ReleasesView(ListAPIView[Release]):
    """All releases with their counts."""

    permission_classes = [IsStaffOfTheStudy]
    serializer_class = shape.ReleaseOut
    filters = {"benchmark": "benchmark__slug"}

    def get_queryset(self) -> QuerySet[Release]:
        return queries.releases_with_counts()


@extend_schema_view(get=extend_schema(operation_id="releases_show"))
class ReleaseView(RetrieveAPIView[Release]):
    """One release."""

    permission_classes = [IsStaffOfTheStudy]
    serializer_class = shape.ReleaseOut
    lookup_field = "name"

    def get_queryset(self) -> QuerySet[Release]:
        return queries.releases_with_counts()


class FreezeView(StaffView):
    @writes("releases_freeze", request=None, responses={200: shape.ReleaseOut})
    def post(self, request: Request, name: str) -> Response:
        """Freeze the release for good; one that is frozen already stays as it is."""
        freeze_release(actor=caller(request), release=get_object_or_404(Release, name=name))
        return Response(shape.ReleaseOut(queries.releases_with_counts().get(name=name)).data)


@extend_schema_view(get=extend_schema(operation_id="releases_instances"))
class InstancesView(ListAPIView[Instance]):
    """The instances of a release with their payloads as published."""

    permission_classes = [IsStaffOfTheStudy]
    serializer_class = shape.InstanceOut
    filters = {"domain": "domain", "split": "split", "paper": "paper__key", "key": "key"}
    queryset = Instance.objects.none()

    def get_queryset(self) -> QuerySet[Instance]:
        if getattr(self, "swagger_fake_view", False):
            return Instance.objects.none()
        release = get_object_or_404(Release, name=self.kwargs["name"])
        return queries.instances_of(release)


@extend_schema_view(get=extend_schema(operation_id="systems_list"))
class SystemsView(ListAPIView[System]):
    """All systems."""

    permission_classes = [IsStaffOfTheStudy]
    serializer_class = shape.SystemOut
    filters = {"family": "family"}
    queryset = System.objects.all()


@extend_schema_view(get=extend_schema(operation_id="systems_show"))
class SystemView(RetrieveAPIView[System]):
    """One system."""

    permission_classes = [IsStaffOfTheStudy]
    serializer_class = shape.SystemOut
    lookup_field = "slug"
    queryset = System.objects.all()


@extend_schema_view(get=extend_schema(operation_id="outputs_list"))
class OutputsView(ListAPIView[Output]):
    """Outputs without their texts."""

    permission_classes = [IsStaffOfTheStudy]
    serializer_class = shape.OutputOut
    filters = {
        "release": "run__release__name",
        "system": "run__system__slug",
        "track": "run__track",
        "condition": "run__condition",
        "instance": "instance__key",
        "domain": "instance__domain",
        "state": "state",
    }

    def get_queryset(self) -> QuerySet[Output]:
        return queries.outputs_with_run().defer("text", "payload")


@extend_schema_view(get=extend_schema(operation_id="outputs_show"))
class OutputView(RetrieveAPIView[Output]):
    """One output with its text."""

    permission_classes = [IsStaffOfTheStudy]
    serializer_class = shape.OutputTextOut

    def get_queryset(self) -> QuerySet[Output]:
        return queries.outputs_with_run()
