"""REST endpoint that compares two frozen scores."""

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.access import role_names
from accounts.models import RoleName
from accounts.refusal import NotAllowed
from reports.artifact.comparing import compare_stored
from reports.core.choosing import only_known
from reports.core.rest import ReadingView


def _hash(side: str) -> OpenApiParameter:
    return OpenApiParameter(side, str, OpenApiParameter.QUERY, required=True, description="SHA-256.")


class ArtifactComparisonView(ReadingView):
    @extend_schema(
        operation_id="artifacts_compare",
        parameters=[_hash("left"), _hash("right")],
        responses=OpenApiTypes.OBJECT,
    )
    def get(self, request: Request) -> Response:
        """What `manage.py compare_artifacts --json` prints (owners)."""
        if RoleName.OWNER not in role_names(request.user):
            raise NotAllowed("Only owners read a frozen score.")
        asked = request.query_params
        only_known(asked, "left", "right")
        return Response(compare_stored(asked.get("left", ""), asked.get("right", "")))
