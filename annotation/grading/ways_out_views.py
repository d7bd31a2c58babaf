"""The page of issues that reviewers reported."""

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from accounts.access import staff_only
from accounts.site.pages import SignedInRequest
from annotation.grading.ways_out import ways_out
from annotation.models import Campaign

PAGE = 50


@staff_only
@require_GET
def ways(request: SignedInRequest, slug: str) -> HttpResponse:
    """Totals, reasons, and the items with reported issues."""
    campaign = get_object_or_404(Campaign.objects.select_related("release"), slug=slug)
    found = ways_out(campaign)
    page = Paginator(found["items"], PAGE).get_page(request.GET.get("page"))
    return render(
        request, "annotation/grading/ways_out.html", {"campaign": campaign, "ways": found, "page": page}
    )
