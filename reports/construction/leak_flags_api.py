"""REST: what experts flagged as leaks, for coordinators and owners."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.filters import StaffView
from benchmark.leakage_kinds import FLAG_KINDS
from reports.construction.leak_flags import flagged_instances
from reports.core.addresses import release_or_404


class MarkedOut(serializers.Serializer[Any]):
    block = serializers.CharField()
    start = serializers.IntegerField()
    end = serializers.IntegerField()
    text = serializers.CharField()


class ExpertFlagOut(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(list(FLAG_KINDS))
    spans = MarkedOut(many=True)
    link = serializers.CharField(allow_blank=True)
    note = serializers.CharField(allow_blank=True)


class FlaggedInstanceOut(serializers.Serializer[Any]):
    instance = serializers.CharField()
    domain = serializers.CharField()
    graders = serializers.IntegerField(help_text="Experts with a live grade of this instance's outputs.")
    experts = serializers.DictField(child=serializers.IntegerField(), help_text="Graders by kind of flag.")
    program = serializers.ListField(child=serializers.CharField(), help_text="Kinds the program found.")
    read = serializers.BooleanField(help_text="Whether the program has read this instance.")
    flags = ExpertFlagOut(many=True)


class LeakFlagsView(StaffView):
    @extend_schema(operation_id="releases_leak_flags", responses=FlaggedInstanceOut(many=True))
    def get(self, request: Request, name: str) -> Response:
        """Every instance that an expert flagged or in which the program found a leak. No system is named."""
        return Response(FlaggedInstanceOut(flagged_instances(release_or_404(name)), many=True).data)
