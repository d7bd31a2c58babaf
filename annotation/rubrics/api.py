"""REST: rubrics, and importing a rubric file."""

from dataclasses import asdict
from typing import Any

from django.http import Http404
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.profile.api import caller, understood
from accounts.rest.errors import RefusalOut
from accounts.rest.filters import StaffView
from annotation.models import RubricDraft
from annotation.rubrics import actions, drafting
from annotation.rubrics.available import known_rubrics, rubric_called, rubric_or_404, rubric_toml
from benchmark.protocols import protocol_names


class KnownRubricOut(serializers.Serializer[Any]):
    label = serializers.CharField()  # type: ignore[assignment]  # the stubs take it for the field's own label
    sha256 = serializers.CharField()
    kind = serializers.CharField()
    title = serializers.CharField()


class RubricFileOut(KnownRubricOut):
    toml = serializers.CharField(help_text="A file that can be imported again.")


class RubricFileIn(serializers.Serializer[Any]):
    toml = serializers.CharField(trim_whitespace=False, help_text="The text of a rubric file.")


class RubricsView(StaffView):
    @extend_schema(operation_id="rubrics_list", responses=KnownRubricOut(many=True))
    def get(self, request: Request, protocol: str) -> Response:
        """The rubrics that campaigns on releases of a protocol can have."""
        return Response(KnownRubricOut(known_rubrics(_known(protocol)), many=True).data)

    @extend_schema(
        operation_id="rubrics_import",
        request=RubricFileIn,
        responses={201: KnownRubricOut(many=True), 409: RefusalOut, 422: RefusalOut},
    )
    def post(self, request: Request, protocol: str) -> Response:
        """Store the rubrics of a file; what is stored already with the same content stays."""
        sent = understood(RubricFileIn, request)
        rows = actions.import_rubrics(
            actor=caller(request), protocol=_known(protocol), content=sent["toml"].encode()
        )
        stored = [rubric_called(protocol, row.label) for row in rows]
        return Response(KnownRubricOut(stored, many=True).data, status=201)


class RubricView(StaffView):
    @extend_schema(operation_id="rubric_read", responses=RubricFileOut)
    def get(self, request: Request, protocol: str, label: str) -> Response:
        """One rubric with its file."""
        rubric = rubric_or_404(protocol, label)
        plain = {key: getattr(rubric, key) for key in ("label", "sha256", "kind", "title")}
        return Response(RubricFileOut({**plain, "toml": rubric_toml(rubric)}).data)


class FormFaultOut(serializers.Serializer[Any]):
    reason = serializers.CharField()
    question = serializers.IntegerField(allow_null=True, help_text="Number of the question, from 0.")


class FormCheckOut(serializers.Serializer[Any]):
    words = serializers.CharField()
    good = serializers.BooleanField()


class RubricDraftOut(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    protocol = serializers.CharField()
    content = serializers.JSONField(help_text="The form as in a rubric file, however incomplete.")
    saves = serializers.IntegerField()
    saved_at = serializers.DateTimeField()
    version = serializers.IntegerField(help_text="The version that it becomes.")
    faults = FormFaultOut(many=True)
    checks = FormCheckOut(many=True)


class RubricDraftIn(serializers.Serializer[Any]):
    content = serializers.JSONField()
    saves = serializers.IntegerField(help_text="The number of the last save that you know.")


class RubricStartIn(serializers.Serializer[Any]):
    start = serializers.CharField(
        help_text="four-levels, points, yes-or-no, blank, or the label of a rubric to change."
    )


class RubricPublishIn(serializers.Serializer[Any]):
    saves = serializers.IntegerField()


class RubricDraftsView(StaffView):
    @extend_schema(operation_id="rubric_drafts_list", responses=RubricDraftOut(many=True))
    def get(self, request: Request, protocol: str) -> Response:
        """Forms for outputs of a protocol that are being written."""
        drafts = RubricDraft.objects.filter(protocol=_known(protocol)).order_by("pk")
        return Response([draft_values(draft) for draft in drafts])

    @extend_schema(
        operation_id="rubric_drafts_start",
        request=RubricStartIn,
        responses={201: RubricDraftOut, 409: RefusalOut},
    )
    def post(self, request: Request, protocol: str) -> Response:
        """Begin a form."""
        sent = understood(RubricStartIn, request)
        draft = drafting.start_draft(actor=caller(request), protocol=_known(protocol), start=sent["start"])
        return Response(draft_values(draft), status=201)


class RubricDraftView(StaffView):
    @extend_schema(operation_id="rubric_draft_read", responses=RubricDraftOut)
    def get(self, request: Request, pk: int) -> Response:
        """One form that is being written, and what is wrong with it."""
        return Response(draft_values(get_object_or_404(RubricDraft, pk=pk)))

    @extend_schema(
        operation_id="rubric_draft_save",
        request=RubricDraftIn,
        responses={200: RubricDraftOut, 409: RefusalOut},
    )
    def put(self, request: Request, pk: int) -> Response:
        """Save it."""
        draft = get_object_or_404(RubricDraft, pk=pk)
        sent = understood(RubricDraftIn, request)
        return Response(draft_values(drafting.save_draft(actor=caller(request), draft=draft, **sent)))

    @extend_schema(operation_id="rubric_draft_discard", responses={204: None})
    def delete(self, request: Request, pk: int) -> Response:
        """Delete it for good; versions that were made of it stay."""
        drafting.discard_draft(actor=caller(request), draft=get_object_or_404(RubricDraft, pk=pk))
        return Response(status=204)


class RubricPublishView(StaffView):
    @extend_schema(
        operation_id="rubric_draft_publish",
        request=RubricPublishIn,
        responses={201: KnownRubricOut, 409: RefusalOut},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Make an immutable version of it that campaigns can use."""
        draft = get_object_or_404(RubricDraft, pk=pk)
        sent = understood(RubricPublishIn, request)
        row = drafting.publish_draft(actor=caller(request), draft=draft, saves=sent["saves"])
        return Response(KnownRubricOut(rubric_called(row.protocol, row.label)).data, status=201)


def draft_values(draft: RubricDraft) -> dict[str, object]:
    """A draft with what is wrong with it, as the editor gets it."""
    form = drafting.check_of(draft)
    version = drafting.next_version(known_rubrics(draft.protocol), draft.content.get("name"))
    plain = {"id": draft.pk, "protocol": draft.protocol, "content": draft.content, "saves": draft.saves}
    return {
        **plain,
        "saved_at": draft.saved_at.isoformat(),
        "version": version,
        "faults": [asdict(fault) for fault in form.faults],
        "checks": [asdict(check) for check in form.checks],
    }


def _known(protocol: str) -> str:
    if protocol not in protocol_names():
        raise Http404
    return protocol
