"""A row of a label file, and what is wrong with one."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class LabelRow:
    """One row of the file: canonical column to its text."""

    line: int
    cells: Mapping[str, str]

    def __getitem__(self, column: str) -> str:
        return self.cells[column]


@dataclass(frozen=True)
class Fault:
    """What is wrong with one row."""

    line: int
    field: str
    reason: str

    def __str__(self) -> str:
        return f"line {self.line}, field {self.field}: {self.reason}"
