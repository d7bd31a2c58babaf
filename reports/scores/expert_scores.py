"""What the experts say about each system: counts, problem-level aggregates and means. No rows here.

Correctness (STATISTICS.md 1.5): counts of judgments, the conservative aggregate (all experts agree, else
inconclusive) and the strict majority. Graded questions: macro mean over outputs and micro mean
over labels.

A label "abstain" (nothing could be judged) is not a success and stays: it counts as the doubtful value of its output's
aggregates, and is counted apart from the labels. It has no place on a graded scale, so means are of the
labels with a number. "Unavailable" leaves the denominator and is counted.

An output passes by a question if its experts' answers are successes of the scale, whichever of them: all of the
answers (conservative), or more than half (majority). An interval scale has means, and passes where its rubric names
successes.

Where adjudicators decided something about a question, `final` is added to these: the decided value, elsewhere
the conservative value (or the mean of the output's experts).

Where a system gave no answer to some of the problems that the experts graded for others, or left some of its attempts
at them blank, `missing` has the rate over all of these, with what was not released among them. Where a system did not
release some of these problems, `not_released` has their number, and the conservative rate of a reader who counts them
as incorrect, as RMA's Table 1 does (STATISTICS.md 1.5).
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from benchmark.protocol import StepMeasure
from benchmark.rubrics import Question, Rubric
from reports.core.datasets import Decision, ExpertLabel, OutputRow, Unreleased
from reports.scores.shape import (
    METHODS,
    Choices,
    CountedAgainst,
    Counts,
    ExpertQuestion,
    FinalCounts,
    Means,
    Passes,
    StepMeasured,
    Steps,
    clustering,
)
from stats.core.estimate import Estimate
from stats.core.intervals import proportion
from stats.core.scale import NOT_ASSESSED, Scale
from stats.raters.aggregate import strict_majority, totals, unanimous
from stats.scores.clusters import Clustering, cluster_totals
from stats.scores.means import (
    clustered_mean,
    clustered_share,
    mean_by_cluster,
    mean_estimate,
    share_by_cluster,
)

_NUMBER = re.compile(r"\d+")
Grouped = dict[str, list[str]]
Share = Callable[[Mapping[str, bool]], Estimate]  # of the outputs that pass, by subject


def expert_scores(
    rubric: Rubric,
    rows: Sequence[OutputRow],
    labels: Sequence[ExpertLabel],
    decisions: Sequence[Decision] = (),
    measures: Sequence[StepMeasure] = (),
    unreleased: Sequence[Unreleased] = (),
    missing: Mapping[str, Collection[str]] = MappingProxyType({}),
    *,
    methods: int = METHODS,
) -> dict[str, ExpertQuestion]:
    """Per question of the rubric and per system, what its scale allows; `final` for adjudicated questions.

    A stepwise question appears if one of `measures` is of its labels. `methods` are those of the artifact.
    """
    systems = sorted({row.system for row in rows})
    system_of = {row.subject: row.system for row in rows}
    clusters = {row.subject: row.cluster for row in rows}
    measured = {measure.question for measure in measures}
    withheld = _withheld(rows, labels, unreleased)
    blank = [Unreleased(system, instance) for system, keys in missing.items() for instance in keys]
    absent = _withheld(rows, labels, blank)
    scores = {}
    for question in rubric.questions:
        key, scale = question.key, question.scale
        if not scale.has_values or (scale.stepwise and key not in measured):
            continue
        decided = [row for row in decisions if row.question == key and not row.step]
        about: dict[str | None, list[ExpertLabel]] = defaultdict(list)
        for label in labels:
            if label.question == key:
                about[system_of.get(label.subject)].append(label)
        found: dict[str, Choices | Means | Steps] = {}
        for system in systems:
            if scale.stepwise:
                answered = [
                    label if label.state == "answered" else replace(label, value=NOT_ASSESSED)
                    for label in about[system]
                    if label.state == "answered" or (label.step and methods > 18)
                ]
                found[system] = step_scores(question, answered, measures, clusters, clustering(methods))
                continue
            # output to its decided value; None where the question was adjudicated for no system
            final = {row.subject: row.value for row in decided if system_of.get(row.subject) == system}
            found[system] = _of_system(
                question,
                about[system],
                final if decided else None,
                withheld[key, system],
                absent[key, system],
                clusters,
                methods,
            )
        scores[key] = ExpertQuestion(text=question.text, scale=scale.name, systems=found)
    return scores


def _withheld(
    rows: Sequence[OutputRow], labels: Sequence[ExpertLabel], unreleased: Sequence[Unreleased]
) -> dict[tuple[str, str], list[str]]:
    """Question and system to the papers of the graded problems for which that system is named in `unreleased`."""
    instance_of = {row.subject: row.instance for row in rows}
    paper_of = {row.instance: row.cluster for row in rows}
    graded: dict[str | None, set[str]] = defaultdict(set)
    for label in labels:
        graded[instance_of.get(label.subject)].add(label.question)
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for mark in unreleased:
        for question in graded.get(mark.instance, ()):
            found[question, mark.system].append(paper_of[mark.instance])
    return found


def _grouped(labels: Sequence[ExpertLabel], abstained: str = "") -> Grouped:
    """Values by output; a label that abstains counts as `abstained`, or not at all."""
    grouped: Grouped = defaultdict(list)
    for label in labels:
        value = abstained if label.state == "abstain" else label.value
        if value and not label.step:
            grouped[label.subject].append(value)
    return dict(grouped)


def _of_system(
    question: Question,
    labels: Sequence[ExpertLabel],
    decided: Mapping[str, str] | None,
    withheld: Sequence[str],
    absent: Sequence[str],
    clusters: Mapping[str, str],
    methods: int,
) -> Choices | Means:
    """What one system's labels come to; states that nobody used are left out.

    `withheld` and `absent` are the papers of problems that it lacks, `clusters` those of the outputs.
    """

    def mean(values: Sequence[tuple[str, float]], method: str) -> Estimate:
        """Of values given with the output that each is about."""
        numbers = [value for _, value in values]
        if methods < 7:
            return mean_estimate(numbers, method, scale.range, way=clustering(methods))
        papers = [clusters[subject] for subject, _ in values]
        return mean_by_cluster(numbers, papers, method, scale.range, clustering(methods))

    def share(passed: Mapping[str, bool], lacking: Sequence[str] = ()) -> Estimate:
        """Of outputs that pass; problems of the papers `lacking` count against the system."""
        values = [*passed.values(), *(False for _ in lacking)]
        if methods < 7:
            return proportion(sum(values), len(values))
        papers = [*(clusters[subject] for subject in passed), *lacking]
        return share_by_cluster(values, papers, clustering(methods))

    scale = question.scale
    states = Counter(label.state for label in labels if label.state != "answered" and not label.step)
    abstain, unavailable = states["abstain"] or None, states["unavailable"] or None
    if scale.aggregation == "mean":
        grouped = _grouped(labels)
        means = {subject: sum(map(float, values)) / len(values) for subject, values in grouped.items()}
        every_label = [(subject, float(value)) for subject, values in grouped.items() for value in values]
        final = None
        if decided is not None:
            settled = means | {subject: float(value) for subject, value in decided.items()}
            final = mean(list(settled.items()), "final_mean")
        return Means(
            macro=mean(list(means.items()), "mean_over_outputs"),
            micro=mean(every_label, "mean_over_labels"),
            final=final,
            passes=_passes(scale, grouped, share) if scale.passes else None,
            abstain=abstain,
            unavailable=unavailable,
        )
    grouped = _grouped(labels, abstained=scale.unclear)
    passed = {subject: scale.passed_unanimously(values) for subject, values in grouped.items()}

    def counted_against(lacking: Sequence[str]) -> CountedAgainst | None:
        return (
            CountedAgainst(problems=len(lacking), counted_against=share(passed, lacking)) if lacking else None
        )

    return replace(
        _choices(scale, labels, grouped, decided, share),
        not_released=counted_against(withheld),
        missing=counted_against([*absent, *withheld]) if absent else None,
        abstain=abstain,
        unavailable=unavailable,
    )


def _choices(
    scale: Scale,
    labels: Sequence[ExpertLabel],
    grouped: Grouped,
    decided: Mapping[str, str] | None,
    share: Share,
) -> Choices:
    per_output = list(grouped.values())
    passes = _passes(scale, grouped, share)
    final = None
    if decided is not None:
        settled = {
            **{subject: unanimous(values, otherwise=scale.unclear) for subject, values in grouped.items()},
            **decided,
        }
        passed = {subject: scale.passed_unanimously(values) for subject, values in grouped.items()}
        passed |= {subject: value in scale.success for subject, value in decided.items()}
        final = FinalCounts(
            counts=_counts(scale, settled.values()),
            estimate=share(passed),
            adjudicated=len(decided),
        )
    return Choices(
        labels=totals([value for values in _grouped(labels).values() for value in values], scale.values),
        conservative=Counts(
            counts=_counts(scale, (unanimous(values, otherwise=scale.unclear) for values in per_output)),
            estimate=passes.conservative,
        ),
        majority=Counts(
            counts=_counts(
                scale, (strict_majority(values, otherwise=scale.unclear) for values in per_output)
            ),
            estimate=passes.majority,
        ),
        experts_per_output=sorted({len(values) for values in per_output}),
        final=final,
    )


def _passes(scale: Scale, grouped: Grouped, share: Share) -> Passes:
    """The share of outputs that pass: unanimously, and by more than half of their experts.

    Experts who give different successes ("flawless", "minor") agree that the output passes.
    """
    return Passes(
        conservative=share(
            {subject: scale.passed_unanimously(values) for subject, values in grouped.items()}
        ),
        majority=share({subject: scale.passed_by_majority(values) for subject, values in grouped.items()}),
    )


def _counts(scale: Scale, settled: Iterable[str | None]) -> dict[str, int]:
    """How many outputs have each value as their own, and how many are unclear."""
    categories = list(dict.fromkeys([*scale.values, scale.unclear]))
    return totals([value for value in settled if value is not None], categories)


def step_scores(
    question: Question,
    labels: Sequence[ExpertLabel],
    measures: Sequence[StepMeasure],
    clusters: Mapping[str, str],
    way: Clustering = Clustering.SKEWED,
) -> Steps:
    """One system's labels of one stepwise question: how often each value, and every measure's mean.

    A measure is taken of every expert's labels of an output, averaged over the output's experts, then over outputs. Its
    interval takes outputs to problems of one paper, and several attempts at one problem, for dependent.
    `clusters` gives the paper of every output.
    """
    found: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for label in labels:
        found[label.subject, label.rater][label.step] = label.value
    # output to each of its experts' labels in the order of the steps, which are numbered (b1, b2, b10)
    sheets: dict[str, list[list[str]]] = defaultdict(list)
    for (subject, _), values in found.items():
        ordered = sorted(values, key=lambda step: (list(map(int, _NUMBER.findall(step))), step))
        sheets[subject].append([values[step] for step in ordered])
    measured = {}
    for measure in (measure for measure in measures if measure.question == question.key):
        # the mean over an output's experts, for every output that some expert's labels decide
        means: dict[str, float] = {}
        for subject, own in sheets.items():
            decided = [value for sheet in own if (value := measure.value(sheet)) is not None]
            if decided:
                means[subject] = sum(decided) / len(decided)
        by_paper = cluster_totals(list(means.values()), [clusters[subject] for subject in means])
        measured[measure.key] = StepMeasured(
            title=measure.title,
            definition=measure.definition,
            estimate=clustered_share(by_paper, way)
            if measure.binary
            else clustered_mean(by_paper, "mean_over_outputs", way=way),
        )
    every = [value for own in sheets.values() for sheet in own for value in sheet]
    return Steps(steps=totals(every, question.scale.values), outputs=len(sheets), measures=measured)
