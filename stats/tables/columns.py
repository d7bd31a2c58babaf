"""Tables from outside as factorised columns: codes into the distinct texts of each column.

A million rows stay small, checks run once per distinct text, and the estimators can count codes directly.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Literal

import numpy as np
from numpy.typing import NDArray

from stats.tables.cells import unquote_cell
from stats.tables.raw_rows import Row, TableError, csv_rows, jsonl_rows

Form = Literal["csv", "jsonl"]
Check = Callable[[str], str]  # a cell's text to its canonical text; ValueError says what is wrong with it
Codes = NDArray[np.int32]

_CHUNK = 500  # small enough that the cells of a chunk stay in the cache


@dataclass(frozen=True)
class Column:
    """`values[codes[i]]` is the text of row i; "" where the file says nothing."""

    codes: Codes
    values: tuple[str, ...]

    def texts(self) -> list[str]:
        """All texts, row by row."""
        return [self.values[code] for code in self.codes.tolist()]

    def is_in(self, *wanted: str) -> NDArray[np.bool_]:
        """(rows,) whether the text is one of `wanted`."""
        accepted = frozenset(wanted)
        return np.asarray(np.array([value in accepted for value in self.values], dtype=bool)[self.codes])

    @property
    def used(self) -> list[str]:
        """The texts that occur, each once, in the order of their codes."""
        counts = np.bincount(self.codes, minlength=len(self.values))
        return [self.values[code] for code in np.flatnonzero(counts).tolist()]

    @property
    def is_empty(self) -> bool:
        """No row says anything."""
        return bool(self.is_in("").all())


@dataclass(frozen=True)
class Table:
    """Named columns of one length, and the line of the file that each row came from."""

    columns: Mapping[str, Column]
    lines: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.lines)

    def __getitem__(self, name: str) -> Column:
        return self.columns[name]

    def select(self, rows: NDArray[np.bool_] | NDArray[np.int64]) -> "Table":
        """The chosen rows, as a mask or as row numbers."""
        chosen = {name: Column(column.codes[rows], column.values) for name, column in self.columns.items()}
        return Table(chosen, self.lines[rows])


def filled(cell: str) -> str:
    """The check of a column that says something in every row."""
    if not cell.strip():
        raise ValueError("is empty")
    return cell.strip()


class _Factor(dict[str, int]):
    """Raw cell -> code; checks and canonicalises a cell when it is first seen."""

    def __init__(self, check: Check, unquote: bool) -> None:
        super().__init__()
        self.values_seen: dict[str, int] = {}
        self._check, self._unquote = check, unquote

    def __missing__(self, cell: str) -> int:
        text = self._check(unquote_cell(cell) if self._unquote else cell)
        code = self.values_seen.setdefault(text, len(self.values_seen))
        self[cell] = code
        return code


def read_table(
    stream: BinaryIO,
    checks: Mapping[str, Check],
    *,
    form: Form,
    renaming: Mapping[str, str] | None = None,
    required: Sequence[str] = (),
    unread: Sequence[str] = (),
) -> Table:
    """Read the columns named in `checks`; those that the file lacks are empty, those in `unread` too.

    `renaming` maps the file's names to ours, "" drops a column; `required` names the columns that a CSV
    file must have. Raises TableError with line and column, ValueError for a wrong renaming.
    """
    renames = dict(renaming or {})
    for ours in renames.values():
        if ours and ours not in checks:
            raise ValueError(f"no column is called {ours!r}; columns: {', '.join(checks)}")
    header: Sequence[str]
    if form == "jsonl":
        taken = {*renames, *renames.values()}
        header = [*renames, *(name for name in checks if name not in taken)]
        rows = jsonl_rows(stream, header)
    else:
        rows = csv_rows(stream)
        first = next(rows, None)
        if first is None:
            raise TableError("the file is empty: a header line is expected")
        header = [unquote_cell(name.strip()) for name in first[1]]
        for name in renames:
            if name not in header:
                raise TableError(f"the table has no column {name!r} to rename", line=1)
    targets = [renames.get(name, name) for name in header]  # our name of every column, "" for a dropped one
    for name, ours in zip(header, targets, strict=True):
        if ours not in checks and name not in renames:
            raise TableError(f"unknown column {name!r}; known: {', '.join(checks)}", line=1)
        if ours and targets.count(ours) > 1:
            raise TableError(f"two columns are called {ours!r}", line=1)
    absent = [name for name in required if name not in targets]
    if absent:
        raise TableError(f"the table lacks the column {', '.join(absent)}", line=1)
    targets = ["" if name in unread else name for name in targets]
    factors = {name: _Factor(checks[name], form == "csv") for name in targets if name}
    codes, lines = _collect(rows, targets, factors)
    absent_column = Column(np.zeros(len(lines), dtype=np.int32), ("",))
    columns = {name: Column(codes[name], tuple(factor.values_seen)) for name, factor in factors.items()}
    return Table({name: columns.get(name, absent_column) for name in checks}, lines)


def _collect(
    rows: Iterator[Row], targets: Sequence[str], factors: Mapping[str, _Factor]
) -> tuple[dict[str, Codes], NDArray[np.int64]]:
    codes: dict[str, list[Codes]] = {name: [np.empty(0, dtype=np.int32)] for name in factors}
    lines = [np.empty(0, dtype=np.int64)]
    while chunk := list(islice(rows, _CHUNK)):
        numbers, cells = zip(*chunk, strict=True)
        lines.append(np.array(numbers, dtype=np.int64))
        for name, column in zip(targets, zip(*cells, strict=True), strict=True):
            if not name:
                continue
            factor = factors[name]
            try:
                codes[name].append(np.fromiter(map(factor.__getitem__, column), np.int32, len(column)))
            except ValueError as error:
                line = next(n for n, cell in zip(numbers, column, strict=True) if cell not in factor)
                raise TableError(str(error), line=line, column=name) from None
    return {name: np.concatenate(parts) for name, parts in codes.items()}, np.concatenate(lines)


def form_of(path: Path) -> Form:
    """JSONL for .jsonl and .ndjson, CSV for everything else."""
    return "jsonl" if path.suffix.lower() in (".jsonl", ".ndjson") else "csv"
