"""The file that Mask-Proof's script writes at the end (infer-extract-judge.py): attempts and its judge's decisions.

Each line is a mask with `model_responses`, the formula found in each (`extract_answers`) and `eval_results`. A response
in which no formula was found counts as failed, as it counts as incorrect there.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from benchmark.importing.jsonl import Line, read_lines, read_records
from benchmark.importing.records import RecordError
from benchmark.protocol import OutputRecord, VerdictRecord
from benchmark.protocols.masked_steps.schema import ATTEMPTS, Number

JUDGE = "mask-proof-judge"  # the file does not name the model
DECIDED = "model_decision"
Maybe = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]


class _Lenient(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")


class _Response(_Lenient):
    response: Maybe = ""


class _Extracted(_Lenient):
    formula: Maybe = ""


class _Decision(_Lenient):
    attempt_idx: int
    is_correct: bool
    error_type: Maybe = ""
    explanation: Maybe = ""


class _Evaluated(_Lenient):
    index: Number
    model_responses: Annotated[list[_Response], Field(max_length=ATTEMPTS)]
    extract_answers: Annotated[list[_Extracted | None], Field(max_length=ATTEMPTS)] = []
    eval_results: list[_Decision] = []

    def formula(self, place: int) -> str:
        """What was found in the response at this place, counted from 0; "" for nothing."""
        found = self.extract_answers[place] if place < len(self.extract_answers) else None
        return found.formula.strip() if found else ""


def is_evaluated(path: Path) -> bool:
    """Whether the first line is one of such a file."""
    first = next(read_lines(path), None)
    return isinstance(first, Line) and "model_responses" in first.value


def evaluated_attempts(path: Path) -> Iterator[OutputRecord | RecordError]:
    """The attempts at every mask: the bare formula as text, the whole response as reasoning."""
    for found in read_records(path, _Evaluated, lambda row, line: (row, line.number)):
        if isinstance(found, RecordError):
            yield found
            continue
        row, line = found
        for place, response in enumerate(row.model_responses):
            formula = row.formula(place)
            yield OutputRecord(
                instance=str(row.index),
                attempt=place + 1,
                state="answered" if formula else "failed",
                text=formula,
                text_format="latex",
                payload={"reasoning": response.response} if response.response else {},
                line=line,
            )


def evaluated_verdicts(path: Path) -> Iterator[VerdictRecord | RecordError]:
    """What the judge decided about formulas; failures of the judge are not verdicts."""
    for found in read_records(path, _Evaluated, lambda row, line: (row, line.number)):
        if isinstance(found, RecordError):
            yield found
            continue
        row, line = found
        for decision in row.eval_results:
            if decision.error_type == DECIDED and row.formula(decision.attempt_idx):
                value = "yes" if decision.is_correct else "no"
                yield VerdictRecord(
                    str(row.index),
                    decision.attempt_idx + 1,
                    "equivalent",
                    value,
                    JUDGE,
                    decision.explanation,
                    line=line,
                )
