"""All tracks and conditions of a release side by side."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from reports.conditions import document as tables
from reports.conditions.page import condition_sections
from reports.core.choosing import only_known
from reports.core.requests import release_or_404, staff_page


@staff_page
def conditions(request: HttpRequest, name: str) -> HttpResponse:
    """The protocol's tables, a row for each system."""
    only_known(request.GET, "judge", "tuple")
    release = release_or_404(name)
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
