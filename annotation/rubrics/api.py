"""REST: rubrics, and importing a rubric file."""

from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.profile.api import caller, understood
from accounts.rest.errors import RefusalOut
from accounts.rest.filters import StaffView
from annotation.rubrics import actions
from annotation.rubrics.available import known_rubrics, rubric_called, rubric_toml
from benchmark.protocols import protocol_names
from benchmark.rubrics import RubricError


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
        try:
            rubric = rubric_called(_known(protocol), label)
        except RubricError as error:
            raise Http404 from error
        plain = {key: getattr(rubric, key) for key in ("label", "sha256", "kind", "title")}
        return Response(RubricFileOut({**plain, "toml": rubric_toml(rubric)}).data)


def _known(protocol: str) -> str:
    if protocol not in protocol_names():
        raise Http404
    return protocol
