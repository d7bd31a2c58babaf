"""Ranked runs of other tools: the run format of TREC, and CSV. Both to output records, query by query.

A line of TREC's format is `query Q0 document rank score tag`. A document is `paper#statement`, or `paper` alone in
a run of papers, with `_` for a space. A CSV file has the columns query, rank, paper, and if there are any statement,
title, text and score; without the column statement it is a run of papers. A row with empty rank and paper says that
nothing was found. Lines of a query are consecutive and their ranks count from 1.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, BinaryIO

from pydantic import ValidationError

from benchmark.importing.jsonl import MAX_NUMBER, Line
from benchmark.importing.records import RecordError, record_errors
from benchmark.protocols.theorem_search.schema import Level, RankingLine
from stats.tables.raw_rows import TableError, csv_rows, text_lines

_REQUIRED = ("query", "rank", "paper")
_OPTIONAL = ("statement", "title", "text", "score")
_TREC = ("query", "Q0", "document", "rank", "score", "tag")


@dataclass(frozen=True)
class _Row:
    """One line of a run: `result` is the dictionary of a Result, None where nothing was found."""

    line: int
    query: str
    rank: int
    result: dict[str, Any] | None


Ranked = tuple[RankingLine, Line]
Leveled = tuple[Level, _Row | RecordError]


def read_trec(path: Path) -> Iterator[Ranked | RecordError]:
    """The rankings of a TREC run, each with the line of its last result."""
    return _read(path, _TrecRun().rows)


def read_csv(path: Path) -> Iterator[Ranked | RecordError]:
    """The rankings of a CSV file, each with the line of its last result."""
    return _read(path, _csv_rows)


def _read(path: Path, rows: Callable[[BinaryIO], Iterator[Leveled]]) -> Iterator[Ranked | RecordError]:
    try:
        file = path.open("rb")
    except OSError as error:
        yield RecordError(f"{path.name} cannot be read: {error.strerror}")
        return
    with file:
        try:
            yield from _rankings(rows(file))
        except TableError as error:
            place = f"line {error.line}, column {error.column}: ", f"line {error.line}: "
            reason = str(error).removeprefix(place[0]).removeprefix(place[1])
            yield RecordError(reason, line=error.line or 0, field=error.column or "")


def _rankings(rows: Iterator[Leveled]) -> Iterator[Ranked | RecordError]:
    """The rows of each query as one ranking, or their faults."""
    done: set[str] = set()
    for query, group in groupby(_by_query(rows), key=lambda found: found[0]):
        members = [found[1:] for found in group]
        results = [row for _, row in members if isinstance(row, _Row)]
        errors: list[RecordError] = []
        expected = 1
        for _, row in members:
            if isinstance(row, RecordError):
                errors.append(row)
                expected += 1
                continue
            if row.result is None and len(members) > 1:
                reason = "a row without a result must be the only one of its query"
                errors.append(RecordError(reason, line=row.line, field="rank"))
            elif row.result is not None and row.rank != expected:
                reason = f"rank {row.rank} where {expected} is expected"
                errors.append(RecordError(reason, line=row.line, field="rank"))
            expected = row.rank + 1  # so that a gap is named once
        if query in done:
            line = results[0].line if results else 0
            errors.append(RecordError("the lines of a query must be consecutive", line=line, field="query"))
        done.add(query)
        if errors:
            yield from errors
            continue
        found = [row.result for row in results if row.result is not None]
        state = "answered" if found else "abstained"
        value = {"instance_id": query, "state": state, "level": members[0][0], "results": found}
        last = Line(results[-1].line, value)
        try:
            yield RankingLine.model_validate(value), last
        except ValidationError as error:
            yield from record_errors(error, last.number)


def _by_query(rows: Iterator[Leveled]) -> Iterator[tuple[str, Level, _Row | RecordError]]:
    """Each row under its query; a row that cannot be read is put with the query before it."""
    query = ""
    for level, row in rows:
        query = row.query if isinstance(row, _Row) else query
        yield query, level, row


def _csv_rows(file: BinaryIO) -> Iterator[Leveled]:
    rows = iter(csv_rows(file))
    number, header = next(rows, (1, ()))
    names = list(header)
    for name in names:
        if name not in (*_REQUIRED, *_OPTIONAL) or names.count(name) > 1:
            raise TableError("unknown column, or one that appears twice", line=number, column=name[:100])
    for name in _REQUIRED:
        if name not in names:
            raise TableError("this column is missing", line=number, column=name)
    level: Level = "theorem" if "statement" in names else "paper"
    for line, cells in rows:
        result: dict[str, Any] = dict(zip(names, cells, strict=True))
        query, rank, score = result.pop("query"), result.pop("rank").strip(), result.pop("score", "").strip()
        place, value = _whole(rank), _finite(score)
        row: _Row | RecordError
        if not query.strip():
            row = RecordError("must not be empty", line=line, field="query")
        elif not rank and not any(cell.strip() for cell in result.values()):
            row = _Row(line, query, 0, None)
        elif place is None:
            row = RecordError(f"must be a whole number from 1, not {rank[:50]!r}", line=line, field="rank")
        elif score and value is None:
            row = RecordError(f"must be a number, not {score[:50]!r}", line=line, field="score")
        else:
            row = _Row(line, query, place, result | ({"score": value} if score else {}))
        yield level, row


class _TrecRun:
    """A run while it is read: its tag, whether it names statements, and the last score of the query at hand."""

    def __init__(self) -> None:
        self.tag = self.query = ""
        self.level: Level | None = None
        self.score = math.inf

    def rows(self, file: BinaryIO) -> Iterator[Leveled]:
        for line, text in enumerate(text_lines(file), start=1):
            if text.strip():
                row = self._row(line, text.split())
                yield self.level or "theorem", row

    def _row(self, line: int, fields: list[str]) -> _Row | RecordError:
        if len(fields) != len(_TREC):
            return RecordError(f"has {len(fields)} fields, expected {' '.join(_TREC)}", line=line)
        query, q0, document, rank, score, tag = fields
        number, value = _whole(rank), _finite(score)
        if q0 != "Q0":
            return RecordError(f"must be Q0, not {q0[:50]!r}", line=line, field="Q0")
        if number is None:
            return RecordError(f"must be a whole number from 1, not {rank[:50]!r}", line=line, field="rank")
        if value is None:
            return RecordError(f"must be a number, not {score[:50]!r}", line=line, field="score")
        return self._consistent(line, query, tag, value) or self._found(line, query, number, document, value)

    def _consistent(self, line: int, query: str, tag: str, score: float) -> RecordError | None:
        """One tag in a run; within a query scores do not rise, as tools that sort by score would change the ranks."""
        self.tag = self.tag or tag
        before = self.score if query == self.query else math.inf
        self.query, self.score = query, score
        if tag != self.tag:
            return RecordError(f"{tag[:50]!r} in a run of {self.tag[:50]!r}", line=line, field="tag")
        if score > before:
            return RecordError("is higher than at the rank before", line=line, field="score")
        return None

    def _found(self, line: int, query: str, rank: int, document: str, score: float) -> _Row | RecordError:
        paper, mark, statement = (part.replace("_", " ") for part in document.partition("#"))
        level: Level = "theorem" if mark else "paper"
        self.level = self.level or level
        if level != self.level:
            reason = "a statement in a run of papers" if mark else "a paper in a run of statements"
            return RecordError(reason, line=line, field="document")
        result = {"paper": paper, "statement": statement, "score": score}
        return _Row(line, query, rank, result)


def _whole(text: str) -> int | None:
    """A rank, or None."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 and int(text) else None


def _finite(text: str) -> float | None:
    """A score as JSON Lines would hold it (a whole one as int), or None."""
    try:
        value = float(text)
    except ValueError:
        return None
    if not math.isfinite(value) or abs(value) > MAX_NUMBER:
        return None
    return int(value) if value.is_integer() else value
