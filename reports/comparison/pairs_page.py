"""Pairwise results as the tables and pictures of their page, and as rows of a CSV file. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reports.core.cells import number_cell, p_words, percent_cell
from reports.core.estimates import with_estimates
from reports.core.figures.matrix import Shaded, shade, shaded_matrix
from reports.core.figures.spans import Span, rank_scale, round_scale, span_plot
from reports.core.figures.svg import Markup
from reports.core.wording import from_to
from stats.core.display import rounded

Document = Mapping[str, Any]
_BESIDE = {"win_rate": "Win rate", "half_tie_rate": "Half-tie rate", "strength": "Strength"}


def pairs_sections(plain: Document) -> dict[str, Any]:
    """Template context: records of the systems, win matrix, strengths, rank intervals, position bias if any."""
    document = with_estimates(plain)
    systems, equal = document["systems"], document["equal_strengths"]
    strengths = ranks = position = None
    if any(entry["rank"] for entry in systems):
        marks, ends = [], []
        for entry in systems:
            found, cell = entry["strength"], number_cell(entry["strength"], places=2)
            ends += [end for end in (*(found.ci or ()), found.value) if end is not None]
            shown = f"{cell.value} [{cell.interval}]" if cell.interval else cell.value or "not finite"
            marks.append(Span(entry["system"], found.value, found.ci, shown))
        reading = "Logarithms that sum to zero, with 95 % interval."
        strengths = span_plot("Strengths", marks, round_scale(ends), key="strengths", reading=reading)
        spans = [
            Span(
                entry["system"], None, tuple(entry["rank"]) if entry["rank"] else None, from_to(entry["rank"])
            )
            for entry in systems
        ]
        reading = "The ranks that the data leave open; 1 is the strongest."
        ranks = span_plot("Rank intervals", spans, rank_scale(len(systems)), key="ranks", reading=reading)
    if bias := document["position_bias"]:
        effect = document["order_effect"]
        position = {
            "first_slot": percent_cell(bias["first_slot_share"]),
            "p": p_words(bias["p"]),
            "swapped": bias["swapped_pairs"],
            "consistency": percent_cell(bias["swap_consistency"]),
            "first_first": bias["first_first"],
            "second_second": bias["second_second"],
            "swap_p": p_words(bias["swap_p"]),
            "effect": number_cell(effect, places=2),
            "effect_p": p_words(effect.lr_p),
            "flips": document["order_flips"],
        }
    return {
        "grades": document["grades"],
        "source": document["source"],
        **{name: document[name] for name in ("comparisons", "n_abstain", "n_unavailable")},
        "seed": document["seed"],
        "systems": [_system(entry) for entry in systems],
        "pairs": document["pairs"],
        "groups": never_compared(document["systems"]),
        "tie_parameter": number_cell(document["tie_parameter"]),
        "cycles": document["transitivity"]["cycles"],
        "equal": {
            "lr": rounded(equal["lr"], places=2),
            "df": equal["df"],
            "p": "" if equal["p"] is None else p_words(equal["p"]),
            "by_cluster": equal["method"] == "wald_by_cluster",
        }
        if equal and equal["df"]
        else None,
        "matrix": _matrix(document) if document["pairs"] else None,
        "strengths": strengths,
        "ranks": ranks,
        "position": position,
    }


def beside_sections(documents: Sequence[Document]) -> Mapping[str, object]:
    """The systems of several documents side by side, the one shown first: one table for each figure, and the counts."""
    documents = [with_estimates(each) for each in documents]
    by_name = [{entry["system"]: _system(entry) for entry in each["systems"]} for each in documents]
    names = sorted({name for found in by_name for name in found})
    return {
        "sources": [
            {
                "key": each["grades"]["key"],
                "title": each["grades"]["title"],
                "comparisons": each["comparisons"],
                "ties": sum(pair["ties"] for pair in each["pairs"]),
                "flips": each["order_flips"] if each["position_bias"] else None,
                "swapped": each["position_bias"]["swapped_pairs"] if each["position_bias"] else None,
            }
            for each in documents
        ],
        "tables": [
            {
                "title": title,
                "ranked": key == "strength",
                "rows": [
                    {
                        "system": name,
                        "sides": [
                            {"cell": found[name][key], "rank": found[name]["rank"]} if name in found else None
                            for found in by_name
                        ],
                    }
                    for name in names
                ],
            }
            for key, title in _BESIDE.items()
        ],
    }


def never_compared(systems: Sequence[Document]) -> list[list[str]]:
    """The systems by group, where there are groups that were never compared, not even through others; else nothing."""
    found: dict[int, list[str]] = {}
    for entry in systems:
        found.setdefault(entry["component"], []).append(entry["system"])
    return list(found.values()) if len(found) > 1 else []


def _system(entry: Document) -> Mapping[str, object]:
    shown = ("system", "wins", "losses", "ties", "comparisons")
    return {
        **{key: entry[key] for key in shown},
        "win_rate": percent_cell(entry["win_rate"]),
        "half_tie_rate": percent_cell(entry["half_tie_rate"]),
        "strength": number_cell(entry["strength"], places=2),
        "rank": from_to(entry["rank"]),
    }


def _matrix(document: Document) -> Markup:
    names = [entry["system"] for entry in document["systems"]]
    cells = {}
    for pair in document["pairs"]:
        one, two = names.index(pair["first"]), names.index(pair["second"])
        cells[one, two] = _against(pair["wins"], pair["losses"], pair["ties"])
        cells[two, one] = _against(pair["losses"], pair["wins"], pair["ties"])
    reading = "Wins of the row against the column; below them ties."
    title = f"Wins: {document['grades']['title']}"
    return shaded_matrix(title, names, cells, key="wins", reading=reading)


def _against(wins: int, losses: int, ties: int) -> Shaded:
    below = f"{ties} tie{'s' * (ties != 1)}"
    return Shaded(str(wins), below, shade((wins - losses) / (wins + losses + ties)))


def pairs_rows(document: Document) -> Iterator[list[Any]]:
    """Header; the systems with what their pictures show; then every pair with its counts."""
    head = ("wins", "losses", "ties", "win_rate", "half_tie_rate", "strength", "low", "high", "best", "worst")
    yield ["grades", "system", "against", *head]
    key = document["grades"]["key"]
    for entry in with_estimates(document["systems"]):
        strength = entry["strength"]
        numbers = [entry[name] for name in ("wins", "losses", "ties")]
        rates = [entry[name].value for name in ("win_rate", "half_tie_rate")]
        ends = [strength.value, *(strength.ci or ["", ""]), *(entry["rank"] or ["", ""])]
        yield [key, entry["system"], "", *numbers, *rates, *ends]
    for pair in document["pairs"]:
        counts = [pair[name] for name in ("wins", "losses", "ties")]
        yield [key, pair["first"], pair["second"], *counts, *[""] * 7]
