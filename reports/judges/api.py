"""REST endpoints of the judges of one track side by side."""

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.refusal import Refused
from accounts.rest.auth import IsStaffOfTheStudy
from canonical.documents import as_json
from reports.core.choosing import PARAMETERS, choose, only_known
from reports.judges.choosing import judge_matrix, two_judges
from reports.scores.api import CHOICE, invalid, release_or_404


def _query(name: str, words: str) -> OpenApiParameter:
    return OpenApiParameter(name, str, OpenApiParameter.QUERY, required=False, description=words)


class JudgePairView(APIView):
    """Two judges on the same outputs."""

    permission_classes = [IsStaffOfTheStudy]

    @extend_schema(
        operation_id="releases_judge_pair",
        parameters=[
            *CHOICE,
            _query("against", "The other judge version; left out: the next that has verdicts."),
            _query("predicate", "Only disagreements about this predicate."),
        ],
        responses=OpenApiTypes.OBJECT,
    )
    def get(self, request: Request, name: str) -> Response:
        """Tables, agreement and kappa by predicate, and every disagreement."""
        release, asked = release_or_404(name), request.query_params
        try:
            only_known(asked, *PARAMETERS, "against", "predicate")
            both = two_judges(choose(release, asked), asked.get("against", ""))
            found = both.differing(asked.get("predicate", "")) if both else []
        except Refused as refusal:
            raise invalid(refusal) from refusal
        if both is None:
            raise NotFound("There are no two judges with verdicts on this track.")
        return Response({**as_json(both.agreement()), "differing": as_json(found)})


class JudgeMatrixView(APIView):
    """Every system under every judge."""

    permission_classes = [IsStaffOfTheStudy]

    @extend_schema(
        operation_id="releases_judge_matrix",
        parameters=[*CHOICE, _query("metric", "A metric of the protocol; left out: its first.")],
        responses=OpenApiTypes.OBJECT,
    )
    def get(self, request: Request, name: str) -> Response:
        """Counts on the common items, totals, residuals, and self-preference."""
        release, asked = release_or_404(name), request.query_params
        try:
            only_known(asked, *PARAMETERS, "metric")
            return Response(as_json(judge_matrix(choose(release, asked), asked.get("metric", ""))))
        except Refused as refusal:
            raise invalid(refusal) from refusal
