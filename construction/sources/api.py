"""REST endpoints of sources, for coordinators and owners."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.db.models.functions import Length
from django.http import HttpRequest, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import generics, serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.profile.api import caller, understood
from accounts.refusal import Refused
from accounts.rest.auth import IsStaffOfTheStudy
from accounts.rest.errors import REFUSED
from accounts.rest.filters import StaffView
from accounts.rest.idempotency import writes
from benchmark.importing.upload_handler import CappedFileHandler
from canonical import canonical_json
from construction.models import (
    MatchDecision,
    Pairing,
    Publication,
    Reading,
    Source,
    SourceFile,
    SourceUpload,
    UploadedArchive,
)
from construction.sources.actions import (
    choose_main,
    describe_source,
    pair_otherwise,
    remove_source,
    undo_main,
    undo_pairing,
)
from construction.sources.advice import what_to_do
from construction.sources.manifest import Published, read_manifest
from construction.sources.matching import decide, questions
from construction.sources.queries import statements_of
from construction.sources.uploading import (
    add_upload,
    discard_upload,
    progress_of,
    store_upload,
    uploads,
    without_file,
)


class PublicationOut(serializers.ModelSerializer[Publication]):
    identity = serializers.CharField(
        help_text="same, different or ask: what a person decided, else the program."
    )
    decided_by = serializers.CharField(source="decided_by.email", default=None)

    class Meta:
        model = Publication
        fields = (
            "id", "source_id", "title", "authors", "year", "venue", "doi", "identity", "found", "reason", "decision",
            "decided_by", "decided_at",
        )  # fmt: skip
        read_only_fields = fields


class ReadingOut(serializers.ModelSerializer[Reading]):
    class Meta:
        model = Reading
        fields = ("version", "statements", "proofs", "paired", "citations", "formulas")
        read_only_fields = fields


class SourceOut(serializers.ModelSerializer[Source]):
    what_to_do = serializers.SerializerMethodField(help_text="About its code; empty for a readable source.")
    reading = ReadingOut(default=None)
    publication = PublicationOut(default=None)

    class Meta:
        model = Source
        fields = (
            "id", "key", "version", "sha256", "name", "form", "title", "authors", "year", "category", "domain",
            "licence", "state", "code", "sentence", "what_to_do", "main", "candidates", "main_chosen_at", "reading",
            "publication", "added_at",
        )  # fmt: skip
        read_only_fields = fields

    def get_what_to_do(self, source: Source) -> str:
        return what_to_do(source.code)


class SourceFileOut(serializers.ModelSerializer[SourceFile]):
    text = serializers.SerializerMethodField(help_text="Of the file that `path` names; else null.")
    characters = serializers.IntegerField()

    class Meta:
        model = SourceFile
        fields = ("path", "sha256", "characters", "text")
        read_only_fields = fields

    def get_text(self, file: SourceFile) -> str | None:
        return file.text if self.context.get("whole") else None


class DescriptionIn(serializers.Serializer[Any]):
    """What is known of a source; what is left out stays. `published` null says that it was not published."""

    class PublishedIn(serializers.Serializer[Any]):
        title = serializers.CharField(max_length=1000)
        authors = serializers.ListField(child=serializers.CharField(max_length=300), default=list)
        year = serializers.IntegerField(min_value=1500, max_value=2200, default=None, allow_null=True)
        venue = serializers.CharField(max_length=500, default="", allow_blank=True)
        doi = serializers.CharField(max_length=300, default="", allow_blank=True)

    title = serializers.CharField(max_length=1000, required=False, allow_blank=True)
    authors = serializers.ListField(child=serializers.CharField(max_length=300), required=False)
    year = serializers.IntegerField(min_value=1500, max_value=2200, required=False, allow_null=True)
    category = serializers.CharField(max_length=100, required=False, allow_blank=True)
    domain = serializers.CharField(max_length=100, required=False, allow_blank=True)
    licence = serializers.CharField(max_length=100, required=False, allow_blank=True)
    published = PublishedIn(required=False, allow_null=True)


class MainIn(serializers.Serializer[Any]):
    """The path of the main file; empty undoes a person's choice."""

    main = serializers.CharField(max_length=1000, allow_blank=True)


class PairOut(serializers.ModelSerializer[Pairing]):
    by = serializers.CharField(source="by.email")

    class Meta:
        model = Pairing
        fields = ("proof_file", "proof_start", "statement_file", "statement_start", "by", "at")
        read_only_fields = fields


class PairIn(serializers.Serializer[Any]):
    """Where a proof and its statement begin, as the outline has them. Without a file of the statement it proves none;
    `undo` lets the rules say again."""

    proof_file = serializers.CharField(max_length=1000)
    proof_start = serializers.IntegerField(min_value=0, max_value=2**31 - 1)
    statement_file = serializers.CharField(max_length=1000, default="", allow_blank=True)
    statement_start = serializers.IntegerField(min_value=0, max_value=2**31 - 1, default=0)
    undo = serializers.BooleanField(default=False)


class MatchDecisionIn(serializers.Serializer[Any]):
    """The answer; empty withdraws it."""

    decision = serializers.ChoiceField(["", *MatchDecision.values], allow_blank=True)


class SourceList(generics.ListAPIView[Source]):
    """All sources, in the order in which they were added."""

    permission_classes = [IsStaffOfTheStudy]
    serializer_class = SourceOut
    filters = {
        "key": "key", "state": "state", "code": "code", "domain": "domain", "category": "category",
        "licence": "licence", "sha256": "sha256",
    }  # fmt: skip

    def get_queryset(self) -> QuerySet[Source]:
        return _with_everything()


class SourceDetail(StaffView):
    """One source."""

    @extend_schema(operation_id="source_show", responses=SourceOut)
    def get(self, request: Request, pk: int) -> Response:
        return Response(_shown(pk))

    @writes("source_describe", request=DescriptionIn, responses={200: SourceOut})
    def patch(self, request: Request, pk: int) -> Response:
        """Change what is known of it; while a build uses it, only its licence and its published paper."""
        changes = understood(DescriptionIn, request)
        if changes.get("published"):
            said = changes["published"]
            changes["published"] = Published(**{**said, "authors": tuple(said["authors"])})
        source = get_object_or_404(Source, pk=pk)
        describe_source(actor=caller(request), source=source, changes=changes)
        return Response(_shown(pk))

    @extend_schema(operation_id="source_remove", request=None, responses={204: None, **REFUSED})
    def delete(self, request: Request, pk: int) -> Response:
        """Remove it with its files; refused while a build uses it."""
        remove_source(actor=caller(request), source=get_object_or_404(Source, pk=pk))
        return Response(status=204)


class SourceFiles(StaffView):
    """The files of a source that are kept; with `path`, that one with its text."""

    filters = {"path": "path"}

    @extend_schema(operation_id="source_files", responses=SourceFileOut(many=True))
    def get(self, request: Request, pk: int) -> Response:
        files = get_object_or_404(Source, pk=pk).files.annotate(characters=Length("text")).order_by("path")
        path = _given(request, ["path"]).get("path")
        chosen = files.filter(path=path) if path is not None else files.defer("text")
        return Response(SourceFileOut(chosen, many=True, context={"whole": path is not None}).data)


class SourceOutline(StaffView):
    """What was found in a source: statements, proofs with their pairing, unresolved references and citations."""

    @extend_schema(operation_id="source_outline", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, pk: int) -> Response:
        return Response(get_object_or_404(Reading, source_id=pk).outline)


class SourceMain(StaffView):
    """Choose the main file of a source, or undo the choice."""

    @extend_schema(operation_id="source_choose_main", request=MainIn, responses={200: SourceOut, **REFUSED})
    def post(self, request: Request, pk: int) -> Response:
        source, path = get_object_or_404(Source, pk=pk), understood(MainIn, request)["main"]
        if path:
            choose_main(actor=caller(request), source=source, path=path)
        else:
            undo_main(actor=caller(request), source=source)
        return Response(_shown(pk))


class SourcePairs(StaffView):
    @extend_schema(operation_id="source_pairs", responses=PairOut(many=True))
    def get(self, request: Request, pk: int) -> Response:
        """The proofs of a source that people have paired differently from the rules."""
        return Response(PairOut(_pairs(pk), many=True).data)

    @writes("source_pair", request=PairIn, responses={200: PairOut(many=True)})
    def post(self, request: Request, pk: int) -> Response:
        """Say which statement a proof proves, or undo that; returns all pairs."""
        source, said = get_object_or_404(Source, pk=pk), understood(PairIn, request)
        proof = (said["proof_file"], said["proof_start"])
        if said["undo"]:
            undo_pairing(actor=caller(request), source=source, proof=proof)
        else:
            file = said["statement_file"]
            statement = (file, said["statement_start"]) if file else None
            pair_otherwise(actor=caller(request), source=source, proof=proof, statement=statement)
        return Response(PairOut(_pairs(pk), many=True).data)


class MatchList(generics.ListAPIView[Publication]):
    """Pairs of a source and a published paper about which the program asks; `decision` filters by the answer."""

    permission_classes = [IsStaffOfTheStudy]
    serializer_class = PublicationOut
    filters = {"decision": "decision", "source": "source__key"}

    def get_queryset(self) -> QuerySet[Publication]:
        return (questions() | questions("decided")).order_by("pk")


class MatchDecide(StaffView):
    @writes("source_match_decide", request=MatchDecisionIn, responses={200: PublicationOut})
    def post(self, request: Request, pk: int) -> Response:
        """Say whether a source is the published paper; empty withdraws the answer."""
        pair = get_object_or_404(Publication, pk=pk)
        decided = decide(
            actor=caller(request), publication=pair, decision=understood(MatchDecisionIn, request)["decision"]
        )
        return Response(PublicationOut(decided).data)


class ArchiveOut(serializers.ModelSerializer[UploadedArchive]):
    what_to_do = serializers.SerializerMethodField()

    class Meta:
        model = UploadedArchive
        fields = (
            "name", "size", "key", "version", "state", "outcome", "source_id", "code", "sentence", "what_to_do",
            "found", "last_error",
        )  # fmt: skip
        read_only_fields = fields

    def get_what_to_do(self, archive: UploadedArchive) -> str:
        return what_to_do(archive.code)


class UploadOut(serializers.ModelSerializer[SourceUpload]):
    counts = serializers.SerializerMethodField(help_text="Archives, those that are over, and by outcome.")
    without_file = serializers.SerializerMethodField(
        help_text="Lines of the manifest, with the file that they name and that is not there; once all is read."
    )

    class Meta:
        model = SourceUpload
        fields = ("id", "state", "adding", "created_at", "finished_at", "counts", "without_file")
        read_only_fields = fields

    def get_counts(self, upload: SourceUpload) -> dict[str, int]:
        return progress_of(upload)

    @extend_schema_field(serializers.ListField(child=serializers.ListField()))
    def get_without_file(self, upload: SourceUpload) -> list[tuple[int, str]]:
        return without_file(upload) if upload.finished_at else []


class UploadIn(serializers.Serializer[Any]):
    """Multipart: `archives`, repeated for each of them, and perhaps a `manifest`."""

    archives = serializers.ListField(child=serializers.FileField())
    manifest = serializers.FileField(required=False)


class _Receiving(StaffView):
    """A view that takes files, which are streamed to disk and refused as soon as they are too large."""

    parser_classes = [MultiPartParser]

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        """Set the upload handler before the CSRF check reads the body."""
        limit = settings.IMPORT_MAX_BYTES
        words = f"The files have more than {limit >> 20} MB; manage.py import_sources has no limit."
        request.upload_handlers = [CappedFileHandler(limit, words)]
        return super().initialize_request(request, *args, **kwargs)

    def refuse_too_large(self, request: Request) -> None:
        """Raise Refused if the handler has stopped."""
        request.data  # noqa: B018 # reads the body
        handler = request.upload_handlers[0]
        if isinstance(handler, CappedFileHandler) and handler.refusal:
            raise Refused(handler.refusal, code="too_large", field="archives")


class UploadList(_Receiving):
    @extend_schema(operation_id="source_uploads_list", responses=UploadOut(many=True))
    def get(self, request: Request) -> Response:
        """The last 100 uploads, the newest first."""
        return Response(UploadOut(uploads()[:100], many=True).data)

    @extend_schema(operation_id="source_upload", request=UploadIn, responses={201: UploadOut, **REFUSED})
    def post(self, request: Request) -> Response:
        """Have archives read by workers as a dry run, which adds nothing; poll for its end."""
        self.refuse_too_large(request)
        files = [
            (one.name or "source", Path(one.temporary_file_path()))
            for one in request.FILES.getlist("archives")
        ]
        manifest = request.FILES.get("manifest")
        upload = store_upload(
            actor=caller(request), files=files, manifest=manifest.read() if manifest else None
        )
        return Response(UploadOut(upload).data, status=201)


class UploadDetail(StaffView):
    @extend_schema(operation_id="source_upload_show", responses=UploadOut)
    def get(self, request: Request, pk: int) -> Response:
        """How far an upload is."""
        return Response(UploadOut(get_object_or_404(SourceUpload, pk=pk)).data)

    @extend_schema(operation_id="source_upload_discard", request=None, responses={204: None, **REFUSED})
    def delete(self, request: Request, pk: int) -> Response:
        """Discard it with its files; what was added of it stays."""
        discard_upload(upload=get_object_or_404(SourceUpload, pk=pk))
        return Response(status=204)


class UploadArchives(generics.ListAPIView[UploadedArchive]):
    """What was found in each archive of an upload, or came of it."""

    permission_classes = [IsStaffOfTheStudy]
    serializer_class = ArchiveOut
    filters = {"outcome": "outcome", "code": "code"}

    def get_queryset(self) -> QuerySet[UploadedArchive]:
        upload = get_object_or_404(SourceUpload, pk=self.kwargs["pk"])
        return UploadedArchive.objects.filter(run=upload).order_by("pk")


class UploadAdd(StaffView):
    @extend_schema(operation_id="source_upload_add", request=None, responses={200: UploadOut, **REFUSED})
    def post(self, request: Request, pk: int) -> Response:
        """Add what the dry run showed as new; workers do it."""
        upload = get_object_or_404(SourceUpload, pk=pk)
        return Response(UploadOut(add_upload(actor=caller(request), upload=upload)).data)


class ManifestIn(serializers.Serializer[Any]):
    """Multipart: the `manifest`."""

    manifest = serializers.FileField()


class ManifestOut(serializers.Serializer[Any]):
    rows = serializers.IntegerField()


class ManifestCheck(_Receiving):
    @extend_schema(
        operation_id="source_manifest_check", request=ManifestIn, responses={200: ManifestOut, **REFUSED}
    )
    def post(self, request: Request) -> Response:
        """Check a manifest and store nothing: how many rows it has, or all its faults with line and field."""
        self.refuse_too_large(request)
        manifest = request.FILES.get("manifest")
        if manifest is None:
            raise Refused("Send the table as the file `manifest`.", code="no_files", field="manifest")
        return Response({"rows": len(read_manifest(manifest.read()))})


class StatementsExport(StaffView):
    """Every statement of readable sources as JSON Lines, with its places and its text in standard LaTeX."""

    filters = {"key": "key", "domain": "domain", "category": "category", "licence": "licence"}
    repeatable = ("key",)

    @extend_schema(
        operation_id="source_statements", responses={(200, "application/x-ndjson"): OpenApiTypes.STR}
    )
    def get(self, request: Request) -> StreamingHttpResponse:
        wanted: dict[str, Any] = _given(request, self.filters)
        if wanted.pop("key", None) is not None:
            wanted["key__in"] = request.query_params.getlist("key")

        def lines() -> Iterator[bytes]:
            for statement in statements_of(Source.objects.filter(**wanted)):
                yield canonical_json(statement) + b"\n"

        reply = StreamingHttpResponse(lines(), content_type="application/x-ndjson")
        reply["Content-Disposition"] = 'attachment; filename="statements.jsonl"'
        return reply


def _given(request: Request, names: Iterable[str]) -> dict[str, str]:
    """The query parameters of these names."""
    given = {name: request.query_params[name] for name in names if name in request.query_params}
    if any("\0" in value for name in given for value in request.query_params.getlist(name)):
        raise serializers.ValidationError(dict.fromkeys(given, "contains a NUL character"))
    return given


def _with_everything() -> QuerySet[Source]:
    rows = Source.objects.select_related("reading", "publication__decided_by").defer("reading__outline")
    return rows.order_by("key", "version")


def _pairs(pk: int) -> QuerySet[Pairing]:
    return Pairing.objects.filter(source=pk).select_related("by").order_by("proof_file", "proof_start")


def _shown(pk: int) -> Any:
    return SourceOut(get_object_or_404(_with_everything(), pk=pk)).data
