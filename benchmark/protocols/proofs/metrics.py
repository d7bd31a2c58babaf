"""Whole proofs are scored by experts alone, so there is no judge metric and one audit stratum."""

from benchmark.protocol import LabelledOutput, Metric

METRICS: tuple[Metric, ...] = ()


def bucket(output: LabelledOutput) -> str:
    """No judge, hence a single stratum; abstentions and failures are scored by rule."""
    return "all" if output.state == "answered" else "abstained"
