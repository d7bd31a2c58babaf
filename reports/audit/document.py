"""A judge against the experts, in full: every coefficient with the strata and exclusions behind it. No rows here."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, cast

from accounts.refusal import Refused
from benchmark.protocol import LabelledOutput, Metric
from benchmark.protocols import get_protocol
from benchmark.rubrics import rubric_from_content
from reports.audit.corrections import strata_of
from reports.audit.results import (
    Truth,
    audit_truth,
    audited,
    is_eligible,
    judge_against_experts,
    truth_outputs,
    with_splits,
)
from reports.core.datasets import DrawnItem, labelled_outputs, tallies
from reports.scores.document import audited_metrics
from reports.scores.inputs import Inputs
from reports.scores.shape import JudgeAgainstExperts
from reports.scores.success_types import SuccessType, success_types_rows
from stats.audit.confusion import in_sample
from stats.audit.rogan_gladen import transported_score
from stats.core.bootstrap import Floats
from stats.core.estimate import Estimate
from stats.scores.clusters import cluster_totals

FORMAT = "touchstone-judge-audit-1"
KINDS = ("audit", "grade")
EXCLUSIONS = ("not labelled yet", "judge undecided", "experts undecided")
_CELLS = ("tp", "fp", "fn", "tn", "ineligible")


@dataclass(frozen=True, kw_only=True)
class CountedStratum:
    stratum: str
    size: int
    drawn: int
    tp: int
    fp: int
    fn: int
    tn: int
    ineligible: int

    @property
    def eligible(self) -> int:
        """Drawn outputs in the confusion matrix."""
        return self.tp + self.fp + self.fn + self.tn


@dataclass(frozen=True, kw_only=True)
class AuditedSystem:
    """The drawn outputs of a system."""

    tp: int
    fp: int
    fn: int
    tn: int
    ineligible: int
    precision: Annotated[Estimate, "Of the drawn outputs as they are, not weighted by the design."]
    rogan_gladen: Annotated[Estimate, "The judge’s share, if it errs here as on all audited outputs."]


@dataclass(frozen=True, kw_only=True)
class FullyAuditedMetric(JudgeAgainstExperts):
    title: str
    definition: str
    needs: Sequence[str]
    exclusions: Mapping[str, int]
    strata: Sequence[CountedStratum]
    splits: Annotated[int, "Experts split evenly and nobody decided."]
    missing: Annotated[int, "Drawn outputs without the labels needed."]
    systems: Annotated[Mapping[str, AuditedSystem], "Empty while the campaign is open."]


@dataclass(frozen=True, kw_only=True)
class FullAudit:
    campaign: str
    name: str
    kind: Literal["audit", "grade"]
    closed: bool
    drawn: int
    labelled: int
    experts: int
    metrics: Mapping[str, FullyAuditedMetric]
    success_types: Sequence[SuccessType]


@dataclass(frozen=True, kw_only=True)
class JudgeAudit:
    """The judge of one track against the experts; strata are listed once an audit is closed."""

    format: str
    release: str
    track: str
    seed: int
    judge: Mapping[str, str]
    audits: Sequence[FullAudit]


def judge_audit(inputs: Inputs, kinds: Mapping[str, str]) -> JudgeAudit:
    """Every campaign of this track that answered a question of the judge's. Raises Refused without a judge.

    That is an audit, or a campaign of grades whose rubric asks a predicate of the protocol; by the metrics whose
    predicates are all in the rubric. Items of both were drawn by strata, so both can be weighted by the design.

    Strata name systems, so those of an audit that is still open are left out, and so are figures by system:
    before the close nobody learns from the experts' labels how a system does. `kinds` are the types of the
    judge's successes by subject (reports/scores/success_types.py).
    """
    if inputs.judge is None:
        raise Refused(
            "No judge has given a verdict on this track, so there is nothing to audit.", code="no_judge"
        )
    outputs = labelled_outputs(inputs.outputs, tallies(inputs.votes), inputs.reached)
    protocol = get_protocol(inputs.protocol)
    metrics, types = audited_metrics(protocol), protocol.success_types
    strata = strata_of(protocol.bucket, outputs)
    audits = []
    for campaign in (campaign for campaign in inputs.campaigns if campaign.kind in KINDS):
        # the metrics for which the rubric asks everything, in the values that judges give
        questions = rubric_from_content(campaign.rubric).questions
        asked = {question.key for question in questions if question.scale.judged_like_predicates}
        answered = [metric for metric in metrics if asked.issuperset(metric.needs)]
        if not answered:
            continue
        labels = [label for label in inputs.labels if label.campaign == campaign.slug]
        drawn = [item for item in inputs.draws if item.campaign == campaign.slug]
        decided = [decision for decision in inputs.decisions if decision.campaign == campaign.slug]
        truth = audit_truth(labels, decided)
        typed = next((metric for metric in answered if types and metric.key == types.metric), None)
        audits.append(
            FullAudit(
                campaign=campaign.slug,
                name=campaign.name,
                kind=cast(Literal["audit", "grade"], campaign.kind),
                closed=campaign.closed,
                drawn=len(drawn),
                labelled=sum(item.subject in truth for item in drawn),
                experts=len({label.rater for label in labels}),
                metrics={
                    metric.key: _metric(
                        metric, outputs, truth, drawn, strata, inputs.seed, closed=campaign.closed
                    )
                    for metric in answered
                },
                success_types=success_types_rows(types, kinds, typed, outputs, with_splits(truth, "no"))
                if types and typed
                else [],
            )
        )
    return JudgeAudit(
        format=FORMAT,
        release=inputs.release,
        track=inputs.track,
        seed=inputs.seed,
        judge={"label": inputs.judge.label, "model": inputs.judge.model, "sha256": inputs.judge.sha256},
        audits=audits,
    )


def _metric(
    metric: Metric,
    outputs: Mapping[str, LabelledOutput],
    truth: Truth,
    drawn: Sequence[DrawnItem],
    strata: Mapping[str, str],
    seed: int,
    *,
    closed: bool,
) -> FullyAuditedMetric:
    sampled = Counter(item.stratum for item in drawn)
    negative = with_splits(truth, "no")
    whole = audited(metric, outputs, negative, drawn, strata)
    # why drawn outputs are not eligible; the first reason that holds counts
    experts = truth_outputs(outputs, negative, metric)
    reasons: Counter[str] = Counter()
    for item in drawn:
        judge, expert = outputs.get(item.subject), experts.get(item.subject)
        if expert is None:
            reasons["not labelled yet"] += 1
        elif judge is None or not is_eligible(metric, judge.labels):
            reasons["judge undecided"] += 1
        elif not is_eligible(metric, expert.labels):
            reasons["experts undecided"] += 1
    return FullyAuditedMetric(
        **vars(judge_against_experts(metric, outputs, truth, drawn, strata, seed=seed)),
        title=metric.title,
        definition=metric.definition,
        needs=metric.needs,
        exclusions={reason: reasons[reason] for reason in EXCLUSIONS},
        strata=[
            CountedStratum(
                stratum=stratum.name,
                size=stratum.size,
                drawn=sampled[stratum.name],
                **{cell: getattr(stratum, cell) for cell in _CELLS},
            )
            for stratum in (whole.drawn if closed else ())
        ],
        systems=_by_system(metric, outputs, negative, drawn, whole.weighted) if closed else {},
    )


def _by_system(
    metric: Metric,
    outputs: Mapping[str, LabelledOutput],
    truth: Truth,
    drawn: Sequence[DrawnItem],
    weighted: Floats,
) -> dict[str, AuditedSystem]:
    """The drawn outputs of each system as they are, without the weights of the design: counts, and the precision
    of the judge, which LemmaBench calls PPV of a context's judge and human confidence of a proof's.

    `rogan_gladen` is the judge's share of yes among its yes and no about the system, corrected as if the judge erred on
    it as on all systems of the audit (`weighted`, their tables by paper).
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
        found[system] = AuditedSystem(
            **{cell: sum(getattr(stratum, cell) for stratum in part.drawn) for cell in _CELLS},
            precision=in_sample(part.confusion, clusters=part.clusters)["precision"],
            rogan_gladen=transported_score(said, weighted),
        )
    return found
