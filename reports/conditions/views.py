"""All tracks and conditions of a release side by side."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from benchmark.models import Release
from reports.conditions import document as tables
from reports.conditions.page import condition_sections
from reports.core.access import explains_refusals, staff_only
from reports.core.choosing import only_known


@staff_only
@require_GET
@explains_refusals
def conditions(request: HttpRequest, name: str) -> HttpResponse:
    """The protocol's tables, a row for each system."""
    only_known(request.GET, "judge", "tuple")
    release = get_object_or_404(Release.objects.select_related("benchmark"), name=name)
    asked = {key: request.GET.get(key, "") for key in ("judge", "tuple")}
    document = tables.conditions(release, judge=asked["judge"], frozen_tuple=asked["tuple"])
    kept = {"tuple": asked["tuple"]} if asked["tuple"] else {}
    context = {
        "release": release,
        "document": document,
        "judges": [(label, urlencode({**kept, "judge": label})) for label in document.judges],
        **condition_sections(document),
    }
    return render(request, "reports/conditions/conditions.html", context)
