"""The shape of the score document, which JSON, REST schema, page, text and artifact share (canonical/documents.py).

Where experts or judges were not asked, did not err, or nothing is lacking, keys are absent (`Maybe`), so that the
documents of older artifacts stay as they were.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from canonical.documents import Free, Key, Maybe, keys_of
from stats.core.estimate import Estimate
from stats.scores.clusters import Clustering

Estimates = Mapping[str, Estimate]
# How the figures are computed. An artifact keeps its number (1 if it names none) and is verified by these methods.
# What those below a number lack or do otherwise:
#  2: everything in stats.audit.first_methods.
#  3: everything in stats.agreement.first_methods.
#  4: in-sample audits and intervals of a judge's metrics ignore shared problems.
#  5: corrected scores take an audit that was drawn by domain for one by the judge's buckets.
#  6: comparisons have no exclusion, means of equal values have intervals without width, and shares of 0 and 1 count
#     outputs instead of papers.
#  7: experts' and measured shares and means take outputs of one paper or problem as independent.
#  8: an audit corrects nothing where a system was judged after its draw.
#  9: intraclass correlations of items that share problems can exceed 1, and strengths are tested with singular errors.
# 10: errors by paper or problem are those of papers with equally many outputs and problems with equally many
#     comparisons.
# 11: means have Student's t, measured ones percentiles of resampled instances.
# 12: who abstained on an audited output had no vote, decisions about it counted where experts split, and missing
#     outputs count against experts' rates over all problems where experts read only a sample.
# 13: an output that another audit drew and that has moved voids a stratum also where nothing of that audit is taken in.
# 14: an audit whose draw left out others corrects nothing once there are audits that it did not leave out, missing
#     labels count only in the audit that drew the output, a sample of some systems may be read as one of all, and P@10
#     of theorem search is described as if a paper counted once for each result.
# 15: what a draw left out is inferred from the sizes of its strata.
# 16: experts' rates over all problems count a problem that a system lacks once, however many attempts it made at
#     others, and no attempt that it left blank at a problem that another attempt answered. Ranges of ranks take the
#     errors of few papers or problems for known.
# 17: ranges of ranks and intervals of strengths take systems that few papers or problems compare with the others for
#     compared in all of them, and bounds of an undefined corrected score leave out what splits of experts leave open.
# 18: the agreement of experts takes problems of one paper as independent.
# 19: in-sample shares of 0 and 1 that one paper alone keeps defined have intervals outside 0 to 1, and a step without
#     an answer (abstained, unavailable) is left out of its expert's steps, as if the proof had fewer.
# 20: shares by leaving out papers have an error with one degree of freedom where all failures are of one paper, outputs
#     that one expert labelled count in the agreement of experts, and exclusion rules do not show the measured figures
#     with and without what they exclude.
METHODS = 20


def clustering(methods: int) -> Clustering:
    """How artifacts by these methods make intervals over papers."""
    if methods < 10:
        return Clustering.INDEPENDENT if methods < 6 else Clustering.EVEN
    return Clustering.UNEVEN if methods == 10 else Clustering.SKEWED


@dataclass(frozen=True)
class ShownAs:
    """Declares a figure of a system as a column of the score page and of the report, and as a part of the text.

    `definition` is its key in reports/core/definitions.toml; without one, the words of the field are its definition.
    `places` are the decimals of a number, None is a percentage. `interval_only` is for a figure with the value of the
    column before it. `counted` heads one more column, with its n.
    """

    title: str
    definition: str = ""
    places: int | None = None
    interval_only: bool = False
    counted: str = ""


@dataclass(frozen=True)
class FigureColumn:
    """A field that is declared as ShownAs."""

    key: Key
    shown: ShownAs

    @property
    def anchor(self) -> str:
        return self.shown.definition or self.key.field

    def estimate(self, document: object) -> Estimate | None:
        """The figure of one system, which may come with counts."""
        found = getattr(document, self.key.field)
        return found.estimate if isinstance(found, Counts) else found


def columns_of(kind: type) -> list[FigureColumn]:
    """The fields of a class that are declared as columns, in their order."""
    return [
        FigureColumn(key, mark) for key in keys_of(kind) for mark in key.marks if isinstance(mark, ShownAs)
    ]


def columns(documents: Iterable[object]) -> list[FigureColumn]:
    """The columns of a table of documents of one class; without those in which no document has a value."""
    every = list(documents)
    return [
        column
        for column in (columns_of(type(every[0])) if every else [])
        if any(column.estimate(document) for document in every)
    ]


@dataclass(frozen=True, kw_only=True)
class OutputStates:
    outputs: int
    answered: int
    abstained: int
    failed: int
    missing: Annotated[Maybe[int], "Problems without an output; only where any."] = None
    not_released: Annotated[Maybe[int], "In addition to the outputs; only if there are any."] = None


@dataclass(frozen=True, kw_only=True)
class MetricText:
    title: str
    definition: str


@dataclass(frozen=True, kw_only=True)
class AllProblems:
    missing: Annotated[int, "Problems of the release without an output."]
    not_released: int
    estimate: Annotated[Estimate, "With all of these counted against the system."]


@dataclass(frozen=True, kw_only=True)
class MetricScore:
    estimate: Annotated[Estimate, ShownAs("Wilson", "wilson")]
    all_problems: Annotated[Maybe[AllProblems], "Only where the system lacks an output."] = None
    effective_n: Estimate
    paper_bootstrap: Annotated[Estimate, ShownAs("Papers resampled", "papers", interval_only=True)]
    domains: Estimates
    strata: Annotated[
        Maybe[Mapping[str, Estimates]],
        "By division of the instances, only of protocols with such.",
    ] = None


@dataclass(frozen=True, kw_only=True)
class JudgedSystem:
    metrics: Mapping[str, MetricScore]
    buckets: Mapping[str, int]


@dataclass(frozen=True, kw_only=True)
class CorrectedStratum:
    stratum: str
    size: int
    sampled: int
    successes: int


@dataclass(frozen=True, kw_only=True)
class EmptyStratum:
    """Outputs of which an audit drew none."""

    stratum: str
    bucket: str
    size: int


@dataclass(frozen=True, kw_only=True)
class Corrected:
    estimate: Estimate
    strata: Sequence[CorrectedStratum]
    empty: Annotated[
        Maybe[Sequence[EmptyStratum]],
        "Only where the score is undefined for them.",
    ] = None
    borrowed: Annotated[
        Maybe[Estimate],
        "Instead of an undefined score, if the judge errs on this system as on the others.",
    ] = None


@dataclass(frozen=True, kw_only=True)
class InSample:
    tp: int
    fp: int
    fn: int
    tn: int
    agreement: Estimate
    precision: Estimate
    recall: Estimate
    f1: Estimate
    kappa: Estimate

    @classmethod
    def of(cls, counts: Mapping[str, int], coefficients: Estimates) -> "InSample":
        """`counts` are the confusion matrix by its cells' names."""
        found: dict[str, Any] = {**counts, **coefficients}
        return cls(**found)

    @property
    def counts(self) -> dict[str, int]:
        return {"tp": self.tp, "fp": self.fp, "fn": self.fn, "tn": self.tn}

    @property
    def coefficients(self) -> Estimates:
        return {name: found for name, found in vars(self).items() if isinstance(found, Estimate)}


@dataclass(frozen=True, kw_only=True)
class JudgeAgainstExperts:
    """What an audit says about a judge by one metric."""

    in_sample: InSample
    weighted: Estimates
    eligible: int
    excluded: int
    splits: Annotated[Maybe[int], "Experts split evenly and nobody decided."] = None
    missing: Annotated[Maybe[int], "Drawn outputs without the labels needed."] = None


@dataclass(frozen=True, kw_only=True)
class AuditedMetric(JudgeAgainstExperts):
    corrected_pooled: Corrected
    corrected: Mapping[str, Corrected]

    @property
    def empty_strata(self) -> dict[str, EmptyStratum]:
        """The strata that the corrected scores lack, by name."""
        every = [*self.corrected.values(), self.corrected_pooled]
        return {row.stratum: row for found in every for row in found.empty or ()}


@dataclass(frozen=True, kw_only=True)
class Audit:
    campaign: str
    name: str
    closed: bool
    drawn: int
    labelled: int
    metrics: Mapping[str, AuditedMetric]


@dataclass(frozen=True, kw_only=True)
class Judged:
    label: str
    sha256: str
    metrics: Mapping[str, MetricText]
    systems: Mapping[str, JudgedSystem]
    audits: Sequence[Audit]

    def by_system(self, metric: str) -> dict[str, MetricScore]:
        """The scores of the systems of which the judge was asked what this metric needs."""
        return {name: of.metrics[metric] for name, of in self.systems.items() if metric in of.metrics}


@dataclass(frozen=True, kw_only=True)
class MeasuredSystem:
    estimate: Estimate
    paper_bootstrap: Estimate
    missing: int
    not_applicable: int
    open: Annotated[Maybe[int], "Outputs that a person still has to decide; they bound the value."] = None
    settled: Annotated[Maybe[int], "Outputs that people decided."] = None
    domains: Estimates


@dataclass(frozen=True, kw_only=True)
class MeasureText:
    title: str
    definition: str
    binary: bool


@dataclass(frozen=True, kw_only=True)
class MeasuredScores:
    """Means of measures that nobody judges, by system and measure."""

    instances: int
    measures: Mapping[str, MeasureText]
    systems: Mapping[str, Mapping[str, MeasuredSystem]]

    def by_system(self, measure: str) -> dict[str, MeasuredSystem]:
        """What each system to which the measure applies has by it."""
        return {system: own[measure] for system, own in self.systems.items() if measure in own}


@dataclass(frozen=True, kw_only=True)
class Counts:
    """How many outputs have each value, and the share that passes."""

    counts: Mapping[str, int]
    estimate: Estimate


@dataclass(frozen=True, kw_only=True)
class FinalCounts(Counts):
    adjudicated: int


@dataclass(frozen=True, kw_only=True)
class CountedAgainst:
    """The conservative share if answers that the system lacks count as failed.

    `problems` says how many these are: one for each problem, or for each attempt at it.
    """

    problems: int
    counted_against: Estimate


@dataclass(frozen=True, kw_only=True)
class Unanswered:
    """Labels without a value; the keys are absent where nobody used the state."""

    abstain: Maybe[int] = None
    unavailable: Maybe[int] = None


@dataclass(frozen=True, kw_only=True)
class Choices(Unanswered):
    """A system's labels on a scale of choices."""

    labels: Mapping[str, int]
    conservative: Annotated[Counts, ShownAs("Conservative", "conservative")]
    majority: Annotated[Counts, ShownAs("Majority", "majority")]
    experts_per_output: Sequence[int]
    final: Annotated[Maybe[FinalCounts], ShownAs("Final", "final")] = None
    not_released: Maybe[CountedAgainst] = None
    missing: Maybe[CountedAgainst] = None


@dataclass(frozen=True, kw_only=True)
class Passes:
    conservative: Estimate
    majority: Estimate


@dataclass(frozen=True, kw_only=True)
class Means(Unanswered):
    """A system's labels on an interval scale: over outputs, and over labels."""

    macro: Annotated[Estimate, ShownAs("Mean over outputs", "macro", places=2, counted="Outputs")]
    micro: Annotated[Estimate, ShownAs("Mean over judgments", "macro", places=2, counted="Judgments")]
    final: Annotated[Maybe[Estimate], ShownAs("Final mean", "final", places=2)] = None
    passes: Maybe[Passes] = None


@dataclass(frozen=True, kw_only=True)
class StepMeasured:
    """Of the outputs that labels decide; the others are `outputs` of the system minus `estimate.n`."""

    title: str
    definition: str
    estimate: Estimate


@dataclass(frozen=True, kw_only=True)
class Steps:
    """A system's labels of the steps of its outputs."""

    steps: Mapping[str, int]
    outputs: int
    measures: Mapping[str, StepMeasured]


@dataclass(frozen=True, kw_only=True)
class ExpertQuestion:
    text: str
    scale: str
    systems: Mapping[str, Choices | Means | Steps]


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """How far experts agree on one question."""

    level: str
    n_items: int
    n_raters: int
    n_labels: int
    n_abstain: int
    n_unavailable: int
    coefficients: Estimates
    n_not_assessed: Maybe[int] = None


@dataclass(frozen=True, kw_only=True)
class ExpertCampaign:
    campaign: str
    name: str
    kind: str
    rubric: str
    closed: bool
    questions: Free[Mapping[str, ExpertQuestion]]
    agreement: Free[Mapping[str, Agreement]]


@dataclass(frozen=True, kw_only=True)
class Figure:
    """Where an estimate by system is in the document."""

    kind: str
    campaign: str
    question: Annotated[str, "A metric's or a question's key."]
    system: str


@dataclass(frozen=True, kw_only=True)
class ExcludedFigure(Figure):
    all: Estimate
    left: Annotated[Estimate | None, "Without the excluded instances."]


@dataclass(frozen=True, kw_only=True)
class ExcludedInstance:
    instance: str
    domain: str
    outputs: int
    grounds: Mapping[str, int]
    graders: int


@dataclass(frozen=True, kw_only=True)
class Exclusion:
    rule: str
    grounds: Sequence[str]
    at_least: int
    primary: Annotated[bool, "The figures above leave these instances out."]
    late: bool
    reason: str
    declared_at: str
    instances: Mapping[str, int]
    outputs: Mapping[str, int]
    excluded: Sequence[ExcludedInstance]
    figures: Sequence[ExcludedFigure]


@dataclass(frozen=True, kw_only=True)
class InSightFigure(Figure):
    """A figure without the labels that were given in sight of a verdict, as the score has it, and with them."""

    without: Estimate | None
    with_: Estimate


@dataclass(frozen=True, kw_only=True)
class InSightCampaign:
    campaign: str
    in_sight: int
    independent: int


@dataclass(frozen=True, kw_only=True)
class InSight:
    labels: Annotated[Mapping[str, int], "in_sight and independent."]
    campaigns: Sequence[InSightCampaign]
    figures: Annotated[Sequence[InSightFigure], "Of closed campaigns."]


@dataclass(frozen=True, kw_only=True)
class Score:
    """The score document, as `manage.py score --json` prints it."""

    format: str
    release: str
    release_sha256: str
    frozen: bool
    is_sample: bool
    protocol: str
    track: str
    condition: Annotated[Maybe[str], "Only where it is not the usual one."] = None
    seed: int
    frozen_tuple: Annotated[Maybe[Mapping[str, str]], "Only where the runs belong to one."] = None
    systems: Mapping[str, OutputStates]
    not_released: Annotated[
        Maybe[Mapping[str, int]],
        "Systems of which nothing was released, with the number of problems; in no other table.",
    ] = None
    measured: Annotated[Maybe[MeasuredScores], "Only of protocols with measures."] = None
    judge: Judged | None
    experts: Sequence[ExpertCampaign]
    exclusions: Annotated[Maybe[Sequence[Exclusion]], "Only where rules are declared."] = None
    in_sight: Annotated[Maybe[InSight], "Only where labels were given in sight of a verdict."] = None
