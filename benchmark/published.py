"""What a paper published about its benchmark: figures with their source, and the known discrepancies.

The facts are in `published.toml` of the protocol's folder. A paper whose protocol is not written yet has a
folder with this file alone: the registry of protocols lists it from the day it gets its `__init__.py`.
Figures are text exactly as printed, so that their number of decimals is known. reports/published/ computes.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

FOLDER = Path(__file__).parent / "protocols"
_FILE = "published.toml"

Text = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]
Cell = int | float | str


class PublishedError(ValueError):
    """A file of published facts is invalid."""


class _Fact(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class PublishedPaper(_Fact):
    """Where the facts are from; `read` is the day on which they were taken from that version."""

    title: Text
    source: Text
    read: Text


class PublishedTable(_Fact):
    """A table of figures. Each row is its name, then the inputs, then the figures as printed.

    `by` says whose figures they are: the paper's, or ours where the paper gives none. `check` names the
    function that recomputes them; without one, `needs` says what is missing. `why` explains, row by row,
    the figures that do not come out.
    """

    key: Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]+$")]
    where: Text
    what: Text
    by: Literal["paper", "us"] = "paper"
    check: str = ""
    needs: str = ""
    inputs: list[str] = []
    figures: list[str] = Field(min_length=1)
    rows: list[list[Cell]] = Field(min_length=1)
    why: Mapping[str, Text] = {}

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if bool(self.check) == bool(self.needs):
            raise ValueError("either a check or what it would need")
        width = 1 + len(self.inputs) + len(self.figures)
        for row in self.rows:
            if len(row) != width or not all(isinstance(cell, str) for cell in self.printed(row)):
                raise ValueError(f"row {row[:1]}: a name, {len(self.inputs)} inputs, figures as text")
        unknown = set(self.why) - {row[0] for row in self.rows}
        if unknown:
            raise ValueError(f"why: there is no row {sorted(unknown)}")
        return self

    def printed(self, row: list[Cell]) -> list[Cell]:
        """The figures of a row."""
        return row[1 + len(self.inputs) :]


class Discrepancy(_Fact):
    """A place where a paper does not agree with itself, or leaves open what a figure means.

    `tables` are the keys of the tables whose recomputation shows it; without any, `needs` says what the
    authors would have to publish.
    """

    key: Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]+$")]
    where: Text
    published: Text
    recomputed: Text
    why: Text
    needs: Text
    tables: list[str] = []


class Published(_Fact):
    """All facts of one paper."""

    paper: PublishedPaper
    table: list[PublishedTable] = Field(min_length=1)
    discrepancy: list[Discrepancy] = []

    @model_validator(mode="after")
    def _linked(self) -> Self:
        keys = [table.key for table in self.table]
        if len({*keys}) < len(keys):
            raise ValueError("two tables have the same key")
        for discrepancy in self.discrepancy:
            missing = set(discrepancy.tables) - set(keys)
            if missing:
                raise ValueError(f"discrepancy {discrepancy.key}: there is no table {sorted(missing)}")
        return self


def published_protocols() -> list[str]:
    """Names of the folders that hold published facts, sorted."""
    return sorted(path.parent.name for path in FOLDER.glob(f"*/{_FILE}"))


@cache
def published_facts(protocol: str) -> Published:
    """The facts in the folder `protocol`; raises KeyError naming those that exist, and PublishedError."""
    if protocol not in published_protocols():
        raise KeyError(
            f"nothing published is kept for {protocol!r}; there is {', '.join(published_protocols())}"
        )
    return parse_published((FOLDER / protocol / _FILE).read_text("utf-8"), f"{protocol}/{_FILE}")


def parse_published(text: str, name: str) -> Published:
    """Read the text of a file called `name`; raises PublishedError with the name and the place."""
    try:
        return Published.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise PublishedError(f"{name}: {error}") from error
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        raise PublishedError(f"{name}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from error
