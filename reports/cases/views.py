"""The case study of one instance."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from benchmark.models import Instance
from benchmark.releases.showing import show_instance
from reports.cases.page import case_sections
from reports.cases.study import case_table
from reports.core.access import staff_page
from reports.core.choosing import only_known


@staff_page
def case_study(request: HttpRequest, name: str, key: str) -> HttpResponse:
    """The instance, and under it a table of all systems with the protocol's columns."""
    only_known(request.GET, "track", "judge")
    instance = get_object_or_404(
        Instance.objects.select_related("release__benchmark", "paper"), release__name=name, key=key
    )
    asked = {key: request.GET.get(key, "") for key in ("track", "judge")}
    document = case_table(instance, **asked)
    context = {
        "instance": instance,
        "parts": show_instance(instance, ()).parts,
        "document": document,
        "chosen": document,  # for the choice of track and judge
        **case_sections(document),
    }
    return render(request, "reports/cases/case_study.html", context)
