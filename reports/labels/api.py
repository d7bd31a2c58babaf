"""REST endpoint of the comment table."""

from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from reports.core.rest import ReadingView, query
from reports.labels.comments import COLUMNS
from reports.labels.views import chosen_comments


class CommentRowOut(serializers.Serializer[Any]):
    """A row of the comment table; every cell is text, empty where the column does not apply."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {column: serializers.CharField(allow_blank=True, default="") for column in COLUMNS}


class CommentsView(ReadingView):
    """The comments that experts made on passages."""

    @extend_schema(
        operation_id="releases_comments",
        parameters=[
            query("campaign", "Only those of this campaign."),
            OpenApiParameter(
                "identities", str, OpenApiParameter.QUERY, enum=["0", "1"], description="1: not blinded."
            ),
        ],
        responses=CommentRowOut(many=True),
    )
    def get(self, request: Request, name: str) -> HttpResponseBase:
        """All of them, by campaign and problem; without systems unless `identities=1`."""
        return Response(CommentRowOut(chosen_comments(request.query_params.dict(), name), many=True).data)
