"""REST endpoint of case studies, for coordinators and owners: systems are named here."""

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.documents import schema_of
from accounts.rest.filters import StrictView
from benchmark.models import Instance
from canonical.documents import as_json
from reports.cases.study import CaseStudy, case_table
from reports.core.rest import JUDGE, TRACK, ReadingView


class CaseView(ReadingView, StrictView):
    filters = {"track": "track", "judge": "judge"}

    @extend_schema(operation_id="releases_case", parameters=[TRACK, JUDGE], responses=schema_of(CaseStudy))
    def get(self, request: Request, name: str, key: str) -> Response:
        """The cells of the protocol's columns; a cell without a value says why."""
        instance = get_object_or_404(
            Instance.objects.select_related("release__benchmark"), release__name=name, key=key
        )
        asked = {name: request.query_params.get(name, "") for name in self.filters}
        return Response(as_json(case_table(instance, **asked)))
