"""Several labels of one subject made into one (STATISTICS.md 1.5, 3 iv)."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

Label = TypeVar("Label", bound=Hashable)


def unanimous(labels: Sequence[Label], *, otherwise: Label) -> Label | None:
    """The common label, or `otherwise` when they differ; None without labels.

    The conservative rule of First Proof: correct only if every expert says correct, incorrect only if
    every expert says incorrect, else inconclusive. Its chance of "correct" falls with the number of
    experts, so show that number next to it.
    """
    kinds = set(labels)
    if not kinds:
        return None
    return next(iter(kinds)) if len(kinds) == 1 else otherwise


def strict_majority(labels: Sequence[Label], *, otherwise: Label) -> Label | None:
    """The label given by more than half, or `otherwise`; None without labels."""
    if not labels:
        return None
    label, count = Counter(labels).most_common(1)[0]
    return label if 2 * count > len(labels) else otherwise


def totals(labels: Iterable[Label], categories: Sequence[Label]) -> dict[Label, int]:
    """How often each declared category was chosen, unused ones included. ValueError for any other label."""
    counts = Counter(labels)
    strange = [label for label in counts if label not in categories]
    if strange:
        raise ValueError(f"labels outside the declared categories: {strange!r}")
    return {category: counts[category] for category in categories}
