"""REST endpoint of tracks and conditions side by side, for coordinators and owners: systems are named here."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.refusal import Refused
from accounts.rest.auth import IsStaffOfTheStudy
from accounts.rest.documents import schema_of
from accounts.rest.filters import StrictView
from canonical.documents import as_json
from reports.conditions.document import Conditions, conditions
from reports.scores.api import JUDGE, TUPLE, invalid, release_or_404


class ConditionsView(StrictView):
    """Every system's runs on all tracks and conditions of a release, in the tables of its protocol."""

    permission_classes = [IsStaffOfTheStudy]
    filters = {"judge": "judge", "tuple": "tuple"}

    @extend_schema(
        operation_id="releases_conditions", parameters=[JUDGE, TUPLE], responses=schema_of(Conditions)
    )
    def get(self, request: Request, name: str) -> Response:
        """Figures of each run by itself and, against the baseline, differences paired by instance."""
        release = release_or_404(name)
        judge, named = (request.query_params.get(key, "") for key in self.filters)
        try:
            return Response(as_json(conditions(release, judge=judge, frozen_tuple=named)))
        except Refused as refusal:
            raise invalid(refusal) from refusal
