"""REST: whether blinding held in a closed campaign, for owners."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.auth import IsOwner
from accounts.rest.documents import schema_of
from accounts.rest.filters import StrictView
from canonical.documents import as_json
from reports.campaign.blinding import Blinding, blinding
from reports.campaign.views import campaign_or_404
from reports.core.rest import ReadingView


class BlindingView(ReadingView, StrictView):
    permission_classes = [IsOwner]

    @extend_schema(operation_id="campaigns_blinding", responses=schema_of(Blinding))
    def get(self, request: Request, slug: str) -> Response:
        """Guesses by system with Bang's index, and James's index."""
        return Response(as_json(blinding(campaign_or_404(slug))))
