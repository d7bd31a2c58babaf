"""A stratified draw that anybody can repeat: strata, sample sizes, seed in; sample and probabilities out.

Every unit gets the number SHA-256(seed, stratum, key); the n_h smallest of a stratum are drawn. That is a
simple random sample without replacement in each stratum (inclusion probability n_h / N_h), it needs no random
generator, and it does not depend on the order in which the units came.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from stats.core.text import counted


@dataclass(frozen=True)
class Drawn:
    """A drawn unit with the terms of its draw."""

    key: str
    stratum: str
    stratum_size: int
    sample_size: int

    @property
    def inclusion_probability(self) -> float:
        return self.sample_size / self.stratum_size


def stratum_sizes(strata: Mapping[str, str]) -> dict[str, int]:
    """N_h by stratum name, sorted by name. `strata` maps a unit's key to its stratum."""
    return dict(sorted(Counter(strata.values()).items()))


def equal_sizes(sizes: Mapping[str, int], per_stratum: int | None) -> dict[str, int]:
    """n_h: the whole stratum when `per_stratum` is None, otherwise at most `per_stratum` of each.

    Raises ValueError when `per_stratum` is below 1.
    """
    if per_stratum is not None and per_stratum < 1:
        raise ValueError("a sample needs at least one item of each stratum")
    return {name: size if per_stratum is None else min(size, per_stratum) for name, size in sizes.items()}


def draw(strata: Mapping[str, str], wanted: Mapping[str, int], seed: int) -> list[Drawn]:
    """Draw `wanted[h]` units from every stratum h, in a seeded order that reveals nothing.

    Raises ValueError naming the stratum when one is missing from `wanted`, unknown, or asked for more units
    than it has or fewer than one (a stratum with probability zero could never be represented).
    """
    sizes = stratum_sizes(strata)
    for name in wanted.keys() - sizes.keys():
        raise ValueError(f"there is no stratum {name!r}")
    drawn: list[Drawn] = []
    for name, size in sizes.items():
        if name not in wanted:
            raise ValueError(f"no sample size is given for stratum {name!r}")
        if not 1 <= wanted[name] <= size:
            raise ValueError(
                f"stratum {name!r} has {counted(size, 'item')}, so {wanted[name]} cannot be drawn"
            )
        units = sorted((key for key, stratum in strata.items() if stratum == name), key=_lot(seed, name))
        drawn += [Drawn(key, name, size, wanted[name]) for key in units[: wanted[name]]]
    return sorted(drawn, key=lambda unit: _lot(seed, "")(unit.key))


def _lot(seed: int, stratum: str) -> Callable[[str], tuple[bytes, str]]:
    def number(key: str) -> tuple[bytes, str]:
        return hashlib.sha256(f"{seed}\x1f{stratum}\x1f{key}".encode()).digest(), key

    return number
