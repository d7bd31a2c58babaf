"""Files of lemmas, proofs and contexts to records."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmark.importing.jsonl import Line, read_records
from benchmark.importing.records import RecordError
from benchmark.protocol import InstanceRecord, OutputRecord
from benchmark.protocols.lemmas.schema import GivenLine, Lemma, LemmaLine, ProofStep, Retrieved

NOTHING_NEEDED = "Nothing beyond the statement is needed."


def read_release(path: Path) -> Iterator[InstanceRecord | RecordError]:
    """The lemmas of a JSONL file."""
    return read_records(path, LemmaLine, _instance)


def read_outputs(path: Path) -> Iterator[OutputRecord | RecordError]:
    """The proofs or contexts of a JSONL file."""
    return read_records(path, GivenLine, _output)


def strata(payload: Mapping[str, Any]) -> dict[str, str]:
    """The arXiv category and how definitions and assumptions of the release were found."""
    lemma = Lemma.model_validate(payload)
    return {
        "arxiv_category": lemma.category or "unstated",
        "extraction": lemma.extraction or "unstated",
    }


def proof_text(steps: Sequence[str | ProofStep]) -> str:
    """The steps as LaTeX, each opened by "Step n": what readers answer step by step is split there."""
    texts = []
    for number, step in enumerate(steps, start=1):
        shown = (
            step
            if isinstance(step, str)
            else f"\\emph{{To show:}} {step.subgoal.strip()}\n\n{step.text.strip()}"
        )
        texts.append(f"\\textbf{{Step {number}.}} {shown.strip()}")
    return "\n\n".join(texts)


def numbered(entries: Sequence[str | Retrieved]) -> str:
    """The entries as one numbered list in LaTeX; "" without entries. Their places in the paper are left out."""
    texts = [entry if isinstance(entry, str) else entry.text for entry in entries]
    items = "\n".join(f"\\item {text.strip()}" for text in texts)
    return f"\\begin{{enumerate}}\n{items}\n\\end{{enumerate}}" if entries else ""


def context_text(definitions: Sequence[str | Retrieved], assumptions: Sequence[str | Retrieved]) -> str:
    """Definitions and assumptions as LaTeX; a sentence where there are none."""
    found = [
        f"\\textbf{{{title}.}}\n{numbered(entries)}"
        for title, entries in (("Definitions", definitions), ("Assumptions", assumptions))
        if entries
    ]
    return "\n\n".join(found) or NOTHING_NEEDED


def _instance(lemma: LemmaLine, line: Line) -> InstanceRecord:
    return InstanceRecord(
        key=lemma.instance_id,
        domain=lemma.domain,
        split=lemma.split,
        paper=lemma.paper.record() if lemma.paper else None,
        payload=line.fields(Lemma),
        line=line.number,
    )


def _output(given: GivenLine, line: Line) -> OutputRecord:
    text = ""
    if given.state == "answered":
        is_proof = given.task == "proof"
        text = proof_text(given.steps) if is_proof else context_text(given.definitions, given.assumptions)
    return OutputRecord(
        instance=given.instance_id,
        attempt=given.attempt,
        state=given.state,
        text=text,
        text_format="latex",
        payload=given.model_dump(include={"task", "extraction"}, exclude_none=True),
        line=line.number,
    )
