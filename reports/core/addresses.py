"""What the address of a page asks for: a release with a choice, and a part of a long list."""

from collections.abc import Sequence
from typing import TypeVar

from django.core.paginator import Page, Paginator
from django.http import HttpRequest
from django.shortcuts import get_object_or_404

from benchmark.models import Release
from reports.core.choosing import PARAMETERS, Chosen, choose, only_known

T = TypeVar("T")


def release_or_404(name: str) -> Release:
    return get_object_or_404(Release.objects.select_related("benchmark"), name=name)


def chosen_of(request: HttpRequest, name: str, *more: str) -> Chosen:
    """The release of this name with the choice of an address, whose other parameters are `more`; raises as `choose`."""
    release = release_or_404(name)
    only_known(request.GET, *PARAMETERS, *more)
    return choose(release, request.GET)


def paged(request: HttpRequest, rows: Sequence[T], size: int) -> tuple[Page[T], str]:
    """The part of `rows` that `page` names, and the query string that all of its parts share."""
    query = request.GET.copy()
    query.pop("page", None)
    return Paginator(rows, size).get_page(request.GET.get("page")), query.urlencode()
