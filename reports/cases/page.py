"""A case study as the cells of its page. Pure: no database access."""

from typing import Any

from reports.cases.study import CaseCell, CaseStudy, StudyColumn

STATES = {
    "no_output": "no output",
    "abstained": "⊥ abstained",
    "failed": "⊥ failed",
    "not_judged": "not judged",
    "judge_abstained": "⊥ judge abstained",
    "unavailable": "judge failed",
    "nothing": "none",
}
_KINDS = {"yes": "good", "no": "bad", "uncertain": "warn"}


def case_sections(case: CaseStudy) -> dict[str, Any]:
    """Template context: `columns` with their arm in words, and `rows` of cells in the same order."""
    return {
        "columns": [{**vars(column), "arm": _arm(column)} for column in case.columns],
        "rows": [
            {**vars(row), "cells": [_cell(column, row.cells[column.key]) for column in case.columns]}
            for row in case.rows
        ],
    }


def _arm(column: StudyColumn) -> str:
    return f"track {column.track}" + (f", condition {column.condition}" if column.condition else "")


def _cell(column: StudyColumn, cell: CaseCell) -> dict[str, str]:
    if cell.state != "answered":
        return {"words": STATES[cell.state], "kind": "muted"}
    return {"words": cell.value, "kind": "" if column.is_text else _KINDS.get(cell.value, "")}
