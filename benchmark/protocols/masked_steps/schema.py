"""The published mask, kept word for word, and an answer to it.

The published record is the one of Mask-Proof, appendix C. What it does not have and a release may add are the
mathematical domain, the step's type, the proof's family, and the original of a variant (random or truncated).
"""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from benchmark.importing.keys import Key, Short, Strict

MASK = "[MASK]"
ATTEMPTS = 4
Text = Annotated[str, StringConstraints(min_length=1)]
Number = Annotated[int, Field(ge=0, le=10**9)]


class Mask(BaseModel):
    """One line of a published release: a proof in which one formula is masked."""

    model_config = ConfigDict(strict=True, frozen=True, extra="allow")

    index: Number
    arxiv_id: Key
    proof_index: Number
    problem: Text
    reference_solution: Text
    mask_text: Text
    mask_content: Text
    domain: Short = "unstated"
    step_type: str = ""
    proof_family: str = ""
    variant: Literal["", "random", "truncated"] = ""
    variant_of: Number | None = None

    @model_validator(mode="after")
    def _one_mask(self) -> Self:
        found = self.mask_text.count(MASK)
        if found != 1:
            raise ValueError(f"mask_text has {found} places marked {MASK}, expected one")
        if bool(self.variant) != (self.variant_of is not None):
            raise ValueError("variant and variant_of belong together")
        return self


class Attempt(Strict):
    """What an output has in addition to its answer; the payload of its row. `missing`: the file had no such attempt."""

    reasoning: str = ""
    missing: bool = False


class AttemptLine(Strict):
    """One line of an outputs file: one of the four attempts at a mask. `text` is the formula."""

    index: Number
    attempt: Annotated[int, Field(ge=1, le=ATTEMPTS)] = 1
    state: Literal["answered", "abstained", "failed"] = "answered"
    text: str = ""
    reasoning: str = ""

    @model_validator(mode="after")
    def _answered_means_text(self) -> Self:
        if self.state == "answered" and not self.text.strip():
            raise ValueError("an answered output needs a text")
        return self
