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


def strata_page(document: Document) -> dict[str, Any]:
    """Rows per allocation, per stratum what clean audits leave open, the curve, and the wanted total."""
    strata, found = document["strata"], document["allocations"]
    return {
        "level": f"{100 * document['level']:g}",
        "names": [NAMES[allocation["name"]] for allocation in found],
        "allocations": [_allocation(allocation) for allocation in found],
        "strata": [
            {
                **stratum,
                "guess": rounded_percent(stratum["guess"]),
                "cells": [_clean(allocation["strata"][h], stratum["judge"]) for allocation in found],
            }
            for h, stratum in enumerate(strata)
        ],
        "chart": _chart(document["curve"]),
        "wanted": _wanted(document["wanted"], sum(stratum["size"] for stratum in strata)),
    }


def _allocation(found: Document) -> dict[str, Any]:
    ends = found["interval"]
    return {
        "key": found["name"],
        "name": NAMES[found["name"]],
        "total": found["total"],
        "sampled": [stratum["sampled"] for stratum in found["strata"]],
        "hours": rounded(found["hours"], places=0 if float(found["hours"]).is_integer() else 1),
        "se": "" if found["se"] is None else rounded(100 * found["se"], places=3),
        "half_width": _points(found["half_width"]),
        "interval": f"{rounded_percent(ends[0])} to {rounded_percent(ends[1])} %" if ends else "",
        "precision": _points(found["precision_half_width"]),
        "missed": _points(found["missed_half_width"]),
    }


def _points(share: float | None) -> str:
    return "" if share is None else rounded_percent(share, places=2)


def _clean(stratum: Document, judge: str) -> dict[str, Any]:
    """What `sampled` audits that all confirm the judge say about the rest, in words."""
    size, sampled, most = stratum["size"], stratum["sampled"], stratum["most"]
    wrong = "be no successes" if judge == "yes" else "be missed successes"
    if size == sampled:
        words = "All are read: nothing stays open."
    elif sampled == 0:
        words = "None is read, so the audit says nothing about it."
    else:
        words = f"Up to {most} ({percent(most, size)} %) could {wrong}."
    return {"sampled": sampled, "words": words}


def _chart(curve: Document) -> str:
    halves = {rule: [width / 2 for width in widths] for rule, widths in curve["widths"].items()}
    return width_chart(
        "Half-width of the expected interval by number of audits", curve["totals"], halves, NAMES, key="curve"
    )


def _wanted(wanted: Document | None, population: int) -> dict[str, Any] | None:
    if wanted is None:
        return None
    return {
        "half_width": rounded_percent(wanted["half_width"], places=2),
        "formula": whole_up(wanted["by_formula"]),
        "exact": rounded(wanted["by_formula"], places=1),
        "simulated": wanted["by_simulation"],
        "is_census": wanted["by_simulation"] == population,
    }


def whole_up(size: float) -> int:
    """A computed sample size as the number to draw."""
    return -int(-(size - 1e-9) // 1)


def agreement_page(document: Document) -> dict[str, Any]:
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


def comparison_page(document: Document) -> dict[str, Any]:
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
            "correlation": rounded(document["correlation"], places=2),
            "items": document["items"],
            "clusters": document["clusters"],
        },
    }


def proportion_page(document: Document) -> dict[str, Any]:
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


def _sizes(rows: Sequence[tuple[str, float]]) -> list[dict[str, Any]]:
    return [
        {"design": design, "items": whole_up(size), "exact": rounded(size, places=2)} for design, size in rows
    ]
