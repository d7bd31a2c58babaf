"""CSV and JSONL files from outside as a stream of rows with line numbers.

Both readers refuse what they cannot read exactly: other encodings than UTF-8, NUL, broken quotes, rows of
another length, nested JSON. All that is guessed is the sign that separates the cells, from the header.
"""

import codecs
import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import BinaryIO

Row = tuple[int, Sequence[str]]

_WIDE_BOMS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_PACKED = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")  # how .xlsx, .zip and .xls begin
_BLOCK = 1 << 20
MAX_LINE = 1 << 24  # bytes; a longer line is not a row of a table
MAX_COLUMNS = 1_000
_QUOTED = re.compile(r'"[^"]*"')


class TableError(ValueError):
    """A refused table: what is wrong, and in which line and column."""

    def __init__(self, message: str, *, line: int | None = None, column: str | None = None) -> None:
        self.line, self.column = line, column
        place = [f"line {line}"] if line is not None else []
        place += [f"column {column}"] if column is not None else []
        super().__init__(f"{', '.join(place)}: {message}" if place else message)


def text_lines(stream: BinaryIO) -> Iterator[str]:
    """Decoded lines with their ends; the first may carry a UTF-8 byte order mark."""
    done = 0
    for block in _whole_lines(stream):
        if not done:
            if block.startswith(_PACKED):
                raise TableError("this is a workbook or an archive: save its table as CSV in UTF-8", line=1)
            if block.startswith(_WIDE_BOMS):
                raise TableError("the file is UTF-16: save it as UTF-8", line=1)
            block = block.removeprefix(codecs.BOM_UTF8)
        try:
            text = block.decode("utf-8")
        except UnicodeDecodeError as error:
            line = done + block.count(b"\n", 0, error.start) + 1
            said = f"not UTF-8 (byte {block[error.start]:#04x}); save it as UTF-8"
            raise TableError(said, line=line) from None
        if "\0" in text:
            line = done + text.count("\n", 0, text.index("\0")) + 1
            raise TableError("contains a NUL character", line=line)
        lines = io.StringIO(text, newline="").readlines()
        yield from lines
        done += len(lines)


def _whole_lines(stream: BinaryIO) -> Iterator[bytes]:
    """The file in large blocks that end where a line ends."""
    rest: list[bytes] = []
    waiting = 0
    while block := stream.read(_BLOCK):
        cut = block.rfind(b"\n") + 1
        if cut:
            yield b"".join([*rest, block[:cut]])
            rest, waiting = [], 0
        rest.append(block[cut:])
        waiting += len(block) - cut
        if waiting > MAX_LINE:
            raise TableError(f"a line is longer than {MAX_LINE >> 20} MB, so this is not a table of rows")
    if waiting:
        yield b"".join(rest)


def separator_of(header: str) -> str:
    """What separates its names: a comma, or the semicolon or tab that spreadsheets write in half of the world."""
    return max(",;\t", key=_QUOTED.sub("", header).count)


def csv_rows(stream: BinaryIO) -> Iterator[Row]:
    """(line number, cells); the first row is the header. Blank lines are passed over, and `sep=;`, a spreadsheet's."""
    lines = text_lines(stream)
    first = next(lines, "")
    separator = separator_of(first)
    if first.rstrip("\r\n") == f"sep={separator}":
        first = "\n"
    reader = csv.reader(chain([first], lines), strict=True, delimiter=separator)
    width = 0
    try:
        for cells in reader:
            if not cells:
                continue
            width = width or _checked_width(len(cells), reader.line_num)
            if len(cells) != width:
                message = f"has {len(cells)} cells where the header has {width}"
                raise TableError(message, line=reader.line_num)
            yield reader.line_num, cells
    except csv.Error as error:
        raise TableError(f"not well-formed CSV ({error})", line=max(1, reader.line_num)) from None


def _checked_width(width: int, line: int) -> int:
    if width > MAX_COLUMNS:
        raise TableError(f"has {width} columns; a table has at most {MAX_COLUMNS}", line=line)
    return width


def jsonl_records(stream: BinaryIO) -> Iterator[tuple[int, dict[str, object]]]:
    """(line number, object) of every line that is not blank."""

    def unique_keys(pairs: Iterable[tuple[str, object]]) -> dict[str, object]:
        record: dict[str, object] = {}
        for key, value in pairs:
            if key in record:
                raise ValueError(f"key {key!r} occurs twice")
            record[key] = value
        return record

    def no_constant(name: str) -> object:
        raise ValueError(f"{name} is not a JSON number")

    for number, line in enumerate(text_lines(stream), 1):
        if line.strip():
            try:
                record = json.loads(line, object_pairs_hook=unique_keys, parse_constant=no_constant)
            except (ValueError, RecursionError) as error:
                raise TableError(f"not a JSON object ({error})", line=number) from None
            if not isinstance(record, dict):
                raise TableError(f"not a JSON object but {type(record).__name__}", line=number)
            _checked_width(len(record), number)
            yield number, record


def jsonl_rows(stream: BinaryIO, names: Sequence[str]) -> Iterator[Row]:
    """(line number, cells in the order of `names`); absent keys are empty, unknown keys are refused."""
    known = frozenset(names)
    for number, record in jsonl_records(stream):
        if not known.issuperset(record):
            strange = next(key for key in record if key not in known)
            raise TableError(f"unknown column {strange!r}", line=number)
        yield number, [_json_text(record.get(name), number, name) for name in names]


def _json_text(value: object, line: int, column: str) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        if "\0" in value:
            raise TableError("contains a NUL character", line=line, column=column)
        if not value.isascii() and any("\ud800" <= sign <= "\udfff" for sign in value):
            raise TableError("contains half of a surrogate pair", line=line, column=column)
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    raise TableError(f"must be text or a number, not {type(value).__name__}", line=line, column=column)
