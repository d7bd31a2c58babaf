"""The first sheet of an XLSX file as rows of text, read as a stream by the standard library (ADR 0040).

A file that declares entities, holds more than is read, or has a formula without a stored value is refused.
"""

import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.parsers import expat

from benchmark.importing.archives import MAX_RATIO
from benchmark.importing.records import RecordError

MAX_ROWS = 50_000
MAX_COLUMNS = 200
MAX_PART_BYTES = 50 * 1024 * 1024
MAX_CHARACTERS = 4 * MAX_PART_BYTES  # of all rows: any number of cells can refer to one text
_MOST_PARTS = 1_000
_CHUNK = 64 * 1024
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_CELL = re.compile(r"([A-Z]{1,3})([1-9]\d{0,6})")
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_STRICT_MAIN = "http://purl.oclc.org/ooxml/spreadsheetml/main"


def spreadsheet_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """(row number, cells) of the first sheet's rows that are not empty. Raises RecordError with the cell."""
    try:
        with zipfile.ZipFile(path) as packed:
            if len(packed.infolist()) > _MOST_PARTS:
                raise RecordError("the workbook has too many parts")
            names = {member.filename for member in packed.infolist()}
            sheets = sorted(
                (name for name in names if re.fullmatch(r"xl/worksheets/sheet\d+\.xml", name)),
                key=lambda name: int(re.sub(r"\D", "", name.rpartition("/")[2])),
            )
            if not sheets:
                raise RecordError("this is not an XLSX workbook: it has no sheet")
            strings = _Strings()
            if "xl/sharedStrings.xml" in names:
                for _ in _parse(packed, "xl/sharedStrings.xml", strings.start, strings.end, strings.text):
                    pass
            sheet = _Sheet(strings.found)
            for _ in _parse(packed, sheets[0], sheet.start, sheet.end, sheet.text):
                yield from sheet.rows
                sheet.rows.clear()
            yield from sheet.rows
    except (zipfile.BadZipFile, EOFError, OSError, RuntimeError, ValueError) as error:
        if isinstance(error, RecordError):
            raise
        raise RecordError(f"the file is not a readable XLSX workbook: {error}") from error


class _Strings:
    """The texts that cells refer to by number; phonetic guides (rPh) are not part of them."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self._parts: list[str] = []
        self._reads = self._guide = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._guide = self._guide or name == "rPh"
        self._reads = name == "t" and not self._guide

    def end(self, name: str) -> None:
        self._reads = False
        if name == "rPh":
            self._guide = False
        elif name == "si":
            self.found.append(_written("".join(self._parts)))
            self._parts.clear()

    def text(self, data: str) -> None:
        if self._reads:
            self._parts.append(data)


class _Sheet:
    """Rows as they are completed, in `rows`."""

    def __init__(self, strings: list[str]) -> None:
        self.rows: list[tuple[int, list[str]]] = []
        self._strings = strings
        self._cells: dict[int, str] = {}
        self._number = self._column = self._characters = 0
        self._kind, self._place = "n", ""
        self._value: list[str] | None = None
        self._inside = ""
        self._formula = self._guide = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "row":
            self._number = int(attributes.get("r") or self._number + 1)
            self._cells, self._column = {}, 0
            if self._number > MAX_ROWS:
                raise RecordError(f"the sheet has more than {MAX_ROWS:,} rows", line=self._number)
        elif name == "c":
            self._place = attributes.get("r", "")
            if self._place:
                found = _CELL.fullmatch(self._place)
                if not found:
                    raise RecordError(f"{self._place[:20]!r} is not a cell")
                self._column = 0
                for letter in found[1]:  # A to Z, AA to ZZ and so on
                    self._column = 26 * self._column + ord(letter) - 64
            else:
                self._column += 1
            if self._column > MAX_COLUMNS:
                raise RecordError(
                    f"cell {self._place[:12]}: at most {MAX_COLUMNS} columns are read", line=self._number
                )
            self._kind, self._value, self._formula = attributes.get("t", "n"), None, False
        elif name == "f":
            self._formula = True
        elif name == "rPh":
            self._guide = True
        self._inside = name if not self._guide else ""

    def end(self, name: str) -> None:
        self._inside = ""
        if name == "rPh":
            self._guide = False
        elif name == "c":
            if self._formula and self._value is None:
                reason = (
                    f"cell {self._place} is a formula without a value: save the file once in Excel, or as CSV"
                )
                raise RecordError(reason, line=self._number)
            self._cells[self._column] = said = self._said("".join(self._value or []))
            self._characters += len(said)
            if self._characters > MAX_CHARACTERS:
                raise RecordError(
                    f"the workbook has more than {MAX_CHARACTERS:,} characters in its cells",
                    line=self._number,
                )
        elif name == "row" and any(self._cells.values()):
            self.rows.append(
                (self._number, [self._cells.get(column, "") for column in range(1, max(self._cells) + 1)])
            )

    def text(self, data: str) -> None:
        if self._inside in ("v", "t"):
            self._value = self._value or []
            self._value.append(data)

    def _said(self, value: str) -> str:
        if self._kind == "s" and value:
            number = int(value)
            if not 0 <= number < len(self._strings):
                raise RecordError(f"cell {self._place} refers to a text that is not there", line=self._number)
            return self._strings[number]
        if self._kind == "b":
            return "true" if value == "1" else "false"
        if self._kind == "e":
            raise RecordError(f"cell {self._place} shows the error {value}", line=self._number)
        return value.removesuffix(".0") if self._kind == "n" else _written(value)


def _written(text: str) -> str:
    """A text without the escapes that spreadsheet programs write for what XML cannot hold, such as a CR."""
    read = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)
    # two escapes may be the halves of one character
    read = read.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    return read.replace("\r\n", "\n")


def _parse(
    packed: zipfile.ZipFile,
    name: str,
    start: Callable[[str, dict[str, str]], None],
    end: Callable[[str], None],
    text: Callable[[str], None],
) -> Iterator[None]:
    """Parse one part, chunk by chunk, with its local names; what would expand or never end is refused."""

    def refuse(*_: object) -> None:
        raise RecordError("the workbook declares entities, which no spreadsheet program writes")

    def local(name: str) -> str:
        space, _, last = name.rpartition(" ")
        return last if space in (_MAIN, _STRICT_MAIN) else ""

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.StartElementHandler = lambda name, attributes: start(local(name), attributes)
    parser.EndElementHandler = lambda name: end(local(name))
    parser.CharacterDataHandler = text
    member = packed.getinfo(name)
    left = min(MAX_PART_BYTES, max(MAX_PART_BYTES // 50, MAX_RATIO * member.compress_size))
    try:
        with packed.open(member) as part:
            while chunk := part.read(_CHUNK):
                left -= len(chunk)
                if left < 0:
                    raise RecordError("the workbook unpacks to more than is read")
                parser.Parse(chunk, False)
                yield
            parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise RecordError(f"the workbook is not well formed: {error}") from error
