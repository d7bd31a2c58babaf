"""Proof acceptance and the self-containedness pass, and the strata of an audit of their judges. Pure.

STATISTICS.md 1.2. The precision of either judge (PPV, human confidence) is the precision of a judge audit,
generators against judges and two validators against each other are pages of their own.
"""

from benchmark.protocol import UNAVAILABLE_BUCKET, LabelledOutput, Metric

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
