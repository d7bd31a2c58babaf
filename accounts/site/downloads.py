"""Files that pages and the API send."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

from django.http import StreamingHttpResponse

from stats.tables.cells import quote_cell


def csv_reply(rows: Iterable[Sequence[object]], file_name: str) -> StreamingHttpResponse:
    """A table as CSV, its text safe for spreadsheets."""

    def lines() -> Iterator[str]:
        for row in rows:
            out = io.StringIO()
            csv.writer(out).writerow(quote_cell(cell) if isinstance(cell, str) else cell for cell in row)
            yield out.getvalue()

    reply = StreamingHttpResponse(lines(), content_type="text/csv; charset=utf-8")
    reply["Content-Disposition"] = f'attachment; filename="{file_name}"'
    return reply
