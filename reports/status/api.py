"""REST: the status page as a document."""

from dataclasses import asdict
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.filters import StaffView
from reports.status.state import BAD, GOOD, WARN, status


class LightOut(serializers.Serializer[Any]):
    name = serializers.CharField()
    state = serializers.ChoiceField(choices=[GOOD, WARN, BAD])
    says = serializers.CharField()
    seen = serializers.DateTimeField(allow_null=True, help_text="When it was last seen at work.")


class WaitingOut(serializers.Serializer[Any]):
    kind = serializers.CharField()
    number = serializers.IntegerField()
    since = serializers.DateTimeField(help_text="Since when the oldest waits.")


class StatusOut(serializers.Serializer[Any]):
    lights = LightOut(many=True)
    waiting = WaitingOut(many=True)


class StatusView(StaffView):
    @extend_schema(operation_id="status_show", responses=StatusOut)
    def get(self, request: Request) -> Response:
        """Whether web, workers, beat, mail, endpoints and disks work, and the jobs that wait for a worker."""
        return Response(StatusOut(asdict(status())).data)
