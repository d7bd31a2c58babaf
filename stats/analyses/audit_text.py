"""The documents about a judge (audit, corrected, calibration, gold) as text for the terminal."""

from collections.abc import Mapping
from typing import Any

from stats.audit.confusion import METRICS
from stats.core.estimate import Caution
from stats.core.text import aligned, counted, estimates, interval, made_by, notes, number, printable

Document = Mapping[str, Any]


def audit_text(document: Document) -> str:
    """The two tables of coefficients with their counts."""
    blocks = [
        f"eligible {document['eligible']}, excluded {document['excluded']}, "
        f"judged but not audited {document['unaudited']}"
    ]
    for part, title in (("in_sample", "in sample"), ("weighted", "weighted by the design")):
        block = document[part]
        cells = ", ".join(f"{name} {number(block[name], places=1)}" for name in ("tp", "fp", "fn", "tn"))
        blocks.append(f"{title}: {cells}\n{estimates(block, METRICS)}")
    if doubts := _doubts(document, {name: document["weighted"][name] for name in METRICS}):
        blocks.append(doubts)
    shown = [
        (f"{name} {words}", document[part][name])
        for part, words in (("in_sample", "in sample"), ("weighted", "weighted"))
        for name in METRICS
    ]
    weighted = document["weighted"][document["primary"]]
    # the weights take outputs as drawn one by one
    holds = weighted["value"] is not None and Caution.WHOLE_CLUSTERS not in weighted["warnings"]
    which = "weighted by the design" if holds else "in sample"
    blocks.append(f"Primary: {document['primary']}, {which}.\n{made_by(shown, document['unit'])}")
    for system, single in document.get("systems", {}).items():
        blocks.append(f"--- system {printable(system) or '(not named)'}\n{audit_text(single)}")
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
    made = made_by([(name, document[name]) for name in names], document["unit"])
    more = f"more:\n{estimates(document, ('rogan_gladen',))}"
    parts = [estimates(document, names), doubts, f"Primary: {document['primary']}.\n{made}", strata, more]
    for system, single in document.get("systems", {}).items():
        parts.append(f"--- system {printable(system) or '(not named)'}\n{corrected_text(single)}")
    return "\n\n".join(part for part in parts if part)


def _doubts(document: Document, estimates: Mapping[str, Any]) -> str:
    """Splits and missing labels, and what each estimate would be in the worst and the best case."""
    counts = [
        f"{counted(document['splits'], 'output')} on which experts split evenly"
        if document["splits"]
        else "",
        f"{counted(document['missing'], 'drawn output')} without a label" if document["missing"] else "",
    ]
    said = " and ".join(count for count in counts if count)
    bounds = [f"{name} {interval(found['bounds'])}" for name, found in estimates.items() if found["bounds"]]
    return "\n".join([*([said] if said else []), *([f"bounds: {', '.join(bounds)}"] if bounds else [])])


def calibration_text(document: Document) -> str:
    """A block per question and judge: ranking, Brier score, then the reliability curve."""
    blocks = []
    for question, found in document["questions"].items():
        blocks.append(
            f"{printable(question) or '(no question named)'}: {counted(found['labelled'], 'item')} with a yes or no, "
            f"{found['splits']} split, {found['excluded']} neither; "
            f"{'weighted by the design' if found['design'] else 'every item counts alike'}"
        )
        for judge in found["judges"]:
            names = ("auc", "brier", "overconfidence")
            curve = []
            for row in judge["curve"]:
                low, high = number(row["low"]), number(row["high"])
                share = number(row["share"]["value"]), interval(row["share"]["ci"])
                scores = low if low == high else f"{low} to {high}"
                curve.append([scores, row["n"], number(row["mean_score"]), *share])
            blocks.append(
                f"{_judge(judge)}: {judge['scored']} scored, {judge['true']} of them true, "
                f"{judge['missing']} labelled without a score\n{estimates(judge, names)}\n"
                f"Primary: auc.\n{made_by([(name, judge[name]) for name in names], found['unit'])}\n\n"
                f"{aligned(('score', 'n', 'mean score', 'share true', 'interval'), curve)}"
            )
    return "\n\n".join(blocks) or "no labels"


def _judge(row: Document) -> str:
    return printable(
        " ".join(part for part in (row["judge"], row["judge_version"]) if part) or "(no judge named)"
    )


def gold_text(document: Document) -> str:
    """A line per judge and rule about its two orders."""
    rows = [
        [
            _judge(judge),
            rule,
            judge["judged"],
            *(judge[rule][name] for name in ("correct", "incorrect", "ties")),
            number(judge[rule]["accuracy"]["value"]),
            interval(judge[rule]["accuracy"]["ci"]),
            judge["missing"],
            interval(judge[rule]["accuracy"]["bounds"]),
            notes(judge[rule]["accuracy"]),
        ]
        for judge in document["judges"]
        for rule in ("net", "agree")
    ]
    header = (
        "judge", "orders", "pairs", "correct", "wrong", "ties", "accuracy", "interval", "missing", "bounds",
        "notes",
    )  # fmt: skip
    shown = [("accuracy", row[rule]["accuracy"]) for row in document["judges"] for rule in ("net", "agree")]
    turned = [
        f"{_judge(row)}: {counted(row['opposite'], 'pair')} decided both ways, {row['one_order']} seen in one order"
        for row in document["judges"]
        if row["opposite"] or row["one_order"]
    ]
    return "\n".join(
        [
            f"{counted(document['gold'], 'pair')} with a gold choice, {counted(document['gold_ties'], 'gold tie')}, "
            f"{document['without_gold']} without gold",
            aligned(header, rows),
            *turned,
            "Primary: net (the votes of both orders are added); a tie is not a correct choice.",
            made_by(shown, document["unit"]),
        ]
    )
