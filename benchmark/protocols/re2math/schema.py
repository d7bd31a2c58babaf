"""The published Re2Math instance, and an output for it.

An instance is the publisher's own record: it is kept word for word, and fields that a later release adds
are kept too. An output is our format: an unknown field is refused by name.
"""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator

from benchmark.importing.keys import Key, Short, Split, Strict, Year

Text = Annotated[str, StringConstraints(min_length=1)]
# What the publisher leaves out, or gives as null, where there is none.
Stored = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]
Day = Annotated[str, StringConstraints(pattern=r"^(Unknown|\d{4}(-\d{2}){0,2})$")]


TOP = 20  # candidates whose metadata a system is shown


class _Published(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="allow", use_attribute_docstrings=True)


class CitingPaper(_Published):
    """The paper whose proof has the gap: the cluster."""

    paper_id: Key
    """The paper whose proof has the gap, by its arXiv number."""
    title: Text
    """Its title."""
    publication_date: Day
    """When it appeared: YYYY-MM-DD, a part of that, or Unknown."""


class GlobalContext(_Published):
    """What the whole proof is about."""

    setup: Text
    """What the whole proof is about."""
    target_theorem: Text
    """The theorem that is proved."""


class ProofState(_Published):
    """x: what a system is given. The anchor hint belongs to the assisted track only."""

    global_context: GlobalContext
    local_context: list[Text]
    """The text before the gap, paragraph by paragraph; empty where the proof begins with the gap."""
    anchor_hint: str
    """A hint, given to systems in the assisted track only."""


class Witness(_Published):
    """y: the tool that the authors used, as one reference."""

    reference_tool_latex: Text
    """The tool that the authors used, in LaTeX."""
    reference_tool_type: Text
    """What kind of statement it is."""
    restated_in_citing_paper: bool
    """Whether the citing paper states it again."""


class StoredCitation(_Published):
    """z: where the authors found their tool."""

    citation_key: Text
    """The key of the citation in the paper."""
    citation_content: Text
    """The cited work as the bibliography has it."""
    source_type: Text
    """What kind of work it is."""
    locator: Stored = ""
    """Where in the work the tool is; may be left out or null, like the three that follow."""
    locator_snippet: Stored = ""
    """The words that say so."""
    doi: Stored = ""
    """The work's DOI, or empty."""
    arxiv_id: Stored = ""
    """The work's arXiv number, or empty."""


class Strata(_Published):
    """What scores are broken down by."""

    domain: Short
    """The field of mathematics: campaigns draw and assign by it."""
    tool_family: Text
    """The family of tools; scores are broken down by it."""


class ProofGap(_Published):
    """One line of a published release."""

    instance_id: Key
    """The name of the problem within the release; outputs and labels refer to it."""
    split: Split
    """The part of the release that it belongs to, if there are several."""
    paper: CitingPaper
    x: ProofState
    y: Witness
    z: StoredCitation
    strata: Strata


class Source(Strict):
    """A document that a system was shown or chose."""

    title: Text
    """The title of the selected source."""
    authors: str = ""
    """Its authors."""
    year: Year | None = None
    """Its year."""
    identifier: str = ""
    """Its arXiv number or DOI."""


class GapAnswer(Strict):
    """What an output has in addition to its statement; the payload of its row."""

    planning_anchor: str = ""
    """What the system planned to look for."""
    query: str = ""
    """What it searched for."""
    candidates: Annotated[list[Source], Field(max_length=TOP)] | None = []
    """The sources that it was shown, each with title, authors, year and identifier; null if they were not recorded."""
    selected_source: Source | None = None
    source_excerpt: str = ""
    """The passage of the source that it relies on."""


class OutputLine(GapAnswer):
    """One line of an outputs file."""

    instance_id: Key
    """The problem that this is an output for, by its name in the release."""
    attempt: Annotated[int, Field(ge=1, le=1000)] = 1
    """Counts the system's attempts at one problem, from 1."""
    state: Literal["answered", "abstained", "failed"] = "answered"
    """Abstained and failed outputs count against the system and are shown to nobody."""
    statement: str = ""
    """The tool that fills the gap, in LaTeX."""
    abstained: bool = False
    """True if and only if the state is abstained."""

    @model_validator(mode="after")
    def _state_fits(self) -> Self:
        if self.abstained != (self.state == "abstained"):
            raise ValueError(f"abstained is {str(self.abstained).lower()} but state is {self.state}")
        if self.state == "answered" and not (self.selected_source and self.statement.strip()):
            raise ValueError("an answered output needs a selected_source and a statement")
        return self
