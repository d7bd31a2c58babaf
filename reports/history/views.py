"""The page of the chain of history, for owners."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.access import owner_only
from reports.core.choosing import only_known
from reports.core.requests import explains_refusals
from reports.history.chain import history_document
from reports.history.kinds import KINDS


@owner_only
@require_GET
@explains_refusals
def history(request: HttpRequest) -> HttpResponse:
    """The head of the chain, what waits to be sealed, and how anybody checks it."""
    only_known(request.GET)
    document = history_document()
    rows = [
        {
            "title": kind.title,
            "sealed": document["sealed"][kind.key],
            "waiting": document["waiting"][kind.key],
        }
        for kind in KINDS
    ]
    return render(request, "reports/history/history.html", {"document": document, "rows": rows})
