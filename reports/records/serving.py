"""Serves the files of public records before anything about sessions: no row is read, and every cache may keep them."""

from collections.abc import Callable

from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse

from reports.records.views import record_file


class ServeRecords:
    """Answers where there is such a file; everything else goes on to the addresses."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        self.prefix = reverse("record-list")

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.method not in ("GET", "HEAD") or not request.path_info.startswith(self.prefix):
            return self.get_response(request)
        try:
            response = record_file(request, request.path_info.removeprefix(self.prefix))
        except Http404:
            return self.get_response(request)
        response["X-Frame-Options"] = "DENY"  # the middleware that says so comes later
        return response
