"""Sources of a release's outputs: the flags, the shares, and the request to compare."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from accounts.access import staff_only
from accounts.refusal import Refused
from accounts.site.pages import SignedInRequest
from judging.programs.sources import ask_about_sources, source_program
from reports.core.cells import percent_cell
from reports.core.requests import chosen_of, explains_refusals, paged, release_or_404
from reports.sources.cutoff import cutoff
from reports.sources.document import alternative_sources, newest_matcher, protocol_flags

PAGE = 100


@staff_only
@require_http_methods(["GET", "POST"])
@explains_refusals
def output_sources(request: SignedInRequest, name: str) -> HttpResponse:
    """Flags and shares of one track under one judge; POST asks the matcher about what it has not seen."""
    release = release_or_404(name)
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
    chosen, matcher = chosen_of(request, name, "page"), newest_matcher(release)
    rows = alternative_sources(chosen, matcher)
    page = paged(request, protocol_flags(release, matcher), PAGE)
    context = {
        "chosen": chosen,
        "matcher": matcher,
        "rows": [(row, percent_cell(row.share)) for row in rows],
        "page": page,
        "cutoff": cutoff(chosen),
    }
    return render(request, "reports/sources/sources.html", context)
