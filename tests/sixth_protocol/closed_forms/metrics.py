"""The share of equal closed forms, and how short they are."""

from collections.abc import Mapping
from typing import Any

from benchmark.protocol import UNAVAILABLE_BUCKET, LabelledOutput, Measure, Metric


def is_equal(output: LabelledOutput) -> bool:
    """Everything but a clear yes counts against the answer."""
    return output.state == "answered" and output.labels.get("equal") == "yes"


def bucket(output: LabelledOutput) -> str:
    """The stratum of an audit."""
    if output.state != "answered":
        return "abstained"
    label = output.labels.get("equal", "")
    return {"yes": "equal", "no": "different", "uncertain": "uncertain"}.get(label, UNAVAILABLE_BUCKET)


def brevity(instance: Mapping[str, Any], output: Mapping[str, Any] | None) -> float:
    """1 / (1 + number of letters / 10); 0 without an answer."""
    return 0.0 if output is None else 1 / (1 + output["length"] / 10)


METRICS = (Metric("accuracy", "Accuracy", "Share of equal closed forms.", ("equal",), is_equal),)
MEASURES = (Measure("brevity", "Brevity", "Short answers count more, no answer counts 0.", brevity),)
