"""One proof, verified again and again: an unsound verdict has it rewritten, and enough sound ones in a row end it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated

from pydantic import BaseModel, Field

from solvers.memory import Memory
from solvers.recipes.rma.candidates import Candidate, feedback_of
from solvers.recipes.rma.replies import Draft, Proposal, Reviews
from solvers.recipes.rma.settings import Drafting
from solvers.recipes.rma.writing import candidate_of, ended_with, verified, written
from solvers.steps import Ask, Because, CapReached, Ended, Given, Solving

TITLE = "One proof that checks itself"
PROTOCOLS = ("proofs",)
SHARES = ("rma",)
PROMPTS: Mapping[str, type[BaseModel]] = {"draft.v1": Draft, "verify.v1": Reviews, "rewrite.v1": Proposal}
ROLES = {"initializer": ("draft.v1",), "proposer": ("rewrite.v1",), "verifier": ("verify.v1",)}


class Settings(Drafting):
    """As RMA's, with one verifier that is asked again and again, and no checks by program."""

    rounds: Annotated[int, Field(ge=1, le=200)] = 30
    """The most verdicts. A proof that the last of them rejects is rewritten, but not verified again."""
    in_a_row: Annotated[int, Field(ge=1, le=50)] = 5
    """How many sound verdicts, one after the other, a proof needs."""
    verifiers: Annotated[int, Field(ge=1, le=1)] = 1
    """One: a run of sound verdicts counts as the verdict of one verifier."""
    repairs: Annotated[int, Field(ge=0, le=0)] = 0
    """None: no program looks at the LaTeX."""


def solve(given: Given, settings: Settings, memory: Memory) -> Solving:
    """One attempt at a problem. At a cap the proof that there is then is the answer."""
    current: Candidate | None = None
    sound = 0
    problem = {"problem": str(given.fields["statement"])}
    try:
        question = Ask("r1.draft", "draft.v1", problem, settings.draft_tokens, 1, "init", "draft")
        reply = (yield from written([question], settings))[question.key]
        if reply.parsed and reply.document.get("abstain"):
            return Ended("abstained", "finished", {"reason": reply.document.get("reason", "")})
        current = candidate_of(question.key, 1, "init", 0, reply)
        if current is None:
            return Ended("failed", "no_reply")
        _remember(memory, current, "initializer")
        for round in range(1, settings.rounds + 1):
            replies = yield from verified(given, settings, memory, round, [current], problem)
            if current.verdicts[-1] == "sound":
                sound += 1
                if settings.early_stop and sound >= settings.in_a_row:
                    return _ended(current, sound, settings, "finished")
                continue
            sound = 0
            # A verdict that cannot be read names nothing to rewrite: the same proof is verified again.
            if feedback := feedback_of(replies[f"r{round}.v1"], [current]):
                fields = {**problem, "chosen_draft": current.proof, "feedback": feedback}
                reads = (current.entry, memory.of("feedback")[-1].number)
                # The rewritten proof belongs to the round in which it is verified first.
                question = Ask(
                    f"r{round + 1}.p1", "rewrite.v1", fields, settings.draft_tokens, round + 1, "p1",
                    "propose", reads=reads,
                )  # fmt: skip
                reply = (yield from written([question], settings))[question.key]
                rewritten = candidate_of(question.key, round + 1, "p1", 1, reply)
                if rewritten is not None:
                    _remember(memory, rewritten, "proposer")
                    current = rewritten
    except CapReached as cap:
        return _ended(current, sound, settings, cap.because)
    return _ended(current, sound, settings, "rounds")


def _remember(memory: Memory, one: Candidate, role: str) -> None:
    """Write a proof to memory, where pages find which verdict is about which proof."""
    entry = memory.write("proof", round=one.round, agent=one.agent, role=role, text=one.proof, step=one.step)
    one.entry = entry.number


def _ended(current: Candidate | None, sound: int, settings: Settings, because: Because) -> Ended:
    """The end with this proof. Its verdict is `sound` only after enough of them, so that the first is not enough."""
    if current is None:
        return ended_with([], settings, because)
    verdicts = ["sound"] if sound >= settings.in_a_row else []
    return ended_with([replace(current, verdicts=verdicts)], settings, because)
