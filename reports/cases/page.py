"""A case study as the cells of its page. Pure: no database access."""

from typing import Any

from reports.core.cells import Document

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


def case_sections(document: Document) -> dict[str, Any]:
    """Template context: `columns` with their arm in words, and `rows` of cells in the same order."""
    columns = document["columns"]
    return {
        "columns": [{**column, "arm": _arm(column)} for column in columns],
        "rows": [
            {**row, "cells": [_cell(column, row["cells"][column["key"]]) for column in columns]}
            for row in document["rows"]
        ],
    }


def _arm(column: Document) -> str:
    condition = f", condition {column['condition']}" if column["condition"] else ""
    return f"track {column['track']}{condition}"


def _cell(column: Document, cell: Document) -> dict[str, str]:
    if cell["state"] != "answered":
        return {"words": STATES[cell["state"]], "kind": "muted"}
    return {"words": cell["value"], "kind": "" if column["is_text"] else _KINDS.get(cell["value"], "")}
