"""The stepwise prover of LemmaBench: one question, a proof in numbered steps, each with its sub-goal."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from solvers.memory import Memory
from solvers.recipes.rma.replies import Line, Shape, Text
from solvers.recipes.rma.writing import asked
from solvers.steps import Ask, CapReached, Ended, Given, Solving

TITLE = "Stepwise prover of lemmas"
PROTOCOLS = ("lemmas",)
SHARES = ("rma",)


class ProofStep(Shape):
    """One step; `uses` names hypotheses and earlier steps, `theorem` a known result that it announces."""

    subgoal: Text
    text: Text
    uses: list[Line] = []
    theorem: Line | None = None


class Steps(Shape):
    """A proof in steps, or that there is none."""

    steps: list[ProofStep] = []
    abstain: bool = False
    reason: Line = ""


PROMPTS: dict[str, type[BaseModel]] = {"prove.v1": Steps}
ROLES = {"prove": ("prove.v1",)}


class Settings(BaseModel):
    """Length and retries; the paper gives neither."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    max_tokens: Annotated[int, Field(ge=1, le=1_000_000)] = 32_000
    """The longest reply."""
    retries: Annotated[int, Field(ge=0, le=3)] = 1
    """How often a reply that is not the object asked for is asked for again."""


def solve(given: Given, settings: Settings, memory: Memory) -> Solving:
    """One attempt at a lemma. A reference to nothing that was declared is a flag, not a failure."""
    fields = {"statement": str(given.fields["statement"])}
    names = set()
    for kind in ("definitions", "assumptions"):
        texts = {f"{kind[0].upper()}{number}": text for number, text in enumerate(given.fields[kind], 1)}
        names |= set(texts)
        if texts:
            fields[kind] = "\n\n".join(f"{name}: {text}" for name, text in texts.items())
    try:
        replies = yield from asked(
            [Ask("prove", "prove.v1", fields, settings.max_tokens, phase="prove")], settings.retries
        )
    except CapReached as cap:
        return Ended("failed", cap.because)
    reply = replies["prove"]
    if not reply.parsed:
        return Ended("failed", "no_reply")
    if reply.document["abstain"]:
        return Ended("abstained", "finished", {"reason": reply.document["reason"]})
    steps: list[dict[str, Any]] = [
        one for one in reply.document["steps"] if one["text"].strip() and one["subgoal"].strip()
    ]
    if not steps:
        return Ended("failed", "no_reply")
    undeclared = []  # what is used that is neither a hypothesis nor an earlier step: "3: H9"
    for number, one in enumerate(steps, 1):
        undeclared += [f"{number}: {name}" for name in one["uses"] if name not in names]
        names.add(str(number))
    return Ended("answered", "finished", {"steps": steps, "undeclared": undeclared})
