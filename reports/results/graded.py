"""Every output as the experts of one closed campaign graded it, or as the judge alone did. No rows here.

A grading is read by one of its questions: the first with ordered levels some of which count as solved, else the first
that says solved or not, else the first with values. An audit is read by a metric, because its experts answer what the
judge answers. Nothing of an open campaign is read (ADR 0016).
"""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from accounts.refusal import Refused
from benchmark.protocol import LabelledOutput, Metric
from benchmark.protocols import get_protocol
from benchmark.rubrics import Question, rubric_from_content
from reports.audit.results import audit_truth, cell_of, is_eligible, truth_outputs, with_splits
from reports.core.datasets import ExpertLabel, label_value, labelled_outputs, tallies
from reports.scores.document import audited_metrics
from reports.scores.inputs import CampaignInfo, Inputs
from stats.core.display import rounded
from stats.core.scale import NAMED, Scale

YES_OR_NO = NAMED["predicate"]


@dataclass(frozen=True)
class Graded:
    """One output. `answers` are the experts' values by rater, `level` the value shown, "" where nobody gave one.

    `solved` is None where the scale does not say what counts as solved. `decided`: an adjudicator gave the level.
    `cell` is where an audited output is in the table of judge and experts, "" elsewhere.
    """

    subject: str
    answers: Mapping[str, str]
    level: str
    solved: bool | None
    verdicts_differ: bool
    decided: bool = False
    cell: str = ""

    @property
    def number(self) -> float:
        """On an interval scale what is counted: the decision, else the mean of the answers, which `level` rounds."""
        if self.decided or not self.answers:
            return float(self.level)
        return sum(map(float, self.answers.values())) / len(self.answers)

    @property
    def levels_differ(self) -> bool:
        return len(set(self.answers.values())) > 1

    def splits(self, by: str) -> bool:
        """Whether it is a split by the campaign's threshold: different verdicts, or different levels."""
        return self.verdicts_differ if by == "verdict" else self.levels_differ


@dataclass(frozen=True)
class Reading:
    """What is shown of a track. `campaign` is None where only a judge has graded; `question` is None of a metric."""

    scale: Scale
    title: str
    campaign: CampaignInfo | None = None
    question: Question | None = None
    metric: Metric | None = None
    outputs: Mapping[str, Graded] = field(default_factory=dict)

    @property
    def key(self) -> str:
        return self.question.key if self.question else self.metric.key if self.metric else ""


def closed_campaigns(inputs: Inputs) -> list[CampaignInfo]:
    """Those whose labels may be read: whole gradings first, because an audit draws by what the judge said, and of these
    the one with labels of the most outputs, so that a second look at a few does not come before the study itself."""
    closed = [campaign for campaign in inputs.campaigns if campaign.closed]
    outputs = Counter(
        campaign for campaign, _ in {(label.campaign, label.subject) for label in inputs.labels}
    )
    return sorted(
        closed, key=lambda campaign: (campaign.kind != "grade", -outputs[campaign.slug], campaign.slug)
    )


def reading(inputs: Inputs, campaign: str = "", question: str = "") -> Reading | None:
    """The campaign and question asked for, or the first; the judge's verdicts where no expert has graded.

    None where there is nothing to show by output. Raises Refused for a campaign or question that is not there.
    """
    closed = {one.slug: one for one in closed_campaigns(inputs)}
    if campaign and campaign not in closed:
        there = ", ".join(closed) or "none"
        raise Refused(
            f"There is no closed campaign {campaign!r} here; there are: {there}.", code="no_campaign"
        )
    for one in [closed[campaign]] if campaign else closed.values():
        found = _audit(inputs, one) if one.kind == "audit" and not question else None
        if found := found or _grading(inputs, one, question):
            return found
    metrics = [metric for metric in get_protocol(inputs.protocol).metrics if not metric.optional]
    if campaign or question or inputs.campaigns or not inputs.judge or not metrics:
        return None
    outputs = {
        subject: Graded(subject, {}, verdict, verdict == "yes", verdicts_differ=False)
        for subject, output in labelled_outputs(inputs.outputs, tallies(inputs.votes), inputs.reached).items()
        if (verdict := _verdict(metrics[0], output))
    }
    return Reading(YES_OR_NO, metrics[0].title, None, None, metrics[0], outputs)


def readable_questions(campaign: CampaignInfo) -> list[Question]:
    """Questions with one value for an output, the one that says most first."""
    questions = rubric_from_content(dict(campaign.rubric)).questions
    single = [one for one in questions if one.scale.kind == "choice"]
    return sorted(single, key=lambda one: (not one.scale.passes, not one.scale.ranked))


def level_of(scale: Scale, values: Sequence[str]) -> str:
    """The commonest value; where several are, the middle one of an ordered scale (the lower of two), else unclear.

    An abstention that has no place on the scale is below all values, for it is no success either. On an interval scale
    the mean with one decimal, with two where it is no wider than 1; one value as it was given.
    """
    if scale.aggregation == "mean":
        if len(set(values)) == 1:
            return values[0]
        low, high = scale.range
        mean = rounded(sum(map(float, values)) / len(values), places=1 if high - low > 1 else 2)
        return mean.rstrip("0").removesuffix(".")
    (first, most), *others = Counter(values).most_common(2)
    if not others or others[0][1] < most:
        return first
    if not scale.ranked:
        return scale.unclear
    by_height = sorted(values, key=lambda value: scale.height(value) if value in scale.values else -math.inf)
    return by_height[(len(values) - 1) // 2]


def _grading(inputs: Inputs, campaign: CampaignInfo, key: str) -> Reading | None:
    questions = readable_questions(campaign)
    named = [question for question in questions if key in ("", question.key)]
    if key and not named:
        there = ", ".join(question.key for question in questions) or "none"
        raise Refused(
            f"{campaign.slug} has no question {key!r} to show; there are: {there}.", code="no_question"
        )
    if not named:
        return None
    question, scale = named[0], named[0].scale
    said: dict[str, dict[str, str]] = defaultdict(dict)
    for label in inputs.labels:
        if (label.campaign, label.question, label.step) == (campaign.slug, question.key, ""):
            value = label_value(scale, label)
            if value:
                said[label.subject][label.rater] = value
    final = {
        row.subject: row.value
        for row in inputs.decisions
        if (row.campaign, row.question, row.step) == (campaign.slug, question.key, "")
    }
    outputs = {}
    for subject in sorted({*said, *final}):
        values, decided = list(said[subject].values()), final.get(subject)
        passed = {value in scale.success for value in values}
        solved = decided in scale.success if decided else scale.passed_by_majority(values)
        outputs[subject] = Graded(
            subject=subject,
            answers=dict(sorted(said[subject].items(), key=lambda one: rater_number(one[0]))),
            level=decided or level_of(scale, values),
            solved=solved if scale.passes else None,
            # without a notion of solved, different values are different verdicts
            verdicts_differ=len(passed) > 1 if scale.passes else len(set(values)) > 1,
            decided=bool(decided),
        )
    return Reading(scale, question.text, campaign, question, None, outputs)


def _audit(inputs: Inputs, campaign: CampaignInfo) -> Reading | None:
    """By the first metric whose questions the audit asked; each expert's verdict follows from their own answers."""
    asked = {question.key for question in rubric_from_content(dict(campaign.rubric)).questions}
    metrics = [m for m in audited_metrics(get_protocol(inputs.protocol)) if asked.issuperset(m.needs)]
    if not metrics:
        return None
    metric = metrics[0]
    labels = [label for label in inputs.labels if label.campaign == campaign.slug]
    decisions = [row for row in inputs.decisions if row.campaign == campaign.slug]
    judged = labelled_outputs(inputs.outputs, tallies(inputs.votes), inputs.reached)
    truth = truth_outputs(judged, with_splits(audit_truth(labels, decisions), "no"), metric)
    settled = {row.subject for row in decisions if row.question in metric.needs and not row.step}
    by_rater: dict[str, dict[str, list[ExpertLabel]]] = defaultdict(lambda: defaultdict(list))
    for label in labels:
        by_rater[label.subject][label.rater].append(label)
    outputs = {}
    for subject, expert in truth.items():
        # an expert who left one of the questions open is in no count of agreement
        answers = {
            rater: verdict
            for rater, given in sorted(by_rater[subject].items(), key=lambda one: rater_number(one[0]))
            if (
                verdict := _verdict(
                    metric, truth_outputs(judged, audit_truth(given, ()), metric).get(subject)
                )
            )
        }
        level = _verdict(metric, expert) or YES_OR_NO.unclear
        differ = len(set(answers.values())) > 1
        outputs[subject] = Graded(
            subject,
            answers,
            level,
            level == "yes",
            differ,
            subject in settled,
            cell_of(metric, judged.get(subject), expert),
        )
    return Reading(YES_OR_NO, metric.title, campaign, None, metric, outputs)


def _verdict(metric: Metric, output: LabelledOutput | None) -> str:
    """ "yes" or "no", "" where a label that it needs says neither."""
    if output is None or not is_eligible(metric, output.labels):
        return ""
    return "yes" if metric.success(output) else "no"


def rater_number(rater: str) -> int:
    """7 of "expert-7"."""
    return int(rater.rpartition("-")[2])


@dataclass(frozen=True)
class RaterPair:
    """Two raters: on how many of the outputs that both graded their values differ."""

    first: str
    second: str
    differ: int
    both: int


def rater_pairs(outputs: Collection[Graded]) -> list[RaterPair]:
    """Every two raters with an output in common, however few."""
    both: Counter[tuple[str, str]] = Counter()
    differ: Counter[tuple[str, str]] = Counter()
    for output in outputs:
        answers = list(output.answers.items())
        for at, (one, value) in enumerate(answers):
            for two, other in answers[at + 1 :]:
                both[one, two] += 1
                differ[one, two] += value != other
    order = sorted(both, key=lambda pair: (rater_number(pair[0]), rater_number(pair[1])))
    return [RaterPair(*pair, differ[pair], both[pair]) for pair in order]


@dataclass(frozen=True)
class Agreeing:
    """Counts of agreement: pairs of answers to one output, and outputs with two or more answers."""

    pairs: int
    all_pairs: int
    unanimous: int
    outputs: int


def agreeing(answers: Collection[Sequence[object]]) -> Agreeing:
    """From the answers to each output."""
    pairs = all_pairs = unanimous = outputs = 0
    for values in answers:
        n = len(values)
        if n > 1:
            counts = Counter(values).values()
            pairs += sum(count * (count - 1) // 2 for count in counts)
            all_pairs += n * (n - 1) // 2
            unanimous += len(counts) == 1
            outputs += 1
    return Agreeing(pairs, all_pairs, unanimous, outputs)
