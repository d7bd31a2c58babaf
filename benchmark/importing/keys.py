"""What the formats of several protocols share: keys of instances and papers, strict records, papers."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from benchmark.importing.records import ONE_LINE
from benchmark.protocol import PaperRecord

Key = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=ONE_LINE)]
Short = Annotated[str, StringConstraints(min_length=1, max_length=100)]
Split = Annotated[str, StringConstraints(max_length=50)]
Year = Annotated[int, Field(ge=0, le=9999)]


class Strict(BaseModel):
    """A record of our own format: an unknown field is refused by name."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid", use_attribute_docstrings=True)


class PaperFields(Strict):
    """The paper that an instance is from: the cluster."""

    key: Key
    """The name of the paper; problems of one paper share it."""
    title: str = ""
    """The paper's title."""
    year: Year | None = None
    """The year in which it appeared."""
    identifiers: dict[str, str] = {}
    """Where to find it, for example arxiv or doi."""

    def record(self) -> PaperRecord:
        """The paper as it is stored."""
        return PaperRecord(key=self.key, title=self.title, year=self.year, identifiers=self.identifiers)
