"""Label rows as CSV or JSON lines, one at a time."""

import csv
import json
from collections.abc import Iterable, Iterator

from reports.label_rows import Row
from stats.cells import quote_cell
from stats.labels import COLUMNS


class _Echo:
    """A file whose only line is the one just written."""

    def write(self, line: str) -> str:
        return line


def csv_lines(rows: Iterable[Row]) -> Iterator[str]:
    """Header and rows of the canonical label table; text that a spreadsheet would run is quoted."""
    writer = csv.writer(_Echo(), lineterminator="\n")
    yield writer.writerow(COLUMNS)
    for row in rows:
        yield writer.writerow([quote_cell(row.get(column, "")) for column in COLUMNS])


def jsonl_lines(rows: Iterable[Row]) -> Iterator[str]:
    """The same rows as JSON objects; JSON needs no quoting."""
    for row in rows:
        yield json.dumps({column: row.get(column, "") for column in COLUMNS}, ensure_ascii=False) + "\n"
