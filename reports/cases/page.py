"""A case study as the cells of its page. Pure: no database access."""

from collections.abc import Mapping

from reports.cases.study import CaseStudy

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


def case_sections(case: CaseStudy) -> Mapping[str, object]:
    """Template context: `columns` with their arm in words, and `rows` of cells in the same order."""
    columns, rows = [], []
    for column in case.columns:
        arm = f"track {column.track}" + (f", condition {column.condition}" if column.condition else "")
        columns.append({**vars(column), "arm": arm})
    for row in case.rows:
        cells = []
        for column in case.columns:
            cell = row.cells[column.key]
            words, kind = STATES.get(cell.state, cell.value), "muted"
            if cell.state == "answered":
                kind = "" if column.is_text else _KINDS.get(cell.value, "")
            cells.append({"words": words, "kind": kind})
        rows.append({**vars(row), "cells": cells})
    return {"columns": columns, "rows": rows}
