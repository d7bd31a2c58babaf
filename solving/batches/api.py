"""REST endpoints of batches, for owners."""

from typing import Any

from django.http import HttpRequest, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiResponse, OpenApiTypes, extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.profile.api import caller, understood
from accounts.rest.auth import IsOwner
from accounts.rest.documents import schema_of
from accounts.rest.errors import REFUSED, RefusalOut
from accounts.rest.filters import StrictView
from accounts.rest.idempotency import writes
from canonical.documents import as_json
from solving.batches.actions import MOST, Settled, export_batch, settle_batch, withdraw_batch
from solving.batches.queries import BatchState, batch_state
from solving.batches.views import download, results_handler, sent_path
from solving.models import SolveRun

_STEPS = [("export", "Export what waits"), ("withdraw", "Withdraw what is out")]
SettledOut, BatchOut = schema_of(Settled), schema_of(BatchState)


class BatchResultsIn(serializers.Serializer[Any]):
    """Multipart: the provider's file of results."""

    file = serializers.FileField()


class BatchSteeringIn(serializers.Serializer[Any]):
    """Export the waiting questions, at most `limit` of them, or withdraw those that are out."""

    step = serializers.ChoiceField(_STEPS)
    limit = serializers.IntegerField(min_value=1, max_value=MOST, default=MOST)


class SolveBatch(StrictView):
    permission_classes = [IsOwner]
    parser_classes = [MultiPartParser]

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        """Set the upload handler before the CSRF check reads the body."""
        request.upload_handlers = [results_handler(request)]
        return super().initialize_request(request, *args, **kwargs)

    @extend_schema(
        operation_id="solve_batch_file",
        responses={
            (200, "application/jsonlines"): OpenApiResponse(OpenApiTypes.STR, description="One a line."),
            **REFUSED,
        },
    )
    def get(self, request: Request, pk: int) -> StreamingHttpResponse:
        """The file of the questions that are out, in the format of OpenAI's Batch API."""
        return download(get_object_or_404(SolveRun, pk=pk))

    @writes("solve_batch_settle", request=BatchResultsIn, responses={200: SettledOut, 400: RefusalOut})
    def post(self, request: Request, pk: int) -> Response:
        """Settle the results in a file like replies: all or nothing, and harmless when repeated."""
        run = get_object_or_404(SolveRun, pk=pk)
        _ = request.data  # the handler knows only once the body has been read
        path = sent_path(request.FILES.get("file"), request.upload_handlers[0])
        return Response(as_json(settle_batch(actor=caller(request), run=run, path=path)))


class SolveBatchSteer(StrictView):
    """Export the waiting questions of a paused run, or withdraw those that are out."""

    permission_classes = [IsOwner]

    @writes("solve_batch_steer", request=BatchSteeringIn, responses={200: BatchOut, 409: RefusalOut})
    def post(self, request: Request, pk: int) -> Response:
        said = understood(BatchSteeringIn, request)
        run = get_object_or_404(SolveRun, pk=pk)
        if said["step"] == "export":
            export_batch(actor=caller(request), run=run, limit=said["limit"])
        else:
            withdraw_batch(actor=caller(request), run=run)
        return Response(as_json(batch_state(run)))
