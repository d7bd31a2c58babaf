"""Opaque names and per-reviewer order: nothing about system, import or other reviewers can be read off them.

Two handles of one item for two reviewers have nothing in common, and neither have two handles of one
reviewer. Order is by a keyed hash of the reviewer, problem by problem.
"""

import base64
import hashlib
import hmac
from collections.abc import Iterable

LOTS = 4096  # divides 2 ** 16, so that two bytes fall into every lot equally often
_HANDLE_BYTES = 18  # 144 bits in 24 url-safe characters


def _mac(key: bytes, *parts: object) -> bytes:
    message = "\x1f".join(str(part) for part in parts).encode()
    return hmac.new(key, message, hashlib.sha256).digest()


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


def lots(key: bytes, *, seed: int, reviewer: int, number: int) -> list[int]:
    """The first `number` (1 to LOTS) of the lots in this reviewer's order, a random permutation by keyed hash.

    A problem's lot is the remainder of its id by LOTS. Who asks for the next item looks into a few lots instead of
    at everything that is free, and each reviewer into others.
    """
    if not 1 <= number <= LOTS:
        raise ValueError(f"there are {LOTS} lots")
    start = _mac(key, "lots", seed, reviewer)
    found: dict[int, None] = {}
    size = 4 * number
    while len(found) < number:
        stream = hashlib.shake_256(start).digest(2 * size)
        found = dict.fromkeys(int.from_bytes(stream[i : i + 2]) % LOTS for i in range(0, len(stream), 2))
        size *= 2
    return list(found)[:number]


def seeded_order(key: bytes, place: str, names: Iterable[str]) -> list[str]:
    """`names` in an order that depends on the place alone."""
    return sorted(names, key=lambda name: (_mac(key, "offered", place, name), name))
