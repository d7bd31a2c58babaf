"""Pages of sources, for coordinators and owners."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.access import staff_only
from construction.models import Source


@staff_only
@require_GET
def construction(request: HttpRequest) -> HttpResponse:
    """What there is: sources and builds."""
    return render(request, "construction/construction.html", {"n_sources": Source.objects.count()})


@staff_only
@require_GET
def sources(request: HttpRequest) -> HttpResponse:
    """Every source."""
    return render(request, "construction/sources/sources.html", {"sources": Source.objects.order_by("key")})
