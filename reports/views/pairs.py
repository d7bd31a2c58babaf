"""Systems two at a time: wins, strengths and ranks from the grades of closed campaigns."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from benchmark.models import Release
from reports.choosing import Chosen, choose, only_known
from reports.downloads import table_download
from reports.implied_pairs import implied_document, implied_kinds
from reports.inputs import Inputs, collect
from reports.pairs_page import pairs_rows, pairs_sections
from reports.views.access import explains_refusals, staff_only


@staff_only
@require_GET
@explains_refusals
def pairs(request: HttpRequest, name: str) -> HttpResponse:
    """The comparisons that the grades of one question imply; before a close, what to do."""
    chosen, inputs = _asked(request, name)
    kinds, key = implied_kinds(inputs), request.GET.get("grades", "")
    sections: dict[str, Any] = {}
    if kinds or key:
        sections = pairs_sections(implied_document(inputs, key))
    return render(request, "reports/pairs.html", {"chosen": chosen, "kinds": kinds, **sections})


@staff_only
@require_GET
@explains_refusals
def pairs_csv(request: HttpRequest, name: str) -> HttpResponseBase:
    """The numbers behind the pictures."""
    chosen, inputs = _asked(request, name)
    rows = pairs_rows(implied_document(inputs, request.GET.get("grades", "")))
    return table_download(rows, f"pairs-{name}-{chosen.track}.csv")


def _asked(request: HttpRequest, name: str) -> tuple[Chosen, Inputs]:
    release = get_object_or_404(Release.objects.select_related("benchmark"), name=name)
    only_known(request.GET, "track", "judge", "grades")
    chosen = choose(release, request.GET)
    return chosen, collect(release=release, track=chosen.track, judge=chosen.judge)
