"""The tables of tracks and conditions as cells of a page. Pure: no database access."""

from collections.abc import Iterator
from typing import Any

from reports.conditions.document import ConditionRow, Conditions, Coverage, ShownTable
from reports.core.cells import bounds_words, percent_cell, points_cell, signed_points
from stats.core.display import percent
from stats.core.estimate import Estimate

STATES = {"no_run": "no run", "not_judged": "not judged"}


def condition_sections(document: Conditions) -> dict[str, Any]:
    """Template context: `tables` with their columns, rows of cells, and rows of paired differences."""
    return {"tables": [_table(table) for table in document.tables]}


def _table(table: ShownTable) -> dict[str, Any]:
    return {
        **vars(table),
        "reference": next(column for column in table.columns if column.key == table.baseline),
        "used": sum(column.runs > 0 for column in table.columns),
        "lacking": [column for column in table.columns if not column.runs],
        "rows": [_row(table, row) for row in table.systems],
        "differences": list(_differences(table)),
    }


def _row(table: ShownTable, row: ConditionRow) -> dict[str, Any]:
    cells: list[dict[str, Any]] = []
    for column in table.columns:
        cell = row.cells[column.key]
        if column.coverage:
            cells.append({"cell": None, "words": _coverage(cell.coverage)})
        cells.append(_figure(cell.estimate, STATES.get(cell.state, "")))
    if table.success_type:
        found = row.success_type
        cells += [
            _figure(one, "not judged") for one in ((found.rate, found.share) if found else (None, None))
        ]
    return {"name": row.name, "cells": cells}


def _coverage(counts: Coverage | None) -> str:
    return f"{percent(counts.k, counts.n)} % ({counts.k}/{counts.n})" if counts else STATES["no_run"]


def _figure(estimate: Estimate | None, absent: str) -> dict[str, Any]:
    """A cell with its counts, and the bounds where judgments are missing; or why there is none."""
    if estimate is None:
        return {"cell": None, "words": absent}
    return {"cell": percent_cell(estimate), "bounds": bounds_words(estimate), "words": ""}


def _differences(table: ShownTable) -> Iterator[dict[str, Any]]:
    titles = {column.key: column.title for column in table.columns}
    for row in table.systems:
        for key, found in row.differences.items():
            if found is not None:
                unpaired = found.unpaired
                yield {
                    **vars(found),
                    "name": row.name,
                    "title": titles[key],
                    "unpaired": "" if unpaired is None else f"{signed_points(unpaired)} pp",
                    "paired": points_cell(found.difference),
                }
