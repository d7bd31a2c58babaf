"""The judges of one track side by side: two of them output by output, and all of them by system."""

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

from reports.core.downloads import table_download
from reports.core.requests import chosen_of, paged, staff_page
from reports.judges import choosing
from reports.judges.choosing import metrics_of, output_ids, two_judges
from reports.judges.page import differing_rows, matrix_rows, matrix_sections, pair_sections

PAGE = 50


@staff_page
def judge_pair(request: HttpRequest, name: str) -> HttpResponse:
    """Two judges on the same outputs, and a page of their disagreements."""
    chosen = chosen_of(request, name, "against", "predicate", "page")
    both = two_judges(chosen, request.GET.get("against", ""))
    if both is None:
        return render(request, "reports/judges/judge_pair.html", {"chosen": chosen})
    predicate = request.GET.get("predicate", "")
    page = paged(request, both.differing(predicate), PAGE)
    ids = output_ids(chosen, [each.subject for each in page])
    context = {
        "chosen": chosen,
        "first": both.judges[0],
        "second": both.judges[1],
        "sections": pair_sections(both.agreement()),
        "predicate": predicate,
        "page": page,
        "rows": [(each, ids[each.subject]) for each in page],
    }
    return render(request, "reports/judges/judge_pair.html", context)


@staff_page
def judge_pair_csv(request: HttpRequest, name: str) -> HttpResponseBase:
    """Every disagreement."""
    chosen = chosen_of(request, name, "against", "predicate", "page")
    both, predicate = two_judges(chosen, request.GET.get("against", "")), request.GET.get("predicate", "")
    rows = differing_rows(both.agreement(), both.differing(predicate)) if both else iter(())
    return table_download(rows, f"judges-{name}-{chosen.track}.csv")


@staff_page
def judge_matrix(request: HttpRequest, name: str) -> HttpResponse:
    """Every system under every judge."""
    chosen = chosen_of(request, name, "metric")
    sections = matrix_sections(choosing.judge_matrix(chosen, request.GET.get("metric", "")))
    context = {"chosen": chosen, "metrics": metrics_of(chosen.release), **sections}
    return render(request, "reports/judges/judge_matrix.html", context)


@staff_page
def judge_matrix_csv(request: HttpRequest, name: str) -> HttpResponseBase:
    """The numbers of the table."""
    chosen = chosen_of(request, name, "metric")
    rows = matrix_rows(choosing.judge_matrix(chosen, request.GET.get("metric", "")))
    return table_download(rows, f"judge-matrix-{name}-{chosen.track}.csv")
