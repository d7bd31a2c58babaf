"""The file of a training set, JSON lines or CSV, to entries with their line numbers. No rows here.

A JSON line is one item:

    {"problem": KEY or OBJECT, "answer": TEXT or OBJECT, "gold": {QUESTION: VALUE or {STEP: VALUE}},
     "rationale": {QUESTION: TEXT}, "note": TEXT}

`problem` is the key of an instance of the release, or an object as in a release file; `answer` an object as in an
outputs file (without `instance_id`), or only its text. In a CSV table each row is one gold value: its columns are item,
problem, answer, question, step, value, rationale, note, and what concerns an item as a whole is in its first row.
Rationale and note are Markdown with LaTeX.
"""

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from benchmark.importing.jsonl import parse_object
from benchmark.importing.records import RecordError, record_errors
from benchmark.importing.survey import BadFile
from stats.tables.cells import unquote_cell
from stats.tables.raw_rows import TableError, csv_rows

COLUMNS = ("item", "problem", "answer", "question", "step", "value", "rationale", "note")
MAX_BYTES = 5_000_000
MAX_ITEMS = 100
SHOWN_FAULTS = 20
_OBJECT = re.compile(r'\{\s*"')  # text in braces is LaTeX


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    problem: str | dict[str, object]
    answer: str | dict[str, object]
    gold: dict[str, str | dict[str, str]] = Field(min_length=1)
    rationale: dict[str, str] = {}
    note: str = ""


@dataclass(frozen=True)
class GoldEntry:
    """One item of the file. `gold` and `rationale` by question; a stepwise question has its values by step."""

    line: int
    problem: str | Mapping[str, Any]
    answer: Mapping[str, Any]
    gold: Mapping[str, str | Mapping[str, str]]
    rationale: Mapping[str, str] = field(default_factory=dict)
    note: str = ""

    @property
    def content(self) -> dict[str, Mapping[str, object]]:
        """The gold as the content object of annotation/grading/answers.py, with the rationales as its comments."""
        whole = {key: value for key, value in self.gold.items() if isinstance(value, str)}
        steps = {key: dict(value) for key, value in self.gold.items() if not isinstance(value, str)}
        return {"answers": whole, "steps": steps, "comments": dict(self.rationale)}


def read_gold(raw: bytes, *, form: str) -> list[GoldEntry]:
    """The items of a file in `form` csv or jsonl; raises BadFile naming line and field of up to 20 faults."""
    if len(raw) > MAX_BYTES:
        raise refused([RecordError(f"the file is longer than {MAX_BYTES:,} bytes")])
    raw = raw.removeprefix(b"\xef\xbb\xbf")
    found = list(_from_csv(raw)) if form == "csv" else []
    for number, line in enumerate(raw.split(b"\n") if form != "csv" else (), start=1):
        try:
            if line.strip():
                found.append(_entry(number, parse_object(line, number)))
        except RecordError as error:
            found.append(error)
        except ValidationError as error:
            found += record_errors(error, number)
    faults = [entry for entry in found if isinstance(entry, RecordError)]
    entries = [entry for entry in found if isinstance(entry, GoldEntry)]
    if not found:
        faults = [RecordError("the file contains no items")]
    if len(entries) > MAX_ITEMS:
        faults = [RecordError(f"the file contains more than {MAX_ITEMS} items")]
    if faults:
        raise refused(faults)
    return entries


def refused(faults: Sequence[RecordError]) -> BadFile:
    """The refusal that lists the first faults."""
    return BadFile(list(faults[:SHOWN_FAULTS]), more=len(faults) > SHOWN_FAULTS)


def form_of(name: str) -> str:
    """csv or jsonl by a file's name."""
    return "csv" if name.lower().endswith(".csv") else "jsonl"


def _entry(line: int, value: Mapping[str, Any]) -> GoldEntry:
    read = _Entry.model_validate(value)
    answer = {"text": read.answer} if isinstance(read.answer, str) else read.answer
    return GoldEntry(line, read.problem, answer, read.gold, read.rationale, read.note)


def _from_csv(raw: bytes) -> Iterator[GoldEntry | RecordError]:
    """Rows of one `item` belong together wherever they are."""
    items: dict[str, dict[str, Any]] = {}
    lines: dict[str, int] = {}
    try:
        rows = csv_rows(io.BytesIO(raw))
        number, header = next(rows, (1, ()))
        strange = [name for name in header if name not in COLUMNS]
        missing = [name for name in COLUMNS[:6] if name not in header]
        if strange or missing or len(set(header)) != len(header):
            reason = f"the columns are {', '.join(COLUMNS)}; found {', '.join(header) or 'none'}"
            raise TableError(reason, line=number)
        for number, cells in rows:
            named = dict(zip(header, map(unquote_cell, cells), strict=True))
            row = {name: named.get(name, "").strip() for name in COLUMNS}
            fault = _add(items.setdefault(row["item"], {"gold": {}, "rationale": {}}), row, number)
            lines.setdefault(row["item"], number)
            if fault:
                yield fault
    except TableError as error:
        yield RecordError(str(error))  # which says in which line
        return
    for key, value in items.items():
        try:
            yield _entry(lines[key], value)
        except ValidationError as error:
            yield from record_errors(error, lines[key])


def _add(item: dict[str, Any], row: Mapping[str, str], line: int) -> RecordError | None:
    """Add a row to its item; the fault of the row, if it has one."""
    for name in ("problem", "answer", "note"):
        if not row[name]:
            continue
        try:
            is_object = name != "note" and _OBJECT.match(row[name])
            value = parse_object(row[name].encode(), line) if is_object else row[name]
        except RecordError as error:
            return RecordError(error.reason, line=line, field=name)
        if item.setdefault(name, value) != value:
            return RecordError("differs from an earlier row of this item", line=line, field=name)
    question, step = row["question"], row["step"]
    given = item["gold"].setdefault(question, {} if step else row["value"])
    if step:
        if not isinstance(given, dict) or given.setdefault(step, row["value"]) != row["value"]:
            return RecordError("this question or step already has a value", line=line, field="step")
    elif given != row["value"]:
        return RecordError("this question already has a value", line=line, field="question")
    if row["rationale"] and item["rationale"].setdefault(question, row["rationale"]) != row["rationale"]:
        return RecordError("differs from an earlier row of this question", line=line, field="rationale")
    return None
