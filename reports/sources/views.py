"""Sources of a release's outputs: the flags, the shares, and the request to compare."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from accounts.refusal import Refused
from accounts.site.pages import SignedInRequest
from benchmark.models import Release
from judging.programs.sources import ask_about_sources, source_program
from reports.core.access import explains_refusals, staff_only
from reports.core.cells import percent_cell
from reports.core.choosing import PARAMETERS, choose, only_known
from reports.sources.document import alternative_sources, newest_matcher, protocol_flags

PAGE = 100


@staff_only
@require_http_methods(["GET", "POST"])
@explains_refusals
def output_sources(request: SignedInRequest, name: str) -> HttpResponse:
    """Flags and shares of one track under one judge; POST asks the matcher about what it has not seen."""
    release = get_object_or_404(Release.objects.select_related("benchmark"), name=name)
    source_program(release)
    if request.method == "POST":
        try:
            runs = ask_about_sources(actor=request.user, release=release)
        except Refused as refusal:
            messages.error(request, str(refusal))
            return redirect("output-sources", name=release.name)
        messages.success(
            request, "The sources are being compared; this page shows the result when it is there."
        )
        return redirect("judge-run", pk=runs[0].pk)
    only_known(request.GET, *PARAMETERS, "page")
    chosen, matcher = choose(release, request.GET), newest_matcher(release)
    rows = alternative_sources(chosen, matcher)
    context = {
        "chosen": chosen,
        "matcher": matcher,
        "rows": [(row, percent_cell(row.share)) for row in rows],
        "page": Paginator(protocol_flags(release, matcher), PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "reports/sources/sources.html", context)
