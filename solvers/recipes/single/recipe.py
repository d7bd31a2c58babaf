"""One proof by one question, with the same tools: neither decomposed nor remembered nor reviewed."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, Field

from solvers.memory import Memory
from solvers.recipes.rma.candidates import Candidate
from solvers.recipes.rma.replies import Draft, Repaired
from solvers.recipes.rma.settings import Drafting
from solvers.recipes.rma.writing import candidate_of, checked, ended_with, written
from solvers.steps import Ask, CapReached, Ended, Given, Solving

TITLE = "One proof by one question"
PROTOCOLS = ("proofs",)
SHARES = ("rma",)
PROMPTS: Mapping[str, type[BaseModel]] = {"draft.v1": Draft, "repair.v1": Repaired}
ROLES = {"initializer": ("draft.v1", "repair.v1")}


class Settings(Drafting):
    """As RMA's, without reviews."""

    verifiers: Annotated[int, Field(ge=0, le=0)] = 0


def solve(given: Given, settings: Settings, memory: Memory) -> Solving:
    """One attempt at a problem."""
    candidates: list[Candidate] = []
    try:
        fields = {"problem": str(given.fields["statement"])}
        question = Ask("r1.draft", "draft.v1", fields, settings.draft_tokens, 1, "init", "draft")
        reply = (yield from written([question], settings))[question.key]
        if reply.parsed and reply.document.get("abstain"):
            return Ended("abstained", "finished", {"reason": reply.document.get("reason", "")})
        made = candidate_of(question.key, 1, "init", 0, reply)
        if made is None:
            return Ended("failed", "no_reply")
        candidates.append(made)
        yield from checked(candidates, settings)
    except CapReached as cap:
        return ended_with(candidates, settings, cap.because)
    return ended_with(candidates, settings, "finished")
