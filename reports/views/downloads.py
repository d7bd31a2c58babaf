"""Streamed downloads: the label table of a release, and the data behind a picture."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping

from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_GET

from benchmark.models import Release
from reports.choosing import choose, only_known
from reports.exporting import csv_lines, jsonl_lines
from reports.figure_rows import figure_rows
from reports.inputs import collect
from reports.label_filters import FILTERS, label_filter
from reports.label_rows import Row, blinded, label_rows
from reports.score import score
from reports.views.access import explains_refusals, staff_only
from stats.cells import quote_cell

_CONTENT_TYPES = {"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl; charset=utf-8"}


@staff_only
@require_GET
@explains_refusals
def labels(request: HttpRequest, name: str, form: str) -> HttpResponseBase:
    """The canonical label table as CSV or JSON lines; blinded unless identities=1 is asked for."""
    release = get_object_or_404(Release.objects.select_related("benchmark"), name=name)
    rows = chosen_rows(release, request.GET.dict())
    lines = csv_lines(rows) if form == "csv" else jsonl_lines(rows)
    file_name = f"labels-{release.name}{_suffix(request.GET.dict())}.{form}"
    return download(lines, _CONTENT_TYPES[form], file_name)


def chosen_rows(release: Release, asked: Mapping[str, str]) -> Iterator[Row]:
    """The rows that a request for labels means. Raises Refused for parameters that do not exist or unblind."""
    only_known(asked, "campaign", "identities", *FILTERS)
    identities = asked.get("identities") == "1"
    wanted = label_filter(asked, identities=identities)
    rows = wanted(label_rows(release, campaign=asked.get("campaign", "")))
    return rows if identities else blinded(rows)


def _suffix(asked: Mapping[str, str]) -> str:
    return "" if asked.get("identities") == "1" else "-blinded"


@staff_only
@require_GET
@explains_refusals
def figure_csv(request: HttpRequest, name: str, figure: str) -> HttpResponseBase:
    """The numbers of one picture of the score page."""
    release = get_object_or_404(Release.objects.select_related("benchmark"), name=name)
    only_known(request.GET, "track", "judge")
    chosen = choose(release, request.GET)
    document = score(collect(release=release, track=chosen.track, judge=chosen.judge))
    lines = _csv(figure_rows(document, figure))
    return download(lines, _CONTENT_TYPES["csv"], f"{figure}-{release.name}-{chosen.track}.csv")


def _csv(rows: Iterable[list[object]]) -> Iterator[str]:
    for row in rows:
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow(
            quote_cell(cell) if isinstance(cell, str) else cell for cell in row
        )
        yield line.getvalue()


def download(lines: Iterable[str], content_type: str, file_name: str) -> StreamingHttpResponse:
    """Lines as an attachment, sent while they are made."""
    response = StreamingHttpResponse(lines, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{file_name}"'
    return response
