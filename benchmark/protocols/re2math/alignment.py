"""Whether the shown context ends before the citation, judged from the passage stored around it. Pure.

A release keeps the context and a passage around the citation, not the paper. So a yes needs a run of words before the
citation that is also in the context, and a fault needs direct evidence: the citation, or what follows it, inside the
context.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmark.citations.wordspans import MAX_SCANNED

RUN = 8  # words in a row that two passages hardly share by chance
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Alignment:
    """yes, no or uncertain, the reason and what it rests on."""

    value: str
    reason: str
    evidence: Mapping[str, Any] = field(default_factory=dict)


def alignment(blocks: Sequence[str], passage: str, key: str) -> Alignment:
    """Compare the context's blocks with the passage around the citation called `key`."""
    context = "\n".join(blocks)[-MAX_SCANNED:]
    shown = _WORD.findall(context.lower())
    if not shown:
        return Alignment("no", "The context holds no words.")
    cites = re.compile(
        r"\\[A-Za-z]{0,12}cite[A-Za-z]{0,10}\*?(?:\s?\[[^\[\]]{0,200}\]){0,2}\s?\{[^{}]{0,400}?"
        + re.escape(key)
    )
    cite = cites.search(passage[:MAX_SCANNED])
    if cite is None:
        return Alignment("uncertain", "No passage around this citation is stored.")
    before = _WORD.findall(passage[: cite.start()].lower())
    behind = _WORD.findall(passage[cite.end() : MAX_SCANNED].lower())
    # a citation of the same source in the context with the same six words before it
    if len(before) >= 6 and any(
        _WORD.findall(context[max(0, match.start() - 400) : match.start()].lower())[-6:] == before[-6:]
        for match in cites.finditer(context)
    ):
        return Alignment("no", "The context shows the citation that the gap stands for.")
    runs = frozenset(tuple(shown[at : at + RUN]) for at in range(len(shown) - RUN + 1))
    if follows := _shared(behind, runs):
        return Alignment(
            "uncertain", "Words from behind the citation stand in the context.", {"words": follows}
        )
    if shared := _shared(before[-40:], runs):
        return Alignment("yes", "The words before the citation stand in the context.", {"words": shared})
    return Alignment("uncertain", "The passage around the citation begins where the context has ended.")


def _shared(tokens: Sequence[str], runs: frozenset[tuple[str, ...]]) -> str:
    """The first run of words that the context has too, "" if there is none."""
    for at in range(len(tokens) - RUN + 1):
        run = tuple(tokens[at : at + RUN])
        if run in runs:
            return " ".join(run)
    return ""
