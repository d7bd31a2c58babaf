"""What experts' labels of steps make of each system: counts, and the protocol's measures of them. No rows here.

A measure is taken of every expert's labels of an output, averaged over the output's experts, then over outputs.
Its interval takes outputs to problems of one paper, and several attempts at one problem, for dependent.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from benchmark.protocol import StepMeasure
from benchmark.rubrics import Question
from reports.core.datasets import ExpertLabel
from reports.scores.shape import StepMeasured, Steps
from stats.core.estimate import Estimate
from stats.raters.aggregate import totals
from stats.scores.clusters import cluster_totals
from stats.scores.means import clustered_mean, clustered_share

_NUMBER = re.compile(r"\d+")
Sheets = Mapping[str, Sequence[Sequence[str]]]


def step_scores(
    question: Question,
    labels: Sequence[ExpertLabel],
    measures: Sequence[StepMeasure],
    clusters: Mapping[str, str],
) -> Steps:
    """One system's labels of one stepwise question: how often each value, and every measure's mean.

    `clusters` gives the paper of every output.
    """
    sheets = _sheets(labels)
    every = [value for of_output in sheets.values() for sheet in of_output for value in sheet]
    return Steps(
        steps=totals(every, question.scale.values),
        outputs=len(sheets),
        measures={
            measure.key: StepMeasured(
                title=measure.title,
                definition=measure.definition,
                estimate=_estimate(measure, _values(measure, sheets), clusters),
            )
            for measure in measures
            if measure.question == question.key
        },
    )


def _sheets(labels: Sequence[ExpertLabel]) -> Sheets:
    """Output to each of its experts' labels in the order of the steps, which are numbered (b1, b2, b10)."""
    found: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for label in labels:
        found[label.subject, label.rater][label.step] = label.value
    by_output: dict[str, list[list[str]]] = defaultdict(list)
    for (subject, _), values in found.items():
        by_output[subject].append([values[step] for step in sorted(values, key=_place)])
    return by_output


def _place(step: str) -> tuple[list[int], str]:
    return [int(number) for number in _NUMBER.findall(step)], step


def _estimate(measure: StepMeasure, values: Mapping[str, float], clusters: Mapping[str, str]) -> Estimate:
    totals = cluster_totals(list(values.values()), [clusters[subject] for subject in values])
    return clustered_share(totals) if measure.binary else clustered_mean(totals, "mean_over_outputs")


def _values(measure: StepMeasure, sheets: Sheets) -> dict[str, float]:
    """The mean over an output's experts, for every output that some expert's labels decide."""
    of_outputs: dict[str, float] = {}
    for subject, own in sheets.items():
        decided = [value for sheet in own if (value := measure.value(sheet)) is not None]
        if decided:
            of_outputs[subject] = sum(decided) / len(decided)
    return of_outputs
