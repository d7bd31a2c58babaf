"""Files of masks and answers to records, and records back to the published lines."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmark.jsonl import Line, read_records
from benchmark.protocol import InstanceRecord, OutputRecord, PaperRecord
from benchmark.protocols.masked_steps.schema import ATTEMPTS, AttemptLine, Mask
from benchmark.records import RecordError

_DELIMITED = re.compile(r"\$|\\\(|\\\[|\\begin\{(equation|align|gather|displaymath)")
_PROSE = re.compile(r"(?<![\\A-Za-z{])[A-Za-z]{3,}\s+[A-Za-z]{2,}")


def read_release(path: Path) -> Iterator[InstanceRecord | RecordError]:
    """The masks of a published JSONL file."""
    return read_records(path, Mask, _instance)


def read_outputs(path: Path) -> Iterator[OutputRecord | RecordError]:
    """The answers of a JSONL file. After them comes a failed output for each of the four attempts that a mask
    of the file does not have: Avg@4 counts it as incorrect, and the row records that it was missing."""
    seen: dict[str, set[int]] = defaultdict(set)
    last: dict[str, int] = {}
    for record in read_records(path, AttemptLine, _output):
        if isinstance(record, OutputRecord):
            seen[record.instance].add(record.attempt)
            last[record.instance] = record.line
        yield record
    for key, attempts in seen.items():
        for attempt in sorted(set(range(1, ATTEMPTS + 1)) - attempts):
            yield OutputRecord(key, "", "latex", {"missing": True}, attempt, "failed", last[key])


def published_line(payload: Mapping[str, Any]) -> str:
    """The published line of a stored mask: the inverse of reading it, key by key and in the same order."""
    return json.dumps(payload, ensure_ascii=False)


def shown(formula: str) -> str:
    """A bare formula between display delimiters, so that it is set as one; other text as it is."""
    if _DELIMITED.search(formula) or _PROSE.search(formula):
        return formula
    return f"\\[{formula.strip()}\\]"


def _instance(mask: Mask, line: Line) -> InstanceRecord:
    return InstanceRecord(
        key=str(mask.index),
        domain=mask.domain,
        paper=PaperRecord(key=mask.arxiv_id, identifiers={"arxiv": mask.arxiv_id}),
        payload=line.value,
        line=line.number,
    )


def _output(attempt: AttemptLine, line: Line) -> OutputRecord:
    payload = {"reasoning": attempt.reasoning} if attempt.reasoning else {}
    return OutputRecord(
        instance=str(attempt.index),
        attempt=attempt.attempt,
        state=attempt.state,
        text=shown(attempt.text) if attempt.text.strip() else "",
        text_format="latex",
        payload=payload,
        line=line.number,
    )
