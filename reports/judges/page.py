"""Judges side by side as the tables and pictures of their pages, and as rows of CSV files. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from reports.core.cells import NamedCell, number_cell, percent_cell
from reports.core.figures.matrix import Shaded, shade, shaded_matrix
from reports.core.wording import coefficient_name, in_words
from reports.judges.matrix import VerdictMatrix
from reports.judges.pairs import Differing, JudgePair
from stats.core.display import rounded, signed
from stats.core.estimate import Reason

_WHY_NOT = {
    Reason.NOT_CONNECTED: "Own family cannot be told apart from the totals of systems and judges.",
    Reason.SEPARATION: "Somewhere everything or nothing is accepted, so the log odds have no finite estimate.",
}


def pair_sections(pair: JudgePair) -> list[Mapping[str, object]]:
    """One entry per predicate: the confusion matrix, coefficients and what was left out."""
    first, second = (judge["label"] for judge in pair.judges)
    sections: list[Mapping[str, object]] = []
    for found in pair.predicates:
        words, matrix = in_words(found.predicate), None
        if found.compared:
            cells = {
                (row, column): Shaded(str(n), level=shade((n if row == column else -n) / found.compared))
                for row, line in enumerate(found.table)
                for column, n in enumerate(line)
            }
            title = f"{words}: {first} in rows, {second} in columns"
            reading = f"Outputs by the value of {first} and then that of {second}."
            key = f"pair-{found.predicate}"
            matrix = shaded_matrix(title, found.values, cells, key=key, reading=reading)
        coefficients = [
            NamedCell(coefficient_name("percent"), percent_cell(found.percent, clusters="papers")),
            NamedCell(coefficient_name("cohen_kappa"), number_cell(found.cohen_kappa, clusters="papers")),
            NamedCell(coefficient_name("gwet_ac1"), number_cell(found.gwet_ac1, clusters="papers")),
        ]
        sections.append(
            {
                **vars(found),
                "title": words,
                "left_out": [(reason, n) for reason, n in found.left_out.items() if n],
                "matrix": matrix,
                "coefficients": coefficients,
                "kappa_max": "" if found.kappa_max is None else rounded(found.kappa_max, places=3),
            }
        )
    return sections


DIFFERING_COLUMNS = ("subject", "predicate", "first_judge", "first", "second_judge", "second")


def differing_rows(pair: JudgePair, found: Iterable[Differing]) -> Iterator[list[Any]]:
    """Header, and one row per disagreement."""
    first, second = (judge["label"] for judge in pair.judges)
    yield list(DIFFERING_COLUMNS)
    for each in found:
        yield [each.subject, each.predicate, first, each.first, second, each.second]


def matrix_sections(matrix: VerdictMatrix) -> Mapping[str, object]:
    """The table of systems by judges with totals, the residuals, and self-preference or why there is none."""
    by_place = {(cell.system, cell.judge): cell for cell in matrix.cells}
    rows = []
    for row in matrix.systems:
        cells = []
        for judge in matrix.judges:
            cell = by_place[row.system, judge.judge]
            shown = ""
            if cell.residual is not None:
                shown = signed(rounded(cell.residual, places=2))
            cells.append({"accepted": cell.accepted, "own": cell.own, "residual": shown})
        rows.append({**vars(row), "cells": cells})
    why_not, reason = "", matrix.self_preference.reason
    if matrix.self_preference.value is None:
        if not matrix.items:
            why_not = "There is no item that every system and every judge has in common."
        elif not any(cell.own for cell in matrix.cells):
            why_not = "No judge states the family of one of these systems, so no answer is a judge’s own."
        elif reason:
            why_not = _WHY_NOT.get(reason, "A single item says nothing about its spread.")
    return {
        "metric": matrix.metric,
        "items": matrix.items,
        "left_out": [(reason, n) for reason, n in matrix.left_out.items() if n],
        "judges": matrix.judges,
        "rows": rows,
        "total": sum(judge.accepted for judge in matrix.judges),
        "self_preference": number_cell(matrix.self_preference),
        "why_not": why_not,
        "silent": matrix.judges_without_labels,
    }


MATRIX_COLUMNS = (
    "metric", "system", "system_family", "judge", "judge_family", "accepted", "items", "own", "residual",
)  # fmt: skip


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
