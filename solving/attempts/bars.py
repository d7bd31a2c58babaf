"""The bar of an attempt's tokens: where each round begins and ends on a scale of 1000. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH = 1000.0


@dataclass(frozen=True)
class Bar:
    """A round's piece of the bar; `shade` alternates, so that neighbours differ."""

    number: int
    tokens: int
    x: str
    width: str
    shade: int


@dataclass(frozen=True)
class Bars:
    """All pieces, and where the cap is: at the end, unless more was used."""

    pieces: tuple[Bar, ...]
    cap: int | None
    cap_at: str
    total: int


def bars_of(rounds: Sequence[tuple[int, int]], cap: int | None) -> Bars:
    """(number, tokens) of each round as pieces of one bar, as long as the cap or what was used."""
    total = sum(tokens for _, tokens in rounds)
    scale = max(cap or 0, total, 1)
    pieces, at = [], 0
    for place, (number, tokens) in enumerate(rounds):
        pieces.append(
            Bar(number, tokens, f"{WIDTH * at / scale:.1f}", f"{WIDTH * tokens / scale:.1f}", place % 2)
        )
        at += tokens
    return Bars(tuple(pieces), cap, f"{WIDTH * (cap or scale) / scale:.1f}", total)
