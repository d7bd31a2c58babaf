"""REST endpoints of frozen tuples, for coordinators and owners."""

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.profile.api import caller, checked
from accounts.rest.errors import RefusalOut
from accounts.rest.filters import StaffView
from accounts.rest.idempotency import writes
from benchmark.models import FrozenTuple, Release
from benchmark.releases.queries import arm_name, run_called
from benchmark.tuples.actions import declare_tuple


class TupleIn(serializers.ModelSerializer[FrozenTuple]):
    runs = serializers.ListField(
        child=serializers.CharField(),
        default=list,
        help_text="SYSTEM, SYSTEM@TRACK or SYSTEM@TRACK+CONDITION.",
    )

    class Meta:
        model = FrozenTuple
        fields = ("name", "split", "retrieval", "materialisation", "scoring", "evaluated_on", "runs")


class TupleOut(TupleIn):
    runs = serializers.SerializerMethodField()  # type: ignore[assignment]

    def get_runs(self, row: FrozenTuple) -> list[str]:
        return sorted(arm_name(joined.run) for joined in row.runs.all())


class TuplesView(StaffView):
    @extend_schema(operation_id="releases_tuples", responses=TupleOut(many=True))
    def get(self, request: Request, name: str) -> Response:
        """The frozen tuples of a release with their runs."""
        rows = get_object_or_404(Release, name=name).tuples.order_by("name")
        return Response(TupleOut(rows.prefetch_related("runs__run__system"), many=True).data)

    @writes("releases_declare_tuple", request=TupleIn, responses={200: TupleOut, 400: RefusalOut})
    def post(self, request: Request, name: str) -> Response:
        """Declare a tuple, or add runs to the existing one with this name and the same entries."""
        release = get_object_or_404(Release, name=name)
        sent = checked(TupleIn, request)
        runs = [run_called(release, arm) for arm in sent.validated_data.pop("runs")]
        found = declare_tuple(actor=caller(request), release=release, runs=runs, **sent.validated_data)
        return Response(TupleOut(found).data)
