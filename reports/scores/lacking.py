"""Problems of the release for which a system has no output to judge: what a rate over all problems counts against it.

A rate over the outputs that are there and one over all problems answer different questions; where they differ, both
are given. Runs under a condition are of a part of the problems by design and lack nothing.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from benchmark.protocol import LabelledOutput, Metric
from reports.core.datasets import PLAIN
from reports.scores.inputs import Inputs
from reports.scores.judge_scores import count, share
from reports.scores.shape import AllProblems


@dataclass(frozen=True)
class Lacking:
    """Of one system: problems of which the file said nothing, and problems whose output was not released."""

    missing: frozenset[str] = frozenset()
    not_released: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.missing or self.not_released)


def lacking(inputs: Inputs) -> dict[str, Lacking]:
    """What each system lacks; nothing for artifacts frozen before all problems were among their inputs."""
    if inputs.methods < 4 or inputs.condition != PLAIN:
        return {}
    there: dict[str, set[str]] = defaultdict(set)
    for row in inputs.outputs:
        there[row.system].add(row.instance)
    withheld: dict[str, set[str]] = defaultdict(set)
    for mark in inputs.unreleased:
        withheld[mark.system].add(mark.instance)
    every = {row.instance for row in inputs.asked}
    return {
        system: Lacking(frozenset(every - own - withheld[system]), frozenset(withheld[system]))
        for system, own in there.items()
    }


def over_all_problems(
    metric: Metric, outputs: Sequence[LabelledOutput], gone: Lacking, inputs: Inputs
) -> AllProblems | None:
    """The metric with every problem that the system lacks counted against it, if it lacks any.

    A problem counts as often as the system made attempts at its others.
    """
    if not gone:
        return None
    attempts = max(Counter(output.instance for output in outputs).values())
    known = {row.instance: row for row in inputs.asked}
    failed = [
        LabelledOutput(outputs[0].system, key, known[key].cluster, known[key].domain, attempt, "failed", {})
        for key in sorted(gone.missing | gone.not_released)
        if key in known
        for attempt in range(1, attempts + 1)
    ]
    return AllProblems(
        missing=len(gone.missing),
        not_released=len(gone.not_released),
        estimate=share(count(metric, [*outputs, *failed])),
    )


def stated(found: AllProblems) -> str:
    """In words what a system lacks: "2 problems without an output, 1 not released"."""
    parts = []
    if found.missing:
        parts.append(f"{found.missing} problem{'s' * (found.missing > 1)} without an output")
    if found.not_released:
        parts.append(f"{found.not_released} not released")
    return ", ".join(parts)
