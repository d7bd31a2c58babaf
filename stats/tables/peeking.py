"""The first rows of a table from outside, and which of our columns its columns probably are."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import BinaryIO

from stats.tables.cells import unquote_cell
from stats.tables.columns import Form
from stats.tables.raw_rows import TableError, csv_rows, jsonl_records

SHOWN_ROWS = 5
_READ_RECORDS = 1_000  # of a JSONL file, whose lines need not have the same keys
_CELL = 80

# What others call our columns; names are compared in lower case with "_" for anything but letters and digits.
_OTHER_NAMES = {
    "subject": ("item", "item_id", "id", "unit", "example", "example_id", "sample_id", "output", "output_id"),
    "rater": (
        "annotator",
        "annotator_id",
        "reviewer",
        "coder",
        "worker",
        "worker_id",
        "labeler",
        "rater_id",
        "grader",
        "judge",
        "referee",
        "evaluator",
    ),
    "value": (
        "label",
        "answer",
        "rating",
        "verdict",
        "score",
        "grade",
        "annotation",
        "choice",
        "response",
        "points",
        "marks",
        "mark",
    ),
    "question": ("predicate", "criterion", "dimension", "task", "attribute", "aspect"),
    "system": ("model", "model_name", "system_name", "pair", "systems"),
    "rater_kind": ("kind", "rater_type", "annotator_type", "source"),
    "cluster": ("paper", "paper_id", "document", "group"),
    "domain": ("field", "area", "topic", "category"),
    "query": ("query_id", "question_id", "qid"),
    "rank": ("position", "rank_first", "first_hit"),
    "instance": ("problem_id", "problem_idx", "problem", "instance_id"),
    "comment": ("note", "notes", "remark", "reason", "explanation"),
    "seconds": ("time", "duration", "time_on_task"),
    "created_at": ("timestamp", "date", "created"),
    "stratum_size": ("n_h", "population"),
    "sample_size": ("sampled",),
}


@dataclass(frozen=True)
class Peek:
    """Names of the columns as the file has them, and a few rows, long cells cut."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def peek(stream: BinaryIO, *, form: Form) -> Peek:
    """Header and first rows. Raises TableError as the readers do."""
    if form == "jsonl":
        records = [record for _, record in islice(jsonl_records(stream), _READ_RECORDS)]
        if not records:
            raise TableError("the file is empty: one JSON object per line is expected")
        header = tuple(dict.fromkeys(name for record in records for name in record))
        rows = tuple(
            tuple(_cut(str(record.get(name) if record.get(name) is not None else "")) for name in header)
            for record in records[:SHOWN_ROWS]
        )
        return Peek(header, rows)
    found = [cells for _, cells in islice(csv_rows(stream), SHOWN_ROWS + 1)]
    if not found:
        raise TableError("the file is empty: a header line is expected")
    header = tuple(unquote_cell(name.strip()) for name in found[0])
    return Peek(header, tuple(tuple(_cut(cell) for cell in row) for row in found[1:]))


def _cut(cell: str) -> str:
    return cell if len(cell) <= _CELL else f"{cell[: _CELL - 1]}…"


def guessed_columns(header: Sequence[str], columns: Sequence[str]) -> dict[str, str]:
    """For each column of a file the one of `columns` that it probably is, "" for none; each at most once."""
    plain = {
        name: "_".join("".join(letter if letter.isalnum() else " " for letter in name.lower()).split())
        for name in header
    }
    found: dict[str, str] = {name: name for name in header if name in columns}
    for ours in columns:
        if ours in found.values():
            continue
        for wanted in (ours, *_OTHER_NAMES.get(ours, ())):
            match = next((name for name in header if name not in found and plain[name] == wanted), None)
            if match is not None:
                found[match] = ours
                break
    return {name: found.get(name, "") for name in header}
