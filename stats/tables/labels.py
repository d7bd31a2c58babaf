"""The canonical label table: one row says what one rater answered about one subject.

Import, export and `analyse` share it. Columns that a file lacks are empty; unknown columns are refused by
name, or renamed first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import BinaryIO

import numpy as np

from stats.tables.cells import number_in
from stats.tables.columns import Check, Column, Form, Table, read_table
from stats.tables.raw_rows import TableError

COLUMNS = (
    "release", "campaign", "question", "subject", "instance", "system", "attempt", "step", "cluster",
    "domain", "stratum", "stratum_size", "sample_size", "rater", "rater_kind", "vote", "order", "value",
    "state", "confidence", "seconds", "comment", "created_at", "judge_version", "rubric_version", "cause",
    "overrules", "informed", "amendment", "verdict_seen",
)  # fmt: skip
MOST_UNITS = 1_000_000_000  # up to here a score is computed at once; larger sizes are refused by line
PARTS = ("instance", "system", "attempt", "step")
STATES = ("answered", "abstain", "unavailable")
GRADERS = ("expert", "judge")
ADJUDICATOR = "adjudicator"
RATER_KINDS = (*GRADERS, ADJUDICATOR)
DECISION_MARKS = ("overrules", "informed", "amendment")
# Long, mostly distinct texts that no analysis reads.
_UNREAD = ("comment", "created_at")


def one_of(*allowed: str) -> Check:
    """The check of a cell that holds one of these words, in any case, or nothing."""

    def check(cell: str) -> str:
        text = cell.strip().lower()
        if text and text not in allowed:
            raise ValueError(f"must be {', '.join(allowed)} or empty, not {cell!r}")
        return text

    return check


def _whole(cell: str) -> str:
    text = cell.strip()
    if text and not (text.isascii() and text.isdigit() and len(text) < 16):
        raise ValueError(f"must be a whole number, 0 or more, or empty, not {cell!r}")
    return str(int(text)) if text else ""


def _size(cell: str) -> str:
    text = _whole(cell)
    if text and int(text) > MOST_UNITS:
        raise ValueError(f"is more than {MOST_UNITS:,}, the most units that a stratum may have")
    return text


def _number(cell: str) -> str:
    text = cell.strip()
    if text and math.isnan(number_in(text)):
        raise ValueError(f"must be a number or empty, not {cell!r}")
    return text


_SPECIAL: Mapping[str, Callable[[str], str]] = {
    "rater_kind": one_of(*RATER_KINDS),
    "state": one_of(*STATES),
    "order": one_of("1", "2"),
    "vote": _whole,
    "stratum_size": _size,
    "sample_size": _size,
    "confidence": str,
    "seconds": _number,
    "comment": str,
    **{name: one_of("yes", "no") for name in (*DECISION_MARKS, "verdict_seen")},
}
CHECKS: Mapping[str, Check] = {name: _SPECIAL.get(name, str.strip) for name in COLUMNS}


def read_labels(stream: BinaryIO, *, form: Form = "csv", renaming: Mapping[str, str] | None = None) -> Table:
    """A label table for analysis, states filled in and subjects named.

    An empty state becomes `answered`, or the state that the value itself names; an empty subject becomes
    its parts `instance|system|attempt|step`. Raises TableError naming line and column.
    """
    table = read_table(stream, CHECKS, form=form, renaming=renaming, unread=_UNREAD)
    columns = dict(table.columns)
    columns["state"] = _states(table)
    subject = table["subject"]
    missing = np.flatnonzero(subject.is_in(""))
    if missing.size:
        parts = [table[name] for name in PARTS]
        nameless = np.all([part.is_in("")[missing] for part in parts], axis=0)
        if nameless.any():
            line = int(table.lines[missing[int(np.argmax(nameless))]])
            why = "is empty, and so are instance, system, attempt, step"
            raise TableError(why, line=line, column="subject")
        values = {value: code for code, value in enumerate(subject.values)}
        codes = subject.codes.copy()
        for row in missing.tolist():
            name = "|".join(part.values[part.codes[row]] for part in parts).rstrip("|")
            codes[row] = values.setdefault(name, len(values))
        columns["subject"] = Column(codes, tuple(values))
    return Table(columns, table.lines)


def independent(table: Table) -> tuple[Table, dict[str, int]]:
    """The rows of those who judged by themselves, and how many others were left out: decisions, labels in sight.

    An adjudicator has read the grades and is no further grader; who had a judge's verdict before them is no
    independent one. No agreement and no comparison counts either.
    """
    decisions = table["rater_kind"].is_in(ADJUDICATOR)
    in_sight = table["verdict_seen"].is_in("yes")
    counts = {"decisions": int(decisions.sum()), "in_sight": int(in_sight.sum())}
    return table.select(~(decisions | in_sight)), counts


def _states(table: Table) -> Column:
    """Codes into STATES. A value with abstain or unavailable, or none with answered, is refused."""
    state, value = table["state"], table["value"]
    said = _codes_of(state, STATES)
    named = _codes_of(value, STATES[1:], first=1)
    filled = np.where(said >= 0, said, np.where(named >= 0, named, 0)).astype(np.int32)
    empty = value.is_in("")
    for wrong, message in (
        ((filled == 0) & empty, "is empty although the state is answered"),
        ((filled == 0) & (named >= 0), "names a state although the state is answered"),
        ((filled > 0) & ~empty & (named != filled), "is given although nothing was answered"),
    ):
        if wrong.any():
            raise TableError(message, line=int(table.lines[int(np.argmax(wrong))]), column="value")
    return Column(filled, STATES)


def _codes_of(column: Column, names: tuple[str, ...], *, first: int = 0) -> np.ndarray:
    """(rows,) position of the text in `names` counted from `first`, -1 for any other text."""
    places = {name: at for at, name in enumerate(names, first)}
    return np.array([places.get(value, -1) for value in column.values], dtype=np.int64)[column.codes]
