"""Judges side by side as the tables and pictures of their pages, and as rows of CSV files. Pure."""

from collections.abc import Iterable, Iterator
from typing import Any

from benchmark.protocol import PROGRAM_VALUES
from reports.core.cells import Document, number_cell, percent_cell
from reports.core.figures.matrix import Shaded, shade, shaded_matrix
from reports.core.wording import coefficient_name, in_words
from reports.judges.pairs import Differing
from stats.core.display import rounded
from stats.core.estimate import Reason

_WHY_NOT = {
    Reason.NOT_CONNECTED: "Own family cannot be told apart from the totals of systems and judges.",
    Reason.SEPARATION: "Somewhere everything or nothing is accepted, so the log odds have no finite estimate.",
}


def pair_sections(document: Document) -> list[dict[str, Any]]:
    """One entry per predicate: the confusion matrix, coefficients and what was left out."""
    return [_pair_section(document, found) for found in document["predicates"]]


def _pair_section(document: Document, found: Document) -> dict[str, Any]:
    first, second = (judge["label"] for judge in document["judges"])
    shown = ("predicate", "compared", "differing")
    return {
        **{key: found[key] for key in shown},
        "title": in_words(found["predicate"]),
        "left_out": [(reason, n) for reason, n in found["left_out"].items() if n],
        "matrix": _confusion(found, first, second) if found["compared"] else None,
        "coefficients": [
            {"name": coefficient_name("percent"), "cell": percent_cell(found["percent"])},
            {"name": coefficient_name("cohen_kappa"), "cell": number_cell(found["cohen_kappa"])},
            {"name": coefficient_name("gwet_ac1"), "cell": number_cell(found["gwet_ac1"])},
        ],
        "kappa_max": "" if found["kappa_max"] is None else rounded(found["kappa_max"], places=3),
    }


def _confusion(found: Document, first: str, second: str) -> Any:
    cells = {
        (row, column): Shaded(str(n), level=shade((n if row == column else -n) / found["compared"]))
        for row, line in enumerate(found["table"])
        for column, n in enumerate(line)
    }
    title = f"{in_words(found['predicate'])}: {first} in rows, {second} in columns"
    reading = f"Outputs by the value of {first} and then that of {second}."
    return shaded_matrix(title, found["values"], cells, key=f"pair-{found['predicate']}", reading=reading)


def rater_sections(document: Document) -> list[dict[str, Any]]:
    """Items of a construction audit: counts by rater, how answers compare, every two raters with common items."""
    return [
        {
            **{key: item[key] for key in ("key", "title", "standings")},
            "answers": [_answers(counts) for counts in item["answers"].values()],
            "pairs": [_rater_pair(pair) for pair in item["pairs"] if pair["compared"]],
        }
        for item in document["items"]
    ]


def _answers(counts: Document) -> str:
    """Yes, no and uncertain, and how many gave no answer; "" where nobody was asked."""
    if not any(counts.values()):
        return ""
    without = counts["abstain"] + counts["unavailable"]
    decided = "\u00a0/\u00a0".join(str(counts[value]) for value in PROGRAM_VALUES)
    return f"{decided}, {without} without" if without else decided


def _rater_pair(pair: Document) -> dict[str, Any]:
    return {
        **{key: pair[key] for key in ("raters", "compared", "differing")},
        "percent": percent_cell(pair["percent"]),
        "kappa": number_cell(pair["cohen_kappa"]),
    }


DIFFERING_COLUMNS = ("subject", "predicate", "first_judge", "first", "second_judge", "second")


def differing_rows(document: Document, found: Iterable[Differing]) -> Iterator[list[Any]]:
    """Header, and one row per disagreement."""
    first, second = (judge["label"] for judge in document["judges"])
    yield list(DIFFERING_COLUMNS)
    for each in found:
        yield [each.subject, each.predicate, first, each.first, second, each.second]


def matrix_sections(document: Document) -> dict[str, Any]:
    """The table of systems by judges with totals, the residuals, and self-preference or why there is none."""
    cells = {(cell["system"], cell["judge"]): cell for cell in document["cells"]}
    judges = [judge["judge"] for judge in document["judges"]]
    return {
        "metric": document["metric"],
        "items": document["items"],
        "left_out": [(reason, n) for reason, n in document["left_out"].items() if n],
        "judges": document["judges"],
        "rows": [
            {**system, "cells": [_matrix_cell(cells[system["system"], judge]) for judge in judges]}
            for system in document["systems"]
        ],
        "total": sum(judge["accepted"] for judge in document["judges"]),
        "self_preference": number_cell(document["self_preference"]),
        "why_not": _why_not(document),
        "silent": document["judges_without_labels"],
    }


def _matrix_cell(cell: Document) -> dict[str, Any]:
    residual = cell["residual"]
    return {
        "accepted": cell["accepted"],
        "own": cell["own"],
        "residual": "" if residual is None else f"{'+' if residual > 0 else ''}{rounded(residual, places=2)}",
    }


def _why_not(document: Document) -> str:
    """A sentence where self-preference is undefined."""
    if document["self_preference"]["value"] is not None:
        return ""
    if not document["items"]:
        return "There is no item that every system and every judge has in common."
    if not any(cell["own"] for cell in document["cells"]):
        return "No judge states the family of one of these systems, so no answer is a judge’s own."
    reason = document["self_preference"]["reason"]
    return _WHY_NOT.get(reason, "A single item says nothing about its spread.")


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


def matrix_rows(document: Document) -> Iterator[list[Any]]:
    """Header, and one row per system and judge."""
    yield list(MATRIX_COLUMNS)
    systems = {system["system"]: system["family"] for system in document["systems"]}
    judges = {judge["judge"]: judge["family"] for judge in document["judges"]}
    for cell in document["cells"]:
        yield [
            document["metric"]["key"],
            cell["system"],
            systems[cell["system"]],
            cell["judge"],
            judges[cell["judge"]],
            cell["accepted"],
            document["items"],
            int(cell["own"]),
            cell["residual"],
        ]
