"""REST endpoints of published figures, recomputed."""

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.filters import StrictView
from reports.core.rest import ReadingView
from reports.published.figures import all_counts, recomputed


class PublishedListView(StrictView, ReadingView):
    @extend_schema(operation_id="published_list", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        """Protocol, paper and how many figures are reproduced, differ or cannot be recomputed."""
        return Response({"results": all_counts()})


class PublishedView(StrictView, ReadingView):
    @extend_schema(operation_id="published_show", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, protocol: str) -> Response:
        """The document that `manage.py published --json` prints."""
        return Response(recomputed(protocol))
