"""REST endpoints of frozen tuples, for coordinators and owners."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.profile.api import caller, checked
from accounts.refusal import Refused
from accounts.rest.documents import schema_of
from accounts.rest.errors import REFUSED, RefusalOut
from accounts.rest.filters import StaffView
from accounts.rest.idempotency import writes
from accounts.rest.parsers import BoundedJSONParser
from benchmark.importing.upload_handler import CappedFileHandler
from benchmark.models import STORABLE, FrozenTuple, Release, TupleFile
from benchmark.releases.queries import arm_name, run_called
from benchmark.releases.years import Years, years_of
from benchmark.tuples.actions import declare_tuple
from benchmark.tuples.files import file_or_404, send_file, too_large
from canonical.documents import as_json

ENTRIES = ("name", "split", "retrieval", "materialisation", "scoring", "evaluated_on")


class TupleIn(serializers.ModelSerializer[FrozenTuple]):
    """As JSON, or as a form with the files; a file whose SHA-256 is given must have it."""

    runs = serializers.ListField(
        child=serializers.CharField(),
        default=list,
        help_text="SYSTEM, SYSTEM@TRACK or SYSTEM@TRACK+CONDITION.",
    )
    retrieval_file = serializers.FileField(required=False)
    retrieval_sha256 = serializers.CharField(required=False, default="")
    materialisation_file = serializers.FileField(required=False)
    materialisation_sha256 = serializers.CharField(required=False, default="")
    scoring_file = serializers.FileField(required=False)
    scoring_sha256 = serializers.CharField(required=False, default="")

    class Meta:
        model = FrozenTuple
        fields = (
            *ENTRIES,
            "runs",
            *(f"{entry}{part}" for entry in STORABLE for part in ("_file", "_sha256")),
        )


class TupleFileOut(serializers.ModelSerializer[TupleFile]):
    class Meta:
        model = TupleFile
        fields = ("name", "size", "sha256")


class TupleOut(serializers.ModelSerializer[FrozenTuple]):
    """A tuple with its runs; an entry without a file is only named."""

    runs = serializers.SerializerMethodField()
    retrieval_file = TupleFileOut(allow_null=True)
    materialisation_file = TupleFileOut(allow_null=True)
    scoring_file = TupleFileOut(allow_null=True)

    class Meta:
        model = FrozenTuple
        fields = (*ENTRIES, "runs", *(f"{entry}_file" for entry in STORABLE))

    def get_runs(self, row: FrozenTuple) -> list[str]:
        return sorted(arm_name(joined.run) for joined in row.runs.all())


class TuplesView(StaffView):
    parser_classes = [BoundedJSONParser, MultiPartParser]

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        """Set the upload handler before the CSRF check reads the body."""
        request.upload_handlers = [CappedFileHandler(settings.IMPORT_MAX_BYTES, too_large())]
        return super().initialize_request(request, *args, **kwargs)

    @extend_schema(operation_id="releases_tuples", responses=TupleOut(many=True))
    def get(self, request: Request, name: str) -> Response:
        """The frozen tuples of a release with their runs."""
        rows = FrozenTuple.objects.filter(release=get_object_or_404(Release, name=name)).order_by("name")
        rows = rows.select_related("retrieval_file", "materialisation_file", "scoring_file")
        return Response(TupleOut(rows.prefetch_related("runs__run__system"), many=True).data)

    @writes("releases_declare_tuple", request=TupleIn, responses={200: TupleOut, 400: RefusalOut})
    def post(self, request: Request, name: str) -> Response:
        """Declare a tuple, or add runs to the existing one with this name and the same entries."""
        release = get_object_or_404(Release, name=name)
        _ = request.data  # the handler knows only once the body has been read
        handler = request.upload_handlers[0]
        if isinstance(handler, CappedFileHandler) and handler.refusal:
            raise Refused(handler.refusal, code="too_large")
        sent = dict(checked(TupleIn, request).validated_data)
        files = {entry: sent.pop(f"{entry}_file", None) for entry in STORABLE}
        hashes = {entry: sent.pop(f"{entry}_sha256") for entry in STORABLE}
        runs = [run_called(release, arm) for arm in sent.pop("runs")]
        found = declare_tuple(
            actor=caller(request), release=release, runs=runs, files=files, hashes=hashes, **sent
        )
        return Response(TupleOut(found).data)


class YearsView(StaffView):
    @extend_schema(operation_id="releases_years", responses=schema_of(Years))
    def get(self, request: Request, name: str) -> Response:
        """The years after which the problems of a release may be given no source, and the problems without one."""
        return Response(as_json(years_of(get_object_or_404(Release, name=name).instances.all())))


class TupleFileView(StaffView):
    @extend_schema(
        operation_id="releases_tuple_file",
        responses={(200, "application/octet-stream"): OpenApiTypes.BINARY, **REFUSED},
    )
    def get(self, request: Request, name: str, frozen: str, entry: str) -> StreamingHttpResponse:
        """The file of `retrieval`, `materialisation` or `scoring`, byte for byte."""
        return send_file(file_or_404(name, frozen, entry))
