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
from stats.raters.aggregate import totals
from stats.scores.clusters import Clustering, cluster_totals
from stats.scores.means import clustered_mean, clustered_share

_NUMBER = re.compile(r"\d+")


def step_scores(
    question: Question,
    labels: Sequence[ExpertLabel],
    measures: Sequence[StepMeasure],
    clusters: Mapping[str, str],
    way: Clustering = Clustering.SKEWED,
) -> Steps:
    """One system's labels of one stepwise question: how often each value, and every measure's mean.

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
