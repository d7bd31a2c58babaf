"""REST: scores of systems next to those from elsewhere."""

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from canonical.documents import as_json
from reports.core.choosing import PARAMETERS, choose, only_known
from reports.core.outcomes import chosen_kind, outcomes
from reports.core.requests import release_or_404
from reports.core.rest import ReadingView
from reports.external.document import external_document, read_external
from reports.scores.inputs import collect_chosen


class ExternalScoresView(ReadingView):
    @extend_schema(
        operation_id="releases_external_scores",
        parameters=[
            *(OpenApiParameter(name, str) for name in (*PARAMETERS, "outcome")),
            OpenApiParameter("scores", str, required=True, description="CSV with the header system,score."),
        ],
        responses=OpenApiTypes.OBJECT,
    )
    def get(self, request: Request, name: str) -> Response:
        """Both scores of every system that has both, Spearman's rho and Kendall's tau-b with intervals."""
        release, asked = release_or_404(name), request.query_params
        only_known(asked, *PARAMETERS, "outcome", "scores")
        external = read_external(asked.get("scores", ""))
        inputs = collect_chosen(choose(release, asked))
        kind = chosen_kind(inputs, asked.get("outcome", ""))
        return Response(as_json(external_document(outcomes(inputs, kind), external)))
