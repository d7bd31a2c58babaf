"""JSON Lines from outside, read one line at a time and without the leniencies of the standard parser.

What a line may not contain, because it would be lost or changed on its way into the database and back: repeated
keys, NaN and infinities, numbers beyond 2**53, NUL characters, lone surrogates, deep nesting.
"""

import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from benchmark.importing.records import RecordError, record_errors
from llm.strict_json import unique_keys

MAX_LINE_BYTES = 5_000_000
MAX_DEPTH = 50
MAX_NUMBER = 2**53
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_PACKED = (b"\x1f\x8b", b"PK\x03\x04")  # how gzip files, ZIP archives and spreadsheets start
_SURROGATE = re.compile("[\ud800-\udfff]")

Model = TypeVar("Model", bound=BaseModel)
Record = TypeVar("Record")


@dataclass(frozen=True)
class Line:
    """One line of a file and the JSON object on it."""

    number: int
    value: dict[str, Any]

    def fields(self, model: type[BaseModel]) -> dict[str, Any]:
        """The given values of the fields of `model`, word for word."""
        return {name: self.value[name] for name in model.model_fields if name in self.value}


def read_records(
    path: Path, model: type[Model], build: Callable[[Model, Line], Record]
) -> Iterator[Record | RecordError]:
    """Each line of a JSONL file as a record, or as the errors that keep it from being one.

    `model` validates the line; `build` makes the record from the validated model and the raw line.
    Memory is bounded by one line. Blank lines are passed over.
    """
    for line in read_lines(path):
        if isinstance(line, RecordError):
            yield line
            continue
        try:
            yield build(model.model_validate(line.value), line)
        except ValidationError as error:
            yield from record_errors(error, line.number)


def read_lines(path: Path) -> Iterator[Line | RecordError]:
    """The JSON objects of a file, one per line, or a RecordError in place of each that is not one."""
    try:
        file = path.open("rb")
    except OSError as error:
        yield RecordError(f"{path.name} cannot be read: {error.strerror}")
        return
    with file:
        number = 0
        while raw := file.readline(MAX_LINE_BYTES + 1):
            number += 1
            if number == 1 and raw.startswith(_PACKED):
                yield RecordError("the file is packed, or a spreadsheet: JSON lines are expected", line=1)
                return
            try:
                if number == 1 and raw.startswith(_BYTE_ORDER_MARK):
                    raise RecordError("the file starts with a byte order mark; save it without one", line=1)
                if raw.strip():
                    yield Line(number, parse_object(raw, number))
            except RecordError as error:
                yield error
            # of an overlong line only the beginning is kept, so that memory stays bounded
            while not raw.endswith(b"\n") and (raw := file.readline(MAX_LINE_BYTES)):
                pass


def parse_object(raw: bytes, number: int) -> dict[str, Any]:
    """The JSON object in `raw`; raises RecordError with line `number` for anything else."""
    if len(raw) > MAX_LINE_BYTES:
        raise RecordError(f"longer than {MAX_LINE_BYTES:,} bytes", line=number)
    value = parse_value(raw, number)
    if not isinstance(value, dict):
        raise RecordError("a JSON object was expected", line=number)
    return value


def parse_value(raw: bytes, number: int = 0) -> Any:
    """The storable JSON value in `raw`, of any length; raises RecordError with line `number`, or with that of the
    fault where `raw` is a whole file (0)."""
    try:
        value = json.loads(raw.decode("utf-8"), **_STRICT)
    except UnicodeDecodeError as error:
        raise RecordError(f"not UTF-8 at byte {error.start + 1} of the line", line=number) from error
    except RecursionError as error:
        raise RecordError(f"nested deeper than {MAX_DEPTH} levels", line=number) from error
    except json.JSONDecodeError as error:
        reason = f"not JSON: {error.msg.removesuffix(' at')} at character {error.colno}"
        raise RecordError(reason, line=number or error.lineno) from error
    except ValueError as error:
        raise RecordError(str(error), line=number) from error
    _check_storable(value, number)
    return value


def _check_storable(value: Any, line: int, path: tuple[object, ...] = ()) -> None:
    # The name of a field is made where there is a fault: for each of them it would take the square of the time.
    if isinstance(value, str | float):
        reason = text_fault(value) if isinstance(value, str) else ""
        if isinstance(value, float) and not math.isfinite(
            value
        ):  # as `_whole`, `_real` and the parser mark it
            much = "infinite, or a number beyond 2**53, which would lose digits"
            reason = "NaN is not JSON" if math.isnan(value) else much
        if reason:
            raise RecordError(reason, line=line, field=_dotted(path))
    elif isinstance(value, dict | list):
        if len(path) >= MAX_DEPTH:
            raise RecordError(f"nested deeper than {MAX_DEPTH} levels", line=line, field=_dotted(path))
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            if isinstance(key, str) and text_fault(key):
                raise RecordError(f"a field's name {text_fault(key)}", line=line, field=_dotted(path))
            _check_storable(item, line, (*path, key))


def _dotted(path: tuple[object, ...]) -> str:
    return ".".join(map(str, path)).lstrip(".")


def text_fault(text: str) -> str:
    """Why no database can hold this text, or nothing."""
    if "\0" in text:
        return "contains a NUL character"
    if _SURROGATE.search(text):
        return "contains half of a surrogate pair"
    return ""


def _whole(digits: str) -> int | float:
    if len(digits) > 17 or abs(int(digits)) > MAX_NUMBER:
        return math.inf
    return int(digits)


def _real(digits: str) -> float | int:
    """A float; a whole one as int, because PostgreSQL writes 1e2 back as 100."""
    number = float(digits)
    if abs(number) > MAX_NUMBER:
        return math.inf
    return int(number) if number.is_integer() else number


_STRICT: dict[str, Any] = {
    "object_pairs_hook": unique_keys,
    "parse_int": _whole,
    "parse_float": _real,
    "parse_constant": float,
}
