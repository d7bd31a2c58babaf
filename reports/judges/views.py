"""The judges of one track side by side: two of them output by output, and all of them by system."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from benchmark.models import Release
from reports.core.access import explains_refusals, staff_only
from reports.core.choosing import PARAMETERS, Chosen, choose, only_known
from reports.core.downloads import table_download
from reports.judges import choosing
from reports.judges.choosing import TwoJudges, metrics_of, output_ids, two_judges
from reports.judges.page import differing_rows, matrix_rows, matrix_sections, pair_sections

PAGE = 50


@staff_only
@require_GET
@explains_refusals
def judge_pair(request: HttpRequest, name: str) -> HttpResponse:
    """Two judges on the same outputs, and a page of their disagreements."""
    chosen, both = _two(request, name)
    if both is None:
        return render(request, "reports/judges/judge_pair.html", {"chosen": chosen})
    predicate = request.GET.get("predicate", "")
    page = Paginator(both.differing(predicate), PAGE).get_page(request.GET.get("page"))
    ids = output_ids(chosen, [each.subject for each in page])
    query = request.GET.copy()
    query.pop("page", None)
    context = {
        "chosen": chosen,
        "first": both.judges[0],
        "second": both.judges[1],
        "sections": pair_sections(both.agreement()),
        "predicate": predicate,
        "page": page,
        "rows": [(each, ids[each.subject]) for each in page],
        "query": query.urlencode(),
    }
    return render(request, "reports/judges/judge_pair.html", context)


@staff_only
@require_GET
@explains_refusals
def judge_pair_csv(request: HttpRequest, name: str) -> HttpResponseBase:
    """Every disagreement."""
    chosen, both = _two(request, name)
    rows = (
        differing_rows(both.agreement(), both.differing(request.GET.get("predicate", "")))
        if both
        else iter(())
    )
    return table_download(rows, f"judges-{name}-{chosen.track}.csv")


@staff_only
@require_GET
@explains_refusals
def judge_matrix(request: HttpRequest, name: str) -> HttpResponse:
    """Every system under every judge."""
    chosen = _chosen(request, name, *PARAMETERS, "metric")
    sections = matrix_sections(choosing.judge_matrix(chosen, request.GET.get("metric", "")))
    context = {"chosen": chosen, "metrics": metrics_of(chosen.release), **sections}
    return render(request, "reports/judges/judge_matrix.html", context)


@staff_only
@require_GET
@explains_refusals
def judge_matrix_csv(request: HttpRequest, name: str) -> HttpResponseBase:
    """The numbers of the table."""
    chosen = _chosen(request, name, *PARAMETERS, "metric")
    rows = matrix_rows(choosing.judge_matrix(chosen, request.GET.get("metric", "")))
    return table_download(rows, f"judge-matrix-{name}-{chosen.track}.csv")


def _two(request: HttpRequest, name: str) -> tuple[Chosen, TwoJudges | None]:
    chosen = _chosen(request, name, *PARAMETERS, "against", "predicate", "page")
    return chosen, two_judges(chosen, request.GET.get("against", ""))


def _chosen(request: HttpRequest, name: str, *known: str) -> Chosen:
    release = get_object_or_404(Release.objects.select_related("benchmark"), name=name)
    only_known(request.GET, *known)
    return choose(release, request.GET)
