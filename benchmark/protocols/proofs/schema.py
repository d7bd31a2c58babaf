"""A problem with its reference solution and guidance for graders, and a proof of it. Our format: strict."""

from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from benchmark.importing.keys import Key, PaperFields, Short, Split, Strict
from benchmark.protocol import NOT_RELEASED

Text = Annotated[str, StringConstraints(min_length=1)]


class Guidance(Strict):
    """What graders of this problem should know: claim, objects, and what tends to go wrong."""

    target_claim: str = ""
    """What exactly is to be proved, for graders."""
    objects: list[Text] = []
    """The objects that a proof is about, for graders."""
    common_issues: list[Text] = []
    """What tends to go wrong, for graders."""


class Problem(Strict):
    """What is asked; the payload of an instance's row."""

    title: Text
    """A short title."""
    statement: Text
    """What is to be proved."""
    statement_format: Literal["latex", "markdown", "plain"] = "latex"
    """How the statement is written."""
    reference_solution: str = ""
    """A solution that graders can open, in LaTeX."""
    guidance: Guidance = Guidance()


class ProblemLine(Problem):
    """One line of a release file."""

    instance_id: Key
    """The name of the problem within the release; outputs and labels refer to it."""
    domain: Short
    """The field of mathematics: campaigns draw and assign by it."""
    split: Split = ""
    """The part of the release that it belongs to, if there are several."""
    paper: PaperFields | None = None
    """The paper that the problem is from."""


class ProofBudget(Strict):
    """What a system was allowed, or used, for one problem: of interest to staff, and never shown to graders."""

    tokens: Annotated[int, Field(ge=0)] | None = None
    """Tokens that the system was allowed, or used. Only staff see it."""
    hours: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    """Hours of computation. Only staff see it."""
    rounds: Annotated[int, Field(ge=0)] | None = None
    """Rounds of work. Only staff see it."""


class Proof(Strict):
    """What an output has in addition to its text; the payload of its row."""

    budget: ProofBudget = ProofBudget()
    """What the system was allowed, or used."""


class ProofLine(Proof):
    """One line of an outputs file."""

    instance_id: Key
    """The problem that this is an output for, by its name in the release."""
    attempt: Annotated[int, Field(ge=1, le=1000)] = 1
    """Counts the system's attempts at one problem, from 1."""
    state: Literal["answered", "abstained", "failed", "not_released"] = "answered"
    """Abstained and failed outputs count against the system and are shown to nobody."""
    text: str = ""
    """The proof as graders read it."""
    format: Literal["latex", "markdown", "plain"] = "latex"
    """How the text is written."""
    in_files: bool = False
    """The answer is a PDF that is attached to the output, and has no text."""

    @model_validator(mode="after")
    def _answered_means_text(self) -> Self:
        if self.state == "answered" and not self.text.strip() and not self.in_files:
            raise ValueError("an answered output needs a text")
        if self.state == NOT_RELEASED and (self.text or self.budget != ProofBudget()):
            raise ValueError("what was not released has neither text nor budget")
        return self
