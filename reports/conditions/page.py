"""The tables of tracks and conditions as cells of a page and as text for a terminal. Pure."""

from collections.abc import Iterator
from typing import Any

from reports.core.cells import Cell, Document, bounds_words, percent_cell, points_cell, signed_points
from stats.core.display import percent
from stats.core.text import aligned

STATES = {"no_run": "no run", "not_judged": "not judged"}


def condition_sections(document: Document) -> dict[str, Any]:
    """Template context: `tables` with their columns, rows of cells, and rows of paired differences."""
    return {"tables": [_table(table) for table in document["tables"]]}


def _table(table: Document) -> dict[str, Any]:
    used = sum(column["runs"] > 0 for column in table["columns"])
    return {
        **{key: table[key] for key in ("key", "title", "definition", "columns", "success_type")},
        "reference": next(column for column in table["columns"] if column["key"] == table["baseline"]),
        "used": used,
        "lacking": [column for column in table["columns"] if not column["runs"]],
        "rows": [_row(table, row) for row in table["systems"]],
        "differences": list(_differences(table)),
    }


def arm_words(column: Document) -> str:
    """ "track raw" or "track raw, condition oracle"."""
    return f"track {column['track']}" + (f", condition {column['condition']}" if column["condition"] else "")


def _row(table: Document, row: Document) -> dict[str, Any]:
    cells: list[dict[str, Any]] = []
    for column in table["columns"]:
        cell = row["cells"][column["key"]]
        if column["coverage"]:
            cells.append({"cell": None, "words": _coverage(cell["coverage"])})
        cells.append(_figure(cell["estimate"], STATES.get(cell["state"], "")))
    if table["success_type"]:
        found = row["success_type"] or {"rate": None, "share": None}
        cells += [_figure(found[key], "not judged") for key in ("rate", "share")]
    return {"name": row["name"], "cells": cells}


def _coverage(counts: Document | None) -> str:
    return (
        f"{percent(counts['k'], counts['n'])} % ({counts['k']}/{counts['n']})" if counts else STATES["no_run"]
    )


def _figure(estimate: Document | None, absent: str) -> dict[str, Any]:
    """A cell with its counts, and the bounds where judgments are missing; or why there is none."""
    if estimate is None:
        return {"cell": None, "words": absent}
    return {"cell": percent_cell(estimate), "bounds": bounds_words(estimate), "words": ""}


def _differences(table: Document) -> Iterator[dict[str, Any]]:
    titles = {column["key"]: column["title"] for column in table["columns"]}
    for row in table["systems"]:
        for key, found in row["differences"].items():
            if found is not None:
                yield {
                    "name": row["name"],
                    "title": titles[key],
                    "unpaired": _points(found["unpaired"]),
                    "paired": points_cell(found["difference"]),
                    "cells": found["cells"],
                    "n": found["n"],
                    "dropped": found["dropped"],
                }


def _points(value: float | None) -> str:
    return "" if value is None else f"{signed_points(value)} pp"


def condition_text(document: Document) -> str:
    """Head line, then for each table the figures and the paired differences."""
    return "\n".join(_lines(document))


def _lines(document: Document) -> Iterator[str]:
    sample = " · SAMPLE DATA" if document["is_sample"] else ""
    judge = document["judge"] or "no judge"
    named = f", tuple {document['frozen_tuple']}" if document["frozen_tuple"] else ""
    yield f"{document['release']}: {document['instances']} instances ({judge}{named}), seed {document['seed']}{sample}"
    for table in condition_sections(document)["tables"]:
        yield f"\n{table['title']}"
        if not table["rows"]:
            yield "No runs yet."
            continue
        yield aligned(
            ("system", *_heads(table)), [(row["name"], *map(_text, row["cells"])) for row in table["rows"]]
        )
        if table["differences"]:
            yield f"\nMinus {table['reference']['title']}, paired"
            head = ("system", "column", "as printed", "paired", "interval", "n", "only here", "only there")
            yield aligned(head, [_difference_text(row) for row in table["differences"]])
    for run in document["elsewhere"]:
        yield f"In no table: {run['system']} ({arm_words(run)})"


def _heads(table: Document) -> Iterator[str]:
    for column in table["columns"]:
        if column["coverage"]:
            yield column["coverage"]["title"]
        yield column["title"]
    if table["success_type"]:
        yield from (table["success_type"], "of successes")


def _text(figure: Document) -> str:
    cell: Cell | None = figure["cell"]
    if cell is None:
        return str(figure["words"])
    return f"{cell.value} ({cell.counts})" if cell.value else "undefined"


def _difference_text(row: Document) -> list[object]:
    paired, cells = row["paired"], row["cells"]
    return [
        row["name"],
        row["title"],
        row["unpaired"],
        paired.value or "undefined",
        paired.interval,
        row["n"],
        cells["first_only"],
        cells["second_only"],
    ]
