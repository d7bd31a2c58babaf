"""REST: the public records of a study, publishing the next version, and withdrawing one."""

import json
from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.profile.api import caller, understood
from accounts.refusal import Refused
from accounts.rest.auth import IsOwner, StaffReadAndOwnersPost
from accounts.rest.filters import StrictView
from accounts.rest.idempotency import writes
from benchmark.models import Release
from reports.core.requests import release_or_404
from reports.models import PublicRecord
from reports.records.actions import Wish, prepare_record, publish_record, withdraw_record
from reports.records.embargoes import still_closed
from reports.scores.inputs import Inputs


class RecordIn(serializers.Serializer[Any]):
    """Without `seen` nothing is published: the reply says what would be. Then send the same with its `sha256`."""

    artifact = serializers.CharField(
        required=False, help_text="SHA-256 of a frozen score; left out: the newest."
    )
    name = serializers.SlugField(max_length=100)
    title = serializers.CharField(max_length=300)
    asked = serializers.CharField(help_text="Where the problems come from, and what the systems got.")
    limitations = serializers.CharField()
    changes = serializers.CharField(required=False, allow_blank=True)
    doi = serializers.CharField(required=False, allow_blank=True, max_length=200)
    show_problems = serializers.BooleanField(default=False)
    show_outputs = serializers.BooleanField(default=False)
    show_reports = serializers.BooleanField(default=False)
    embargo = serializers.DictField(
        child=serializers.DateField(),
        required=False,
        help_text="The day (UTC) on which a problem's texts may be read, by its key; under an empty key for all "
        "others. Left out, what a record of the study keeps closed stays closed in this one.",
    )
    seen = serializers.CharField(required=False, help_text="`sha256` of what you looked at; publishes it.")


class PreparedOut(serializers.Serializer[Any]):
    sha256 = serializers.CharField(help_text="Of the archive.")
    address = serializers.CharField()
    version = serializers.IntegerField()
    files = serializers.DictField(child=serializers.IntegerField(), help_text="Bytes by name.")
    rounds = serializers.ListField(
        child=serializers.CharField(),
        help_text="Campaigns that are not closed, whose referees could read in the record what was said of the answers "
        "to their problems.",
    )


class RecordOut(serializers.ModelSerializer[PublicRecord]):
    class Meta:
        model = PublicRecord
        fields = ("name", "version", "address", "sha256", "published_at", "withdrawn_at", "withdrawn_reason")
        read_only_fields = fields

    address = serializers.CharField(source="declared.address", read_only=True)
    sha256 = serializers.CharField(source="archive_sha256", read_only=True)


class WithdrawalIn(serializers.Serializer[Any]):
    reason = serializers.CharField(
        max_length=2000, help_text="Shown on the page, in the list and in the feed."
    )


class RecordsView(StrictView):
    permission_classes = [StaffReadAndOwnersPost]

    @extend_schema(operation_id="releases_records", responses=RecordOut(many=True))
    def get(self, request: Request, name: str) -> Response:
        """The versions that were published, the newest first."""
        return Response(RecordOut(_records(release_or_404(name)), many=True).data)

    @writes("releases_publish_record", request=RecordIn, responses={200: PreparedOut, 201: RecordOut})
    def post(self, request: Request, name: str) -> Response:
        """What would become public, or with `seen` exactly that, published as the next version (owners)."""
        said = understood(RecordIn, request)
        frozen, seen = release_or_404(name).artifacts.order_by("-pk"), said.pop("seen", "")
        if sha256 := said.pop("artifact", ""):
            frozen = frozen.filter(sha256=sha256)
        artifact = frozen.select_related("release").first()
        if artifact is None:
            raise Refused("There is no such frozen score.", code="no_artifact", field="artifact")
        if "embargo" not in said:  # else a correction would make public what is still closed
            shows = any(said[name] for name in ("show_problems", "show_outputs", "show_reports"))
            outputs = Inputs.from_json(json.loads(artifact.content)["inputs"]).outputs if shows else ()
            closed, scored = still_closed(artifact.release), {row.instance for row in outputs}
            said["embargo"] = {key: day for key, day in closed.items() if key in scored}
        wish = Wish(**said)
        if seen:
            row = publish_record(actor=caller(request), artifact=artifact, wish=wish, seen=seen)
            return Response(RecordOut(row).data, status=201)
        made = prepare_record(artifact=artifact, wish=wish)
        files = {path: len(content) for path, content in sorted(made.files.items())}
        declared = made.declared
        return Response(
            {
                "sha256": made.sha256,
                "address": declared.address,
                "version": declared.version,
                "files": files,
                "rounds": made.rounds,
            }
        )


class WithdrawRecordView(StrictView):
    permission_classes = [IsOwner]

    @writes("releases_withdraw_record", request=WithdrawalIn, responses={200: RecordOut})
    def post(self, request: Request, name: str, record: str, version: int) -> Response:
        """Withdraw a version; its page stays and says why (owners)."""
        row = get_object_or_404(_records(release_or_404(name)), name=record, version=version)
        withdraw_record(actor=caller(request), record=row, reason=understood(WithdrawalIn, request)["reason"])
        row.refresh_from_db()
        return Response(RecordOut(row).data)


def _records(release: Release) -> QuerySet[PublicRecord]:
    return PublicRecord.objects.filter(artifact__release=release).order_by("-pk")
