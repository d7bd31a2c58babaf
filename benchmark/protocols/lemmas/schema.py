"""A lemma with the definitions and assumptions it needs, and what a system gave for it. Our format: strict.

A system did one of two tasks: it proved the lemma in numbered steps, or it collected from the paper the
definitions and assumptions that make the lemma self-contained.
"""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

Text = Annotated[str, StringConstraints(min_length=1, pattern=r"\S")]
Key = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Short = Annotated[str, StringConstraints(min_length=1, max_length=100)]
Task = Literal["proof", "context"]


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


class Lemma(_Strict):
    """The payload of an instance's row; `definitions` and `assumptions` are those of the release."""

    title: str = ""
    statement: Text
    definitions: list[Text] = []
    assumptions: list[Text] = []


class LemmaPaper(_Strict):
    """The preprint a lemma is from: the cluster."""

    key: Key
    title: str = ""
    year: Annotated[int, Field(ge=0, le=9999)] | None = None
    identifiers: dict[str, str] = {}


class LemmaLine(Lemma):
    """One line of a release file."""

    instance_id: Key
    domain: Short
    split: Annotated[str, StringConstraints(max_length=50)] = ""
    paper: LemmaPaper | None = None


class Given(_Strict):
    """What an output says beside its text; the payload of its row."""

    task: Task = "proof"


class GivenLine(Given):
    """One line of an outputs file: `steps` for a proof, `definitions` and `assumptions` for a context."""

    instance_id: Key
    attempt: Annotated[int, Field(ge=1, le=1000)] = 1
    state: Literal["answered", "abstained", "failed"] = "answered"
    steps: list[Text] = []
    definitions: list[Text] = []
    assumptions: list[Text] = []

    @model_validator(mode="after")
    def _holds_what_the_task_asks(self) -> Self:
        context = bool(self.definitions or self.assumptions)
        if self.task == "proof" and context:
            raise ValueError("a proof has steps, and no definitions or assumptions of its own")
        if self.task == "context" and self.steps:
            raise ValueError("a context has definitions and assumptions, and no steps")
        if self.state == "answered" and self.task == "proof" and not self.steps:
            raise ValueError("an answered output needs steps")
        return self
