"""Judges side by side as the tables and pictures of their pages, and as rows of CSV files. Pure."""

from collections.abc import Iterable, Iterator
from typing import Any

from reports.core.cells import number_cell, percent_cell
from reports.core.figures.matrix import Shaded, shade, shaded_matrix
from reports.core.wording import coefficient_name, in_words
from reports.judges.matrix import MatrixCell, VerdictMatrix
from reports.judges.pairs import Differing, JudgePair, PredicateAgreement
from stats.core.display import rounded
from stats.core.estimate import Reason

_WHY_NOT = {
    Reason.NOT_CONNECTED: "Own family cannot be told apart from the totals of systems and judges.",
    Reason.SEPARATION: "Somewhere everything or nothing is accepted, so the log odds have no finite estimate.",
}


def pair_sections(pair: JudgePair) -> list[dict[str, Any]]:
    """One entry per predicate: the confusion matrix, coefficients and what was left out."""
    first, second = (judge["label"] for judge in pair.judges)
    return [
        {
            **vars(found),
            "title": in_words(found.predicate),
            "left_out": [(reason, n) for reason, n in found.left_out.items() if n],
            "matrix": _confusion(found, first, second) if found.compared else None,
            "coefficients": [
                {"name": coefficient_name("percent"), "cell": percent_cell(found.percent)},
                {"name": coefficient_name("cohen_kappa"), "cell": number_cell(found.cohen_kappa)},
                {"name": coefficient_name("gwet_ac1"), "cell": number_cell(found.gwet_ac1)},
            ],
            "kappa_max": "" if found.kappa_max is None else rounded(found.kappa_max, places=3),
        }
        for found in pair.predicates
    ]


def _confusion(found: PredicateAgreement, first: str, second: str) -> Any:
    cells = {
        (row, column): Shaded(str(n), level=shade((n if row == column else -n) / found.compared))
        for row, line in enumerate(found.table)
        for column, n in enumerate(line)
    }
    title = f"{in_words(found.predicate)}: {first} in rows, {second} in columns"
    reading = f"Outputs by the value of {first} and then that of {second}."
    return shaded_matrix(title, found.values, cells, key=f"pair-{found.predicate}", reading=reading)


DIFFERING_COLUMNS = ("subject", "predicate", "first_judge", "first", "second_judge", "second")


def differing_rows(pair: JudgePair, found: Iterable[Differing]) -> Iterator[list[Any]]:
    """Header, and one row per disagreement."""
    first, second = (judge["label"] for judge in pair.judges)
    yield list(DIFFERING_COLUMNS)
    for each in found:
        yield [each.subject, each.predicate, first, each.first, second, each.second]


def matrix_sections(matrix: VerdictMatrix) -> dict[str, Any]:
    """The table of systems by judges with totals, the residuals, and self-preference or why there is none."""
    cells = {(cell.system, cell.judge): cell for cell in matrix.cells}
    return {
        "metric": matrix.metric,
        "items": matrix.items,
        "left_out": [(reason, n) for reason, n in matrix.left_out.items() if n],
        "judges": matrix.judges,
        "rows": [
            {
                **vars(row),
                "cells": [_matrix_cell(cells[row.system, judge.judge]) for judge in matrix.judges],
            }
            for row in matrix.systems
        ],
        "total": sum(judge.accepted for judge in matrix.judges),
        "self_preference": number_cell(matrix.self_preference),
        "why_not": _why_not(matrix),
        "silent": matrix.judges_without_labels,
    }


def _matrix_cell(cell: MatrixCell) -> dict[str, Any]:
    residual = cell.residual
    shown = "" if residual is None else f"{'+' if residual > 0 else ''}{rounded(residual, places=2)}"
    return {"accepted": cell.accepted, "own": cell.own, "residual": shown}


def _why_not(matrix: VerdictMatrix) -> str:
    """A sentence where self-preference is undefined."""
    if matrix.self_preference.value is not None:
        return ""
    if not matrix.items:
        return "There is no item that every system and every judge has in common."
    if not any(cell.own for cell in matrix.cells):
        return "No judge states the family of one of these systems, so no answer is a judge’s own."
    reason = matrix.self_preference.reason
    return _WHY_NOT.get(reason, "A single item says nothing about its spread.") if reason else ""


MATRIX_COLUMNS = (
    "metric",
    "system",
    "system_family",
    "judge",
    "judge_family",
    "accepted",
    "items",
    "own",
    "residual",
)


def matrix_rows(matrix: VerdictMatrix) -> Iterator[list[Any]]:
    """Header, and one row per system and judge."""
    yield list(MATRIX_COLUMNS)
    systems = {row.system: row.family for row in matrix.systems}
    judges = {judge.judge: judge.family for judge in matrix.judges}
    for cell in matrix.cells:
        yield [
            matrix.metric["key"],
            cell.system,
            systems[cell.system],
            cell.judge,
            judges[cell.judge],
            cell.accepted,
            matrix.items,
            int(cell.own),
            cell.residual,
        ]
