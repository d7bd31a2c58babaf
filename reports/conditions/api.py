"""REST endpoint of tracks and conditions side by side, for coordinators and owners: systems are named here."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.documents import schema_of
from accounts.rest.filters import StrictView
from canonical.documents import as_json
from reports.conditions.document import Conditions, conditions
from reports.core.requests import release_or_404
from reports.core.rest import JUDGE, TUPLE, ReadingView


class ConditionsView(ReadingView, StrictView):
    """Every system's runs on all tracks and conditions of a release, in the tables of its protocol."""

    filters = {"judge": "judge", "tuple": "tuple"}

    @extend_schema(
        operation_id="releases_conditions", parameters=[JUDGE, TUPLE], responses=schema_of(Conditions)
    )
    def get(self, request: Request, name: str) -> Response:
        """Figures of each run by itself and, against the baseline, differences paired by instance."""
        judge, named = (request.query_params.get(key, "") for key in self.filters)
        return Response(as_json(conditions(release_or_404(name), judge=judge, frozen_tuple=named)))
