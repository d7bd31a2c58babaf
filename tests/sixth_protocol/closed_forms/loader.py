"""JSON Lines to records."""

from collections.abc import Iterator
from pathlib import Path

from benchmark.importing.jsonl import Line, read_records
from benchmark.importing.records import RecordError
from benchmark.protocol import InstanceRecord, OutputRecord
from benchmark.protocols.closed_forms.schema import AnswerLine, SumLine


def read_release(path: Path) -> Iterator[InstanceRecord | RecordError]:
    """The sums of a file."""
    return read_records(path, SumLine, _instance)


def read_outputs(path: Path) -> Iterator[OutputRecord | RecordError]:
    """The answers of a file."""
    return read_records(path, AnswerLine, _output)


def _instance(given: SumLine, line: Line) -> InstanceRecord:
    payload = {"sum": given.sum, "closed": given.closed}
    return InstanceRecord(given.instance_id, given.domain, payload, line=line.number)


def _output(given: AnswerLine, line: Line) -> OutputRecord:
    payload = {"length": len(given.text)}
    return OutputRecord(given.instance_id, given.text, "latex", payload, state=given.state, line=line.number)
