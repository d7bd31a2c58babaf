"""A sum with its closed form, and an answer."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, StringConstraints, model_validator

from benchmark.importing.keys import Key

Text = Annotated[str, StringConstraints(min_length=1)]


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


class Sum(_Strict):
    """The payload of an instance."""

    sum: Text
    closed: Text


class SumLine(Sum):
    """One line of a release file."""

    instance_id: Key
    domain: Text


class AnswerLine(_Strict):
    """One line of an outputs file."""

    instance_id: Key
    state: Literal["answered", "abstained", "failed"] = "answered"
    text: str = ""

    @model_validator(mode="after")
    def _answered_means_text(self) -> Self:
        if self.state == "answered" and not self.text.strip():
            raise ValueError("an answered output needs a text")
        return self
