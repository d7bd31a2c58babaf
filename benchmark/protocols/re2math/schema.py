"""The published Re2Math instance, and an output for it.

An instance is the publisher's own record: it is kept word for word, and fields that a later release adds
are kept too. An output is our format: an unknown field is refused by name.
"""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from benchmark.importing.keys import Key, Short, Split, Strict, Year

Text = Annotated[str, StringConstraints(min_length=1)]
Day = Annotated[str, StringConstraints(pattern=r"^(Unknown|\d{4}(-\d{2}){0,2})$")]


TOP = 20  # candidates whose metadata a system is shown


class _Published(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="allow")


class CitingPaper(_Published):
    """The paper whose proof has the gap: the cluster."""

    paper_id: Key
    title: Text
    publication_date: Day


class GlobalContext(_Published):
    """What the whole proof is about."""

    setup: Text
    target_theorem: Text


class ProofState(_Published):
    """x: what a system is given. The anchor hint belongs to the assisted track only."""

    global_context: GlobalContext
    local_context: Annotated[list[Text], Field(min_length=1)]
    anchor_hint: str


class Witness(_Published):
    """y: the tool that the authors used, as one reference."""

    reference_tool_latex: Text
    reference_tool_type: Text
    restated_in_citing_paper: bool


class StoredCitation(_Published):
    """z: where the authors found their tool."""

    citation_key: Text
    citation_content: Text
    source_type: Text
    locator: str
    locator_snippet: str
    doi: str
    arxiv_id: str


class Strata(_Published):
    """What scores are broken down by."""

    domain: Short
    tool_family: Text


class ProofGap(_Published):
    """One line of a published release."""

    instance_id: Key
    split: Split
    paper: CitingPaper
    x: ProofState
    y: Witness
    z: StoredCitation
    strata: Strata


class Source(Strict):
    """A document that a system was shown or chose."""

    title: Text
    authors: str = ""
    year: Year | None = None
    identifier: str = ""


class GapAnswer(Strict):
    """What an output has in addition to its statement; the payload of its row."""

    planning_anchor: str = ""
    query: str = ""
    candidates: Annotated[list[Source], Field(max_length=TOP)] = []
    selected_source: Source | None = None
    source_excerpt: str = ""


class OutputLine(GapAnswer):
    """One line of an outputs file."""

    instance_id: Key
    attempt: Annotated[int, Field(ge=1, le=1000)] = 1
    state: Literal["answered", "abstained", "failed"] = "answered"
    statement: str = ""
    abstained: bool = False

    @model_validator(mode="after")
    def _state_fits(self) -> Self:
        if self.abstained != (self.state == "abstained"):
            raise ValueError(f"abstained is {str(self.abstained).lower()} but state is {self.state}")
        if self.state == "answered" and not (self.selected_source and self.statement.strip()):
            raise ValueError("an answered output needs a selected_source and a statement")
        return self
