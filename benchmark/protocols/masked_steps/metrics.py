"""Avg@4, and the strata of an audit of its judge. Pure."""

from benchmark.protocol import UNAVAILABLE_BUCKET, LabelledOutput, Metric


def is_equivalent(output: LabelledOutput) -> bool:
    """Equivalent = yes; an uncertain label, an abstention and a missing attempt are incorrect."""
    return output.state == "answered" and output.labels.get("equivalent") == "yes"


def bucket(output: LabelledOutput) -> str:
    """The stratum of an output in an audit of the judge: equivalent, not_equivalent or uncertain."""
    label = output.labels.get("equivalent", "")
    if output.state != "answered" or output.states.get("equivalent") == "abstain":
        return "abstained"
    return {"yes": "equivalent", "no": "not_equivalent", "uncertain": "uncertain"}.get(
        label, UNAVAILABLE_BUCKET
    )


METRICS = (
    Metric(
        key="avg_at_4",
        title="Avg@4",
        definition="Share of the four attempts at each mask whose formula is equivalent to the masked one, "
        "averaged over masks. Uncertain labels, abstentions and missing attempts count as incorrect.",
        needs=("equivalent",),
        success=is_equivalent,
    ),
)
