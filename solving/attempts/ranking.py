"""Why a candidate was chosen, in words. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Ranked:
    """A line of a ranking, as it is shown."""

    candidate: str
    round: int
    agent: str
    verdicts: tuple[str, ...]
    sound: int
    violated: int
    severe: int
    faults: int


def read_ranking(stored: Sequence[Mapping[str, Any]]) -> list[Ranked]:
    """The stored ranking, the best first; lines that are none are left out."""
    return [
        Ranked(
            candidate=str(line["candidate"]),
            round=int(line.get("round", 0)),
            agent=str(line.get("agent", "")),
            verdicts=tuple(str(one) for one in line.get("verdicts", ())),
            sound=int(line.get("sound", 0)),
            violated=int(line.get("commandments_failed", 0)),
            severe=int(line.get("severe", 0)),
            faults=int(line.get("faults", 0)),
        )
        for line in stored
        if "candidate" in line
    ]


def reason_for(order: Sequence[Ranked], verifiers: int) -> str:
    """Why the first of a ranking is before the second: the first criterion in which they differ."""
    if not order:
        return "There was no candidate."
    first = order[0]
    if len(order) == 1:
        return f"{first.candidate} was the only candidate."
    second = order[1]

    def passes(one: Ranked) -> bool:
        return verifiers > 0 and one.sound == verifiers and not one.violated and not one.faults

    if passes(first) != passes(second):
        why = "it is sound to all verifiers, violates no commandment and has no fault that a program finds"
    elif first.sound != second.sound:
        why = f"more verifiers call it sound ({first.sound} to {second.sound})"
    elif first.violated != second.violated:
        why = f"fewer commandments are violated ({first.violated} to {second.violated})"
    elif first.severe != second.severe:
        why = f"it has fewer severe issues ({first.severe} to {second.severe})"
    elif (first.faults > 0) != (second.faults > 0):
        why = "a program finds no fault in its LaTeX"
    elif first.round != second.round:
        why = f"all else is equal and it is later (round {first.round} to {second.round})"
    else:
        why = "all else is equal and its agent comes first"
    return f"{first.candidate} is before {second.candidate} because {why}."
