"""A lemma with the definitions and assumptions it needs, and what a system gave for it. Our format: strict.

A system did one of two tasks: it proved the lemma in numbered steps, or it collected from the paper the definitions and
assumptions that make the lemma self-contained. A definition or an assumption is a text, or an object that also gives
its place in the paper's source; a step is a text, or an object with its sub-goal.
"""

from typing import Annotated, Literal, Self

from pydantic import Discriminator, Field, StringConstraints, Tag, model_validator

from benchmark.importing.keys import Key, PaperFields, Short, Split, Strict

Text = Annotated[str, StringConstraints(min_length=1, pattern=r"\S")]
Category = Annotated[str, StringConstraints(pattern=r"^[a-z]+(-[a-z]+)*(\.[A-Za-z-]+)?$", max_length=30)]
Task = Literal["proof", "context"]
Extraction = Literal["full_context", "vector"]  # the whole paper before the lemma, or paragraphs found in it


class SourceSpan(Strict):
    """The place of a text in the paper's source: characters `start` (from 0) up to, but not including, `end`."""

    start: Annotated[int, Field(ge=0)]
    end: Annotated[int, Field(ge=1)]

    @model_validator(mode="after")
    def _is_not_empty(self) -> Self:
        if self.end <= self.start:
            raise ValueError("a span ends after it starts")
        return self


class Retrieved(Strict):
    """A definition or an assumption that was taken out of the paper, possibly from several places."""

    text: Text
    spans: Annotated[list[SourceSpan], Field(min_length=1)]


class ProofStep(Strict):
    """One step of a proof: what it shows, and how."""

    subgoal: Text
    text: Text


# Which of two shapes an entry has, so that a fault is told about that one alone.
_SHAPE = Discriminator(lambda value: "text" if isinstance(value, str) else "object")
_Words = Annotated[Text, Tag("text")]
Passage = Annotated[_Words | Annotated[Retrieved, Tag("object")], _SHAPE]
Claim = Annotated[_Words | Annotated[ProofStep, Tag("object")], _SHAPE]


class Lemma(Strict):
    """The payload of an instance's row; `definitions` and `assumptions` are those of the release.

    `extraction` says how they were found, `category` is the paper's on arXiv, such as math.AP.
    """

    title: str = ""
    """A short title."""
    statement: Text
    """The lemma, in LaTeX."""
    definitions: list[Passage] = []
    """Definitions it needs: texts, or objects with text and spans in the paper's source."""
    assumptions: list[Passage] = []
    """Assumptions it needs, in the same form."""
    extraction: Extraction | None = None
    """How definitions and assumptions were found: in the whole paper before the lemma, or in paragraphs."""
    category: Category | None = None
    """The paper's category on arXiv, such as math.AP."""


class LemmaLine(Lemma):
    """One line of a release file."""

    instance_id: Key
    """The name of the problem within the release; outputs and labels refer to it."""
    domain: Short
    """The field of mathematics: campaigns draw and assign by it."""
    split: Split = ""
    """The part of the release that it belongs to, if there are several."""
    paper: PaperFields | None = None
    """The paper that the lemma is from."""


class Given(Strict):
    """What an output has in addition to its text; the payload of its row. `extraction` is of a context alone."""

    task: Task = "proof"
    """Whether the output is a proof in steps, or the context that makes the lemma self-contained."""
    extraction: Extraction | None = None
    """Of a context: how it was found."""


class GivenLine(Given):
    """One line of an outputs file: `steps` for a proof, `definitions` and `assumptions` for a context."""

    instance_id: Key
    """The problem that this is an output for, by its name in the release."""
    attempt: Annotated[int, Field(ge=1, le=1000)] = 1
    """Counts the system's attempts at one problem, from 1."""
    state: Literal["answered", "abstained", "failed"] = "answered"
    """Abstained and failed outputs count against the system and are shown to nobody."""
    steps: list[Claim] = []
    """The steps of a proof: texts, or objects with subgoal and text."""
    definitions: list[Passage] = []
    """The definitions of a context."""
    assumptions: list[Passage] = []
    """The assumptions of a context."""

    @model_validator(mode="after")
    def _holds_what_the_task_asks(self) -> Self:
        context = bool(self.definitions or self.assumptions or self.extraction)
        if self.task == "proof" and context:
            raise ValueError("a proof has steps, and no definitions, assumptions or extraction of its own")
        if self.task == "context" and self.steps:
            raise ValueError("a context has definitions and assumptions, and no steps")
        if self.state == "answered" and self.task == "proof" and not self.steps:
            raise ValueError("an answered output needs steps")
        return self
