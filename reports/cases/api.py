"""REST endpoint of case studies, for coordinators and owners: systems are named here."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.refusal import Refused
from accounts.rest.auth import IsStaffOfTheStudy
from accounts.rest.filters import StrictView
from benchmark.models import Instance
from reports.cases.page import STATES
from reports.cases.study import case_document
from reports.scores.api import JUDGE, TRACK, invalid


class CaseCellOut(serializers.Serializer[Any]):
    value = serializers.CharField(allow_blank=True, help_text="Empty unless the state is answered.")
    state = serializers.ChoiceField(["answered", *STATES])


class CaseColumnOut(serializers.Serializer[Any]):
    key = serializers.CharField()
    title = serializers.CharField()
    definition = serializers.CharField()
    track = serializers.CharField()
    condition = serializers.CharField(allow_blank=True)
    is_text = serializers.BooleanField(help_text="Free text instead of yes, no or uncertain.")


class CaseRowOut(serializers.Serializer[Any]):
    system = serializers.CharField()
    name = serializers.CharField()
    attempt = serializers.IntegerField()
    cells = serializers.DictField(child=CaseCellOut(), help_text="By the column's key.")


class CaseOut(serializers.Serializer[Any]):
    format = serializers.CharField()
    release = serializers.CharField()
    is_sample = serializers.BooleanField()
    protocol = serializers.CharField()
    instance = serializers.CharField()
    domain = serializers.CharField()
    track = serializers.CharField(allow_blank=True)
    tracks = serializers.ListField(child=serializers.CharField())
    judge = serializers.CharField(allow_blank=True)
    judges = serializers.ListField(child=serializers.CharField())
    columns = CaseColumnOut(many=True)
    rows = CaseRowOut(many=True)


class CaseView(StrictView):
    """One instance, all systems side by side."""

    permission_classes = [IsStaffOfTheStudy]
    filters = {"track": "track", "judge": "judge"}

    @extend_schema(operation_id="releases_case", parameters=[TRACK, JUDGE], responses=CaseOut)
    def get(self, request: Request, name: str, key: str) -> Response:
        """The cells of the protocol's columns; a cell without a value says why."""
        instance = get_object_or_404(
            Instance.objects.select_related("release__benchmark"), release__name=name, key=key
        )
        asked = {name: request.query_params.get(name, "") for name in self.filters}
        try:
            return Response(case_document(instance, **asked))
        except Refused as refusal:
            raise invalid(refusal) from refusal
