"""The numbers behind each picture of a score, as rows of a CSV file."""

from collections.abc import Iterator, Mapping
from typing import Any

from accounts.refusal import Refused

Row = list[Any]
FIGURES = ("forest", "decomposition", "confusion")
_HEADS = {
    "forest": [
        "metric",
        "system",
        "kind",
        "campaign",
        "value",
        "low",
        "high",
        "level",
        "method",
        "k",
        "n",
        "reason",
    ],
    "decomposition": ["system", "bucket", "outputs"],
    "confusion": ["campaign", "metric", "tp", "fp", "fn", "tn", "excluded"],
}


def figure_rows(document: Mapping[str, Any], figure: str) -> Iterator[Row]:
    """Header and rows of one of FIGURES; raises Refused for another name or when no judge has spoken."""
    if figure not in FIGURES:
        raise Refused(f"There is no figure {figure!r}; there are: {', '.join(FIGURES)}.", code="no_figure")
    if document["judge"] is None:
        raise Refused("No judge has spoken on this track, so there is no figure.", code="no_judge")
    makers = {"forest": _forest, "decomposition": _decomposition, "confusion": _confusion}
    return _with_head(figure, makers[figure](document["judge"]))


def _with_head(figure: str, rows: Iterator[Row]) -> Iterator[Row]:
    yield _HEADS[figure]
    yield from rows


def _forest(judge: Mapping[str, Any]) -> Iterator[Row]:
    for system, part in judge["systems"].items():
        for metric, found in part["metrics"].items():
            yield _estimate_row(metric, system, "fixed judge", "", found["estimate"])
            yield _estimate_row(metric, system, "fixed judge", "", found["paper_bootstrap"])
    for audit in judge["audits"]:
        for metric, found in audit["metrics"].items():
            for system, corrected in found["corrected"].items():
                yield _estimate_row(metric, system, "corrected", audit["campaign"], corrected["estimate"])


def _estimate_row(metric: str, system: str, kind: str, campaign: str, estimate: Mapping[str, Any]) -> Row:
    low, high = estimate["ci"] or ("", "")
    rest = [estimate[key] for key in ("level", "method", "k", "n", "reason")]
    return [metric, system, kind, campaign, estimate["value"], low, high, *rest]


def _decomposition(judge: Mapping[str, Any]) -> Iterator[Row]:
    for system, part in judge["systems"].items():
        for bucket, outputs in part["buckets"].items():
            yield [system, bucket, outputs]


def _confusion(judge: Mapping[str, Any]) -> Iterator[Row]:
    for audit in judge["audits"]:
        for metric, found in audit["metrics"].items():
            inside = found["in_sample"]
            counts = [inside[cell] for cell in ("tp", "fp", "fn", "tn")]
            yield [audit["campaign"], metric, *counts, found["excluded"]]
