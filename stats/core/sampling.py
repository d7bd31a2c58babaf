"""Seeded stratified draws with their inclusion probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stats.core.bootstrap import generator


@dataclass(frozen=True)
class Drawn:
    """One drawn unit and the design that is frozen with it."""

    key: str
    stratum: str
    stratum_size: int
    sample_size: int

    @property
    def inclusion_probability(self) -> float:
        """n_h / N_h."""
        return self.sample_size / self.stratum_size


def draw_stratified(
    frame: Mapping[str, Sequence[str]], sizes: Mapping[str, int], *, seed: int
) -> list[Drawn]:
    """Draw `sizes[h]` of the keys `frame[h]` without replacement, independently in every stratum.

    The result depends on the seed and the contents only: strata and keys are sorted first. Raises
    ValueError for an unknown stratum, a size outside 0..N_h, or a key that occurs twice.
    """
    _check(frame, sizes)
    rng = generator(seed)
    drawn = []
    for stratum in sorted(frame):
        keys, size = sorted(frame[stratum]), sizes.get(stratum, 0)
        chosen = rng.permutation(len(keys))[:size]
        drawn += [Drawn(keys[int(at)], stratum, len(keys), size) for at in chosen]
    return drawn


def _check(frame: Mapping[str, Sequence[str]], sizes: Mapping[str, int]) -> None:
    for stratum, size in sizes.items():
        if stratum not in frame:
            raise ValueError(f"no stratum {stratum!r} in the sampling frame")
        if not 0 <= size <= len(frame[stratum]):
            raise ValueError(f"stratum {stratum!r} has {len(frame[stratum])} units, cannot draw {size}")
    keys = [key for members in frame.values() for key in members]
    if len(set(keys)) != len(keys):
        raise ValueError("a unit occurs twice in the sampling frame")
