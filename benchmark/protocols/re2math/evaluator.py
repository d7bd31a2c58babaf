"""Result files of Re2Math's own evaluator (end_to_end_eval.py of the release): outputs and its verdicts on them.

One file is one system: a JSON object with `results`, one entry for each gap. Faults name the entry by its position.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from benchmark.citations.identifiers import arxiv_id, doi
from benchmark.importing.jsonl import parse_value
from benchmark.importing.keys import Key
from benchmark.importing.records import RecordError, record_errors
from benchmark.protocol import OutputRecord, VerdictRecord
from benchmark.protocols.re2math.schema import Stored

_BEGINNING = re.compile(rb'\s*\{\s*"(?:stats|summary|results|meta)"\s*:')
MAX_BYTES = 200 * 1024 * 1024  # an entry holds the prompts and the shortlist, about 50 kB
Label = Literal["yes", "no", "uncertain"] | None


class _Lenient(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")


class _Download(_Lenient):
    filename: Stored = ""
    title: Stored = ""
    source_url: Stored = ""
    scholar_link: Stored = ""


class _Meta(_Lenient):
    judge_model: str


class _Entry(_Lenient):
    """An entry as far as it is read. Whether the cited source was among the candidates is not: they are not listed."""

    id: Key
    search_query: Stored = ""
    predicted_anchor: Stored = ""
    extracted_latex: Stored = ""
    selected_file: Stored = ""
    pdf_title: Stored = ""
    download_manifest: list[_Download] = []
    ground_label: Label = None
    ground_reason: Stored = ""
    ground_confidence: float | None = None
    suff_label: Label = None
    suff_reason: Stored = ""
    suff_confidence: float | None = None
    is_planning_matched: bool | None = None
    planning_match_reason: Stored = ""
    error: Stored = ""
    meta: _Meta

    @property
    def state(self) -> Literal["answered", "abstained", "failed"]:
        """Answered with a statement; one that stopped after its plan or query abstained late; else it failed."""
        if self.extracted_latex.strip() and self.selected_file and not self.error:
            return "answered"
        stopped_late = self.predicted_anchor.strip() or self.search_query.strip()
        return "abstained" if stopped_late or not self.error else "failed"


def is_evaluation(path: Path) -> bool:
    """Whether the file begins like a result file and not like lines of outputs."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return _BEGINNING.match(file.read(1000)) is not None


def evaluated_outputs(path: Path) -> Iterator[OutputRecord | RecordError]:
    """The outputs. Their candidates are unknown, because the evaluator lists only what it downloaded."""
    for number, entry in _entries(path):
        if isinstance(entry, RecordError):
            yield entry
            continue
        payload: dict[str, Any] = {
            "planning_anchor": entry.predicted_anchor,
            "query": entry.search_query,
            "candidates": None,
        }
        if entry.state == "answered":
            # as far as it is known: its title, and an identifier in the address that it came from
            found = next(
                (one for one in entry.download_manifest if one.filename == entry.selected_file), None
            )
            addresses = (found.source_url, found.scholar_link) if found else ()
            identifiers = (arxiv_id(address) or doi(address) for address in addresses)
            title = entry.pdf_title or (found.title if found else "") or entry.selected_file
            payload["selected_source"] = {"title": title, "identifier": next(filter(None, identifiers), "")}
        yield OutputRecord(
            instance=entry.id,
            text=entry.extracted_latex if entry.state == "answered" else "",
            text_format="latex",
            payload=payload,
            state=entry.state,
            line=number,
        )


def evaluated_verdicts(path: Path) -> Iterator[VerdictRecord | RecordError]:
    """Its verdicts on grounding and sufficiency of answered outputs, and on the plan of all that have one."""
    for number, entry in _entries(path):
        if isinstance(entry, RecordError):
            yield entry
            continue
        said: list[tuple[str, str | None, str, float | None]] = []
        if entry.state == "answered":
            said = [
                ("ground", entry.ground_label, entry.ground_reason, entry.ground_confidence),
                ("suff", entry.suff_label, entry.suff_reason, entry.suff_confidence),
            ]
        if entry.is_planning_matched is not None and entry.predicted_anchor.strip():
            matched = "yes" if entry.is_planning_matched else "no"
            said.append(("anchor_match", matched, entry.planning_match_reason, None))
        for predicate, value, reason, confidence in said:
            if value:
                yield VerdictRecord(
                    entry.id, 1, predicate, value, entry.meta.judge_model, reason, confidence, number
                )


def _entries(path: Path) -> Iterator[tuple[int, _Entry | RecordError]]:
    if path.stat().st_size > MAX_BYTES:
        yield 0, RecordError(f"larger than {MAX_BYTES >> 20} MB")
        return
    try:
        document = parse_value(path.read_bytes())
    except RecordError as error:
        yield 0, error
        return
    results = document.get("results") if isinstance(document, dict) else None
    if not isinstance(results, list):
        yield 0, RecordError("a list of results was expected, as the evaluator writes it", field="results")
        return
    for number, result in enumerate(results, start=1):
        try:
            yield number, _Entry.model_validate(result)
        except ValidationError as error:
            for fault in record_errors(error, number):
                yield number, fault
