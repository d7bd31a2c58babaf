"""Rows of a label table grouped by what they are about."""

from collections.abc import Sequence

import numpy as np

from stats.core.bootstrap import Ints
from stats.tables.columns import Column, Table
from stats.tables.raw_rows import TableError

# Two presentations of one comparison agree in these and differ in order.
SAME_JUDGMENT = (
    "release", "campaign", "question", "subject", "rater_kind", "rater", "judge_version", "vote",
)  # fmt: skip
# Two rows that agree in all of these are the same answer given twice.
IDENTITY = (*SAME_JUDGMENT, "order")


def group_codes(table: Table, names: Sequence[str]) -> Ints:
    """(rows,) consecutive codes: equal exactly where all the named columns are equal."""
    codes = np.zeros(len(table), dtype=np.int64)
    for name in names:
        column = table[name]
        if len(column.values) > 1:
            joint = codes * len(column.values) + column.codes
            codes = np.unique(joint, return_inverse=True)[1].astype(np.int64)
    return codes


def first_rows(codes: Ints) -> Ints:
    """(groups,) the first row of every group."""
    return np.unique(codes, return_index=True)[1].astype(np.int64)


def refuse_repeats(table: Table, *, also: Sequence[str] = ()) -> None:
    """Raise TableError where a rater answers the same question about the same subject twice.

    `also` names columns that tell subjects apart besides their name.
    """
    codes = group_codes(table, (*IDENTITY, *also))
    first = first_rows(codes)
    if len(first) == len(codes):
        return
    repeated = np.setdiff1d(np.arange(len(codes)), first)
    row = int(repeated[0])
    earlier = int(table.lines[first[codes[row]]])
    rater, subject, said = (
        table[name].values[table[name].codes[row]] for name in ("rater", "subject", "value")
    )
    before = table["value"].values[table["value"].codes[first[codes[row]]]]
    raise TableError(
        f"{rater!r} answers {said!r} about {subject!r} a second time (first in line {earlier}, {before!r}): "
        "number repeated judgments in the column vote",
        line=int(table.lines[row]),
    )


MOST_PARTS = 200  # figures of so many systems, judges or experts are made one by one


def refuse_many(parts: int, column: str) -> None:
    """Raise TableError where a column names more than MOST_PARTS of what is looked at one by one."""
    if parts > MOST_PARTS:
        raise TableError(f"names {parts:,}, and at most {MOST_PARTS} are looked at one by one", column=column)


def attribute(table: Table, name: str, codes: Ints, groups: int) -> Column:
    """One text per group, "" where no row says any. TableError where two rows of a group differ."""
    column = table[name]
    said = np.flatnonzero(~column.is_in(""))
    found = np.full(groups, -1, dtype=np.int64)
    found[codes[said][::-1]] = column.codes[said][::-1]
    wrong = said[column.codes[said] != found[codes[said]]]
    if wrong.size:
        row = int(wrong[0])
        campaigns = sorted({*table["campaign"].used} - {""})
        several = f"; keep the rows of one campaign ({', '.join(campaigns)}) and the judges' rows"
        raise TableError(
            f"{column.values[column.codes[row]]!r}, but an earlier row says "
            f"{column.values[found[codes[row]]]!r} about the same subject{several if len(campaigns) > 1 else ''}",
            line=int(table.lines[row]),
            column=name,
        )
    values = (*column.values, "")
    return Column(np.where(found >= 0, found, len(column.values)).astype(np.int32), values)


def whole_numbers(column: Column) -> Ints:
    """(rows,) the numbers of a checked column, -1 where empty."""
    return np.array([int(value) if value else -1 for value in column.values], dtype=np.int64)[column.codes]
