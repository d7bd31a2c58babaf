"""Opaque names and per-reviewer order: nothing about system, import or other reviewers can be read off them.

Two handles of one item for two reviewers have nothing in common, and neither have two handles of one
reviewer. Order is by a keyed hash of the reviewer, problem by problem.
"""

import base64
import hashlib
import hmac
from collections.abc import Iterable

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


def seeded_order(key: bytes, place: str, names: Iterable[str]) -> list[str]:
    """`names` in an order that depends on the place alone."""
    return sorted(names, key=lambda name: (_mac(key, "offered", place, name), name))
