"""Files of lemmas, proofs and contexts to records."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmark.importing.jsonl import Line, read_records
from benchmark.importing.records import RecordError
from benchmark.protocol import InstanceRecord, OutputRecord, PaperRecord
from benchmark.protocols.lemmas.schema import GivenLine, Lemma, LemmaLine, LemmaPaper, Retrieved, Step

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


def proof_text(steps: Sequence[str | Step]) -> str:
    """The steps as LaTeX, each opened by "Step n": what readers answer step by step is split there."""
    return "\n\n".join(f"\\textbf{{Step {n}.}} {_step_text(step)}" for n, step in enumerate(steps, start=1))


def _step_text(step: str | Step) -> str:
    if isinstance(step, str):
        return step.strip()
    return f"\\emph{{To show:}} {step.subgoal.strip()}\n\n{step.text.strip()}"


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
        paper=_paper(lemma.paper) if lemma.paper else None,
        payload={name: line.value[name] for name in Lemma.model_fields if name in line.value},
        line=line.number,
    )


def _paper(paper: LemmaPaper) -> PaperRecord:
    return PaperRecord(key=paper.key, title=paper.title, year=paper.year, identifiers=paper.identifiers)


def _output(given: GivenLine, line: Line) -> OutputRecord:
    return OutputRecord(
        instance=given.instance_id,
        attempt=given.attempt,
        state=given.state,
        text=_text(given) if given.state == "answered" else "",
        text_format="latex",
        payload=given.model_dump(include={"task", "extraction"}, exclude_none=True),
        line=line.number,
    )


def _text(given: GivenLine) -> str:
    if given.task == "proof":
        return proof_text(given.steps)
    return context_text(given.definitions, given.assumptions)
