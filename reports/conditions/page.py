"""The tables of tracks and conditions as cells of a page. Pure: no database access."""

from collections.abc import Mapping
from dataclasses import dataclass

from reports.conditions.document import Conditions
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
        rows = []
        for row in table.systems:
            figures: list[tuple[Estimate | None, str]] = []  # an estimate, or the words in its place
            for column in table.columns:
                cell = row.cells[column.key]
                if column.coverage:
                    words, counts = STATES["no_run"], cell.coverage
                    if counts:
                        words = f"{percent(counts.k, counts.n)} % ({counts.k}/{counts.n})"
                    figures.append((None, words))
                figures.append((cell.estimate, STATES.get(cell.state, "")))
            if table.success_type:
                of_type = row.success_type
                estimates = (of_type.rate, of_type.share) if of_type else (None, None)
                figures += [(estimate, "not judged") for estimate in estimates]
            cells = [
                ShownFigure(None, absent)
                if estimate is None
                else ShownFigure(percent_cell(estimate), bounds=bounds_words(estimate))
                for estimate, absent in figures
            ]
            rows.append({"name": row.name, "cells": cells})
        tables.append(
            {
                **vars(table),
                "reference": next(column for column in table.columns if column.key == table.baseline),
                "lacking": [column for column in table.columns if not column.runs],
                "rows": rows,
                "differences": differences,
            }
        )
    return {"tables": tables}
