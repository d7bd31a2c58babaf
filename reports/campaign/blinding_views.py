"""The page that says whether blinding held; for owners, since it counts guesses by true system."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from reports.campaign.blinding import blinding as blinding_of
from reports.campaign.views import campaign_or_404
from reports.core.access import explains_refusals, owner_only
from reports.core.cells import number_cell
from reports.core.choosing import only_known


@owner_only
@require_GET
@explains_refusals
def blinding(request: HttpRequest, slug: str) -> HttpResponse:
    """Guesses by system with Bang's index, and James's index of the campaign."""
    only_known(request.GET)
    campaign = campaign_or_404(slug)
    document = blinding_of(campaign)
    context = {
        "campaign": campaign,
        "document": document,
        "rows": [(row, number_cell(row.bang) if row.bang else None) for row in document.systems],
        "james": number_cell(document.james) if document.james else None,
    }
    return render(request, "reports/campaign/blinding.html", context)
