"""The published mask, kept word for word, and an answer to it.

The published record is the one of Mask-Proof, appendix C, or its six core fields, as the file of the benchmark has it:
without proof_index. What it does not have and a release may add are the mathematical domain, the step's type, the
proof's family, and the original of a variant (random or truncated).
"""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from benchmark.importing.keys import Key, Short, Strict

MASK = "[MASK]"
ATTEMPTS = 4
# In the order in which the benchmark's description lists them.
CORE = ("index", "problem", "reference_solution", "mask_text", "mask_content", "arxiv_id")
Text = Annotated[str, StringConstraints(min_length=1)]
Number = Annotated[int, Field(ge=0, le=10**9)]


class Mask(BaseModel):
    """One line of a published release: a proof in which one formula is masked."""

    model_config = ConfigDict(strict=True, frozen=True, extra="allow", use_attribute_docstrings=True)

    index: Number
    """The number of the mask within the release; outputs refer to it."""
    arxiv_id: Key
    """The paper that the proof is from."""
    proof_index: Number | None = None
    """The number of the proof within the paper; without it, masks of one whole proof are those with the same text."""
    problem: Text
    """What is to be proved."""
    reference_solution: Text
    """The whole proof."""
    mask_text: Text
    """The proof with one formula replaced by [MASK]."""
    mask_content: Text
    """The formula that was masked."""
    domain: Short = "unstated"
    """The field of mathematics: campaigns draw and assign by it."""
    step_type: str = ""
    """The type of the masked step; scores are broken down by it."""
    proof_family: str = ""
    """The family of the proof; scores are broken down by it."""
    variant: Literal["", "random", "truncated"] = ""
    """Empty for a chosen mask, else how it was varied."""
    variant_of: Number | None = None
    """Of a variant: the number of its original."""

    @property
    def proof(self) -> tuple[str, int | str]:
        """What all masks of one proof have in common."""
        return self.arxiv_id, self.reference_solution if self.proof_index is None else self.proof_index

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
    """How the system came to its answer."""
    missing: bool = False
    """Whether the file had no such attempt."""


class AttemptLine(Strict):
    """One line of an outputs file: one of the four attempts at a mask. `text` is the formula."""

    index: Number
    """The number of the mask."""
    attempt: Annotated[int, Field(ge=1, le=ATTEMPTS)] = 1
    """Counts the system's attempts at one problem, from 1."""
    state: Literal["answered", "abstained", "failed"] = "answered"
    """Abstained and failed outputs count against the system and are shown to nobody."""
    text: str = ""
    """The formula."""
    reasoning: str = ""
    """How the system came to it."""

    @model_validator(mode="after")
    def _answered_means_text(self) -> Self:
        if self.state == "answered" and not self.text.strip():
            raise ValueError("an answered output needs a text")
        return self
