"""The score: what `manage.py score --json`, the score page and the artifact share (reports/scores/shape.py).

Computed from Inputs alone: no rows, no clock, no machine. Equal inputs give equal bytes.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import replace

from benchmark.protocol import LabelledOutput, Metric, Protocol
from benchmark.protocols import get_protocol
from benchmark.rubrics import rubric_from_content
from reports.audit import first_methods as first_audits
from reports.audit.corrections import (
    by_the_draw,
    corrected,
    correction,
    drawn_by_buckets,
    pooled_strata,
    strata_of,
    usable_truth,
)
from reports.audit.left_out import DrawnAudit
from reports.audit.results import audit_truth, expert_truth, judge_against_experts, with_splits
from reports.campaign.agreement import agreement_by_question
from reports.core.datasets import Decision, ExpertLabel, labelled_outputs, tallies
from reports.core.measurements import still_open
from reports.exclusions.rules import exclusions, primary_exclusion, without
from reports.scores.expert_scores import expert_scores
from reports.scores.in_sight import in_sight
from reports.scores.inputs import CampaignInfo, Inputs
from reports.scores.judge_scores import buckets, is_asked, is_scored, metric_score
from reports.scores.lacking import Lacking, lacking, over_all_problems, unanswered_and_unreleased
from reports.scores.measured_scores import measured_scores
from reports.scores.shape import (
    Audit,
    AuditedMetric,
    Corrected,
    ExpertCampaign,
    Judged,
    JudgedSystem,
    MeasuredScores,
    MetricText,
    OutputStates,
    Score,
)

FORMAT = "touchstone-score-1"
Outputs = Mapping[str, LabelledOutput]


def score(inputs: Inputs) -> Score:
    """Everything that is known about how well the systems did on one track of a release.

    An open campaign gives no figure by system (ADR 0016): `questions`, `corrected` and its strata are empty.
    """
    out = primary_exclusion(inputs)
    whole = _scored(inputs, out)
    return replace(
        whole,
        exclusions=exclusions(inputs, _scored) or None,
        in_sight=in_sight(inputs, whole, lambda every: _scored(every, out)),
    )


def _scored(inputs: Inputs, out: Collection[str]) -> Score:
    """The score without the instances `out`."""
    rest = without(inputs, out)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rest.outputs:
        counts[row.system][row.state] += 1
    gone, withheld = lacking(rest), Counter(row.system for row in rest.unreleased)
    systems = {
        system: OutputStates(
            outputs=states.total(),
            answered=states["answered"],
            abstained=states["abstained"],
            failed=states["failed"],
            missing=len(gone[system].missing) or None if system in gone else None,
            not_released=withheld[system] or None,
        )
        for system, states in sorted(counts.items())
    }
    return Score(
        format=FORMAT,
        release=inputs.release,
        release_sha256=inputs.release_sha256,
        frozen=inputs.frozen,
        is_sample=inputs.is_sample,
        protocol=inputs.protocol,
        track=inputs.track,
        condition=inputs.condition or None,
        seed=inputs.seed,
        frozen_tuple=inputs.frozen_tuple.as_json() if inputs.frozen_tuple else None,
        systems=systems,
        not_released={name: withheld[name] for name in sorted(withheld.keys() - systems.keys())} or None,
        measured=_measured(rest, systems),
        judge=_judged(inputs, rest) if inputs.judge else None,
        experts=[_campaign(campaign, rest) for campaign in inputs.campaigns],
    )


def _measured(inputs: Inputs, systems: Mapping[str, OutputStates]) -> MeasuredScores | None:
    """Only of protocols with measures."""
    protocol = get_protocol(inputs.protocol)
    if not protocol.measures:
        return None
    decided = inputs.decided
    found = measured_scores(
        protocol,
        inputs.asked,
        inputs.counted_measures,
        {system: states.answered for system, states in systems.items()},
        seed=inputs.seed,
        opened=still_open(inputs.open_measures, decided),
        settled=decided,
        methods=inputs.methods,
    )
    if inputs.methods > 13:
        return found
    first = first_audits.DEFINITIONS_BEFORE_14
    if inputs.methods == 1:
        first = first | first_audits.FIRST_DEFINITIONS
    measures = {
        key: replace(text, definition=first.get(key, text.definition)) for key, text in found.measures.items()
    }
    return replace(found, measures=measures)


def _judged(inputs: Inputs, rest: Inputs) -> Judged:
    """`rest` is what the scores count; the judge itself is audited on all."""
    assert inputs.judge is not None
    protocol = get_protocol(inputs.protocol)
    outputs = labelled_outputs(inputs.outputs, tallies(inputs.votes), inputs.reached)
    counted = {row.subject for row in rest.outputs}
    members = {subject: output for subject, output in outputs.items() if subject in counted}
    gone = lacking(rest)
    # of the metrics of which this judge was asked nothing on the track it knows nothing
    asked = [
        metric for metric in protocol.metrics if any(is_asked(metric, output) for output in outputs.values())
    ]
    named = [*audited_metrics(protocol), *(metric for metric in protocol.metrics if metric.optional)]
    by_system: dict[str, dict[str, LabelledOutput]] = defaultdict(dict)
    for subject, output in members.items():
        by_system[output.system][subject] = output
    strata: dict[str, dict[str, str]] = defaultdict(dict)
    for row in rest.strata:
        strata[row.division][row.instance] = row.stratum
    systems = {}
    for system, by_subject in sorted(by_system.items()):
        own, lacks = list(by_subject.values()), gone.get(system, Lacking())
        if rest.methods > 6:
            scored = [metric for metric in asked if is_scored(metric, own)]
        else:
            scored = [
                metric for metric in asked if not metric.optional or any(is_asked(metric, one) for one in own)
            ]
        systems[system] = JudgedSystem(
            metrics={
                metric.key: replace(
                    metric_score(metric, own, seed=rest.seed, strata=strata, methods=rest.methods),
                    all_problems=over_all_problems(metric, own, lacks, rest),
                )
                for metric in scored
            },
            buckets=buckets(protocol.bucket, own),
        )
    return Judged(
        label=inputs.judge.label,
        sha256=inputs.judge.sha256,
        metrics={
            metric.key: MetricText(title=metric.title, definition=metric.definition) for metric in named
        },
        systems=systems,
        audits=[
            _audit(protocol, campaign, inputs, outputs, members, by_system)
            for campaign in inputs.campaigns
            if campaign.kind == "audit"
        ],
    )


def _audit(
    protocol: Protocol,
    campaign: CampaignInfo,
    inputs: Inputs,
    outputs: Outputs,
    members: Outputs,
    by_system: Mapping[str, Outputs],
) -> Audit:
    audit = _drawn_audit(campaign, inputs)
    others = [
        _drawn_audit(other, inputs)
        for other in inputs.campaigns
        if other.kind == "audit" and other.closed and other.slug != campaign.slug
    ]
    drawn = audit.drawn
    in_buckets = strata = strata_of(protocol.bucket, outputs)
    otherwise = inputs.methods > 4 and not drawn_by_buckets(audit, in_buckets, inputs.methods)
    if otherwise:
        (audit, strata), others = by_the_draw(audit, outputs), []
    elif inputs.methods > 4:
        others = [other for other in others if drawn_by_buckets(other, in_buckets, inputs.methods)]
    undrawable = {row.subject for row in inputs.undrawable if row.subject in strata}
    known = usable_truth(audit, others, strata, inputs.methods, undrawable)
    usable = known.truth
    together = pooled_strata(strata, known, audit, others, inputs.methods)
    shown = by_system if campaign.closed else {}
    asked = {question.key for question in rubric_from_content(dict(campaign.rubric)).questions}

    def corrected_score(metric: Metric, at: Mapping[str, str], some: Outputs, *, borrow: bool) -> Corrected:
        everywhere = correction(metric, strata, outputs, with_splits(usable, "no")) if borrow else None
        if inputs.methods == 1:
            return first_audits.corrected(correction(metric, at, some, usable), everywhere)
        scenarios = [
            correction(metric, at, some, with_splits(usable, value), known.drawn, known.undrawable)
            for value in ("no", "yes")
        ]
        differ = scenarios[0].strata != scenarios[1].strata
        found = corrected(scenarios[0], everywhere, scenarios[1] if differ else None, inputs.methods)
        return replace(found, empty=None) if otherwise else found  # plans draw by buckets

    def audited(metric: Metric) -> AuditedMetric:
        if inputs.methods == 1:
            found = first_audits.judge_against_experts(
                metric, outputs, audit.truth, audit.drawn, seed=inputs.seed
            )
        else:
            found = judge_against_experts(
                metric,
                outputs,
                audit.truth,
                drawn,
                in_buckets,
                seed=inputs.seed,
                methods=inputs.methods,
            )
        unread = {
            system
            for system, some in by_system.items()
            if inputs.methods > 6 and not is_scored(metric, some.values())
        }
        counted = {subject: output for subject, output in members.items() if output.system not in unread}
        pooled = corrected_score(metric, together, counted, borrow=False)
        if not campaign.closed:  # strata name systems
            pooled = replace(pooled, strata=(), empty=None)
        by_name = {
            system: corrected_score(metric, strata, some, borrow=not otherwise)
            for system, some in sorted(shown.items())
            if system not in unread
        }
        return AuditedMetric(**vars(found), corrected_pooled=pooled, corrected=by_name)

    return Audit(
        campaign=campaign.slug,
        name=campaign.name,
        closed=campaign.closed,
        drawn=len(audit.drawn),
        labelled=sum(item.subject in audit.truth for item in audit.drawn),
        metrics={
            metric.key: audited(metric)
            for metric in audited_metrics(protocol)
            if asked.issuperset(metric.needs)  # of what its experts are not asked a campaign says nothing
        },
    )


def _drawn_audit(campaign: CampaignInfo, inputs: Inputs) -> DrawnAudit:
    drawn = [item for item in inputs.draws if item.campaign == campaign.slug]
    labels = _labels_of(campaign, inputs)
    if inputs.methods == 1:
        return DrawnAudit(drawn, expert_truth(labels))
    truth = audit_truth(labels, _decided(campaign, inputs), inputs.methods)
    return DrawnAudit(drawn, truth, campaign.systems, campaign.leaves_out)


def audited_metrics(protocol: Protocol) -> list[Metric]:
    """The protocol's metrics, and each predicate that is not itself one of them."""
    alone = {metric.needs for metric in protocol.metrics}
    return [
        *(metric for metric in protocol.metrics if not metric.optional),
        *(_predicate_metric(p.key) for p in protocol.predicates if (p.key,) not in alone),
    ]


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


def _campaign(campaign: CampaignInfo, inputs: Inputs) -> ExpertCampaign:
    rubric = rubric_from_content(dict(campaign.rubric))
    labels = _labels_of(campaign, inputs)
    unanswered, unreleased = unanswered_and_unreleased(inputs, labels)
    papers = {row.instance: row.cluster for row in inputs.outputs}
    questions = expert_scores(
        rubric,
        inputs.outputs,
        labels,
        _decided(campaign, inputs),
        get_protocol(inputs.protocol).step_measures,
        unreleased,
        unanswered,
        methods=inputs.methods,
    )
    return ExpertCampaign(
        campaign=campaign.slug,
        name=campaign.name,
        kind=campaign.kind,
        rubric=rubric.label,
        closed=campaign.closed,
        questions=questions if campaign.closed else {},
        agreement=agreement_by_question(rubric, labels, papers, seed=inputs.seed, methods=inputs.methods),
    )
