"""REST endpoints of the quarantine: what may reveal its author, and what was decided about it."""

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.profile.api import caller, understood
from accounts.rest.auth import IsStaffOfTheStudy
from accounts.rest.errors import REFUSED
from accounts.rest.filters import StaffView
from accounts.rest.idempotency import writes
from annotation.quarantine import actions
from annotation.quarantine.reading import with_findings
from benchmark.identities.actions import add_identity_word, remove_identity_word, scan_identities
from benchmark.models import IdentityVerdict, IdentityWord, Output
from benchmark.releases.queries import release_or_404


class PassageIn(serializers.Serializer[Any]):
    field = serializers.CharField(help_text='"text", or the path of a string in the payload: payload/a/0/b.')
    start = serializers.IntegerField(min_value=0)
    end = serializers.IntegerField(min_value=1)


class DecisionIn(serializers.Serializer[Any]):
    verdict = serializers.ChoiceField(choices=[*IdentityVerdict.values, "withdraw"])
    reason = serializers.CharField(max_length=500, required=False, allow_blank=True, default="")
    also = PassageIn(many=True, required=False, default=list)


class HeldOut(serializers.Serializer[Any]):
    output = serializers.IntegerField(source="pk")
    problem = serializers.CharField(source="instance.key", help_text="Key of the instance.")
    system = serializers.CharField(source="run.system.slug")
    attempt = serializers.IntegerField()
    findings = serializers.JSONField(source="identity_scan.findings", default=None)
    scan_version = serializers.IntegerField(source="identity_scan.version", default=None)
    verdict = serializers.SerializerMethodField()
    drawn = serializers.BooleanField()

    def get_verdict(self, output: Output) -> str:
        live = output.live  # type: ignore[attr-defined]
        return str(live[0].verdict) if live else ""


class ScanOut(serializers.Serializer[Any]):
    scanned = serializers.IntegerField(help_text="By this call.")
    left = serializers.IntegerField(help_text="Outputs that are still to be scanned.")
    outputs = serializers.IntegerField()
    certain = serializers.IntegerField()


class RedactedOut(serializers.Serializer[Any]):
    redacted = serializers.IntegerField()
    left = serializers.IntegerField(help_text="They need a decision of their own.")
    untried = serializers.IntegerField(help_text="Not reached within the time of a request; ask again.")


class WordIn(serializers.Serializer[Any]):
    word = serializers.CharField(max_length=100, help_text="Case is ignored.")


class WordOut(serializers.ModelSerializer[IdentityWord]):
    class Meta:
        model = IdentityWord
        fields = ("id", "word", "added_at")
        read_only_fields = fields


PATIENCE = 20  # seconds; a proxy's may end after a minute


class QuarantineView(ListAPIView[Output]):
    """Outputs of a release with a certain finding or a decision, undecided ones first; for those who run the study."""

    permission_classes = [IsStaffOfTheStudy]
    serializer_class = HeldOut

    def get_queryset(self) -> QuerySet[Output]:
        return with_findings(release_or_404(self.kwargs["name"]))


class ScanView(StaffView):
    @extend_schema(operation_id="quarantine_scan", request=None, responses=ScanOut)
    def post(self, request: Request, name: str) -> Response:
        """Scan the outputs that this version of the scan has not read, for some seconds. Call it until none is left."""
        return Response(ScanOut(scan_identities(release=release_or_404(name), seconds=PATIENCE)).data)


class WordsView(StaffView):
    @extend_schema(operation_id="quarantine_words", responses=WordOut(many=True))
    def get(self, request: Request, name: str) -> Response:
        """The words that this release's staff added to the names that reveal who wrote a text."""
        rows = release_or_404(name).identity_words.filter(removed_at=None).order_by("word")
        return Response(WordOut(rows, many=True).data)

    @extend_schema(operation_id="quarantine_add_word", request=WordIn, responses={201: WordOut, **REFUSED})
    def post(self, request: Request, name: str) -> Response:
        """Look for one more word; a worker scans the outputs again."""
        sent = understood(WordIn, request)
        row = add_identity_word(actor=caller(request), release=release_or_404(name), **sent)
        return Response(WordOut(row).data, status=201)


class WordView(StaffView):
    @extend_schema(operation_id="quarantine_remove_word", responses={204: None, **REFUSED})
    def delete(self, request: Request, name: str, pk: int) -> Response:
        """Stop looking for a word."""
        remove_identity_word(
            actor=caller(request), word=get_object_or_404(IdentityWord, pk=pk, release__name=name)
        )
        return Response(status=204)


class RedactAllView(StaffView):
    @extend_schema(operation_id="quarantine_redact", request=None, responses=RedactedOut)
    def post(self, request: Request, name: str) -> Response:
        """Redact every waiting output; ask again while some are `untried`."""
        counts = actions.redact_release(actor=caller(request), release=release_or_404(name), seconds=PATIENCE)
        return Response(RedactedOut(counts).data)


class DecisionView(StaffView):
    @writes("quarantine_decide", request=DecisionIn, responses={200: HeldOut})
    def post(self, request: Request, name: str, pk: int) -> Response:
        """Decide about one output, or withdraw the live decision. Once a campaign drew it, only “harmless”."""
        output = get_object_or_404(Output, pk=pk, run__release__name=name)
        sent = understood(DecisionIn, request)
        if sent["verdict"] == "withdraw":
            actions.withdraw_decision(actor=caller(request), output=output)
        else:
            also = [(one["field"], one["start"], one["end"]) for one in sent["also"]]
            actions.decide_identity(
                actor=caller(request),
                output=output,
                verdict=sent["verdict"],
                reason=sent["reason"],
                also=also,
            )
        shown = with_findings(release_or_404(name)).filter(pk=pk)
        return Response(HeldOut(shown, many=True).data[0] if shown else {})
