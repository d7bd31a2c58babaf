"""The share of correct proofs under a judge, and the strata of an audit of that judge. Pure."""

from benchmark.protocol import UNAVAILABLE_BUCKET, LabelledOutput, Metric


def is_correct(output: LabelledOutput) -> bool:
    """The judge says that the proof is correct and complete."""
    return output.state == "answered" and output.labels.get("correct") == "yes"


def bucket(output: LabelledOutput) -> str:
    """The stratum of an output in an audit of the judge: correct, not_correct or uncertain."""
    if output.state != "answered" or output.states.get("correct") == "abstain":
        return "abstained"
    names = {"yes": "correct", "no": "not_correct", "uncertain": "uncertain"}
    return names.get(output.labels.get("correct", ""), UNAVAILABLE_BUCKET)


METRICS = (
    Metric(
        key="correct_proofs",
        title="Correct proofs",
        definition="Share of proofs that are correct and complete. Uncertain labels and abstentions count against the "
        "system.",
        needs=("correct",),
        success=is_correct,
    ),
)
