"""What the experts say of each system: counts, problem-level aggregates and means. No rows here.

Correctness (STATISTICS.md 1.5): counts of judgments, the conservative aggregate (all experts agree, else
inconclusive) and the strict majority. Graded questions: macro mean over outputs and micro mean
over labels.

A label "abstain" (nothing could be judged) is no success and stays: it counts as the doubtful value of its output's
aggregates, and is counted apart from the labels. It has no place on a graded scale, so means are of the
labels with a number. "Unavailable" leaves the denominator and is counted.

An output passes by a question if its experts' answers are successes of the scale, whichever of them: all of the
answers (conservative), or more than half (majority). An interval scale has means, and passes where its rubric names
successes.

Where adjudicators decided something about a question, `final` is added to these: the decided value, elsewhere
the conservative value (or the mean of the output's experts).

Where a system has no output at all for some of the problems that the experts graded for others, `missing` has the
rate over all of these problems, with what was not released among them. Where a system did not release some of these
problems, `not_released` has their number, and the conservative rate of a reader who counts them as incorrect, as
RMA's Table 1 does (STATISTICS.md 1.5).
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from benchmark.protocol import StepMeasure
from benchmark.rubrics import Question, Rubric
from reports.core.datasets import Decision, ExpertLabel, OutputRow, Unreleased
from reports.scores.shape import (
    Choices,
    CountedAgainst,
    Counts,
    ExpertQuestion,
    FinalCounts,
    Means,
    Passes,
    Steps,
)
from reports.scores.step_scores import step_scores
from stats.core.estimate import Estimate
from stats.core.intervals import proportion
from stats.core.scale import Scale
from stats.raters.aggregate import strict_majority, totals, unanimous
from stats.scores.means import mean_estimate

Grouped = dict[str, list[str]]


def expert_scores(
    rubric: Rubric,
    rows: Sequence[OutputRow],
    labels: Sequence[ExpertLabel],
    decisions: Sequence[Decision] = (),
    measures: Sequence[StepMeasure] = (),
    unreleased: Sequence[Unreleased] = (),
    missing: Mapping[str, Collection[str]] = MappingProxyType({}),
    *,
    reaches_unseen: bool = True,
) -> dict[str, ExpertQuestion]:
    """Per question of the rubric and per system, what its scale allows; `final` for adjudicated questions.

    A stepwise question appears if one of `measures` is of its labels.
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
                answered = [label for label in about[system] if label.state == "answered"]
                found[system] = step_scores(
                    question, answered, measures, clusters, reaches_unseen=reaches_unseen
                )
                continue
            # output to its decided value; None where the question was adjudicated for no system
            final = {row.subject: row.value for row in decided if system_of.get(row.subject) == system}
            found[system] = _of_system(
                question,
                about[system],
                final if decided else None,
                withheld[key, system],
                absent[key, system],
                reaches_unseen,
            )
        scores[key] = ExpertQuestion(text=question.text, scale=scale.name, systems=found)
    return scores


def _withheld(
    rows: Sequence[OutputRow], labels: Sequence[ExpertLabel], unreleased: Sequence[Unreleased]
) -> Counter[tuple[str, str]]:
    """Question and system to the number of graded problems for which that system is named in `unreleased`."""
    instance_of = {row.subject: row.instance for row in rows}
    graded = {(label.question, instance_of.get(label.subject)) for label in labels}
    return Counter(
        (question, mark.system)
        for mark in unreleased
        for question, instance in graded
        if instance == mark.instance
    )


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
    withheld: int,
    absent: int,
    reaches_unseen: bool,
) -> Choices | Means:
    """What one system's labels come to; states that nobody used are left out."""
    scale = question.scale
    states = Counter(label.state for label in labels if label.state != "answered" and not label.step)
    abstain, unavailable = states["abstain"] or None, states["unavailable"] or None
    if scale.aggregation == "mean":
        grouped = _grouped(labels)
        means = {subject: sum(map(float, values)) / len(values) for subject, values in grouped.items()}
        every_label = [float(value) for values in grouped.values() for value in values]
        final = None
        if decided is not None:
            settled = means | {subject: float(value) for subject, value in decided.items()}
            final = mean_estimate(
                list(settled.values()), "final_mean", scale.range, reaches_unseen=reaches_unseen
            )
        return Means(
            macro=mean_estimate(
                list(means.values()), "mean_over_outputs", scale.range, reaches_unseen=reaches_unseen
            ),
            micro=mean_estimate(every_label, "mean_over_labels", scale.range, reaches_unseen=reaches_unseen),
            final=final,
            passes=_passes(scale, list(grouped.values())) if scale.passes else None,
            abstain=abstain,
            unavailable=unavailable,
        )
    found = _choices(scale, labels, decided)
    rate = found.conservative.estimate
    return replace(
        found,
        not_released=_counted_against(rate, withheld),
        missing=_counted_against(rate, absent + withheld) if absent else None,
        abstain=abstain,
        unavailable=unavailable,
    )


def _choices(scale: Scale, labels: Sequence[ExpertLabel], decided: Mapping[str, str] | None) -> Choices:
    grouped = _grouped(labels, abstained=scale.unclear)
    per_output = list(grouped.values())
    passes = _passes(scale, per_output)
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
            estimate=proportion(sum(passed.values()), len(passed)),
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


def _passes(scale: Scale, per_output: Sequence[Sequence[str]]) -> Passes:
    """The share of outputs that pass: unanimously, and by more than half of their experts.

    Experts who give different successes ("flawless", "minor") agree that the output passes.
    """
    n = len(per_output)
    return Passes(
        conservative=proportion(sum(map(scale.passed_unanimously, per_output)), n),
        majority=proportion(sum(map(scale.passed_by_majority, per_output)), n),
    )


def _counts(scale: Scale, settled: Iterable[str | None]) -> dict[str, int]:
    """How many outputs have each value as their own, and how many are unclear."""
    categories = list(dict.fromkeys([*scale.values, scale.unclear]))
    return totals([value for value in settled if value is not None], categories)


def _counted_against(released: Estimate, problems: int) -> CountedAgainst | None:
    if not problems:
        return None
    rate = proportion(int(released.k or 0), (released.n or 0) + problems)
    return CountedAgainst(problems=problems, counted_against=rate)
