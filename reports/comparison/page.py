"""A comparison document as the tables and pictures of its page, and as rows of a CSV file. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any

from canonical.documents import as_json
from reports.comparison.document import ComparedPair, ComparedSystems
from reports.core.cells import p_words, percent_cell, points_cell, signed_points
from reports.core.figures.matrix import Shaded, shade, shaded_matrix
from reports.core.figures.spans import Span, round_scale, span_plot
from stats.core.estimate import Estimate

_READING = "Row minus column in percentage points, with 95 % interval."


def comparison_sections(document: ComparedSystems) -> Mapping[str, object]:
    """Template context: `systems`, `pairs`, `omnibus`, and the two pictures (None below two systems)."""
    matrix = forest = None
    if document.pairs:
        names, cells, spans = list(document.systems), {}, []
        for pair in document.pairs:
            found = pair.difference
            one, two = names.index(pair.first), names.index(pair.second)
            cells[one, two], cells[two, one] = _difference(found, 1), _difference(found, -1)
            value = None if found.value is None else 100 * found.value
            ends = (100 * found.ci[0], 100 * found.ci[1]) if found.ci else None
            cell = points_cell(found)
            words = "no common item" if value is None else f"{cell.value} [{cell.interval}]"
            spans.append(Span(f"{pair.first} minus {pair.second}", value, ends, words.replace(" pp", "")))
        title = f"Differences between systems: {document.outcome.title}"
        matrix = shaded_matrix(title, names, cells, key="differences", reading=_READING)
        scale = round_scale(
            [end for span in spans for end in (*(span.ends or ()), span.value) if end is not None]
        )
        title = f"Differences with intervals: {document.outcome.title}"
        reading = "Percentage points; an interval that holds 0 leaves the order open."
        forest = span_plot(title, spans, scale, key="difference-forest", reading=reading)
    return {
        "outcome": document.outcome,
        "seed": document.seed,
        "systems": [
            {"system": system, **vars(own), "cell": percent_cell(own.estimate)}
            for system, own in document.systems.items()
        ],
        "pairs": [pair_row(pair) for pair in document.pairs],
        "omnibus": {**as_json(document.omnibus), "p_words": p_words(document.omnibus.p)},
        "matrix": matrix,
        "forest": forest,
    }


def pair_row(pair: ComparedPair) -> Mapping[str, object]:
    """A pair as its row and its own page show it."""
    tests, test = pair.mcnemar, pair.test
    return {
        **vars(pair),
        "difference": points_cell(pair.difference),
        "resampled": points_cell(pair.paper_bootstrap),
        "simultaneous": points_cell(pair.simultaneous),
        "test": {
            **as_json(test),
            "p": p_words(test.p),
            "mid_p": p_words(test.mid_p),
            "holm": p_words(test.holm),
        },
        "single": tests["exact"] is not None,
        "exact": p_words(tests["exact"]),
        "mid_p": p_words(tests["mid_p"]),
        "chi2": tests["chi2"],
        "chi2_p": p_words(tests["chi2_p"]),
    }


def _difference(estimate: Estimate, sign: int) -> Shaded:
    if estimate.value is None:
        return Shaded("–")
    ends = sorted(sign * end for end in estimate.ci or ())
    below = f"{signed_points(ends[0])} to {signed_points(ends[1])}" if ends else ""
    return Shaded(signed_points(sign * estimate.value), below, shade(sign * estimate.value))


HEAD = (
    "outcome", "first", "second", "n", "dropped", "both", "first_only", "second_only", "neither", "difference",
    "low", "high", "level", "method", "newcombe_low", "newcombe_high", "bootstrap_low", "bootstrap_high",
    "seed", "mcnemar_exact", "mcnemar_mid_p", "holm", "test", "p", "clusters", "simultaneous_low",
    "simultaneous_high",
)  # fmt: skip


def comparison_rows(document: ComparedSystems) -> Iterator[list[Any]]:
    """Header, and one row per pair with everything that the pictures show."""
    yield list(HEAD)
    for pair in document.pairs:
        found, test = pair.difference, pair.test
        yield [
            document.outcome.key,
            pair.first,
            pair.second,
            pair.n,
            pair.dropped,
            *(pair.cells[cell] for cell in ("both", "first_only", "second_only", "neither")),
            found.value,
            *_ends(found),
            found.level,
            found.method,
            *_ends(pair.newcombe),
            *_ends(pair.paper_bootstrap),
            document.seed,
            *("" if pair.mcnemar[key] is None else pair.mcnemar[key] for key in ("exact", "mid_p")),
            test.holm,
            test.method,
            test.p,
            test.clusters,
            *_ends(pair.simultaneous),
        ]


def _ends(estimate: Estimate) -> list[Any]:
    return list(estimate.ci) if estimate.ci else ["", ""]
