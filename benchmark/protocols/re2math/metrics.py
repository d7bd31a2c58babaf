"""Re2Math's metrics: a label other than a clear yes counts against the output."""

from benchmark.protocol import LabelledOutput, Metric


def is_grounded(output: LabelledOutput) -> bool:
    """Ground = yes."""
    return output.labels.get("ground") == "yes"


def is_success(output: LabelledOutput) -> bool:
    """Ground = yes and Suff = yes."""
    return is_grounded(output) and output.labels.get("suff") == "yes"


def bucket(output: LabelledOutput) -> str:
    """Where the output ends in the failure decomposition, which is also its stratum in an audit.

    success, grounded_insufficient and ungrounded as in the paper; abstained apart from ungrounded, which the
    paper merges; unavailable when no label decides. The buckets of a run add up to its outputs.
    """
    ground, suff = output.labels.get("ground", ""), output.labels.get("suff", "")
    if output.state != "answered" or output.states.get("ground") == "abstain":
        return "abstained"
    if not ground:
        return "unavailable"
    if ground != "yes":
        return "ungrounded"
    if suff == "yes":
        return "success"
    return "grounded_insufficient" if suff or output.states.get("suff") == "abstain" else "unavailable"


METRICS = (
    Metric(
        key="tool_acc",
        title="ToolAcc",
        definition="Share of outputs whose statement is grounded in the selected source and suffices for "
        "the gap. Uncertain labels and abstentions count against the system.",
        needs=("ground", "suff"),
        success=is_success,
    ),
    Metric(
        key="ground_rate",
        title="GroundRate",
        definition="Share of outputs whose statement is grounded in the selected source.",
        needs=("ground",),
        success=is_grounded,
    ),
)
