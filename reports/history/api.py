"""REST: the head of the chain of history, for owners."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.auth import IsOwner
from accounts.rest.filters import StrictView
from reports.history.chain import history_document


class HistoryOut(serializers.Serializer[Any]):
    head = serializers.CharField(help_text="POSITION:HASH, as `verify_history --head` takes it.")
    sealed_at = serializers.DateTimeField(allow_null=True, help_text="When the last link was made.")
    sealed = serializers.DictField(child=serializers.IntegerField(), help_text="Links by kind of row.")
    waiting = serializers.DictField(child=serializers.IntegerField(), help_text="Rows without a link.")


class HistoryView(StrictView):
    permission_classes = [IsOwner]

    @extend_schema(operation_id="history_head", responses=HistoryOut)
    def get(self, request: Request) -> Response:
        """The head of the chain. Keep it somewhere else: what it covers can then no longer change unseen."""
        return Response(history_document())
