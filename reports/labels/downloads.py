"""Streamed downloads: the label table of a release, and the data behind a picture."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404

from benchmark.models import Release
from reports.core.access import staff_page
from reports.core.addresses import chosen_of
from reports.core.downloads import chosen_rows, csv_download, jsonl_download, table_download
from reports.scores.figure_rows import figure_rows
from reports.scores.kept import kept_score


@staff_page
def labels_csv(request: HttpRequest, name: str) -> HttpResponseBase:
    """The canonical label table as CSV; blinded unless identities=1 is asked for."""
    release = get_object_or_404(Release, name=name)
    return csv_download(chosen_rows(release, request.GET.dict()), _file_name(request, name, "csv"))


@staff_page
def labels_jsonl(request: HttpRequest, name: str) -> HttpResponseBase:
    """The same as JSON lines."""
    release = get_object_or_404(Release, name=name)
    return jsonl_download(chosen_rows(release, request.GET.dict()), _file_name(request, name, "jsonl"))


def _file_name(request: HttpRequest, name: str, ending: str) -> str:
    blind = "" if request.GET.get("identities") == "1" else "-blinded"
    return f"labels-{name}{blind}.{ending}"


@staff_page
def figure_csv(request: HttpRequest, name: str, figure: str) -> HttpResponseBase:
    """The numbers of one picture of the score page."""
    chosen = chosen_of(request, name)
    document = kept_score(chosen)
    return table_download(figure_rows(document, figure), f"{figure}-{name}-{chosen.track}.csv")
