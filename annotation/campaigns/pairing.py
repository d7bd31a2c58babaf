"""Which two answers are compared, on which side each is shown, and which pairs come twice. Pure.

Sides are counterbalanced: of the reviewers of one pair, as many see the one first as the other, give or take
one. Who begins is decided by a keyed hash, so that neither system benefits from its name or its place in a file.
"""

import hashlib
import hmac
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

MAX_SHARE = 1.0
_OTHER_SIDE = {"first": "second", "second": "first"}
REPEATS_FROM = 1_000_000  # positions of mirrored repeats: behind everything else of a reviewer's queue


def pairs(systems: Mapping[str, Mapping[str, int]]) -> dict[tuple[int, int], tuple[str, str]]:
    """All pairs of outputs of two systems for one instance: (smaller id, larger id) to the two systems.

    `systems` maps a system to its outputs by instance key. The systems of a pair are in alphabetical order.
    """
    found: dict[tuple[int, int], tuple[str, str]] = {}
    for one, other in combinations(sorted(systems), 2):
        for instance in sorted(systems[one].keys() & systems[other].keys()):
            low, high = sorted((systems[one][instance], systems[other][instance]))
            found[low, high] = (one, other)
    return found


def mirrored_count(pairs: int, share: float) -> int:
    """How many of so many pairs come twice: the share (0-1), rounded half up. Raises ValueError outside 0-1."""
    if not 0 <= share <= MAX_SHARE:
        raise ValueError("the share of mirrored pairs must be between 0 and 1")
    return int(share * pairs + 0.5)


def mirrored(keys: Sequence[str], share: float, seed: int) -> frozenset[str]:
    """The share (0-1) of pairs that come twice, by seeded lot. Raises ValueError as mirrored_count does."""
    number = mirrored_count(len(keys), share)
    lots = sorted(keys, key=lambda key: hashlib.sha256(f"{seed}\x1fmirror\x1f{key}".encode()).digest())
    return frozenset(lots[:number])


def next_side(key: bytes, *, campaign: int, item: int, earlier: Iterable[bool]) -> bool:
    """Whether the next reviewer of a pair sees its second output first.

    `earlier` are the sides of those who had the pair before. The rarer side is next; if none is rarer, a keyed coin
    decides, tossed again for each full block of two.
    """
    sides = list(earlier)
    swapped = sum(sides)
    straight = len(sides) - swapped
    if swapped != straight:
        return swapped < straight
    coin = hmac.new(key, f"side\x1f{campaign}\x1f{item}\x1f{len(sides)}".encode(), hashlib.sha256).digest()
    return bool(coin[0] & 1)


def upright(value: str, *, swapped: bool | None) -> str:
    """A preference as if the pair had been shown in the item's own order; other values stay."""
    return _OTHER_SIDE.get(value, value) if swapped else value


def upright_block(block: str, *, swapped: bool | None) -> str:
    """The id of a block, such as first-b3, as if the pair had been shown in the item's own order."""
    side, dash, rest = block.partition("-")
    return f"{_OTHER_SIDE[side]}{dash}{rest}" if swapped and side in _OTHER_SIDE else block
