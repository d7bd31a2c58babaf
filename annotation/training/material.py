"""Entries of a training file through the protocol: what is shown, and gold that a reviewer could have given."""

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from accounts.profile.domains import domain_words
from annotation.core.documents import anchors, texts
from annotation.core.material import Material, ShownProof, problem_title, shown_files
from annotation.grading.answers import CheckedAnswer, Incomplete, checked
from annotation.models import TrainingItem
from annotation.training.file import GoldEntry, refused
from benchmark.files.pictures import numbered
from benchmark.files.queries import files_of
from benchmark.importing.records import RecordError
from benchmark.models import Instance, Release
from benchmark.protocol import InstanceRecord, OutputRecord, Protocol
from benchmark.protocols import get_protocol
from benchmark.rendering.actions import render_now
from benchmark.rubrics import Rubric
from latex.visible import visible

_KEY = "training"
Record = TypeVar("Record")


@dataclass(frozen=True)
class Prepared:
    """A training item that was checked, not yet stored; the rationale of a question is kept on one answer."""

    item: TrainingItem
    gold: tuple[CheckedAnswer, ...]


def prepared(release: Release, rubric: Rubric, entries: Sequence[GoldEntry]) -> list[Prepared]:
    """Every entry as an item with its gold; raises BadFile naming line and field of what does not fit."""
    protocol = get_protocol(release.benchmark.protocol)
    needed = {question.key for question in rubric.questions if question.required}
    found: list[Prepared] = []
    faults: list[RecordError] = []
    for number, entry in enumerate(entries, start=1):
        try:
            item = _item(protocol, release, entry, number)
            if strange := sorted(set(entry.rationale) - set(entry.gold) - needed):
                raise RecordError("explains a question that has no gold", field=f"rationale.{strange[0]}")
            shown = training_material(item, protocol)
            render_now(texts(shown))
            blocks, steps = anchors(shown)
            gold = checked(rubric, entry.content, blocks, steps).answers
            unexplained = sorted(
                answer.question
                for answer in gold
                if rubric.question(answer.question).scale.has_values
                and not entry.rationale.get(answer.question, "").strip()
            )
            if unexplained and not item.note:
                raise RecordError(
                    "needs a rationale, or the item a note", field=f"rationale.{unexplained[0]}"
                )
            found.append(Prepared(item, gold))
        except RecordError as error:
            faults.append(RecordError(error.reason, line=entry.line, field=error.field))
        except Incomplete as refusal:
            faults += [
                RecordError(reason, line=entry.line, field=f"gold.{question}")
                for question, reason in refusal.problems.items()
            ]
    if faults:
        raise refused(faults)
    return found


def training_material(item: TrainingItem, protocol: Protocol) -> Material:
    """What is shown of a training item: the same parts as of an item of real work."""
    parts = [
        replace(part, text=visible(part.text, part.text_format))
        for part in protocol.output_parts(item.answer, item.text, item.text_format)
    ]
    files = shown_files(item.instance, "problem-", count(1)) if item.instance else ()
    own = files_of(item.instance) if item.instance else []
    return Material(
        title=item.title,
        domain=domain_words(item.domain),
        instance_parts=tuple(numbered(part, own) for part in protocol.instance_parts(item.problem)),
        proofs=(ShownProof("", tuple(parts)),),
        instance_files=files,
    )


def _item(protocol: Protocol, release: Release, entry: GoldEntry, number: int) -> TrainingItem:
    problem: InstanceRecord | Instance
    if isinstance(entry.problem, str):
        row = release.instances.filter(key=entry.problem).first()
        if row is None:
            raise RecordError(f"{release.name} has no instance {entry.problem!r}", field="problem")
        problem = row
    else:
        problem = _one(protocol.read_release, entry.problem, "problem", InstanceRecord)
    output = _one(protocol.read_outputs, {**entry.answer, "instance_id": problem.key}, "answer", OutputRecord)
    if output.state != "answered":
        raise RecordError("a training item needs an answer that can be graded", field="answer.state")
    return TrainingItem(
        number=number,
        title=problem_title(problem.payload, f"Training item {number}")[:500],
        domain=problem.domain,
        problem=dict(problem.payload),
        instance=problem if isinstance(problem, Instance) else None,
        answer=dict(output.payload),
        text=output.text,
        text_format=output.text_format,
        note=entry.note.strip(),
    )


def _one(read: Any, value: Mapping[str, Any], field: str, kind: type[Record]) -> Record:
    """`value` through a loader of the protocol, which reads files."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        json.dump(value, file, ensure_ascii=False)
        file.flush()
        found = list(read(Path(file.name)))
    for record in found:
        if isinstance(record, RecordError):
            raise RecordError(record.reason, field=f"{field}.{record.field}".rstrip("."))
    if len(found) != 1 or not isinstance(found[0], kind):
        raise RecordError("is not one record of this protocol", field=field)
    return found[0]
