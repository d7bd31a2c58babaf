"""REST endpoints of published figures, recomputed."""

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.refusal import Refused
from accounts.rest.auth import IsStaffOfTheStudy
from reports.published.recomputing import all_counts, recomputed
from reports.scores.api import invalid


class PublishedListView(APIView):
    """Papers whose figures are kept."""

    permission_classes = [IsStaffOfTheStudy]

    @extend_schema(operation_id="published_list", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        """Protocol, paper and how many figures are reproduced, differ or cannot be recomputed."""
        return Response({"results": all_counts()})


class PublishedView(APIView):
    """One paper's figures next to ours."""

    permission_classes = [IsStaffOfTheStudy]

    @extend_schema(operation_id="published_show", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, protocol: str) -> Response:
        """The document that `manage.py published --json` prints."""
        try:
            return Response(recomputed(protocol))
        except Refused as refusal:
            raise invalid(refusal) from refusal
