"""The documents of the analyses as text for the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stats.agreement import COEFFICIENTS
from stats.confusion import METRICS
from stats.icc import FORMS
from stats.text import ESTIMATE_HEADER, aligned, estimate_row, interval, number, printable

Document = Mapping[str, Any]


def _estimates(document: Document, names: Sequence[str]) -> str:
    return aligned(ESTIMATE_HEADER, [estimate_row(name, document[name]) for name in names])


def agreement_text(document: Document) -> str:
    """One block per question, then its pairs of raters."""
    blocks = []
    for question, bundle in document["questions"].items():
        title = printable(question) or "(no question named)"
        counts = (
            f"{bundle['n_items']} items, {bundle['n_pairable']} with two or more raters, "
            f"{bundle['n_raters']} raters, {bundle['n_labels']} labels, level {bundle['level']}; "
            f"abstained {bundle['n_abstain']}, unavailable {bundle['n_unavailable']}"
            f"{_left_out(bundle)}"
        )
        primary = bundle["primary"]
        others = [
            name for name in ("percent_pooled", *COEFFICIENTS, *FORMS) if name not in (primary, "percent")
        ]
        blocks.append(
            f"{title}: {counts}\n{_estimates(bundle, (primary, 'percent'))}\n"
            f"{bundle['agreeing_pairs']} of {bundle['label_pairs']} pairs of labels agree; percent is the mean over "
            f"items. Intervals leave out one {bundle['unit']} at a time and use no random numbers.\n\n"
            f"more:\n{_estimates(bundle, others)}"
        )
        if bundle["pairs"]:
            blocks.append(_pairs_of_raters(bundle["pairs"]))
    return "\n\n".join(blocks) or "no labels"


def _left_out(document: Document) -> str:
    decided, seen = document["n_decisions"], document["n_in_sight"]
    why = [f"{decided} adjudicated, which are no grades"] if decided else []
    why += [f"{seen} given in sight of a verdict"] if seen else []
    return f"; left out: {', '.join(why)}" if why else ""


def _pairs_of_raters(pairs: Sequence[Document]) -> str:
    rows = [
        [
            " / ".join(pair["raters"]),
            pair["n_items"],
            number(pair["percent"]["value"]),
            number(pair["cohen_kappa"]["value"]),
            interval(pair["cohen_kappa"]["ci"]),
            number(pair["kappa_max"]),
            " ".join(pair["kappa_warnings"]),
        ]
        for pair in pairs
    ]
    return aligned(("pair", "n", "percent", "kappa", "interval", "kappa max", "notes"), rows)


def audit_text(document: Document) -> str:
    """The two tables of coefficients with their counts."""
    blocks = [
        f"eligible {document['eligible']}, excluded {document['excluded']}, "
        f"judged but not audited {document['unaudited']}"
    ]
    for part, title in (("in_sample", "in sample"), ("weighted", "weighted by the design")):
        block = document[part]
        cells = ", ".join(f"{name} {number(block[name], places=1)}" for name in ("tp", "fp", "fn", "tn"))
        blocks.append(f"{title}: {cells}\n{_estimates(block, METRICS)}")
    if doubts := _doubts(document, {name: document["weighted"][name] for name in METRICS}):
        blocks.append(doubts)
    for question, single in document.get("questions", {}).items():
        blocks.append(f"--- {printable(question)}\n{audit_text(single)}")
    return "\n\n".join(blocks)


def corrected_text(document: Document) -> str:
    """Scores, then the strata they come from."""
    strata = aligned(
        ("stratum", "size", "sampled", "successes", "missing"),
        [
            [row["stratum"], row["size"], row["sampled"], row["successes"], row["missing"]]
            for row in document["strata"]
        ],
    )
    names = ("uncorrected", "corrected", "superpopulation")
    doubts = _doubts(document, {name: document[name] for name in names[1:]})
    more = f"more:\n{_estimates(document, ('rogan_gladen',))}"
    return "\n\n".join(part for part in (_estimates(document, names), doubts, strata, more) if part)


def _doubts(document: Document, estimates: Mapping[str, Any]) -> str:
    """Splits and missing labels, and what each estimate would be in the worst and the best case."""
    counts = [
        f"{document['splits']} outputs on which experts split evenly" if document["splits"] else "",
        f"{document['missing']} drawn outputs without a label" if document["missing"] else "",
    ]
    said = " and ".join(count for count in counts if count)
    bounds = [f"{name} {interval(found['bounds'])}" for name, found in estimates.items() if found["bounds"]]
    return "\n".join([*([said] if said else []), *([f"bounds: {', '.join(bounds)}"] if bounds else [])])


def pairs_text(document: Document) -> str:
    """Systems by strength, then ties, order and position."""
    ranked = sorted(
        document["systems"],
        key=lambda row: (row["strength"]["value"] is None, -(row["strength"]["value"] or 0), row["system"]),
    )
    header = (
        "system",
        "wins",
        "losses",
        "ties",
        "win rate",
        "half-tie rate",
        "strength",
        "interval",
        "rank",
        "notes",
    )
    systems = aligned(header, [_system_row(row) for row in ranked])
    bias = document["position_bias"]
    others = aligned(
        ESTIMATE_HEADER,
        [
            estimate_row("tie parameter", document["tie_parameter"]),
            estimate_row("order effect", document["order_effect"]),
            estimate_row("first slot share", bias["first_slot_share"]),
            estimate_row("swap consistency", bias["swap_consistency"]),
        ],
    )
    return f"{systems}\n\n{others}{_tests(document)}{_transitivity(document['transitivity'])}"


def _tests(document: Document) -> str:
    """The two tests of position, said apart, and how the strengths were made."""
    bias = document["position_bias"]
    lines = []
    if bias["p"] is not None:
        lines.append(f"first slot wins more often, all presentations: p {number(bias['p'])}")
    if bias["swap_p"] is not None:
        lines.append(f"the same slot wins twice, pairs shown in both orders: p {number(bias['swap_p'])}")
    methods = {
        (row["strength"]["method"], row["strength"]["seed"], row["strength"]["clusters"])
        for row in document["systems"]
        if row["strength"]["value"] is not None
    }
    for method, seed, clusters in sorted(methods, key=str):
        unit = "independent comparisons" if clusters is None else f"{clusters} clusters"
        lines.append(f"strengths: {method}, {unit}{'' if seed is None else f', seed {seed}'}")
    return "".join(f"\n{line}" for line in lines)


def _transitivity(found: Document) -> str:
    """Lines that are there only where there is something to say."""
    lines = [f"majority cycle: {printable(' > '.join([*cycle, cycle[0]]))}" for cycle in found["cycles"]]
    fit = found["fit"]
    if fit and fit["p"] is not None:
        tested = f"deviance {number(fit['deviance'])}, df {fit['df']}, p {number(fit['p'])} ({fit['method']})"
        lines.append(f"one scale against free results: {tested}")
    return "".join(f"\n{line}" for line in lines)


def _system_row(row: Document) -> list[object]:
    strength, rank = row["strength"], row["rank"]
    return [
        row["system"],
        row["wins"],
        row["losses"],
        row["ties"],
        number(row["win_rate"]["value"]),
        number(row["half_tie_rate"]["value"]),
        number(strength["value"]),
        interval(strength["ci"]),
        "-" if rank is None else f"{rank[0]}-{rank[1]}",
        strength["reason"] or "",
    ]


def retrieval_text(document: Document) -> str:
    """One line per system and k."""
    rows = [
        [
            row["system"],
            row["k"],
            *(number(row[name]["value"]) for name in ("p_at_k", "hit_at_k", "mrr_at_k")),
            interval(row["mrr_at_k"]["ci"]),
        ]
        for row in document["systems"]
    ]
    return aligned(("system", "k", "P@k", "Hit@k", "MRR@k", "MRR interval"), rows)
