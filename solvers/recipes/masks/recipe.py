"""The solver of Mask-Proof: the formula behind the mask, in several independent attempts.

`structured`: reasoning and formula in one object. `published`: prose in sections, from which the formula is taken by
the title of a section, else by a question of its own, as in the authors' code.
"""

import re
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from solvers.memory import Memory
from solvers.recipes.rma.replies import Shape, Text
from solvers.recipes.rma.writing import asked
from solvers.steps import Ask, CapReached, Ended, Given, Solving

TITLE = "Masked formulas restored"
PROTOCOLS = ("masked_steps",)
SHARES = ("rma",)
_RESTORED = re.compile(r"(?im)^\W{0,8}(?:\d{1,2}[.)]\s{0,3})?restoration\b[^\n]{0,80}$")
_DISPLAYED = re.compile(r"\$\$(.{1,20000}?)\$\$", re.DOTALL)


class Restored(Shape):
    """How the formula follows, and the formula alone."""

    reasoning: Text = ""
    formula: Text


class Prose(Shape):
    """An answer in prose, in one string."""

    text: Text


class Extracted(Shape):
    """The formula that an answer gives; empty if it gives none."""

    formula: Text


PROMPTS: dict[str, type[BaseModel]] = {
    "restore.v1": Restored,
    "restore-prose.v1": Prose,
    "extract.v1": Extracted,
}
ROLES = {"restore": ("restore.v1", "restore-prose.v1"), "extract": ("extract.v1",)}


class Settings(BaseModel):
    """Which variant, and how long replies may be."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    variant: Literal["structured", "published"] = "structured"
    max_tokens: Annotated[int, Field(ge=1, le=1_000_000)] = 40_000
    extract_tokens: Annotated[int, Field(ge=1, le=100_000)] = 10_000
    extract_chars: Annotated[int, Field(ge=100, le=1_000_000)] = 15_000
    retries: Annotated[int, Field(ge=0, le=3)] = 1
    """How often a reply that is not the object asked for is asked for again."""


def solve(given: Given, settings: Settings, memory: Memory) -> Solving:
    """One attempt at a mask."""
    fields = {name: str(given.fields[name]) for name in ("problem", "masked_proof")}
    label = "restore.v1" if settings.variant == "structured" else "restore-prose.v1"
    try:
        replies = yield from asked(
            [Ask("restore", label, fields, settings.max_tokens, phase="restore")], settings.retries
        )
        reply = replies["restore"]
        if not reply.parsed:
            return Ended("failed", "no_reply")
        if settings.variant == "structured":
            formula, reasoning = reply.document["formula"], reply.document["reasoning"]
        else:
            reasoning = reply.document["text"]
            formula = in_section(reasoning)
            if not formula:
                shown = {"answer": reasoning[: settings.extract_chars]}
                question = Ask("extract", "extract.v1", shown, settings.extract_tokens, phase="extract")
                extracted = (yield from asked([question], settings.retries))["extract"]
                formula = extracted.document["formula"] if extracted.parsed else ""
    except CapReached as cap:
        return Ended("failed", cap.because)
    if not formula.strip():
        return Ended("failed", "no_reply")
    return Ended("answered", "finished", {"formula": formula.strip(), "reasoning": reasoning})


def in_section(text: str) -> str:
    """The last displayed formula below the heading of the restoration, "" without one."""
    headings = list(_RESTORED.finditer(text))
    if not headings:
        return ""
    displayed = _DISPLAYED.findall(text[headings[-1].end() :])
    return str(displayed[-1]).strip() if displayed else ""
