"""The documents of agreement, systems, pairs and retrieval as text for the terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

from stats.agreement.bundle import COEFFICIENTS
from stats.agreement.icc import FORMS
from stats.agreement.two_raters import RELATIONS
from stats.core.estimate import Reason
from stats.core.text import (
    ESTIMATE_HEADER,
    aligned,
    counted,
    estimate_row,
    estimates,
    interval,
    made_by,
    notes,
    number,
    printable,
)

Document = Mapping[str, Any]


def agreement_text(document: Document) -> str:
    """One block per question, then its pairs of raters."""
    blocks = []
    for question, bundle in document["questions"].items():
        title = _title(question)
        raters = "raters not told apart" if bundle["exchangeable"] else counted(bundle["n_raters"], "rater")
        counts = (
            f"{counted(bundle['n_items'], 'item')}, {bundle['n_pairable']} with two or more raters, "
            f"{raters}, {counted(bundle['n_labels'], 'label')}, level {bundle['level']}; "
            f"abstained {bundle['n_abstain']}, unavailable {bundle['n_unavailable']}"
            f"{_left_out(bundle)}"
        )
        primary = bundle["primary"]
        others = [
            name for name in ("percent_pooled", *COEFFICIENTS, *FORMS) if name not in (primary, "percent")
        ]
        refused = [name for name in others if bundle[name]["reason"] == Reason.RATERS_ALIKE]
        warnings = f"Warnings: {', '.join(bundle['warnings'])}.\n" if bundle["warnings"] else ""
        blocks.append(
            f"{title}: {counts}\n{estimates(bundle, (primary, 'percent'))}\n"
            f"{warnings}Primary coefficient at this level: {primary}.\n"
            f"{bundle['agreeing_pairs']} of {counted(bundle['label_pairs'], 'pair')} of labels agree; percent is the "
            f"mean over items. Intervals leave out one {bundle['unit']} at a time and use no random numbers.\n"
            f"{made_by([(name, bundle[name]) for name in (primary, 'percent')], bundle['unit'])}\n\n"
            f"more:\n{estimates(bundle, [name for name in others if name not in refused])}"
        )
        if refused:
            blocks.append(f"Need to know who gave which label: {', '.join(refused)}, pairs of raters.")
        if pairs := bundle["pairs"]:
            rows = [
                [
                    " / ".join(pair["raters"]),
                    pair["n_items"],
                    number(pair["percent"]["value"]),
                    number(pair["cohen_kappa"]["value"]),
                    interval(pair["cohen_kappa"]["ci"]),
                    number(pair["kappa_max"]),
                    notes(pair["cohen_kappa"], {"reason": None, "warnings": pair["kappa_warnings"]}),
                ]
                for pair in pairs
            ]
            blocks.append(aligned(("pair", "n", "percent", "kappa", "interval", "kappa max", "notes"), rows))
        if any(pair[name]["value"] is not None for pair in pairs for name in RELATIONS):
            scores = [
                [" / ".join(pair["raters"]), *(number(pair[name]["value"]) for name in RELATIONS)]
                for pair in pairs
            ]
            blocks.append(aligned(("pair", *RELATIONS), scores))
    return "\n\n".join(blocks) or "no labels"


def _left_out(document: Document) -> str:
    decided, seen = document["n_decisions"], document["n_in_sight"]
    why = [f"{decided} adjudicated, which are not grades"] if decided else []
    why += [f"{seen} given in sight of a verdict"] if seen else []
    return f"; left out: {', '.join(why)}" if why else ""


def difference_text(document: Document) -> str:
    """Both alphas and their difference, per question."""
    blocks = []
    for question, found in document["questions"].items():
        rows = {
            f"alpha of the first: {_listed(found['first']['raters'])}": found["first"]["alpha"],
            f"alpha of the second: {_listed(found['second']['raters'])}": found["second"]["alpha"],
            "difference": found["difference"],
        }
        blocks.append(
            f"{_title(question)}: {counted(found['n_items'], 'item')} with two labels of each group, "
            f"{counted(found['items_left_out'], 'other')} left out; level {found['level']}{_left_out(found)}\n"
            f"{estimates(rows, tuple(rows))}\n"
            f"Primary: the difference of {found['coefficient']}; two-sided p {number(found['p'])} of no difference.\n"
            f"{made_by(rows.items(), found['unit'])}"
        )
    return "\n\n".join(blocks) or "no labels"


def _listed(names: Sequence[str]) -> str:
    """The first five names, and how many others there are."""
    others = len(names) - 5
    return ", ".join(names[:5]) + (f" and {others} more" if others > 0 else "") if names else "nobody"


def systems_text(document: Document) -> str:
    """A line per system: mean, majority and unanimous outputs, with what was counted."""
    header = (
        "system", "outputs", "labelled", "raters", "mean", "interval", "majority", "share", "interval",
        "ties",
    )  # fmt: skip
    blocks = []
    for question, found in document["questions"].items():
        rows = [
            [
                row["system"],
                row["outputs"],
                row["labelled"],
                "-" if row["raters_per_output"] is None else "-".join(map(str, row["raters_per_output"])),
                number(row["mean"]["value"]),
                interval(row["mean"]["ci"]),
                _count(row["majority"]["k"]),
                number(row["majority"]["value"]),
                interval(row["majority"]["ci"]),
                number(row["ties"]),
                _count(row["unanimous"]["k"]),
                number(row["unanimous"]["value"]),
                interval(row["unanimous"]["ci"]),
                notes(*(row[name] for name in ("mean", "majority", "unanimous"))),
            ]
            for row in found["systems"]
        ]
        lines = [
            f"{_title(question)}: {counted(found['outputs'], 'output')}, level {found['level']}{_left_out(document)}",
            aligned((*header, "unanimous", "share", "interval", "notes"), rows),
        ]
        for row in found["systems"]:
            # what the system lacks, and where its majority could lie
            lacking = (
                (row["unlabelled"], "output", "without a label"),
                (row["missing_instances"], "instance", "that others have labels of"),
                (row["n_abstain"], "label", "abstained"),
                (row["n_unavailable"], "label", "unavailable"),
            )
            lacks = [f"{counted(n, noun)} {what}" for n, noun, what in lacking if n]
            if bounds := row["majority"]["bounds"]:
                lacks.append(f"majority between {interval(bounds)} whatever these and the ties are")
            if lacks:
                lines.append(f"{printable(row['system'])}: {', '.join(lacks)}")
        if found["warnings"]:
            lines.append(f"Warnings: {', '.join(found['warnings'])}.")
        lines.append(
            f"Primary: {document['primary']}; shares are of labelled outputs, ties and abstained labels no success."
        )
        shown = [(name, row[name]) for row in found["systems"] for name in ("mean", "majority", "unanimous")]
        lines.append(made_by(shown, found["unit"]))
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) or "no labels"


def _count(k: float | None) -> str:
    return "-" if k is None else f"{k:.0f}"


def _title(question: str) -> str:
    return printable(question) or "(no question named)"


def pairs_text(document: Document) -> str:
    """Systems by strength, one group of compared systems after another, then ties, order and position."""
    ranked = sorted(
        document["systems"],
        key=lambda row: (
            row["component"],
            row["strength"]["value"] is None,
            -(row["strength"]["value"] or 0),
            row["system"],
        ),
    )
    header = ("system", "wins", "losses", "ties", "win rate", "half-tie rate", "strength", "interval", "rank")
    rows = [
        [
            *(row[name] for name in ("system", "wins", "losses", "ties")),
            *(number(row[name]["value"]) for name in ("win_rate", "half_tie_rate", "strength")),
            interval(row["strength"]["ci"]),
            "-" if row["rank"] is None else f"{row['rank'][0]}-{row['rank'][1]}",
            notes(row["strength"]),
        ]
        for row in ranked
    ]
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
    lines = [aligned((*header, "notes"), rows), "", others]
    groups: dict[int, list[str]] = {}
    for row in ranked:
        groups.setdefault(row["component"], []).append(row["system"])
    if len(groups) > 1:
        named = printable("; ".join(", ".join(group) for group in groups.values()))
        lines.append(f"never compared with each other, strengths and ranks are within a group: {named}")
    # the two tests of position, said apart, how the figures were made, and what speaks against one scale
    if bias["p"] is not None:
        lines.append(f"all presentations, is the share of the first slot one half? p {number(bias['p'])}")
    if bias["swap_p"] is not None:
        lines.append(
            "pairs shown in both orders whose answers name the same slot, is it either slot alike? "
            f"swap_p {number(bias['swap_p'])}"
        )
    rule = "their net score" if document["orders"] == "net" else "agreement, else a tie"
    lines.append(f"Primary: strength; two orders of a comparison count once, by {rule}.")
    shown = [
        (name, row[name]) for row in document["systems"] for name in ("strength", "win_rate", "half_tie_rate")
    ]
    shown += [("order effect", document["order_effect"]), ("first slot share", bias["first_slot_share"])]
    lines.append(made_by(shown, document["unit"]))
    found = document["transitivity"]
    lines += [f"majority cycle: {printable(' > '.join([*cycle, cycle[0]]))}" for cycle in found["cycles"]]
    fit = found["fit"]
    if fit and fit["p"] is not None:
        tested = f"deviance {number(fit['deviance'])}, df {fit['df']}, p {number(fit['p'])} ({fit['method']})"
        lines.append(f"one scale against free results: {tested}")
    return "\n".join(lines)


def retrieval_text(document: Document) -> str:
    """One line per system and k."""
    rows = [
        [
            row["system"],
            row["k"],
            *(number(row[name]["value"]) for name in ("p_at_k", "hit_at_k", "mrr_at_k")),
            interval(row["mrr_at_k"]["ci"]),
            notes(*(row[name] for name in ("p_at_k", "hit_at_k", "mrr_at_k"))),
        ]
        for row in document["systems"]
    ]
    shown = [(name, row[name]) for row in document["systems"] for name in ("p_at_k", "hit_at_k", "mrr_at_k")]
    table = aligned(("system", "k", "P@k", "Hit@k", "MRR@k", "MRR interval", "notes"), rows)
    queries = counted(document["queries"], "query", "queries")
    return f"{table}\nPrimary: mrr_at_k over {queries}.\n{made_by(shown, 'query')}"
