"""Systems two at a time: wins, strengths and ranks from the choices and grades of closed campaigns."""

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

from reports.comparison.direct_pairs import compared_document, other_document, pair_kinds
from reports.comparison.pairs_page import beside_sections, pairs_rows, pairs_sections
from reports.core.access import staff_page
from reports.core.addresses import chosen_of
from reports.core.downloads import table_download
from reports.scores.inputs import collect_chosen


@staff_page
def pairs(request: HttpRequest, name: str) -> HttpResponse:
    """Direct choices or what grades imply, with the first of the other kind next to it; else what to do."""
    chosen = chosen_of(request, name, "grades")
    inputs = collect_chosen(chosen)
    kinds, key = pair_kinds(chosen.release, inputs), request.GET.get("grades", "")
    context: dict[str, object] = {"chosen": chosen, "kinds": kinds}
    if kinds or key:
        document = compared_document(chosen.release, inputs, key)
        context |= pairs_sections(document)
        other = other_document(chosen.release, inputs, document)
        if other and other["comparisons"] and document["comparisons"]:
            context["beside"] = beside_sections(document, other)
    return render(request, "reports/comparison/pairs.html", context)


@staff_page
def pairs_csv(request: HttpRequest, name: str) -> HttpResponseBase:
    """The numbers behind the pictures."""
    chosen, grades = chosen_of(request, name, "grades"), request.GET.get("grades", "")
    rows = pairs_rows(compared_document(chosen.release, collect_chosen(chosen), grades))
    return table_download(rows, f"pairs-{name}-{chosen.track}.csv")
