"""A judge audited by experts, and the scores corrected by that audit. No rows here.

The truth of an output is what the experts say by strict majority; where they split evenly the output is
uncertain, which the primary rule counts negative. Strata are those of the frozen draw, within one system.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from benchmark.protocol import UNAVAILABLE_BUCKET, LabelledOutput, Metric
from reports.datasets import DrawnItem, ExpertLabel
from stats.aggregate import strict_majority
from stats.audit import AuditStratum, design_weighted
from stats.confusion import Confusion, in_sample
from stats.corrected import corrected_score
from stats.strata import Stratum

Truth = dict[str, dict[str, str]]
BY_RULE = "abstained or failed"


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


@dataclass(frozen=True)
class Correction:
    """The strata of a corrected score, and how many outputs no label could place in one."""

    strata: tuple[Stratum, ...]
    unavailable: int


def correction_strata(
    metric: Metric,
    bucket: Mapping[str, str],
    outputs: Mapping[str, LabelledOutput],
    truth: Truth,
    drawn: Sequence[DrawnItem],
) -> Correction:
    """Strata for a corrected score: the judge's buckets within each system, and what the experts found there.

    Given how many of a system's outputs a draw hit in a bucket, those are a simple random sample of its
    outputs there, so N_h is counted within the system. Abstained and failed outputs are negative by rule, a
    stratum known without an audit. Outputs whose verdict is unavailable were never in the frame and leave.
    """
    experts = truth_outputs(outputs, truth, metric)
    sizes = Counter(_stratum(output, bucket[subject]) for subject, output in outputs.items())
    unavailable = sizes.pop(UNAVAILABLE_BUCKET, 0)
    by_rule = sizes.pop(BY_RULE, 0)
    found: dict[str, list[int]] = defaultdict(list)
    for item in drawn:
        if item.subject in experts:
            stratum = _stratum(outputs[item.subject], bucket[item.subject])
            found[stratum].append(int(metric.success(experts[item.subject])))
    strata = [Stratum(name, size, len(found[name]), sum(found[name])) for name, size in sorted(sizes.items())]
    if by_rule:
        strata.append(Stratum(BY_RULE, by_rule, by_rule, 0))
    return Correction(tuple(strata), unavailable)


def _stratum(output: LabelledOutput, bucket: str) -> str:
    if output.state != "answered":
        return BY_RULE
    return bucket if bucket == UNAVAILABLE_BUCKET else f"{output.system}/{bucket}"


def corrected_document(correction: Correction) -> dict[str, Any]:
    """The audit-corrected score with its Beta-Binomial interval and the strata it rests on."""
    estimate = replace(corrected_score(correction.strata), n_unavailable=correction.unavailable)
    return {
        "estimate": estimate.as_json(),
        "strata": [
            {"stratum": s.name, "size": s.size, "sampled": s.sampled, "successes": s.successes}
            for s in correction.strata
        ],
    }
