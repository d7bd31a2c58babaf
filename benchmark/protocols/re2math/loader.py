"""Re2Math files to records."""

import re
from collections.abc import Iterator
from pathlib import Path

from benchmark.importing.jsonl import Line, read_records
from benchmark.importing.records import RecordError
from benchmark.protocol import InstanceRecord, OutputRecord, PaperRecord, VerdictRecord
from benchmark.protocols.re2math.citing import citing_year
from benchmark.protocols.re2math.evaluator import evaluated_outputs, evaluated_verdicts, is_evaluation
from benchmark.protocols.re2math.schema import GapAnswer, OutputLine, ProofGap

_ARXIV = re.compile(r"\d{4}\.\d{4,5}(v\d+)?|[a-z-]+(\.[A-Z]{2})?/\d{7}(v\d+)?")


def read_release(path: Path) -> Iterator[InstanceRecord | RecordError]:
    """The instances of a published JSONL file."""
    return read_records(path, ProofGap, _instance)


def read_outputs(path: Path) -> Iterator[OutputRecord | RecordError]:
    """The outputs of a JSONL file, or of a result file of the benchmark's evaluator."""
    if is_evaluation(path):
        return evaluated_outputs(path)
    return read_records(path, OutputLine, _output)


def read_verdicts(path: Path) -> Iterator[VerdictRecord | RecordError]:
    """The verdicts in a result file of the benchmark's evaluator; none in other files."""
    return evaluated_verdicts(path) if is_evaluation(path) else iter(())


def _instance(gap: ProofGap, line: Line) -> InstanceRecord:
    identifiers = {"arxiv": gap.paper.paper_id} if _ARXIV.fullmatch(gap.paper.paper_id) else {}
    return InstanceRecord(
        key=gap.instance_id,
        domain=gap.strata.domain,
        split=gap.split,
        paper=PaperRecord(
            key=gap.paper.paper_id,
            title=gap.paper.title,
            year=citing_year(gap.paper),
            identifiers=identifiers,
        ),
        payload=line.value,
        line=line.number,
    )


def _output(output: OutputLine, line: Line) -> OutputRecord:
    return OutputRecord(
        instance=output.instance_id,
        attempt=output.attempt,
        state=output.state,
        text=output.statement,
        text_format="latex",
        payload=line.fields(GapAnswer),
        line=line.number,
    )
