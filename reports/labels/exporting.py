"""Label rows as CSV or JSON lines, in blocks: what is sent is made while it is sent."""

import csv
import json
from collections.abc import Iterable, Iterator
from itertools import islice

from reports.labels.cells import Row
from stats.tables.cells import SUSPECT, quote_cell
from stats.tables.labels import COLUMNS, LABEL_COLUMNS

BLOCK = 500  # rows that are sent together
_FOREIGN = tuple(place for place, column in enumerate(LABEL_COLUMNS) if not column.ours)
_EMPTY = ("",) * len(COLUMNS)


class _Lines:
    """A file that gathers lines and ends them with a line feed.

    The writer quotes a cell with a lone carriage return only if that belongs to its own ends of lines; unquoted
    it would end the row for every reader.
    """

    END = "\r\n"

    def __init__(self) -> None:
        self.made: list[str] = []

    def write(self, line: str) -> None:
        self.made.append(line.removesuffix(self.END) + "\n")


def csv_lines(rows: Iterable[Row]) -> Iterator[str]:
    """Header and rows of the canonical label table; text that a spreadsheet would run is quoted."""
    yield ",".join(COLUMNS) + "\n"
    for block in _blocks(rows):
        lines = _Lines()
        writer = csv.writer(lines, lineterminator=_Lines.END)
        for row in block:
            cells = list(map(row.get, COLUMNS, _EMPTY))
            for place in _FOREIGN:
                cell = cells[place]
                if cell and cell[0] in SUSPECT:
                    cells[place] = quote_cell(cell)
            writer.writerow(cells)
        yield "".join(lines.made)


def table_line(cells: Iterable[object]) -> str:
    """One line of any other table, its cells already safe."""
    lines = _Lines()
    csv.writer(lines, lineterminator=_Lines.END).writerow(cells)
    return lines.made[0]


def jsonl_lines(rows: Iterable[Row]) -> Iterator[str]:
    """The same rows as JSON objects; JSON needs no quoting."""
    encode = json.JSONEncoder(ensure_ascii=False).encode
    for block in _blocks(rows):
        yield "".join(encode({column: row.get(column, "") for column in COLUMNS}) + "\n" for row in block)


def _blocks(rows: Iterable[Row]) -> Iterator[list[Row]]:
    left = iter(rows)
    while block := list(islice(left, BLOCK)):
        yield block
