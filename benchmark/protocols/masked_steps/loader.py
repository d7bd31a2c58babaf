"""Files of masks and answers to records, and records back to the published lines."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmark.importing.jsonl import Line, read_records
from benchmark.importing.records import RecordError
from benchmark.protocol import InstanceRecord, OutputRecord, PaperRecord, Variant, VerdictRecord
from benchmark.protocols.masked_steps.pipeline import evaluated_attempts, evaluated_verdicts, is_evaluated
from benchmark.protocols.masked_steps.schema import ATTEMPTS, CORE, AttemptLine, Mask

_DELIMITED = re.compile(r"\$|\\\(|\\\[|\\begin\{(equation|align|gather|displaymath)")
_PROSE = re.compile(r"(?<![\\A-Za-z{])[A-Za-z]{3,}\s+[A-Za-z]{2,}")


def read_release(path: Path) -> Iterator[InstanceRecord | RecordError]:
    """The masks of a published JSONL file; a variant comes after its original, and is from the same proof."""
    proofs: dict[str, tuple[str, int | str]] = {}
    for record in read_records(path, Mask, _instance):
        if isinstance(record, InstanceRecord):
            mask = Mask.model_validate(record.payload)
            if mask.variant_of is not None and proofs.get(str(mask.variant_of)) != mask.proof:
                reason = f"no mask {mask.variant_of} of the same proof comes before this variant of it"
                yield RecordError(reason, line=record.line, field="variant_of")
                continue
            if mask.variant_of is None:
                proofs[record.key] = mask.proof
        yield record


def strata(payload: Mapping[str, Any]) -> dict[str, str]:
    """Step type and proof family as the release states them, and whether the mask is chosen, random or truncated."""
    mask = Mask.model_validate(payload)
    return {
        "step_type": mask.step_type or "unstated",
        "proof_family": mask.proof_family or "unstated",
        "mask": mask.variant or "chosen",
    }


def variant_of(payload: Mapping[str, Any]) -> Variant | None:
    """What a random or truncated mask was made from, to compare; None for a chosen one."""
    mask = Mask.model_validate(payload)
    return Variant(mask.variant, str(mask.variant_of)) if mask.variant else None


def read_outputs(path: Path) -> Iterator[OutputRecord | RecordError]:
    """The answers of a JSONL file, or of one that the benchmark's script wrote.

    After them comes a failed output for each of the four attempts that a mask of the file does not have: Avg@4 counts
    it as incorrect, and the row records that it was missing.
    """
    seen: dict[str, set[int]] = defaultdict(set)
    last: dict[str, int] = {}
    evaluated = is_evaluated(path)
    for record in evaluated_attempts(path) if evaluated else read_records(path, AttemptLine, _output):
        if isinstance(record, OutputRecord):
            if evaluated and record.text:
                record = replace(record, text=shown(record.text))
            seen[record.instance].add(record.attempt)
            last[record.instance] = record.line
        yield record
    for key, attempts in seen.items():
        for attempt in sorted(set(range(1, ATTEMPTS + 1)) - attempts):
            yield OutputRecord(key, "", "latex", {"missing": True}, attempt, "failed", last[key])


def published_line(payload: Mapping[str, Any]) -> str:
    """A stored mask as a line of the published file: the published fields in their order, then ours, then others.

    A database does not keep the order of fields, so the order is this one; a file that has it, and is written as
    Python writes JSON, comes back byte for byte.
    """
    fields = list(Mask.model_fields) if "proof_index" in payload else [*CORE, *Mask.model_fields]
    known = list(dict.fromkeys(name for name in fields if name in payload))
    order = [*known, *sorted(set(payload) - set(known))]
    return json.dumps({name: payload[name] for name in order}, ensure_ascii=False)


def read_verdicts(path: Path) -> Iterator[VerdictRecord | RecordError]:
    """The judge's decisions in a file that the benchmark's script wrote; none in other files."""
    return evaluated_verdicts(path) if is_evaluated(path) else iter(())


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
