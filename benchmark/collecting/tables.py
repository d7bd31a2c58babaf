"""JSON, JSON Lines, CSV and XLSX as rows: each the number where it is found, and its cells by column."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmark.collecting.spreadsheet import spreadsheet_rows
from benchmark.foreign.recognising import tool_of
from benchmark.importing.jsonl import parse_object, parse_value, read_lines
from benchmark.importing.records import RecordError
from stats.tables.raw_rows import TableError, csv_rows

TABLES = (".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".xlsx", ".eval")
MAX_JSON_BYTES = 50 * 1024 * 1024
Row = tuple[int, dict[str, Any]]


def rows_of(path: Path, suffix: str) -> Iterator[Row | RecordError]:
    """The rows of a table, or of a file of another tool (benchmark/foreign).

    The number is the line in CSV and JSON Lines, the row in XLSX, the position in JSON and in what tools write. What is
    wrong with single lines comes as a RecordError; a file that cannot be read as a table raises one.
    """
    if tool := tool_of(path):
        yield from tool.rows(path)
    elif path.is_dir():
        yield from _json_files(path)
    elif suffix == ".json":
        yield from _json(path)
    elif suffix in (".jsonl", ".ndjson"):
        for line in read_lines(path):
            yield line if isinstance(line, RecordError) else (line.number, line.value)
    elif suffix == ".xlsx":
        yield from _with_header(spreadsheet_rows(path))
    else:
        try:
            with path.open("rb") as file:
                yield from _with_header(csv_rows(file))
        except TableError as error:
            raise RecordError(error.args[0].partition(": ")[2] or str(error), line=error.line or 0) from error


def _with_header(rows: Iterator[tuple[int, Any]]) -> Iterator[Row]:
    """The rows after the first, by its names. Raises RecordError for a name that is missing or comes twice.

    A first column without a name is the index that pandas writes in front of a table.
    """
    header: list[str] = []
    for number, cells in rows:
        if not header:
            header = [str(cell).strip() for cell in cells]
            while header and not header[-1]:  # empty columns on the right, as spreadsheets often write them
                header.pop()
            if header and not header[0] and "index" not in header:
                header[0] = "index"
            for position, name in enumerate(header, start=1):
                if not name or header.index(name) + 1 != position:
                    reason = (
                        f"column {position} has no name" if not name else f"two columns are called {name!r}"
                    )
                    raise RecordError(reason, line=number)
            continue
        if len(cells) > len(header) and any(cells[len(header) :]):
            raise RecordError(f"has {len(cells)} cells where the header has {len(header)}", line=number)
        yield number, dict(zip(header, [*cells, *[""] * len(header)], strict=False))


def _json_files(folder: Path) -> Iterator[Row | RecordError]:
    """The objects of all JSON files in a folder, numbered in the order of their paths, which are two more columns."""
    number = 0
    for path in sorted(folder.rglob("*.[jJ][sS][oO][nN]")):
        place = path.relative_to(folder)
        try:
            for row in _json(path):
                number += 1
                if isinstance(row, RecordError):
                    yield RecordError(f"{place}: {row.reason}", line=number, field=row.field)
                else:
                    yield number, {"file": place.stem, "folder": str(place.parent), **row[1]}
        except RecordError as error:
            number += 1
            yield RecordError(f"{place}: {error}", line=number)


def _json(path: Path) -> Iterator[Row | RecordError]:
    """A list of objects, an object that contains exactly one such list, or one by key; or JSON Lines."""
    if path.stat().st_size > MAX_JSON_BYTES:
        raise RecordError(f"larger than {MAX_JSON_BYTES >> 20} MB; send it as JSON Lines")
    raw = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    try:
        value = parse_value(raw)
    except RecordError:
        try:
            parse_object(raw.partition(b"\n")[0], 1)
        except RecordError:
            is_lines = False
        else:
            is_lines = True  # JSON Lines under another name
        if not is_lines:
            raise
        yield from rows_of(path, ".jsonl")
        return
    if isinstance(value, dict):
        lists = [each for each in value.values() if isinstance(each, list) and each]
        if len(lists) == 1 and all(isinstance(each, dict) for each in lists[0]):
            value = lists[0]
        elif value and all(isinstance(each, dict) for each in value.values()):
            value = [{"key": key, **each} for key, each in value.items()]
        else:
            value = [value]
    if not isinstance(value, list):
        raise RecordError("a list of objects was expected")
    for number, each in enumerate(value, start=1):
        if isinstance(each, dict):
            yield number, each
        else:
            yield RecordError("an object was expected", line=number)
