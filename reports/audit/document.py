"""A judge against the experts, in full: every coefficient with the strata and exclusions behind it. No rows here."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from accounts.refusal import Refused
from benchmark.protocol import LabelledOutput, Metric
from benchmark.protocols import get_protocol
from benchmark.rubrics import rubric_from_content
from reports.audit.corrections import strata_of
from reports.audit.results import (
    Truth,
    audit_truth,
    audited,
    audited_document,
    is_eligible,
    truth_outputs,
    with_splits,
)
from reports.core.datasets import DrawnItem, labelled_outputs, tallies
from reports.scores.document import audited_metrics
from reports.scores.inputs import CampaignInfo, Inputs
from reports.scores.success_types import success_types_rows
from stats.audit.confusion import in_sample
from stats.audit.rogan_gladen import transported_score
from stats.core.bootstrap import Floats
from stats.scores.clusters import cluster_totals

FORMAT = "touchstone-judge-audit-1"
KINDS = ("audit", "grade")
EXCLUSIONS = ("not labelled yet", "judge undecided", "experts undecided")
_CELLS = ("tp", "fp", "fn", "tn", "ineligible")


def judge_audit_document(inputs: Inputs, kinds: Mapping[str, str]) -> dict[str, Any]:
    """Every campaign of this track that answered a question of the judge's. Raises Refused without a judge.

    That is an audit, or a campaign of grades whose rubric asks a predicate of the protocol; by the metrics whose
    predicates are all in the rubric. Items of both were drawn by strata, so both can be weighted by the design.

    Strata name systems, so those of an audit that is still open are left out, and so are figures by system:
    before the close nobody learns from the experts' labels how a system does. `kinds` are the types of the
    judge's successes by subject (reports/scores/success_types.py).
    """
    if inputs.judge is None:
        raise Refused("No judge has spoken on this track, so there is nothing to audit.", code="no_judge")
    outputs = labelled_outputs(inputs.outputs, tallies(inputs.votes), inputs.reached)
    metrics = audited_metrics(get_protocol(inputs.protocol))
    return {
        "format": FORMAT,
        "release": inputs.release,
        "track": inputs.track,
        "seed": inputs.seed,
        "judge": {"label": inputs.judge.label, "model": inputs.judge.model, "sha256": inputs.judge.sha256},
        "audits": [
            _audit(campaign, inputs, outputs, answered, kinds)
            for campaign in inputs.campaigns
            if campaign.kind in KINDS and (answered := _answered(campaign, metrics))
        ],
    }


def _answered(campaign: CampaignInfo, metrics: Sequence[Metric]) -> list[Metric]:
    """The metrics for which the campaign's rubric asks everything, in the values that judges give."""
    questions = rubric_from_content(campaign.rubric).questions
    asked = {question.key for question in questions if question.scale.judged_like_predicates}
    return [metric for metric in metrics if asked.issuperset(metric.needs)]


def _audit(
    campaign: CampaignInfo,
    inputs: Inputs,
    outputs: Mapping[str, LabelledOutput],
    metrics: Sequence[Metric],
    kinds: Mapping[str, str],
) -> dict[str, Any]:
    labels = [label for label in inputs.labels if label.campaign == campaign.slug]
    drawn = [item for item in inputs.draws if item.campaign == campaign.slug]
    decided = [decision for decision in inputs.decisions if decision.campaign == campaign.slug]
    truth = audit_truth(labels, decided)
    strata = strata_of(get_protocol(inputs.protocol).bucket, outputs)
    return {
        "campaign": campaign.slug,
        "name": campaign.name,
        "kind": campaign.kind,
        "closed": campaign.closed,
        "drawn": len(drawn),
        "labelled": sum(item.subject in truth for item in drawn),
        "experts": len({label.rater for label in labels}),
        "metrics": {
            metric.key: _metric(metric, outputs, truth, drawn, strata, inputs.seed, closed=campaign.closed)
            for metric in metrics
        },
        "success_types": _success_types(inputs, metrics, kinds, outputs, with_splits(truth, "no")),
    }


def _success_types(
    inputs: Inputs,
    metrics: Sequence[Metric],
    kinds: Mapping[str, str],
    outputs: Mapping[str, LabelledOutput],
    truth: Truth,
) -> list[dict[str, Any]]:
    types = get_protocol(inputs.protocol).success_types
    own = [metric for metric in metrics if types is not None and metric.key == types.metric]
    return success_types_rows(types, kinds, own[0], outputs, truth) if types is not None and own else []


def _metric(
    metric: Metric,
    outputs: Mapping[str, LabelledOutput],
    truth: Truth,
    drawn: Sequence[DrawnItem],
    strata: Mapping[str, str],
    seed: int,
    *,
    closed: bool,
) -> dict[str, Any]:
    sampled = Counter(item.stratum for item in drawn)
    negative = with_splits(truth, "no")
    whole = audited(metric, outputs, negative, drawn, strata)
    found = whole.drawn
    return {
        "title": metric.title,
        "definition": metric.definition,
        "needs": list(metric.needs),
        **audited_document(metric, outputs, truth, drawn, strata, seed=seed),
        "exclusions": _exclusions(metric, outputs, negative, drawn),
        "strata": [
            {
                "stratum": stratum.name,
                "size": stratum.size,
                "drawn": sampled[stratum.name],
                **{cell: getattr(stratum, cell) for cell in _CELLS},
            }
            for stratum in (found if closed else ())
        ],
        "systems": _by_system(metric, outputs, negative, drawn, whole.weighted) if closed else {},
    }


def _by_system(
    metric: Metric,
    outputs: Mapping[str, LabelledOutput],
    truth: Truth,
    drawn: Sequence[DrawnItem],
    weighted: Floats,
) -> dict[str, Any]:
    """The drawn outputs of each system as they are, without the weights of the design: counts, and the precision
    of the judge, which LemmaBench calls PPV of a context's judge and human confidence of a proof's.

    `rogan_gladen` is the judge's share among all outputs of the system, corrected as if the judge erred on it as on
    all systems of the audit (`weighted`, their tables by paper).
    """
    own: dict[str, list[DrawnItem]] = defaultdict(list)
    for item in drawn:
        if item.subject in outputs:
            own[outputs[item.subject].system].append(item)
    found = {}
    for system, items in sorted(own.items()):
        part = audited(metric, outputs, truth, items, {})
        judged = [o for o in outputs.values() if o.system == system and is_eligible(metric, o.labels)]
        said = cluster_totals([metric.success(o) for o in judged], [o.cluster for o in judged])
        found[system] = {
            **{cell: sum(getattr(stratum, cell) for stratum in part.drawn) for cell in _CELLS},
            "precision": in_sample(part.confusion, clusters=part.clusters)["precision"].as_json(),
            "rogan_gladen": transported_score(said, weighted).as_json(),
        }
    return found


def _exclusions(
    metric: Metric, outputs: Mapping[str, LabelledOutput], truth: Truth, drawn: Sequence[DrawnItem]
) -> dict[str, int]:
    """Why drawn outputs are not eligible; the first reason that holds counts."""
    experts = truth_outputs(outputs, truth, metric)
    reasons: Counter[str] = Counter()
    for item in drawn:
        judge, expert = outputs.get(item.subject), experts.get(item.subject)
        if expert is None:
            reasons["not labelled yet"] += 1
        elif judge is None or not is_eligible(metric, judge.labels):
            reasons["judge undecided"] += 1
        elif not is_eligible(metric, expert.labels):
            reasons["experts undecided"] += 1
    return {reason: reasons[reason] for reason in EXCLUSIONS}
