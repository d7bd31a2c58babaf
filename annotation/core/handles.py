"""Opaque names and per-reviewer order: they reveal nothing about system, import or other reviewers.

Two handles of one item for two reviewers have nothing in common, and neither have two handles of one
reviewer. Order is by a keyed hash of the reviewer, problem by problem.
"""

import base64
import hashlib
import hmac
from collections.abc import Iterable

HALF, ROUNDS = 64, 8
LOTS = HALF * HALF
_HANDLE_BYTES = 18  # 144 bits in 24 url-safe characters


def _mac(key: bytes, *parts: object) -> bytes:
    message = "\x1f".join(str(part) for part in parts).encode()
    return hmac.digest(key, message, "sha256")


def handle(key: bytes, *, campaign: int, item: int, reviewer: int, repeat: bool = False) -> str:
    """The reviewer's own name for the item: 24 characters of A-Z a-z 0-9 - _."""
    return base64.urlsafe_b64encode(
        _mac(key, "repeat" if repeat else "handle", campaign, item, reviewer)[:_HANDLE_BYTES]
    ).decode()


def shuffled(key: bytes, *, seed: int, reviewer: int, items: Iterable[tuple[int, int]]) -> list[int]:
    """Item ids in this reviewer's order. `items` are (item, problem); one problem's items stay together."""

    def place(pair: tuple[int, int]) -> tuple[bytes, int, bytes, int]:
        item, problem = pair
        return (
            _mac(key, "problem", seed, reviewer, problem),
            problem,
            _mac(key, "item", seed, reviewer, item),
            item,
        )

    return [item for item, _ in sorted(items, key=place)]


class Lots:
    """A reviewer's own order of the lots, a random permutation by keyed hash; a lot is a problem's id modulo LOTS.

    A request for the next item looks into a few lots, from the reviewer's current one on, instead of at everything that
    is free, and each reviewer has their own order. The permutation is a Feistel network over the two halves of a lot's
    number, so that one place is looked up without making them all.
    """

    def __init__(self, key: bytes, *, seed: int, reviewer: int) -> None:
        size = ROUNDS * HALF
        stream = hashlib.shake_256(_mac(key, "lots", seed, reviewer)).digest(size)
        self._rounds = [stream[start : start + HALF] for start in range(0, size, HALF)]

    def at(self, place: int) -> int:
        """The lot at this place, counted from 0 and round again after LOTS."""
        left, right = divmod(place % LOTS, HALF)
        for mixed in self._rounds:
            left, right = right, left ^ mixed[right] % HALF
        return left * HALF + right

    def place(self, lot: int) -> int:
        """The place of a lot, 0 to LOTS - 1."""
        left, right = divmod(lot, HALF)
        for mixed in reversed(self._rounds):
            left, right = right ^ mixed[left] % HALF, left
        return left * HALF + right


def nearest(
    key: bytes, *, seed: int, reviewer: int, items: Iterable[tuple[int, int]], lots: Lots, start: int
) -> int:
    """The item that comes first for this reviewer: of the lot nearest from the place `start` on, the first of
    `shuffled`. `items` are (item, problem), at least one; those of other lots are not hashed."""
    ways: dict[int, list[tuple[int, int]]] = {}
    for item, problem in items:
        ways.setdefault((lots.place(problem % LOTS) - start) % LOTS, []).append((item, problem))
    return shuffled(key, seed=seed, reviewer=reviewer, items=ways[min(ways)])[0]
