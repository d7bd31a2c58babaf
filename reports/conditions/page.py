"""The tables of tracks and conditions as cells of a page. Pure: no database access."""

from collections.abc import Mapping
from dataclasses import dataclass

from reports.conditions.document import ConditionRow, Conditions, ShownTable
from reports.core.cells import Cell, bounds_words, percent_cell, points_cell, signed_points
from stats.core.display import percent
from stats.core.estimate import Estimate

STATES = {"no_run": "no run", "not_judged": "not judged"}


@dataclass(frozen=True)
class ShownFigure:
    """A cell with its counts, and the bounds where judgments are missing; or in words why there is none."""

    cell: Cell | None
    words: str = ""
    bounds: str = ""


def condition_sections(document: Conditions) -> Mapping[str, object]:
    """Template context: `tables` with their columns, rows of cells, and rows of paired differences."""
    tables = []
    for table in document.tables:
        titles = {column.key: column.title for column in table.columns}
        differences = [
            {
                **vars(found),
                "name": row.name,
                "title": titles[key],
                "unpaired": "" if found.unpaired is None else f"{signed_points(found.unpaired)} pp",
                "paired": points_cell(found.difference),
            }
            for row in table.systems
            for key, found in row.differences.items()
            if found is not None
        ]
        tables.append(
            {
                **vars(table),
                "reference": next(column for column in table.columns if column.key == table.baseline),
                "lacking": [column for column in table.columns if not column.runs],
                "rows": [{"name": row.name, "cells": _cells(table, row)} for row in table.systems],
                "differences": differences,
            }
        )
    return {"tables": tables}


def _cells(table: ShownTable, row: ConditionRow) -> list[ShownFigure]:
    def figure(estimate: Estimate | None, absent: str) -> ShownFigure:
        if estimate is None:
            return ShownFigure(None, absent)
        return ShownFigure(percent_cell(estimate), bounds=bounds_words(estimate))

    cells = []
    for column in table.columns:
        cell = row.cells[column.key]
        if column.coverage:
            counts, words = cell.coverage, STATES["no_run"]
            if counts:
                words = f"{percent(counts.k, counts.n)} % ({counts.k}/{counts.n})"
            cells.append(ShownFigure(None, words))
        cells.append(figure(cell.estimate, STATES.get(cell.state, "")))
    if table.success_type:
        found = row.success_type
        for estimate in (found.rate, found.share) if found else (None, None):
            cells.append(figure(estimate, "not judged"))
    return cells
