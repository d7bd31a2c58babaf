"""REST endpoints of imports: upload a file, read its dry run, import what it showed."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, QueryDict
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.profile.api import caller, understood
from accounts.refusal import Refused
from accounts.rest.errors import REFUSED
from accounts.rest.filters import StaffView
from benchmark.collecting.mapping import MAX_MACROS, Reading
from benchmark.collecting.paths import MAX_PATTERN
from benchmark.importing.forms import IMPORT_FORMS
from benchmark.importing.upload_handler import CappedFileHandler
from benchmark.importing.uploading import apply_import, delete_import, how_far, map_import, store_import
from benchmark.models import ImportKind, ImportUpload


class FaultOut(serializers.Serializer[Any]):
    file = serializers.CharField()
    line = serializers.IntegerField(help_text="Starts at 1; 0 means the file as a whole.")
    field = serializers.CharField(allow_blank=True)
    reason = serializers.CharField()


class ImportOut(serializers.ModelSerializer[ImportUpload]):
    faults = FaultOut(many=True)
    progress = serializers.SerializerMethodField()

    class Meta:
        model = ImportUpload
        fields = [
            "handle",
            "kind",
            "file_name",
            "size",
            "sha256",
            "state",
            "applying",
            "recognised",
            "report",
            "refusal",
            "faults",
            "progress",
            "expires_at",
        ]

    def get_progress(self, upload: ImportUpload) -> dict[str, Any]:
        """Phase, records done and their total (0 while unknown) of running work."""
        return vars(how_far(upload)) if upload.is_busy else {}


class ImportIn(serializers.Serializer[Any]):
    """Multipart: the file and the terms of its kind, named as the options of the commands."""

    kind = serializers.ChoiceField(
        choices=ImportKind.choices,
        help_text="`files` are a folder as a zip, or a table; they need a mapping. `labels` are tables of labels and "
        "comments, or reports of referees.",
    )
    file = serializers.FileField()
    comments = serializers.FileField(
        required=False, help_text="Of a table of labels: the table of its comments."
    )
    campaign = serializers.SlugField(required=False, help_text="Of reports that name none.")
    protocol = serializers.CharField(required=False, help_text="Of a release, or of files of a new one.")
    name = serializers.SlugField(required=False, help_text="Of a release, or of files of a new one.")
    release = serializers.SlugField(
        required=False, help_text="Of files, outputs or labels, as all that follow of outputs."
    )
    system = serializers.SlugField(required=False)
    system_name = serializers.CharField(required=False)
    family = serializers.CharField(required=False)
    track = serializers.SlugField(required=False)
    condition = serializers.SlugField(required=False)
    tuple_name = serializers.SlugField(
        required=False, help_text="The frozen tuple that the run joins ([artifacts.md](artifacts.md))."
    )
    key = serializers.CharField(
        required=False, help_text="Of outputs that another tool wrote: the column that names the problem."
    )
    ids = serializers.CharField(
        required=False,
        help_text="Of such outputs: how names hold problem and attempt, `{problem}:{attempt}`.",
    )


class ImportsView(StaffView):
    parser_classes = [MultiPartParser]

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        """Set the upload handler before the CSRF check reads the body."""
        limit = settings.IMPORT_MAX_BYTES
        request.upload_handlers = [CappedFileHandler(limit, f"The file is larger than {limit >> 20} MB.")]
        return super().initialize_request(request, *args, **kwargs)

    @extend_schema(operation_id="imports_list", responses=ImportOut(many=True))
    def get(self, request: Request) -> Response:
        """The caller's files that are still stored."""
        rows = ImportUpload.objects.filter(owner=caller(request)).order_by("-created_at")
        return Response(ImportOut(rows, many=True).data)

    @extend_schema(operation_id="imports_create", request=ImportIn, responses={201: ImportOut, **REFUSED})
    def post(self, request: Request) -> Response:
        """Store a file and check it: small ones at once, larger ones by a worker (poll for the result)."""
        sent: QueryDict = request.data  # type: ignore[assignment]  # what the multipart parser gives
        handler = request.upload_handlers[0]
        if isinstance(handler, CappedFileHandler) and handler.refusal:
            raise Refused(handler.refusal, code="too_large", field="file")
        form_class = IMPORT_FORMS.get(str(sent.get("kind", "")))
        if form_class is None:
            raise serializers.ValidationError({"kind": [f"One of {', '.join(ImportKind.values)}."]})
        terms = {name: sent[name] for name in sent if name not in request.FILES}
        form = form_class({"track": "raw", **terms}, request.FILES)
        if not form.is_valid():
            raise serializers.ValidationError(
                {name: [str(one) for one in reasons] for name, reasons in form.errors.items()}
            )
        path, name = form.stored_file()
        upload = store_import(
            actor=caller(request),
            path=path,
            name=name,
            kind=form.kind,
            terms=form.terms(),
        )
        return Response(ImportOut(upload).data, status=201)


class ImportView(StaffView):
    @extend_schema(operation_id="imports_show", responses=ImportOut)
    def get(self, request: Request, handle: str) -> Response:
        """The dry run with every problem, how far running work is, or what was imported."""
        return Response(ImportOut(own_or_404(request, handle)).data)

    @extend_schema(operation_id="imports_delete", request=None, responses={204: None, **REFUSED})
    def delete(self, request: Request, handle: str) -> Response:
        """Delete the stored file; what was imported stays."""
        delete_import(actor=caller(request), upload=own_or_404(request, handle))
        return Response(status=204)


class MappingIn(serializers.Serializer[Any]):
    """How the parts of files are read: `outputs` and `problems` are patterns; of a table, `columns` maps fields."""

    table = serializers.ChoiceField(choices=["", "problems", "outputs"], default="")
    outputs = serializers.CharField(default="", allow_blank=True, max_length=MAX_PATTERN)
    problems = serializers.CharField(default="", allow_blank=True, max_length=MAX_PATTERN)
    columns = serializers.DictField(child=serializers.CharField(), default=dict)
    system = serializers.CharField(default="", allow_blank=True, max_length=100)
    domain = serializers.CharField(default="mathematics", max_length=100)
    blank_abstains = serializers.BooleanField(default=True)
    macros = serializers.CharField(default="", allow_blank=True, max_length=MAX_MACROS)
    ids = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=MAX_PATTERN,
        help_text="How names of problems in a table hold problem and attempt, `{problem}:{attempt}`.",
    )
    written = serializers.ChoiceField(
        choices=["latex", "markdown", "plain"],
        default="latex",
        help_text="How the texts of a table are written where its rows do not say it.",
    )


class MappingView(StaffView):
    @extend_schema(operation_id="imports_map", request=MappingIn, responses={200: ImportOut, **REFUSED})
    def post(self, request: Request, handle: str) -> Response:
        """Say how files are read; a worker checks them so (poll for the result)."""
        upload = own_or_404(request, handle)
        reading = Reading(**understood(MappingIn, request))
        upload = map_import(actor=caller(request), upload=upload, reading=reading)
        return Response(ImportOut(upload).data)


class ApplyView(StaffView):
    @extend_schema(operation_id="imports_apply", request=None, responses={200: ImportOut, **REFUSED})
    def post(self, request: Request, handle: str) -> Response:
        """Import exactly what the dry run showed; a second time is refused."""
        upload = apply_import(actor=caller(request), upload=own_or_404(request, handle))
        return Response(ImportOut(upload).data)


def own_or_404(request: Request, handle: str) -> ImportUpload:
    """The caller's own file; 404 for any other."""
    return get_object_or_404(ImportUpload, handle=handle, owner=caller(request))
