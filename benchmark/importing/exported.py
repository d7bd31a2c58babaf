"""Instances and outputs as this site exports them, to be imported again: the canonical lines that hashes are taken of.

A line has exactly the fields of benchmark/canonical.py, whatever the protocol; its payload is read by the protocol's
schema as when it is shown.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from benchmark.importing.jsonl import Line, read_lines, read_records
from benchmark.importing.keys import Key, PaperFields, Short, Split, Strict
from benchmark.importing.records import RecordError, record_errors
from benchmark.protocol import NOT_RELEASED, InstanceRecord, OutputRecord, Protocol


class _Instance(Strict):
    instance: Key
    domain: Short
    split: Split
    paper: PaperFields | None
    payload: dict[str, Any]


class _Output(Strict):
    instance: Key
    attempt: Annotated[int, Field(ge=1, le=1000)]
    state: Literal["answered", "abstained", "failed", "not_released"]
    text: str
    text_format: Literal["latex", "markdown", "plain"]
    payload: dict[str, Any]


def release_records(rules: Protocol, path: Path) -> Iterator[InstanceRecord | RecordError]:
    """The instances of a file in the protocol's format, or of one that was exported."""
    if not _is_exported(path, _Instance):
        yield from rules.read_release(path)
        return
    for found in read_records(path, _Instance, _instance):
        if isinstance(found, InstanceRecord):
            try:
                rules.instance_parts(found.payload)
            except ValidationError as error:
                yield from _in_payload(error, found.line)
                continue
        yield found


def output_records(rules: Protocol, path: Path) -> Iterator[OutputRecord | RecordError]:
    """The outputs of a file or folder in the protocol's format, or of a file that was exported."""
    if not _is_exported(path, _Output):
        yield from rules.read_outputs(path)
        return
    # a line has the fields of the record under their own names
    for found in read_records(path, _Output, lambda row, line: OutputRecord(**dict(row), line=line.number)):
        if isinstance(found, OutputRecord) and found.state != NOT_RELEASED:
            try:
                rules.output_parts(found.payload, found.text, found.text_format)
            except ValidationError as error:
                yield from _in_payload(error, found.line)
                continue
        yield found


def _is_exported(path: Path, model: type[Strict]) -> bool:
    if not path.is_file():
        return False
    first = next((line for line in read_lines(path) if isinstance(line, Line)), None)
    return first is not None and set(first.value) == set(model.model_fields)


def _in_payload(error: ValidationError, line: int) -> Iterator[RecordError]:
    for fault in record_errors(error, line):
        yield RecordError(fault.reason, line=line, field=f"payload.{fault.field}".rstrip("."))


def _instance(row: _Instance, line: Line) -> InstanceRecord:
    return InstanceRecord(
        key=row.instance,
        domain=row.domain,
        split=row.split,
        paper=row.paper.record() if row.paper else None,
        payload=row.payload,
        line=line.number,
    )
