"""Candidates: proofs that were written, what verifiers said of them, and which is the best."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from solvers.steps import Given, Reply

SEVERE = ("fatal", "major")


@dataclass
class Candidate:
    """A proof of an agent in a round. `name` is that of its step: r2.p1."""

    name: str
    round: int
    agent: str
    number: int
    proof: str
    answer: str | None = None
    step: str = ""
    faults: int = 0
    entry: int = 0
    verdicts: list[str] = field(default_factory=list)
    failed: int = 0
    severe: int = 0

    @property
    def sound(self) -> int:
        return self.verdicts.count("sound")

    def satisfies(self, verifiers: int) -> bool:
        """Sound to all verifiers, no commandment violated, and without faults that a program finds."""
        return verifiers > 0 and self.sound == verifiers and not self.failed and not self.faults

    def shown(self) -> dict[str, Any]:
        """Its line in the ranking."""
        return {
            "candidate": self.name, "round": self.round, "agent": self.agent, "verdicts": list(self.verdicts),
            "sound": self.sound, "commandments_failed": self.failed, "severe": self.severe, "faults": self.faults,
        }  # fmt: skip


def ranked(candidates: Iterable[Candidate], verifiers: int) -> list[Candidate]:
    """The best first: satisfying all, more `sound`, fewer violations, fewer severe issues, later, lower number."""

    def place(one: Candidate) -> tuple[Any, ...]:
        return (
            not one.satisfies(verifiers), -one.sound, one.failed, one.severe, one.faults > 0, -one.round, one.number,
        )  # fmt: skip

    return sorted(candidates, key=place)


def order_for(given: Given, key: str, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates in the order in which one verifier reads them: drawn, and the same whenever it is drawn again."""

    def drawn(one: Candidate) -> bytes:
        said = f"{given.seed}|{given.instance}|{given.attempt}|{key}|{one.name}"
        return hashlib.sha256(said.encode()).digest()

    return sorted(candidates, key=drawn)


def take_reviews(reply: Reply, read: Sequence[Candidate], commandments: Iterable[str]) -> None:
    """Add what a verifier said to the candidates that it read, in the order in which it read them.

    A candidate without exactly one review counts as unsure: a verifier who says two things has said nothing.
    """
    reviews = reply.document.get("reviews", []) if reply.parsed else []
    for number, one in enumerate(read, 1):
        mine = [review for review in reviews if review["candidate"] == number]
        if len(mine) != 1:
            one.verdicts.append("unsure")
            continue
        one.verdicts.append(mine[0]["verdict"])
        one.failed += sum(mine[0]["commandments"].get(name) == "fail" for name in commandments)
        one.severe += sum(issue["severity"] in SEVERE for issue in mine[0]["issues"])


def feedback_of(reply: Reply, read: Sequence[Candidate]) -> str:
    """A verifier's reviews as an entry of memory."""
    lines = []
    for review in reply.document.get("reviews", []):
        if not 1 <= review["candidate"] <= len(read):
            continue
        failed = [name for name, mark in review["commandments"].items() if mark == "fail"]
        lines.append(f"{read[review['candidate'] - 1].name}: {review['verdict']}")
        if failed:
            lines.append(f"  violates: {', '.join(failed)}")
        lines += [f"  {issue['severity']}, {issue['place']}: {issue['text']}" for issue in review["issues"]]
    return "\n".join(lines)
