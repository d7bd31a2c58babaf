"""Campaign results, reliability and monitoring as tables, pictures and CSV rows. Pure: documents in."""

import datetime as dt
from collections.abc import Iterator
from typing import Any

from accounts.profile.domains import domain_words
from reports.analysing.page import error_tables
from reports.campaign.results import COVERAGE
from reports.core.cells import Document, leading_first, number_cell, p_words, percent_cell
from reports.core.figures.matrix import Shaded, shade, shaded_matrix
from reports.core.figures.progress import progress_curve
from reports.core.figures.shares import share_bars
from reports.core.wording import coefficient_name, in_words
from stats.core.display import rounded, rounded_percent

Rows = Iterator[list[Any]]
_SHOWN = {
    "nominal": ("krippendorff_alpha_nominal", "percent", "gwet_ac1"),
    "ordinal": ("krippendorff_alpha_ordinal", "percent", "gwet_ac2_quadratic"),
    "interval": ("krippendorff_alpha_interval", "percent", "gwet_ac2_quadratic"),
}
_PAIR_KAPPAS = ("cohen_kappa", "weighted_kappa_linear", "weighted_kappa_quadratic")


def results_sections(document: Document, *, today: dt.date) -> dict[str, Any]:
    """`progress` and `coverage` pictures (None before there is anything), and agreement by question."""
    days = [(dt.date.fromisoformat(row["day"]), row["submitted"]) for row in document["days"]]
    until = today if document["phase"] == "open" else dt.date.min
    return {
        "submitted": days[-1][1] if days else 0,
        "wanted": document["wanted"],
        "days": days,
        "progress": (
            progress_curve("Grades submitted", days, document["wanted"], key="progress", until=until)
            if days
            else None
        ),
        "coverage": (
            share_bars(
                "Outputs by domain",
                list(COVERAGE),
                {domain_words(domain): counts for domain, counts in document["domains"].items()},
                key="coverage",
            )
            if document["domains"]
            else None
        ),
        "states": COVERAGE,
        "domains": [
            (domain_words(domain), [counts[state] for state in COVERAGE])
            for domain, counts in document["domains"].items()
        ],
        "questions": [
            {
                "key": key,
                "title": in_words(key).capitalize(),
                "text": text,
                "n_items": document["agreement"][key]["n_items"],
                "n_raters": document["agreement"][key]["n_raters"],
                "cells": _agreement_cells(document["agreement"][key]),
            }
            for key, text in document["questions"].items()
        ],
        "seed": document["seed"],
    }


def _agreement_cells(bundle: Document) -> list[dict[str, Any]]:
    found = bundle["coefficients"]
    return [
        {"name": coefficient_name(name), "cell": number_cell(found[name])} for name in _SHOWN[bundle["level"]]
    ]


def calibration_sections(document: Document) -> dict[str, Any]:
    """By question the coefficients of its scale, blind and after the discussion."""
    return {
        "questions": [
            {
                "title": in_words(key).capitalize(),
                "changed": document["changed"][key],
                "lines": [
                    {"name": one["name"], "before": one["cell"], "after": other["cell"]}
                    for one, other in zip(
                        _agreement_cells(document["before"][key]),
                        _agreement_cells(document["after"][key]),
                        strict=True,
                    )
                ],
            }
            for key in document["questions"]
        ]
    }


def progress_rows(document: Document) -> Rows:
    """Header, and the cumulative number of grades by day."""
    yield ["campaign", "day", "submitted", "wanted"]
    for row in document["days"]:
        yield [document["campaign"], row["day"], row["submitted"], document["wanted"]]


def coverage_rows(document: Document) -> Rows:
    """Header, and the number of outputs by domain and state."""
    yield ["campaign", "domain", *(state.replace(" ", "_") for state in COVERAGE)]
    for domain, counts in document["domains"].items():
        yield [document["campaign"], domain, *(counts[state] for state in COVERAGE)]


def reliability_sections(document: Document) -> dict[str, Any]:
    """`given` and `absent` coefficients, pairs with a heat map, the values of the scale, and errors if asked for."""
    cells = [(name, number_cell(found)) for name, found in leading_first(document)]
    return {
        "given": [{"name": coefficient_name(name), "cell": cell} for name, cell in cells if cell.value],
        "absent": [
            {"name": coefficient_name(name), "why": cell.reason} for name, cell in cells if not cell.value
        ],
        "values": [
            {
                **row,
                "percent": "" if row["share"] is None else rounded_percent(row["share"]),
                "specific": "" if row["agreement"] is None else rounded(row["agreement"]),
            }
            for row in document["values"]
        ],
        "pairs": [_pair(pair) for pair in document["pairs"]],
        "dropped": document["pairs_dropped"],
        "heat": _heat(document) if document["pairs"] else None,
        "heat_of": coefficient_name(_kappa(document)),
        "error_tables": error_tables(document["expert_errors"]) if "expert_errors" in document else [],
    }


def _kappa(document: Document) -> str:
    return "cohen_kappa" if document["level"] == "nominal" else "weighted_kappa_quadratic"


def _pair(pair: Document) -> dict[str, Any]:
    return {
        "raters": pair["raters"],
        "n_items": pair["n_items"],
        "percent": percent_cell(pair["percent"]),
        "kappas": [number_cell(pair[name]) for name in _PAIR_KAPPAS],
        "ac1": number_cell(pair["gwet_ac1"]),
        "kappa_max": "" if pair["kappa_max"] is None else rounded(pair["kappa_max"]),
    }


def _heat(document: Document) -> Any:
    names, kappa, cells = document["raters"], _kappa(document), {}
    for pair in document["pairs"]:
        at = tuple(names.index(rater) for rater in pair["raters"])
        value = pair[kappa]["value"]
        below = f"{rounded_percent(pair['percent']['value'], places=0)} % of {pair['n_items']}"
        shown = Shaded("–" if value is None else rounded(value, places=2), below, shade(value or 0.0))
        cells[at[0], at[1]] = cells[at[1], at[0]] = shown
    reading = f"{coefficient_name(kappa)}, below it the percent agreement and the common outputs."
    return shaded_matrix("Agreement of every two experts", names, cells, key="agreement", reading=reading)


def reliability_rows(document: Document) -> Rows:
    """Header, and one row per pair of experts."""
    yield ["question", "first", "second", "n_items", "percent", *_PAIR_KAPPAS, "gwet_ac1", "kappa_max"]
    for pair in document["pairs"]:
        values = [pair[name]["value"] for name in ("percent", *_PAIR_KAPPAS, "gwet_ac1")]
        yield [document["question"], *pair["raters"], pair["n_items"], *values, pair["kappa_max"]]


def monitoring_sections(document: Document) -> dict[str, Any]:
    """Reviewers in the order of their names; `to_read` are those with a sign."""
    reviewers = [_reviewer(entry) for entry in document["reviewers"]]
    return {
        "reviewers": reviewers,
        "to_read": [entry for entry in reviewers if entry["signs"]],
        "anchoring": _anchoring(document["anchoring"]),
        "questions": [
            {"key": key, "title": in_words(key).capitalize(), **found, "rows": _severities(document, key)}
            for key, found in document["questions"].items()
        ],
    }


def _anchoring(found: Document | None) -> dict[str, Any] | None:
    if found is None:
        return None
    arms = (
        ("visible", "Verdict shown before"),
        ("hidden", "Verdict shown after"),
        ("difference", "Difference"),
    )
    return {
        "title": in_words(found["question"]).capitalize(),
        "labels": found["labels"],
        "rows": [{"words": words, "cell": percent_cell(found[name])} for name, words in arms],
    }


def _reviewer(entry: Document) -> dict[str, Any]:
    median = entry["time"]["median_seconds"]
    minutes = "" if median is None else f"{rounded(median / 60, places=1)} min"
    return {**entry, "minutes": minutes}


def _severities(document: Document, key: str) -> list[dict[str, Any]]:
    return [
        {
            "reviewer": entry["reviewer"],
            "rater": entry["rater"],
            **found,
            "z_words": "" if found["z"] is None else rounded(found["z"], places=2),
            "p_words": p_words(found["adjusted_p"]),
            "share": percent_cell(found["agreement"]),
        }
        for entry in document["reviewers"]
        if (found := entry["questions"].get(key))
    ]


def monitoring_rows(document: Document) -> Rows:
    """Header, and one row per reviewer and question."""
    columns = ("labels", "compared", "excess", "z", "p", "adjusted_p", "flagged", "drifts_from")
    times = ("timed", "median_seconds", "slow", "fast", "unread")
    yield ["reviewer", "question", *columns, "agreement", "graded", "overlap", *times]
    for entry in document["reviewers"]:
        rest = [entry["graded"], entry["overlap"], *(entry["time"][name] for name in times)]
        for key, found in entry["questions"].items():
            shown = [found[name] for name in columns]
            yield [entry["reviewer"], key, *shown, found["agreement"]["value"], *rest]
