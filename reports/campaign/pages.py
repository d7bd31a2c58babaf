"""Campaign results, reliability and monitoring as tables, pictures and CSV rows. Pure: documents in."""

import datetime as dt
from collections.abc import Iterator, Mapping
from typing import Any

from accounts.profile.domains import domain_words
from reports.analysing.page import error_tables
from reports.campaign.calibration import Calibration
from reports.campaign.flagging import ANY
from reports.campaign.monitoring import Monitoring
from reports.campaign.reliability import Reliability
from reports.campaign.results import COVERAGE, CampaignResults
from reports.core.cells import NamedCell, leading_first, number_cell, p_words, percent_cell
from reports.core.estimates import with_estimates
from reports.core.figures.matrix import Shaded, shade, shaded_matrix
from reports.core.figures.progress import progress_curve
from reports.core.figures.shares import share_bars
from reports.core.wording import coefficient_name, in_words
from reports.scores.shape import Agreement
from stats.core.display import minus, rounded, rounded_percent

Rows = Iterator[list[Any]]
_SHOWN = {
    "nominal": ("krippendorff_alpha_nominal", "percent", "gwet_ac1"),
    "ordinal": ("krippendorff_alpha_ordinal", "percent", "gwet_ac2_quadratic"),
    "interval": ("krippendorff_alpha_interval", "percent", "gwet_ac2_quadratic"),
}


def results_sections(found: CampaignResults, *, today: dt.date) -> Mapping[str, object]:
    """`progress` and `coverage` pictures (None before there is anything), and agreement by question."""
    days = [(row.day, row.submitted) for row in found.days]
    until = today if found.phase == "open" else dt.date.min
    domains = {domain_words(domain): counts for domain, counts in found.domains.items()}
    return {
        "submitted": days[-1][1] if days else 0,
        "wanted": found.wanted,
        "days": days,
        "progress": progress_curve("Grades submitted", days, found.wanted, key="progress", until=until)
        if days
        else None,
        "coverage": share_bars("Outputs by domain", list(COVERAGE), domains, key="coverage")
        if domains
        else None,
        "states": COVERAGE,
        "domains": [(words, [counts[state] for state in COVERAGE]) for words, counts in domains.items()],
        "questions": [
            {
                "key": key,
                "title": in_words(key).capitalize(),
                "text": text,
                "n_items": found.agreement[key].n_items,
                "n_raters": found.agreement[key].n_raters,
                "cells": _agreement_cells(found.agreement[key]),
            }
            for key, text in found.questions.items()
        ],
        "flags": [
            {
                "title": row.title,
                "n_items": row.n_items,
                "n_raters": row.n_raters,
                "flagged": row.n_flagged,
                "labels": row.n_labels,
                "cells": _agreement_cells(row),
            }
            for key, row in found.flags.items()
            if key == ANY or row.n_flagged
        ],
        "seed": found.seed,
    }


def _agreement_cells(found: Agreement) -> list[NamedCell]:
    return [
        NamedCell(coefficient_name(name), number_cell(found.coefficients[name], clusters="papers"))
        for name in _SHOWN[found.level]
    ]


def calibration_sections(found: Calibration) -> Mapping[str, object]:
    """By question the coefficients of its scale, blind and after the discussion."""
    questions = []
    for key in found.questions:
        both = zip(_agreement_cells(found.before[key]), _agreement_cells(found.after[key]), strict=True)
        questions.append(
            {
                "title": in_words(key).capitalize(),
                "changed": found.changed[key],
                "lines": [{"name": one.name, "before": one.cell, "after": other.cell} for one, other in both],
            }
        )
    return {"questions": questions}


def progress_rows(found: CampaignResults) -> Rows:
    """Header, and the cumulative number of grades by day."""
    yield ["campaign", "day", "submitted", "wanted"]
    for row in found.days:
        yield [found.campaign, row.day.isoformat(), row.submitted, found.wanted]


def coverage_rows(found: CampaignResults) -> Rows:
    """Header, and the number of outputs by domain and state."""
    yield ["campaign", "domain", *(state.replace(" ", "_") for state in COVERAGE)]
    for domain, counts in found.domains.items():
        yield [found.campaign, domain, *(counts[state] for state in COVERAGE)]


def flag_rows(found: CampaignResults) -> Rows:
    """Header, and one row per kind of leak and coefficient."""
    counts = ("n_items", "n_raters", "n_labels", "n_flagged")
    yield ["campaign", "kind", *counts, "coefficient", "value", "low", "high"]
    for kind, row in found.flags.items():
        for name, estimate in row.coefficients.items():
            ends = estimate.ci or ("", "")
            yield [found.campaign, kind, *(getattr(row, n) for n in counts), name, estimate.value, *ends]


def reliability_sections(found: Reliability) -> Mapping[str, object]:
    """`given` and `absent` coefficients, pairs with a heat map, the values of the scale, and errors if asked for."""
    named = [
        NamedCell(coefficient_name(name), number_cell(estimate, clusters="papers"))
        for name, estimate in leading_first(found.level, found.coefficients)
    ]
    kappa = "cohen_kappa" if found.level == "nominal" else "weighted_kappa_quadratic"
    heat, errors = None, found.expert_errors
    if found.pairs:
        names, cells = list(found.raters), {}
        for pair in found.pairs:
            first, second = (names.index(rater) for rater in pair.raters)
            value = getattr(pair, kappa).value
            below = f"{rounded_percent(pair.percent.value or 0.0, places=0)} % of {pair.n_items}"
            shown = Shaded("–" if value is None else rounded(value, places=2), below, shade(value or 0.0))
            cells[first, second] = cells[second, first] = shown
        title = "Agreement of every two experts"
        below = "the percent agreement and the number of outputs that both judged"
        reading = f"{coefficient_name(kappa)}, below it {below}."
        heat = shaded_matrix(title, names, cells, key="agreement", reading=reading)
    return {
        "given": [one for one in named if one.cell.value],
        "absent": [{"name": one.name, "why": one.cell.reason} for one in named if not one.cell.value],
        "values": [
            {
                **vars(row),
                "percent": "" if row.share is None else rounded_percent(row.share),
                "specific": "" if row.agreement is None else rounded(row.agreement),
            }
            for row in found.values
        ],
        "pairs": [
            {
                "raters": pair.raters,
                "n_items": pair.n_items,
                "percent": percent_cell(pair.percent, clusters="papers"),
                "kappas": [number_cell(kappa, clusters="papers") for kappa in pair.kappas],
                "ac1": number_cell(pair.gwet_ac1, clusters="papers"),
                "kappa_max": "" if pair.kappa_max is None else rounded(pair.kappa_max),
            }
            for pair in found.pairs
        ],
        "dropped": found.pairs_dropped,
        "heat": heat,
        "heat_of": coefficient_name(kappa),
        "error_tables": error_tables(with_estimates(errors)) if errors else [],
    }


def reliability_rows(found: Reliability) -> Rows:
    """Header, and one row per pair of experts."""
    names = ("percent", "cohen_kappa", "weighted_kappa_linear", "weighted_kappa_quadratic", "gwet_ac1")
    yield ["question", "first", "second", "n_items", *names, "kappa_max"]
    for pair in found.pairs:
        values = [getattr(pair, name).value for name in names]
        yield [found.question, *pair.raters, pair.n_items, *values, pair.kappa_max]


def monitoring_sections(found: Monitoring) -> Mapping[str, object]:
    """Reviewers in the order of their names; `to_read` are those with a sign."""
    reviewers = []
    for entry in found.reviewers:
        median = entry.time.median_seconds
        minutes = "" if median is None else f"{rounded(median / 60, places=1)} min"
        reviewers.append({**vars(entry), "minutes": minutes})
    anchoring = None
    if found.anchoring:
        arms = (
            ("Verdict shown before", found.anchoring.visible),
            ("Verdict shown after", found.anchoring.hidden),
            ("Difference", found.anchoring.difference),
        )
        anchoring = {
            "title": in_words(found.anchoring.question).capitalize(),
            "labels": found.anchoring.labels,
            "rows": [{"words": words, "cell": percent_cell(estimate)} for words, estimate in arms],
        }
    questions = []
    for key, texts in found.questions.items():
        rows = [
            {
                **vars(own),
                "reviewer": entry.reviewer,
                "rater": entry.rater,
                "z_words": "" if own.z is None else minus(rounded(own.z, places=2)),
                "p_words": p_words(own.adjusted_p),
                "share": percent_cell(own.agreement),
            }
            for entry in found.reviewers
            if (own := entry.questions.get(key))
        ]
        questions.append({"key": key, "title": in_words(key).capitalize(), **texts, "rows": rows})
    sides = [
        (
            in_words(key).capitalize(),
            [(entry, entry.sides[key], p_words(entry.sides[key].p)) for entry in found.reviewers],
        )
        for key in (found.reviewers[0].sides if found.reviewers else ())
    ]
    return {
        "reviewers": reviewers,
        "to_read": [entry for entry in reviewers if entry["signs"]],
        "anchoring": anchoring,
        "sides": sides,
        "questions": questions,
    }


def monitoring_rows(monitoring: Monitoring) -> Rows:
    """Header, and one row per reviewer and question."""
    columns = ("labels", "compared", "excess", "z", "p", "adjusted_p", "flagged", "drifts_from")
    times = ("timed", "median_seconds", "slow", "fast", "unread")
    sides = ("first", "second", "p", "flagged")
    yield [
        *("reviewer", "question", *columns, "agreement", "graded", "overlap", *times),
        *(f"sides_{name}" for name in sides),
    ]
    for entry in monitoring.reviewers:
        rest = [entry.graded, entry.overlap, *(getattr(entry.time, name) for name in times)]
        for key, found in entry.questions.items():
            shown = [getattr(found, name) for name in columns]
            yield [entry.reviewer, key, *shown, found.agreement.value, *rest, *[None] * len(sides)]
        for key, chosen in entry.sides.items():
            blank = [None] * (len(columns) + 1)
            yield [entry.reviewer, key, *blank, *rest, *(getattr(chosen, name) for name in sides)]
