"""What systems can be compared by: for each output 1 or 0 from the fixed judge or the experts, or its measure.

No rows here.
Everything comes from the Inputs of one track of one release, so nothing is ever compared across releases,
tracks or special conditions. Two outputs are about the same item when they share instance and attempt.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from accounts.refusal import Refused
from benchmark.protocol import LabelledOutput
from benchmark.protocols import get_protocol
from benchmark.rubrics import Question, rubric_from_content
from reports.core.choosing import named_or_first
from reports.core.datasets import label_value, labelled_outputs, tallies
from reports.core.wording import in_words
from reports.exclusions.rules import left_out, without
from reports.scores.inputs import CampaignInfo, Inputs
from reports.scores.judge_scores import is_unavailable

Item = tuple[str, int]
JUDGE: Final = "judge"
EXPERTS: Final = "experts"
MEASURE: Final = "measure"


@dataclass(frozen=True)
class OutcomeKind:
    """One way to value an output. `key` is `judge:METRIC`, `measure:MEASURE` or `CAMPAIGN:QUESTION`.

    `binary`: every value is 1 (a success) or 0; otherwise a number between.
    """

    key: str
    source: Literal["judge", "experts", "measure"]
    title: str
    definition: str
    campaign: str = ""
    binary: bool = True


@dataclass(frozen=True)
class Outcomes:
    """`successes[system][item]` is 1 or 0, or the value of a measure; an item that a system lacks has no
    usable label there.

    `clusters` names each item's paper. `by_rule` counts abstained and failed outputs: negative unseen where
    they are kept, otherwise `left_out`. `excluded` counts instances that the primary exclusion rule leaves out.
    """

    kind: OutcomeKind
    successes: Mapping[str, Mapping[Item, float]]
    clusters: Mapping[Item, str]
    by_rule: Mapping[str, int]
    left_out: Mapping[str, int]
    excluded: int = 0


def outcome_kinds(inputs: Inputs) -> list[OutcomeKind]:
    """What this track can be compared by: metrics under its judge, measures, choices of closed gradings.

    Open campaigns are absent: before the close nobody learns from them how a system does. Audits are absent:
    their samples are drawn by what the judge said, so the sampled outputs of two systems do not match.
    """
    protocol = get_protocol(inputs.protocol)
    known = {row.measure for row in inputs.measured}
    kinds = []
    if inputs.judge:
        kinds += [
            OutcomeKind(f"{JUDGE}:{metric.key}", JUDGE, f"{metric.title}, fixed judge", metric.definition)
            for metric in protocol.metrics
            if not metric.optional
        ]
    kinds += [
        OutcomeKind(
            f"{MEASURE}:{measure.key}", MEASURE, measure.title, measure.definition, binary=measure.binary
        )
        for measure in protocol.measures
        if measure.key in known
    ]
    for campaign in (c for c in inputs.campaigns if c.closed and c.kind == "grade"):
        kinds += [
            OutcomeKind(
                key=f"{campaign.slug}:{question.key}",
                source=EXPERTS,
                title=f"{in_words(question.key).capitalize()}, experts of {campaign.name}",
                definition=f"More than half of an output’s experts answer “{question.scale.success_in_words}” "
                f"to: {question.text} An adjudicator’s decision replaces their answers.",
                campaign=campaign.slug,
            )
            for question in _choices(campaign)
        ]
    return kinds


def chosen_kind(inputs: Inputs, key: str) -> OutcomeKind:
    """The kind called `key`, or the first. Raises Refused naming what there is."""
    kinds = {kind.key: kind for kind in outcome_kinds(inputs)}
    if not kinds:
        raise Refused(
            "Nothing to compare yet: a judge must have verdicts on this track, or a grading campaign must be closed.",
            code="no_outcome",
        )
    return kinds[named_or_first(list(kinds), key, "outcome")]


def outcomes(inputs: Inputs, kind: OutcomeKind) -> Outcomes:
    """The successes that `kind` means, on the instances that the score counts.

    Every instance counts for every system that a measure applies to.
    """
    out = left_out(inputs)
    excluded = len({row.instance for row in inputs.outputs} & set(out))
    inputs = without(inputs, out)
    found, key = _Collected(), kind.key.partition(":")[2]
    if kind.source == JUDGE:
        metric = next(metric for metric in get_protocol(inputs.protocol).metrics if metric.key == key)
        for output in labelled_outputs(inputs.outputs, tallies(inputs.votes), inputs.reached).values():
            if not output.is_judged_by(metric.needs):
                found.add_by_rule(output)
            elif is_unavailable(metric, output):
                found.leave_out(output)
            else:
                found.add(output, int(metric.success(output)))
        return found.outcomes(kind, excluded)
    if kind.source == MEASURE:
        papers = {asked.instance: asked.cluster for asked in inputs.asked}
        for row in inputs.counted_measures:
            if row.measure == key:
                item = (row.instance, row.attempt)
                found.successes[row.system][item] = row.value
                found.clusters[item] = papers[row.instance]
                found.by_rule[row.system] += row.state != "answered"
        return found.outcomes(kind, excluded)
    campaign = next(c for c in inputs.campaigns if c.slug == kind.campaign)
    question = next(question for question in _choices(campaign) if question.key == key)
    answers: dict[str, list[str]] = defaultdict(list)
    graded = set()
    for label in inputs.labels:
        if label.campaign == campaign.slug and label.state in ("answered", "abstain") and not label.step:
            graded.add(label.subject)
            if label.question == question.key and (value := label_value(question.scale, label)):
                answers[label.subject].append(value)
    for decision in inputs.decisions:
        if (decision.campaign, decision.question, decision.step) == (campaign.slug, question.key, ""):
            answers[decision.subject] = [decision.value]
    drawn = [item for item in inputs.draws if item.campaign == campaign.slug]
    census = all(item.sample_size == item.stratum_size for item in drawn)
    outputs = labelled_outputs(inputs.outputs, {})
    covered = {(outputs[s].instance, outputs[s].attempt) for s in graded if s in outputs}
    for subject, output in outputs.items():
        if subject in answers:
            found.add(output, int(question.scale.passed_by_majority(answers[subject])))
        elif output.state != "answered" and census and (output.instance, output.attempt) in covered:
            found.add_by_rule(output)
        elif (output.instance, output.attempt) in covered:
            found.leave_out(output)
    return found.outcomes(kind, excluded)


def _choices(campaign: CampaignInfo) -> Iterator[Question]:
    rubric = rubric_from_content(dict(campaign.rubric))
    return (question for question in rubric.questions if question.scale.passes)


class _Collected:
    """Successes while they are gathered."""

    def __init__(self) -> None:
        self.successes: dict[str, dict[Item, float]] = defaultdict(dict)
        self.clusters: dict[Item, str] = {}
        self.by_rule: dict[str, int] = defaultdict(int)
        self.left_out: dict[str, int] = defaultdict(int)

    def add(self, output: LabelledOutput, success: int) -> None:
        item = (output.instance, output.attempt)
        self.successes[output.system][item] = success
        self.clusters[item] = output.cluster

    def add_by_rule(self, output: LabelledOutput) -> None:
        self.add(output, 0)
        self.by_rule[output.system] += 1

    def leave_out(self, output: LabelledOutput) -> None:
        self.left_out[output.system] += 1

    def outcomes(self, kind: OutcomeKind, excluded: int) -> Outcomes:
        ordered = {system: self.successes[system] for system in sorted(self.successes)}
        return Outcomes(kind, ordered, self.clusters, dict(self.by_rule), dict(self.left_out), excluded)
