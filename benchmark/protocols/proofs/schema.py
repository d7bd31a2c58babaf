"""A problem with its reference solution and guidance for graders, and a proof of it. Our format: strict."""

from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from benchmark.importing.keys import Key, PaperFields, Short, Split, Strict
from benchmark.protocol import NOT_RELEASED

Text = Annotated[str, StringConstraints(min_length=1)]


class Guidance(Strict):
    """What graders of this problem should know: claim, objects, and what tends to go wrong."""

    target_claim: str = ""
    objects: list[Text] = []
    common_issues: list[Text] = []


class Problem(Strict):
    """What is asked; the payload of an instance's row."""

    title: Text
    statement: Text
    reference_solution: str = ""
    guidance: Guidance = Guidance()


class ProblemLine(Problem):
    """One line of a release file."""

    instance_id: Key
    domain: Short
    split: Split = ""
    paper: PaperFields | None = None


class ProofBudget(Strict):
    """What a system was allowed, or used, for one problem: of interest to staff, and never shown to graders."""

    tokens: Annotated[int, Field(ge=0)] | None = None
    hours: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    rounds: Annotated[int, Field(ge=0)] | None = None


class Proof(Strict):
    """What an output has in addition to its text; the payload of its row."""

    budget: ProofBudget = ProofBudget()


class ProofLine(Proof):
    """One line of an outputs file."""

    instance_id: Key
    attempt: Annotated[int, Field(ge=1, le=1000)] = 1
    state: Literal["answered", "abstained", "failed", "not_released"] = "answered"
    text: str = ""
    format: Literal["latex", "markdown", "plain"] = "latex"

    @model_validator(mode="after")
    def _answered_means_text(self) -> Self:
        if self.state == "answered" and not self.text.strip():
            raise ValueError("an answered output needs a text")
        if self.state == NOT_RELEASED and (self.text or self.budget != ProofBudget()):
            raise ValueError("what was not released has neither text nor budget")
        return self
