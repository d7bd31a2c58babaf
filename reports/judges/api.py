"""REST endpoints of the judges of one track side by side."""

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from canonical.documents import as_json
from reports.core.rest import CHOICE, ReadingView, query
from reports.judges.choosing import judge_matrix, two_judges


class JudgePairView(ReadingView):
    @extend_schema(
        operation_id="releases_judge_pair",
        parameters=[
            *CHOICE,
            query("against", "The other judge version; left out: the next that has verdicts."),
            query("predicate", "Only disagreements about this predicate."),
        ],
        responses=OpenApiTypes.OBJECT,
    )
    def get(self, request: Request, name: str) -> Response:
        """Tables, agreement and kappa by predicate, and every disagreement."""
        chosen, asked = self.chosen(request, name, "against", "predicate"), request.query_params
        both = two_judges(chosen, asked.get("against", ""))
        if both is None:
            raise NotFound("There are no two judges with verdicts on this track.")
        found = both.differing(asked.get("predicate", ""))
        return Response({**as_json(both.agreement()), "differing": as_json(found)})


class JudgeMatrixView(ReadingView):
    @extend_schema(
        operation_id="releases_judge_matrix",
        parameters=[*CHOICE, query("metric", "A metric of the protocol; left out: its first.")],
        responses=OpenApiTypes.OBJECT,
    )
    def get(self, request: Request, name: str) -> Response:
        """Counts on the common items, totals, residuals, and self-preference."""
        metric = request.query_params.get("metric", "")
        return Response(as_json(judge_matrix(self.chosen(request, name, "metric"), metric)))
