"""The score document: what `manage.py score --json`, the score page and the artifact share.

Computed from Inputs alone: no rows, no clock, no machine. Equal inputs give equal bytes.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from benchmark.protocol import LabelledOutput, Metric, Protocol
from benchmark.protocols import get_protocol
from benchmark.rubrics import rubric_from_content
from reports.audit import first_methods as first_audits
from reports.audit.corrections import (
    Audit,
    corrected_document,
    correction,
    pooled_strata,
    strata_of,
    usable_truth,
    without_strata,
)
from reports.audit.results import audit_truth, audited_document, expert_truth, with_splits
from reports.campaign.agreement import agreement_document
from reports.core.datasets import Decision, ExpertLabel, labelled_outputs, tallies
from reports.exclusions.rules import exclusion_documents, primary_exclusion, without
from reports.scores.expert_scores import expert_document
from reports.scores.in_sight import in_sight_document
from reports.scores.inputs import CampaignInfo, Inputs
from reports.scores.judge_scores import buckets, is_asked, metric_document
from reports.scores.lacking import Lacking, lacking, over_all_problems
from reports.scores.measured_scores import measured_document
from reports.scores.settled import still_open

FORMAT = "touchstone-score-1"
Outputs = Mapping[str, LabelledOutput]


def score(inputs: Inputs) -> dict[str, Any]:
    """Everything that is known about how well the systems did on one track of a release.

    An open campaign gives no figure by system (ADR 0016): `questions`, `corrected` and its strata are empty.
    `exclusions` is there only where rules are declared (reports/exclusions/rules.py), `in_sight` only where labels
    were given in sight of a verdict (reports/scores/in_sight.py), `not_released` only where systems released nothing.
    """
    out = primary_exclusion(inputs)
    whole = _scored(inputs, out)
    beside = {
        "exclusions": exclusion_documents(inputs, _scored),
        "in_sight": in_sight_document(inputs, whole, lambda every: _scored(every, out)),
    }
    return whole | {name: found for name, found in beside.items() if found}


def _scored(inputs: Inputs, out: Collection[str]) -> dict[str, Any]:
    """The score without the instances `out`."""
    rest = without(inputs, out)
    return {
        "format": FORMAT,
        "release": inputs.release,
        "release_sha256": inputs.release_sha256,
        "frozen": inputs.frozen,
        "is_sample": inputs.is_sample,
        "protocol": inputs.protocol,
        "track": inputs.track,
        **({"condition": inputs.condition} if inputs.condition else {}),
        "seed": inputs.seed,
        **({"frozen_tuple": asdict(inputs.frozen_tuple)} if inputs.frozen_tuple else {}),
        "systems": (systems := _systems(rest)),
        **_not_released(rest),
        **_measured_part(rest, systems),
        "judge": _judge_part(inputs, rest) if inputs.judge else None,
        "experts": [_campaign_part(campaign, rest) for campaign in inputs.campaigns],
    }


def _systems(inputs: Inputs) -> dict[str, dict[str, int]]:
    """Outputs of every system that has any, by state; with them, if there are any, what is missing or not released."""
    counts: dict[str, dict[str, int]] = defaultdict(lambda: {"answered": 0, "abstained": 0, "failed": 0})
    for row in inputs.outputs:
        counts[row.system][row.state] += 1
    found = {system: {"outputs": sum(states.values()), **states} for system, states in sorted(counts.items())}
    for system, gone in lacking(inputs).items():
        if gone.missing:
            found[system]["missing"] = len(gone.missing)
    for system, number in Counter(row.system for row in inputs.unreleased).items():
        if system in found:
            found[system]["not_released"] = number
    return found


def _not_released(inputs: Inputs) -> dict[str, Any]:
    """Systems of which nothing was released, with the number of problems: a state, and no zero in any table."""
    there = {row.system for row in inputs.outputs}
    counts = Counter(row.system for row in inputs.unreleased if row.system not in there)
    return {"not_released": dict(sorted(counts.items()))} if counts else {}


def _measured_part(inputs: Inputs, systems: Mapping[str, Mapping[str, int]]) -> dict[str, Any]:
    """Only of protocols with measures: the document of any other stays as it always was."""
    protocol = get_protocol(inputs.protocol)
    if not protocol.measures:
        return {}
    answered = {system: counts["answered"] for system, counts in systems.items()}
    decided = inputs.decided
    found = measured_document(
        protocol,
        inputs.asked,
        inputs.counted_measures,
        answered,
        seed=inputs.seed,
        opened=still_open(inputs.open_measures, decided),
        settled=decided,
    )
    if inputs.methods == 1:
        for key, definition in first_audits.FIRST_DEFINITIONS.items():
            if key in found["measures"]:
                found["measures"][key]["definition"] = definition
    return {"measured": found}


def _judge_part(inputs: Inputs, rest: Inputs) -> dict[str, Any]:
    """`rest` is what the scores count; the judge itself is audited on all."""
    assert inputs.judge is not None
    protocol = get_protocol(inputs.protocol)
    outputs = labelled_outputs(inputs.outputs, tallies(inputs.votes), inputs.reached)
    counted = {row.subject for row in rest.outputs}
    members = {subject: output for subject, output in outputs.items() if subject in counted}
    gone = lacking(rest)
    asked = [
        metric for metric in protocol.metrics if any(is_asked(metric, output) for output in outputs.values())
    ]
    by_system: dict[str, dict[str, LabelledOutput]] = defaultdict(dict)
    for subject, output in members.items():
        by_system[output.system][subject] = output
    return {
        "label": inputs.judge.label,
        "sha256": inputs.judge.sha256,
        "metrics": {m.key: {"title": m.title, "definition": m.definition} for m in _named_metrics(protocol)},
        "systems": {
            system: _system_part(protocol, list(of.values()), rest, asked, gone.get(system, Lacking()))
            for system, of in sorted(by_system.items())
        },
        "audits": [
            _audit_part(protocol, campaign, inputs, outputs, members, by_system)
            for campaign in inputs.campaigns
            if campaign.kind == "audit"
        ],
    }


def _system_part(
    protocol: Protocol,
    members: Sequence[LabelledOutput],
    inputs: Inputs,
    asked: Sequence[Metric],
    gone: Lacking,
) -> dict[str, Any]:
    """`asked` are the metrics of which this judge was asked something on the track; of the others it knows nothing."""
    strata: dict[str, dict[str, str]] = defaultdict(dict)
    for row in inputs.strata:
        strata[row.division][row.instance] = row.stratum
    return {
        "metrics": {
            metric.key: metric_document(
                metric, members, seed=inputs.seed, strata=strata, methods=inputs.methods
            )
            | over_all_problems(metric, members, gone, inputs)
            for metric in asked
            if not metric.optional or any(is_asked(metric, output) for output in members)
        },
        "buckets": buckets(protocol.bucket, members),
    }


def _audit_part(
    protocol: Protocol,
    campaign: CampaignInfo,
    inputs: Inputs,
    outputs: Outputs,
    members: Outputs,
    by_system: Mapping[str, Outputs],
) -> dict[str, Any]:
    audit = _audit(campaign, inputs)
    others = [_audit(c, inputs) for c in _closed_audits(inputs) if c.slug != campaign.slug]
    strata = strata_of(protocol.bucket, outputs)
    usable = usable_truth(audit, others, strata)
    together = pooled_strata(strata, usable, audit, others)
    shown = by_system if campaign.closed else {}

    def corrected(metric: Metric, at: Mapping[str, str], some: Outputs, *, borrow: bool) -> dict[str, Any]:
        everywhere = correction(metric, strata, outputs, with_splits(usable, "no")) if borrow else None
        if inputs.methods == 1:
            return first_audits.corrected_document(correction(metric, at, some, usable), everywhere)
        scenarios = [
            correction(metric, at, some, with_splits(usable, value), audit.drawn) for value in ("no", "yes")
        ]
        differ = scenarios[0].strata != scenarios[1].strata
        return corrected_document(scenarios[0], everywhere, scenarios[1] if differ else None)

    def coefficients(metric: Metric) -> dict[str, Any]:
        if inputs.methods == 1:
            return first_audits.audit_document(metric, outputs, audit.truth, audit.drawn, seed=inputs.seed)
        found = (metric, outputs, audit.truth, audit.drawn, strata)
        return audited_document(*found, seed=inputs.seed, methods=inputs.methods)

    def figures(metric: Metric) -> dict[str, Any]:
        pooled = corrected(metric, together, members, borrow=False)
        return {
            **coefficients(metric),
            "corrected_pooled": pooled if campaign.closed else without_strata(pooled),
            "corrected": {
                system: corrected(metric, strata, some, borrow=True) for system, some in sorted(shown.items())
            },
        }

    return {
        "campaign": campaign.slug,
        "name": campaign.name,
        "closed": campaign.closed,
        "drawn": len(audit.drawn),
        "labelled": sum(item.subject in audit.truth for item in audit.drawn),
        "metrics": {
            metric.key: figures(metric) for metric in audited_metrics(protocol) if _asks(campaign, metric)
        },
    }


def _asks(campaign: CampaignInfo, metric: Metric) -> bool:
    """Whether the campaign's experts are asked everything that the metric needs; of others it says nothing."""
    asked = {question.key for question in rubric_from_content(dict(campaign.rubric)).questions}
    return asked.issuperset(metric.needs)


def _closed_audits(inputs: Inputs) -> list[CampaignInfo]:
    return [campaign for campaign in inputs.campaigns if campaign.kind == "audit" and campaign.closed]


def _audit(campaign: CampaignInfo, inputs: Inputs) -> Audit:
    drawn = [item for item in inputs.draws if item.campaign == campaign.slug]
    labels = _labels_of(campaign, inputs)
    first = inputs.methods == 1
    return Audit(drawn, expert_truth(labels) if first else audit_truth(labels, _decided(campaign, inputs)))


def audited_metrics(protocol: Protocol) -> list[Metric]:
    """The protocol's metrics, and each predicate that is not itself one of them."""
    alone = {metric.needs for metric in protocol.metrics}
    return [
        *(metric for metric in protocol.metrics if not metric.optional),
        *(_predicate_metric(p.key) for p in protocol.predicates if (p.key,) not in alone),
    ]


def _named_metrics(protocol: Protocol) -> list[Metric]:
    return [*audited_metrics(protocol), *(metric for metric in protocol.metrics if metric.optional)]


def _predicate_metric(key: str) -> Metric:
    return Metric(
        key=key,
        title=key.replace("_", " ").capitalize(),
        definition=f"Outputs for which {key} is yes.",
        needs=(key,),
        success=lambda output: output.labels.get(key) == "yes",
    )


def _labels_of(campaign: CampaignInfo, inputs: Inputs) -> list[ExpertLabel]:
    return [label for label in inputs.labels if label.campaign == campaign.slug]


def _decided(campaign: CampaignInfo, inputs: Inputs) -> list[Decision]:
    return [row for row in inputs.decisions if row.campaign == campaign.slug]


def _campaign_part(campaign: CampaignInfo, inputs: Inputs) -> dict[str, Any]:
    rubric = rubric_from_content(dict(campaign.rubric))
    labels = _labels_of(campaign, inputs)
    return {
        "campaign": campaign.slug,
        "name": campaign.name,
        "kind": campaign.kind,
        "rubric": rubric.label,
        "closed": campaign.closed,
        "questions": (
            expert_document(
                rubric,
                inputs.outputs,
                labels,
                _decided(campaign, inputs),
                get_protocol(inputs.protocol).step_measures,
                inputs.unreleased,
                {system: gone.missing for system, gone in lacking(inputs).items()},
            )
            if campaign.closed
            else {}
        ),
        "agreement": agreement_document(rubric, labels, seed=inputs.seed, methods=inputs.methods),
    }
