"""Published figures, checked: one page for each paper."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.access import staff_only
from reports.core.requests import staff_page
from reports.published.figures import all_counts, recomputed


@staff_only
@require_GET
def published_list(request: HttpRequest) -> HttpResponse:
    """The papers whose figures are kept, with how many come out."""
    return render(request, "reports/published/published_list.html", {"papers": all_counts()})


@staff_page
def published(request: HttpRequest, protocol: str) -> HttpResponse:
    """One paper's figures next to ours, and its known discrepancies."""
    return render(request, "reports/published/published.html", {"document": recomputed(protocol)})
