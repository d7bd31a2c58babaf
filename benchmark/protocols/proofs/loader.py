"""Files of problems and proofs to records."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from benchmark.importing.folders import read_documents
from benchmark.importing.jsonl import Line, read_records
from benchmark.importing.records import RecordError
from benchmark.protocol import NOT_RELEASED, InstanceRecord, OutputRecord, withheld_record
from benchmark.protocols.proofs.schema import Problem, ProblemLine, Proof, ProofLine


def read_release(path: Path) -> Iterator[InstanceRecord | RecordError]:
    """The problems of a JSONL file."""
    return read_records(path, ProblemLine, _instance)


def read_outputs(path: Path) -> Iterator[OutputRecord | RecordError]:
    """The proofs of a JSONL file, or of a folder with one document per problem and attempt."""
    if path.is_dir():
        return read_documents(path)
    return read_records(path, ProofLine, _output)


def _instance(problem: ProblemLine, line: Line) -> InstanceRecord:
    return InstanceRecord(
        key=problem.instance_id,
        domain=problem.domain,
        split=problem.split,
        paper=problem.paper.record() if problem.paper else None,
        payload=line.fields(Problem),
        line=line.number,
    )


def _output(proof: ProofLine, line: Line) -> OutputRecord:
    if proof.state == NOT_RELEASED:
        return replace(withheld_record(proof.instance_id), attempt=proof.attempt, line=line.number)
    return OutputRecord(
        instance=proof.instance_id,
        attempt=proof.attempt,
        state=proof.state,
        text=proof.text,
        text_format=proof.format,
        payload=line.fields(Proof),
        line=line.number,
    )
