"""Documents of stats.analyses.plans as pages show them: rounded, and in sentences."""

from collections.abc import Mapping, Sequence
from typing import Any

from reports.core.figures.curve import width_chart
from stats.core.display import percent, rounded, rounded_percent
from stats.planning.allocations import CUSTOM, EQUAL, NEYMAN, PROPORTIONAL, PUBLISHED

Document = Mapping[str, Any]
NAMES = {
    PROPORTIONAL: "Proportional",
    NEYMAN: "Neyman",
    EQUAL: "Equal parts",
    PUBLISHED: "As Re2Math published",
    CUSTOM: "Your own",
}


def strata_page(document: Document) -> Mapping[str, object]:
    """Rows per allocation, per stratum what clean audits leave open, the curve, and the wanted total."""
    found, wanted, curve = document["allocations"], document["wanted"], document["curve"]
    allocations = []
    for one in found:
        ends = one["interval"]
        allocations.append(
            {
                "key": one["name"],
                "name": NAMES[one["name"]],
                "total": one["total"],
                "sampled": [stratum["sampled"] for stratum in one["strata"]],
                "hours": rounded(one["hours"], places=0 if float(one["hours"]).is_integer() else 1),
                "se": "" if one["se"] is None else rounded(100 * one["se"], places=3),
                "half_width": _points(one["half_width"]),
                "interval": f"{rounded_percent(ends[0])} to {rounded_percent(ends[1])} %" if ends else "",
                "precision": _points(one["precision_half_width"]),
                "missed": _points(one["missed_half_width"]),
            }
        )
    strata = []
    for h, stratum in enumerate(document["strata"]):
        # what `sampled` audits that all confirm the judge say about the rest
        wrong, cells = "be no successes" if stratum["judge"] == "yes" else "be missed successes", []
        for audited in (one["strata"][h] for one in found):
            size, sampled, most = audited["size"], audited["sampled"], audited["most"]
            if size == sampled:
                words = "All are read: nothing stays open."
            elif sampled == 0:
                words = "None is read, so the audit says nothing about it."
            else:
                words = f"Up to {most} ({percent(most, size)} %) could {wrong}."
            cells.append({"sampled": sampled, "words": words})
        strata.append({**stratum, "guess": rounded_percent(stratum["guess"]), "cells": cells})
    halves = {rule: [width / 2 for width in widths] for rule, widths in curve["widths"].items()}
    title = "Half-width of the expected interval by number of audits"
    population = sum(stratum["size"] for stratum in document["strata"])
    return {
        "level": f"{100 * document['level']:g}",
        "names": [NAMES[one["name"]] for one in found],
        "allocations": allocations,
        "strata": strata,
        "chart": width_chart(title, curve["totals"], halves, NAMES, key="curve"),
        "wanted": None
        if wanted is None
        else {
            "half_width": rounded_percent(wanted["half_width"], places=2),
            "formula": whole_up(wanted["by_formula"]),
            "exact": rounded(wanted["by_formula"], places=1),
            "simulated": wanted["by_simulation"],
            "is_census": wanted["by_simulation"] == population,
        },
    }


def _points(share: float | None) -> str:
    return "" if share is None else rounded_percent(share, places=2)


def whole_up(size: float) -> int:
    """A computed sample size as the number to draw."""
    return -int(-(size - 1e-9) // 1)


def agreement_page(document: Document) -> Mapping[str, object]:
    """Kappa with the interval that a study of this size would show."""
    ends, wanted = document["interval"], document["wanted"]
    return {
        "items": document["items"],
        "kappa": rounded(document["kappa"]),
        "interval": f"{rounded(ends[0], places=2)} to {rounded(ends[1], places=2)}" if ends else "",
        "half_width": "" if document["half_width"] is None else rounded(document["half_width"], places=2),
        "undefined": rounded_percent(document["undefined"]) if document["undefined"] else "",
        "wanted": None
        if wanted is None
        else {"half_width": rounded(wanted["half_width"], places=2), "items": wanted["items"]},
    }


def comparison_page(document: Document) -> Mapping[str, object]:
    """Items for the three designs, each rounded up with its exact figure."""
    return {
        **{key: rounded_percent(abs(document[key])) for key in ("p1", "p2", "discordance", "difference")},
        "power": rounded_percent(document["power"], places=0),
        "rows": _sizes(
            (
                ("Both systems on the same items, by the normal formula", document["paired"]),
                ("The same, for the exact McNemar test that comparisons report", document["paired_exact"]),
                ("Two sets of items: in each", document["independent_per_system"]),
                (
                    "That test, if one solves everything that the other solves",
                    document["nested_exact"],
                ),
            )
        ),
        "clustered": None
        if document["design_effect"] == 1
        else {
            "effect": rounded(document["design_effect"], places=2),
            "size": rounded(document["cluster_size"], places=1),
            "own_size": rounded(document["own_cluster_size"], places=1),
            "correlation": rounded(document["correlation"], places=2),
            "items": document["items"],
            "clusters": document["clusters"],
        },
    }


def proportion_page(document: Document) -> Mapping[str, object]:
    """Items by each method, each rounded up with its exact figure."""
    rows: list[tuple[str, float]] = [("Normal formula, from a population without end", document["normal"])]
    if document["finite"] is not None:
        rows.append((f"With the finite correction for {document['population']} outputs", document["finite"]))
    rows.append(("For a Wilson interval of this width", document["wilson"]))
    return {
        "p": rounded_percent(document["p"]),
        "half_width": rounded_percent(document["half_width"], places=2),
        "rows": _sizes(rows),
    }


def _sizes(rows: Sequence[tuple[str, float]]) -> list[Mapping[str, object]]:
    return [
        {"design": design, "items": whole_up(size), "exact": rounded(size, places=2)} for design, size in rows
    ]
