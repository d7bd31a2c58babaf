"""Independent proofs one after the other, as many as the budget allows, each reviewed; the best of them is the answer.

Reviewers' tokens count as everybody's. Each sample is a round, so that any smaller n can be read off a run.
"""

from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, Field

from solvers.memory import Memory
from solvers.recipes.rma.candidates import Candidate
from solvers.recipes.rma.replies import Draft, Repaired, Reviews
from solvers.recipes.rma.settings import Drafting
from solvers.recipes.rma.writing import candidate_of, checked, ended_with, verified, written
from solvers.steps import Ask, CapReached, Given, Solving

TITLE = "The best of n proofs"
PROTOCOLS = ("proofs",)
SHARES = ("rma",)
PROMPTS: Mapping[str, type[BaseModel]] = {"draft.v1": Draft, "repair.v1": Repaired, "verify.v1": Reviews}
ROLES = {"initializer": ("draft.v1", "repair.v1"), "verifier": ("verify.v1",)}


class Settings(Drafting):
    """As RMA's, with the number of samples."""

    n: Annotated[int, Field(ge=1, le=1_000)] = 7
    """The most samples; fewer if the budget ends before."""


def solve(given: Given, settings: Settings, memory: Memory) -> Solving:
    """One attempt at a problem."""
    candidates: list[Candidate] = []
    fields = {"problem": str(given.fields["statement"])}
    try:
        for number in range(1, settings.n + 1):
            agent = f"s{number}"
            question = Ask(
                f"r{number}.draft", "draft.v1", fields, settings.draft_tokens, number, agent, "draft"
            )
            reply = (yield from written([question], settings))[question.key]
            made = candidate_of(question.key, number, agent, number, reply)
            if made is None:
                continue
            candidates.append(made)
            yield from checked([made], settings)
            yield from verified(given, settings, memory, number, [made], fields)
            if settings.early_stop and made.satisfies(settings.verifiers):
                return ended_with(candidates, settings, "finished")
    except CapReached as cap:
        return ended_with(candidates, settings, cap.because)
    return ended_with(candidates, settings, "rounds" if candidates else "no_reply")
