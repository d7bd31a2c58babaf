"""Problems of the release for which a system has no output to judge: what a rate over all problems counts against it.

A rate over the outputs that are there and one over all problems answer different questions; where they differ, both
are given. Runs under a condition are of a part of the problems by design and lack nothing.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmark.protocol import LabelledOutput, Metric
from reports.core.datasets import PLAIN, ExpertLabel, Unreleased
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


def unanswered_and_unreleased(
    inputs: Inputs, labels: Sequence[ExpertLabel]
) -> tuple[Mapping[str, Sequence[str]], Sequence[Unreleased]]:
    """By system the problems of the answers that it did not give, and the marks of those not released, for the experts'
    rates over all problems. A problem without any output counts as often as the system made attempts at others.

    Where experts read only some of a system's answers to the problems that they graded, nobody can say how many
    unanswered ones belong to such a sample: nothing of this system is among the first.
    """
    every = {system: sorted(gone.missing) for system, gone in lacking(inputs).items()}
    if inputs.methods < 7:
        return every, inputs.unreleased
    read = {label.subject for label in labels}
    graded = {row.instance for row in inputs.outputs if row.subject in read}
    answers = [row for row in inputs.outputs if row.state == "answered"]
    sampled = {row.system for row in answers if row.instance in graded and row.subject not in read}
    answered = {(row.system, row.instance) for row in answers}
    blank = [row for row in inputs.outputs if row.state != "answered" and row.system not in sampled]
    if inputs.methods < 16:  # a problem counted once, and not at all where another attempt at it was answered
        kept = (
            every if inputs.methods < 12 else {key: gone for key, gone in every.items() if key not in sampled}
        )
        found = defaultdict(set, {system: set(gone) for system, gone in kept.items()})
        for row in blank:
            if (row.system, row.instance) not in answered:
                found[row.system].add(row.instance)
        return {system: sorted(gone) for system, gone in found.items()}, inputs.unreleased
    tried: dict[str, Counter[str]] = defaultdict(Counter)
    for row in inputs.outputs:
        if row.instance in graded and (row.subject in read or row.system not in sampled):
            tried[row.system][row.instance] += 1
    attempts = {system: max(of.values()) for system, of in tried.items()}
    lacked: dict[str, list[str]] = defaultdict(list)
    for system, gone in every.items():
        if system not in sampled:
            lacked[system] = [instance for instance in gone for _ in range(attempts.get(system, 1))]
    for row in blank:
        lacked[row.system].append(row.instance)
    return lacked, [mark for mark in inputs.unreleased for _ in range(attempts.get(mark.system, 1))]


def stated(found: AllProblems) -> str:
    """What a system lacks, in words: "2 problems without an output, 1 not released"."""
    parts = []
    if found.missing:
        parts.append(f"{found.missing} problem{'s' * (found.missing > 1)} without an output")
    if found.not_released:
        parts.append(f"{found.not_released} not released")
    return ", ".join(parts)
