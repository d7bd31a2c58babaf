"""Rows as files that are sent while they are made; which label rows a request may have."""

from collections.abc import Iterable, Iterator, Mapping

from django.http import StreamingHttpResponse

from benchmark.models import Release
from reports.core.choosing import only_known
from reports.labels.cells import Row
from reports.labels.exporting import csv_lines, jsonl_lines, table_line
from reports.labels.filters import FILTERS, label_filter
from reports.labels.rows import blinded, label_rows
from stats.tables.cells import quote_cell

CSV, JSONL = "text/csv; charset=utf-8", "application/jsonl; charset=utf-8"


def chosen_rows(release: Release, asked: Mapping[str, str]) -> Iterator[Row]:
    """The label rows that a request means: blinded unless `identities` is "1".

    Raises Refused for a parameter that does not exist or that would undo the blinding.
    """
    only_known(asked, "campaign", "identities", *FILTERS)
    identities = asked.get("identities") == "1"
    wanted = label_filter(asked, identities=identities)
    rows = label_rows(release, campaign=asked.get("campaign", ""), wanted=wanted)
    return rows if identities else blinded(rows)


def csv_download(rows: Iterable[Row], file_name: str) -> StreamingHttpResponse:
    """The canonical label table as CSV."""
    return _download(csv_lines(rows), CSV, file_name)


def jsonl_download(rows: Iterable[Row], file_name: str) -> StreamingHttpResponse:
    """The canonical label table as JSON lines."""
    return _download(jsonl_lines(rows), JSONL, file_name)


def table_download(rows: Iterable[list[object]], file_name: str) -> StreamingHttpResponse:
    """Any other table as CSV, its text safe for spreadsheets."""
    return _download(table_lines(rows), CSV, file_name)


def table_lines(rows: Iterable[list[object]]) -> Iterator[str]:
    """The lines of any other table, its text safe for spreadsheets."""
    for row in rows:
        yield table_line([quote_cell(cell) if isinstance(cell, str) else cell for cell in row])


def _download(lines: Iterable[str], content_type: str, file_name: str) -> StreamingHttpResponse:
    response = StreamingHttpResponse(lines, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{file_name}"'
    return response
