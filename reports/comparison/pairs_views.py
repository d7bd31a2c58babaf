"""Systems two at a time: wins, strengths and ranks from the choices and grades of closed campaigns."""

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from benchmark.models import Release
from reports.comparison.direct_pairs import compared_document, other_document, pair_kinds
from reports.comparison.pairs_page import beside_sections, pairs_rows, pairs_sections
from reports.core.access import explains_refusals, staff_only
from reports.core.choosing import PARAMETERS, Chosen, choose, only_known
from reports.core.downloads import table_download
from reports.scores.inputs import Inputs, collect_chosen


@staff_only
@require_GET
@explains_refusals
def pairs(request: HttpRequest, name: str) -> HttpResponse:
    """Direct choices or what grades imply, with the first of the other kind next to it; else what to do."""
    chosen, inputs = _asked(request, name)
    kinds, key = pair_kinds(chosen.release, inputs), request.GET.get("grades", "")
    context: dict[str, object] = {"chosen": chosen, "kinds": kinds}
    if kinds or key:
        document = compared_document(chosen.release, inputs, key)
        context |= pairs_sections(document)
        other = other_document(chosen.release, inputs, document)
        if other and other["comparisons"] and document["comparisons"]:
            context["beside"] = beside_sections(document, other)
    return render(request, "reports/comparison/pairs.html", context)


@staff_only
@require_GET
@explains_refusals
def pairs_csv(request: HttpRequest, name: str) -> HttpResponseBase:
    """The numbers behind the pictures."""
    chosen, inputs = _asked(request, name)
    rows = pairs_rows(compared_document(chosen.release, inputs, request.GET.get("grades", "")))
    return table_download(rows, f"pairs-{name}-{chosen.track}.csv")


def _asked(request: HttpRequest, name: str) -> tuple[Chosen, Inputs]:
    release = get_object_or_404(Release.objects.select_related("benchmark"), name=name)
    only_known(request.GET, *PARAMETERS, "grades")
    chosen = choose(release, request.GET)
    return chosen, collect_chosen(chosen)
