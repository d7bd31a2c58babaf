"""Avg@4, and the strata of an audit of its judge. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from benchmark.protocol import UNAVAILABLE_BUCKET, LabelledOutput, Metric
from benchmark.protocols.masked_steps.schema import ATTEMPTS


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


@dataclass(frozen=True)
class AverageAt:
    """`correct` of `asked` attempts (masks x 4); `missing` of them have no output at all."""

    correct: int
    asked: int
    missing: int

    @property
    def value(self) -> Fraction:
        """In [0, 1]; raises ZeroDivisionError without masks."""
        return Fraction(self.correct, self.asked)


def average_at(
    outputs: Iterable[LabelledOutput], masks: Sequence[str], attempts: int = ATTEMPTS
) -> AverageAt:
    """Avg@k of one system over `masks` (in the paper 292 masks x 4 = 1168 attempts).

    Outputs of other masks and attempts beyond k are refused with ValueError: they would inflate a rate.
    """
    wanted = {(mask, attempt) for mask in masks for attempt in range(1, attempts + 1)}
    right: dict[tuple[str, int], bool] = {}
    for output in outputs:
        place = (output.instance, output.attempt)
        if place not in wanted or place in right:
            raise ValueError(f"mask {place[0]}, attempt {place[1]} was not asked, or appears twice")
        right[place] = is_equivalent(output)
    return AverageAt(sum(right.values()), len(wanted), len(wanted) - len(right))
