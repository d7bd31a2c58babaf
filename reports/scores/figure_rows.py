"""The numbers behind each picture of a score, as rows of a CSV file."""

from collections.abc import Iterator
from itertools import chain
from typing import Any

from accounts.refusal import Refused
from reports.scores.shape import Judged, Score
from stats.core.estimate import Estimate

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


def figure_rows(score: Score, figure: str) -> Iterator[Row]:
    """Header and rows of one of FIGURES; raises Refused for another name or when no judge has spoken."""
    if figure not in FIGURES:
        raise Refused(f"There is no figure {figure!r}; there are: {', '.join(FIGURES)}.", code="no_figure")
    if score.judge is None:
        raise Refused("No judge has spoken on this track, so there is no figure.", code="no_judge")
    makers = {"forest": _forest, "decomposition": _decomposition, "confusion": _confusion}
    return chain([_HEADS[figure]], makers[figure](score.judge))


def _forest(judge: Judged) -> Iterator[Row]:
    for system, part in judge.systems.items():
        for metric, found in part.metrics.items():
            yield _estimate_row(metric, system, "fixed judge", "", found.estimate)
            yield _estimate_row(metric, system, "fixed judge", "", found.paper_bootstrap)
    for audit in judge.audits:
        for metric, audited in audit.metrics.items():
            for system, corrected in audited.corrected.items():
                yield _estimate_row(metric, system, "corrected", audit.campaign, corrected.estimate)


def _estimate_row(metric: str, system: str, kind: str, campaign: str, estimate: Estimate) -> Row:
    low, high = estimate.ci or ("", "")
    rest = [estimate.level, estimate.method, estimate.k, estimate.n, estimate.reason]
    return [metric, system, kind, campaign, estimate.value, low, high, *rest]


def _decomposition(judge: Judged) -> Iterator[Row]:
    for system, part in judge.systems.items():
        for bucket, outputs in part.buckets.items():
            yield [system, bucket, outputs]


def _confusion(judge: Judged) -> Iterator[Row]:
    for audit in judge.audits:
        for metric, found in audit.metrics.items():
            yield [audit.campaign, metric, *found.in_sample.counts.values(), found.excluded]
