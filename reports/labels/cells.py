"""The cells of the label table that say what a row is about."""

from functools import lru_cache
from typing import Any

from benchmark.subjects import InstanceSubject, PairSubject, Subject

Row = dict[str, str]
KeyedRow = tuple[int, Row]

# What a blinded table shows as it is. Every other column stays empty, but for those that label_rows.blinded() makes
# opaque: a new column is hidden until somebody adds it here. Left out on purpose: system, attempt and stratum name
# the author or the judge's verdict, and the sizes of a stratum tell which one it is.
SHOWN_BLIND = frozenset(
    (
        "release",
        "campaign",
        "question",
        "instance",
        "step",
        "cluster",
        "domain",
        "rater",
        "rater_kind",
        "value",
        "state",
        "confidence",
        "seconds",
        "comment",
        "created_at",
        "rubric_version",
        "verdict_seen",
    )
)


def cells_of_instance(instance: str, paper: str | None, domain: str) -> Row:
    """What all rows about the instance itself share."""
    return {
        "subject": str(InstanceSubject(instance)),
        "instance": instance,
        "cluster": paper or instance,
        "domain": domain,
    }


@lru_cache(maxsize=4096)
def cells_of_output(
    instance: str, system: str, attempt: int, track: str, condition: str, paper: str | None, domain: str
) -> Row:
    """What all labels of an output share; they follow each other, so it is made once. Never changed."""
    return {
        "subject": str(Subject(instance, system, attempt, track, condition)),
        "instance": instance,
        "system": system,
        "attempt": str(attempt),
        "cluster": paper or instance,
        "domain": domain,
    }


def cells_of_pair(left: Subject, right: Subject, paper: str | None, domain: str) -> Row:
    """A pair as shown: the systems from left to right, and whether that is the order of its name."""
    pair = PairSubject(left, right)
    return {
        "subject": str(pair),
        "instance": left.instance,
        "system": f"{left.arm}|{right.arm}",
        "attempt": str(left.attempt),
        "order": "1" if pair.ordered[0] is left else "2",
        "cluster": paper or left.instance,
        "domain": domain,
    }


def cells_of(label: Any, *, swapped: bool | None = None) -> tuple[Row, bool]:
    """The cells of what a stored label, a row with these fields, is about; and whether the sides of a pair are
    exchanged against the stored order, which goes by numbers that mean nothing outside this database. A pair is as it
    was shown, with the sides `swapped` or not; where nobody saw it so (None), it is in the order of its name.
    """
    if label.system is None or label.attempt is None:  # a label of an instance has neither
        return cells_of_instance(label.instance, label.paper, label.domain), False
    output = label.instance, label.system, label.attempt, label.track or "", label.condition or ""
    if label.other_system is None:
        return cells_of_output(*output, label.paper, label.domain), False
    sides = label.other_system, label.attempt, label.other_track or "", label.other_condition or ""
    item, other = Subject(*output), Subject(label.instance, *sides)
    if swapped is None:
        swapped = PairSubject(item, other).ordered[0] is not item
    left, right = (other, item) if swapped else (item, other)
    return cells_of_pair(left, right, label.paper, label.domain), swapped
