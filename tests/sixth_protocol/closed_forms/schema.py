"""A sum with its closed form, and an answer."""

from typing import Annotated, Literal, Self

from pydantic import StringConstraints, model_validator

from benchmark.importing.keys import Key, Strict

Text = Annotated[str, StringConstraints(min_length=1)]


class Sum(Strict):
    """The payload of an instance."""

    sum: Text
    """The sum, in LaTeX."""
    closed: Text
    """A closed form of it, which is not shown to systems."""


class SumLine(Sum):
    """One line of a release file."""

    instance_id: Key
    """The name of the sum."""
    domain: Text
    """The field of mathematics."""


class AnswerLine(Strict):
    """One line of an outputs file."""

    instance_id: Key
    """The sum that this is an answer for."""
    state: Literal["answered", "abstained", "failed"] = "answered"
    """Abstained and failed outputs count against the system."""
    text: str = ""
    """The answer as graders read it."""

    @model_validator(mode="after")
    def _answered_means_text(self) -> Self:
        if self.state == "answered" and not self.text.strip():
            raise ValueError("an answered output needs a text")
        return self
