"""The numbers behind each picture of a score, as rows of a CSV file."""

from typing import Any

from accounts.refusal import Refused
from reports.scores.shape import Score
from stats.core.estimate import Estimate

Row = list[Any]
_TERMS = ("level", "method", "k", "n", "reason")  # of an estimate
_HEADS = {
    "forest": ["metric", "system", "kind", "campaign", "value", "low", "high", *_TERMS],
    "decomposition": ["system", "bucket", "outputs"],
    "confusion": ["campaign", "metric", "tp", "fp", "fn", "tn", "excluded"],
}
FIGURES = tuple(_HEADS)


def figure_rows(score: Score, figure: str) -> list[Row]:
    """Header and rows of one of FIGURES; raises Refused for another name or when no judge has spoken."""
    if figure not in FIGURES:
        raise Refused(f"There is no figure {figure!r}; there are: {', '.join(FIGURES)}.", code="no_figure")
    if score.judge is None:
        raise Refused("No judge has given a verdict on this track, so there is no figure.", code="no_judge")
    rows: list[Row] = [_HEADS[figure]]
    for system, part in score.judge.systems.items():
        if figure == "decomposition":
            rows += [[system, bucket, outputs] for bucket, outputs in part.buckets.items()]
        if figure == "forest":
            for metric, found in part.metrics.items():
                rows.append(_estimate_row(metric, system, "fixed judge", "", found.estimate))
                rows.append(_estimate_row(metric, system, "fixed judge", "", found.paper_bootstrap))
    for audit in score.judge.audits:
        for metric, audited in audit.metrics.items():
            if figure == "confusion":
                counts = audited.in_sample.counts.values()
                rows.append([audit.campaign, metric, *counts, audited.excluded])
            if figure == "forest":
                rows += [
                    _estimate_row(metric, system, "corrected", audit.campaign, corrected.estimate)
                    for system, corrected in audited.corrected.items()
                ]
    return rows


def _estimate_row(metric: str, system: str, kind: str, campaign: str, estimate: Estimate) -> Row:
    low, high = estimate.ci or ("", "")
    terms = (getattr(estimate, name) for name in _TERMS)
    return [metric, system, kind, campaign, estimate.value, low, high, *terms]
