"""Proof acceptance and the self-containedness pass, and the strata of an audit of their judges. Pure.

STATISTICS.md 1.2. The precision of either judge (PPV, human confidence) is the precision of a judge audit,
generators against judges and two validators against each other are pages of their own. Experts' labels of steps
decide acceptance too: a proof is accepted if and only if every step is correct.
"""

from collections.abc import Sequence
from itertools import takewhile

from benchmark.protocol import UNAVAILABLE_BUCKET, LabelledOutput, Metric, StepMeasure

_BUCKETS = {
    "accepted": {"yes": "accepted", "no": "rejected", "uncertain": "uncertain"},
    "self_contained": {"yes": "self_contained", "no": "not_self_contained", "uncertain": "uncertain"},
}


def is_accepted(output: LabelledOutput) -> bool:
    """Every step of the proof holds and together they prove the lemma."""
    return output.state == "answered" and output.labels.get("accepted") == "yes"


def is_self_contained(output: LabelledOutput) -> bool:
    """With its context the lemma can be understood without the paper."""
    return output.state == "answered" and output.labels.get("self_contained") == "yes"


def bucket(output: LabelledOutput) -> str:
    """The stratum of an output in an audit: by what its judge was asked; a proof has one label, a context the other."""
    if output.state != "answered" or "abstain" in output.states.values():
        return "abstained"
    for predicate, names in _BUCKETS.items():
        if output.labels.get(predicate) in names:
            return names[output.labels[predicate]]
    return UNAVAILABLE_BUCKET


def accepted_by_steps(verdicts: Sequence[str]) -> float | None:
    """1 if every step is correct, 0 if one is incorrect; None if neither is known, for a step was not assessed."""
    if "incorrect" in verdicts:
        return 0.0
    return 1.0 if verdicts and set(verdicts) == {"correct"} else None


def before_first_error(verdicts: Sequence[str]) -> float | None:
    """The share of steps before the first incorrect one; None if one up to there was not assessed."""
    sound = len(list(takewhile("correct".__eq__, verdicts)))
    if not verdicts or (sound < len(verdicts) and verdicts[sound] != "incorrect"):
        return None
    return sound / len(verdicts)


METRICS = (
    Metric(
        key="acceptance",
        title="Proof acceptance",
        definition="Share of lemmas whose proof is accepted: every step holds. One attempt is pass@1. Uncertain "
        "labels and abstentions count against the system.",
        needs=("accepted",),
        success=is_accepted,
    ),
    Metric(
        key="self_contained_pass",
        title="Self-containedness pass",
        definition="Share of lemmas that are self-contained with the definitions and assumptions that the system "
        "collected. Uncertain labels and abstentions count against the system.",
        needs=("self_contained",),
        success=is_self_contained,
    ),
)

STEP_MEASURES = (
    StepMeasure(
        key="accepted_by_steps",
        title="Accepted, every step correct",
        definition="Share of proofs in which every step is correct. Per expert, then averaged; a proof without an "
        "incorrect step in which one was not assessed stays out.",
        question="steps",
        value=accepted_by_steps,
        binary=True,
    ),
    StepMeasure(
        key="before_first_error",
        title="Steps before the first error",
        definition="Share of a proof's steps that stand before the first incorrect one, 1 without any. Per expert, "
        "then averaged; a proof in which a step before it was not assessed stays out.",
        question="steps",
        value=before_first_error,
    ),
)
