"""A comparison document as the tables and pictures of its page, and as rows of a CSV file. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any

from reports.core.cells import Document, p_words, percent_cell, points_cell, signed_points
from reports.core.figures.matrix import Shaded, shade, shaded_matrix
from reports.core.figures.spans import Span, round_scale, span_plot

_READING = "Row minus column in percentage points, with 95 % interval."


def comparison_sections(document: Document) -> dict[str, Any]:
    """Template context: `systems`, `pairs`, `omnibus`, and the two pictures (None below two systems)."""
    pairs = [_pair_row(pair) for pair in document["pairs"]]
    return {
        "outcome": document["outcome"],
        "seed": document["seed"],
        "systems": [
            {"system": system, **found, "cell": percent_cell(found["estimate"])}
            for system, found in document["systems"].items()
        ],
        "pairs": pairs,
        "omnibus": {**document["omnibus"], "p_words": p_words(document["omnibus"]["p"])},
        "matrix": _matrix(document) if pairs else None,
        "forest": _forest(document) if pairs else None,
    }


def _pair_row(pair: Document) -> dict[str, Any]:
    tests, test = pair["mcnemar"], pair["test"]
    return {
        **{key: pair[key] for key in ("first", "second", "n", "dropped", "cells")},
        "difference": points_cell(pair["difference"]),
        "resampled": points_cell(pair["paper_bootstrap"]),
        "simultaneous": points_cell(pair["simultaneous"]),
        "test": {
            **test,
            "p": p_words(test["p"]),
            "mid_p": p_words(test["mid_p"]),
            "holm": p_words(test["holm"]),
        },
        "single": tests["exact"] is not None,
        "exact": p_words(tests["exact"]),
        "mid_p": p_words(tests["mid_p"]),
        "chi2": tests["chi2"],
        "chi2_p": p_words(tests["chi2_p"]),
    }


def pair_of(document: Document, first: str, second: str) -> dict[str, Any] | None:
    """The row of one pair as its detail page shows it; None when the two are not compared here."""
    for pair in document["pairs"]:
        if {pair["first"], pair["second"]} == {first, second}:
            return _pair_row(pair)
    return None


def _matrix(document: Document) -> Any:
    names = list(document["systems"])
    cells = {}
    for pair in document["pairs"]:
        at = names.index(pair["first"]), names.index(pair["second"])
        cells[at] = _difference(pair["difference"], 1)
        cells[at[1], at[0]] = _difference(pair["difference"], -1)
    title = f"Differences between systems: {document['outcome']['title']}"
    return shaded_matrix(title, names, cells, key="differences", reading=_READING)


def _difference(estimate: Document, sign: int) -> Shaded:
    if estimate["value"] is None:
        return Shaded("–")
    ends = sorted(sign * end for end in estimate["ci"] or ())
    below = f"{signed_points(ends[0])} to {signed_points(ends[1])}" if ends else ""
    return Shaded(signed_points(sign * estimate["value"]), below, shade(sign * estimate["value"]))


def _forest(document: Document) -> Any:
    spans = []
    for pair in document["pairs"]:
        found = pair["difference"]
        known = found["value"] is not None
        value = 100 * found["value"] if known else None
        ends = (100 * found["ci"][0], 100 * found["ci"][1]) if found["ci"] else None
        shown = points_cell(found)
        words = f"{shown.value} [{shown.interval}]" if known else "no common item"
        spans.append(Span(f"{pair['first']} minus {pair['second']}", value, ends, words.replace(" pp", "")))
    every = [end for span in spans for end in (*(span.ends or ()), span.value) if end is not None]
    title = f"Differences with intervals: {document['outcome']['title']}"
    reading = "Percentage points; an interval that holds 0 leaves the order open."
    return span_plot(title, spans, round_scale(every), key="difference-forest", reading=reading)


HEAD = (
    "outcome",
    "first",
    "second",
    "n",
    "dropped",
    "both",
    "first_only",
    "second_only",
    "neither",
    "difference",
    "low",
    "high",
    "level",
    "method",
    "newcombe_low",
    "newcombe_high",
    "bootstrap_low",
    "bootstrap_high",
    "seed",
    "mcnemar_exact",
    "mcnemar_mid_p",
    "holm",
    "test",
    "p",
    "clusters",
    "simultaneous_low",
    "simultaneous_high",
)


def comparison_rows(document: Document) -> Iterator[list[Any]]:
    """Header, and one row per pair with everything that the pictures show."""
    yield list(HEAD)
    for pair in document["pairs"]:
        found, tests, test = pair["difference"], pair["mcnemar"], pair["test"]
        yield [
            document["outcome"]["key"],
            pair["first"],
            pair["second"],
            pair["n"],
            pair["dropped"],
            *(pair["cells"][cell] for cell in ("both", "first_only", "second_only", "neither")),
            found["value"],
            *_ends(found),
            found["level"],
            found["method"],
            *_ends(pair["newcombe"]),
            *_ends(pair["paper_bootstrap"]),
            document["seed"],
            *("" if tests[key] is None else tests[key] for key in ("exact", "mid_p")),
            *(test[key] for key in ("holm", "method", "p", "clusters")),
            *_ends(pair["simultaneous"]),
        ]


def _ends(estimate: Mapping[str, Any]) -> list[Any]:
    return list(estimate["ci"]) if estimate["ci"] else ["", ""]
