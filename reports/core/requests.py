"""Requests of reports: who may make them, what their address means, and how a refused choice is answered."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeVar

from django.core.paginator import Page, Paginator
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from accounts.access import staff_only
from accounts.refusal import Refused
from benchmark.models import Release
from reports.core.choosing import PARAMETERS, Chosen, MixedTuples, choose, only_known

View = Callable[..., HttpResponseBase]


def staff_page(view: View) -> View:
    """A page or a file to read, for coordinators and owners, that explains why it cannot show what was asked."""
    return staff_only(require_GET(explains_refusals(view)))


def explains_refusals(view: View) -> View:
    """A page that says in words why it cannot show what was asked: 404 for what is not there, else 400."""

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            return view(request, *args, **kwargs)
        except Refused as refusal:
            status = 404 if refusal.code.startswith("no_") else 400
            asked, tuples = request.GET.copy(), []
            # what would have been asked, once for each frozen tuple that it is ambiguous between
            for name in refusal.names if isinstance(refusal, MixedTuples) else ():
                asked["tuple"] = name
                tuples.append((name, asked.urlencode()))
            context = {"reason": refusal.reason, "tuples": tuples}
            return render(request, "reports/core/refused.html", context, status=status)

    return answer


T = TypeVar("T")


def release_or_404(name: str) -> Release:
    return get_object_or_404(Release.objects.select_related("benchmark"), name=name)


def chosen_of(request: HttpRequest, name: str, *more: str) -> Chosen:
    """The release of this name with the choice of an address, whose other parameters are `more`; raises as `choose`."""
    release = release_or_404(name)
    only_known(request.GET, *PARAMETERS, *more)
    return choose(release, request.GET)


def paged(request: HttpRequest, rows: Sequence[T], size: int) -> Page[T]:
    """The part of `rows` that `page` names."""
    return Paginator(rows, size).get_page(request.GET.get("page"))
