"""A judge audited by experts: where they agree, in the sample and in the population. No rows here.

The truth of an output is what the experts say by strict majority; where they split evenly the output is
uncertain, which the primary rule counts negative. Strata are those of the frozen draw, within one system.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchmark.protocol import LabelledOutput, Metric
from reports.datasets import DrawnItem, ExpertLabel
from stats.aggregate import strict_majority
from stats.audit import AuditStratum, design_weighted
from stats.confusion import Confusion, in_sample

Truth = dict[str, dict[str, str]]


def expert_truth(labels: Iterable[ExpertLabel]) -> Truth:
    """Subject to question to the experts' majority value; "uncertain" where there is none."""
    said: dict[tuple[str, str], list[str]] = defaultdict(list)
    for label in labels:
        if label.state == "answered" and not label.step:
            said[label.subject, label.question].append(label.value)
    truth: Truth = defaultdict(dict)
    for (subject, question), values in said.items():
        truth[subject][question] = strict_majority(values, otherwise="uncertain") or "uncertain"
    return dict(truth)


def truth_outputs(
    outputs: Mapping[str, LabelledOutput], truth: Truth, metric: Metric
) -> dict[str, LabelledOutput]:
    """Audited outputs as the experts label them, for those where every question the metric needs is known."""
    return {
        subject: _relabelled(outputs[subject], truth[subject])
        for subject in sorted(truth)
        if subject in outputs and all(key in truth[subject] for key in metric.needs)
    }


def _relabelled(output: LabelledOutput, labels: Mapping[str, str]) -> LabelledOutput:
    return LabelledOutput(
        system=output.system,
        instance=output.instance,
        cluster=output.cluster,
        domain=output.domain,
        attempt=output.attempt,
        state=output.state,
        labels=dict(labels),
        states=dict.fromkeys(labels, "answered"),
    )


def is_eligible(metric: Metric, labels: Mapping[str, str]) -> bool:
    """Both sides must say yes or no on every needed question (weak Kleene, STATISTICS.md section 0)."""
    return all(labels.get(key) in ("yes", "no") for key in metric.needs)


def audit_strata(
    metric: Metric,
    outputs: Mapping[str, LabelledOutput],
    truth: Truth,
    drawn: Sequence[DrawnItem],
) -> list[AuditStratum]:
    """Judge against experts within each stratum of the draw. Drawn but unlabelled items count as ineligible."""
    experts = truth_outputs(outputs, truth, metric)
    cells: dict[str, dict[str, int]] = defaultdict(
        lambda: dict.fromkeys(("tp", "fp", "fn", "tn", "ineligible"), 0)
    )
    sizes: dict[str, int] = {}
    for item in drawn:
        sizes[item.stratum] = item.stratum_size
        cells[item.stratum][_cell(metric, outputs.get(item.subject), experts.get(item.subject))] += 1
    return [AuditStratum(name=name, size=sizes[name], **cells[name]) for name in sorted(cells)]


def _cell(metric: Metric, judge: LabelledOutput | None, expert: LabelledOutput | None) -> str:
    if judge is None or expert is None:
        return "ineligible"
    if not (is_eligible(metric, judge.labels) and is_eligible(metric, expert.labels)):
        return "ineligible"
    return {(True, True): "tp", (True, False): "fp", (False, True): "fn", (False, False): "tn"}[
        metric.success(judge), metric.success(expert)
    ]


def audit_document(strata: Sequence[AuditStratum], *, seed: int) -> dict[str, Any]:
    """In-sample and design-weighted agreement, precision, recall, F1 and kappa, with the counts behind them."""
    counts = {cell: sum(getattr(stratum, cell) for stratum in strata) for cell in ("tp", "fp", "fn", "tn")}
    found = in_sample(Confusion(**counts))
    weighted = design_weighted(strata, seed=seed)
    return {
        "in_sample": {**counts, **{key: estimate.as_json() for key, estimate in found.items()}},
        "weighted": {key: estimate.as_json() for key, estimate in weighted.items()},
        "eligible": sum(counts.values()),
        "excluded": sum(stratum.ineligible for stratum in strata),
    }
