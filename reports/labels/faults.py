"""A row of a label or comment file, and what is wrong with one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from accounts.refusal import Refused

MOST_FAULTS = 5_000  # then the reading stops
_LISTED = 20


@dataclass(frozen=True)
class LabelRow:
    """One row of a table: canonical column to its text. `file` is empty where there is only one."""

    line: int
    cells: Mapping[str, str]
    file: str = ""

    def __getitem__(self, column: str) -> str:
        return self.cells[column]

    @property
    def place(self) -> str:
        """Where the row is, in words."""
        return f"line {self.line} of {self.file}" if self.file else f"line {self.line}"


@dataclass(frozen=True)
class Fault:
    """What is wrong with one row; on line 0, with the file as a whole."""

    line: int
    field: str
    reason: str
    file: str = ""

    def __str__(self) -> str:
        place = [
            self.file,
            f"line {self.line}" if self.line else "",
            f"field {self.field}" if self.field else "",
        ]
        return f"{', '.join(filter(None, place))}: {self.reason}"


class BadLabels(Refused):
    """Files that were refused as a whole; `faults` says why, row by row."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = list(faults)
        listed = [str(fault) for fault in self.faults[:_LISTED]]
        if len(self.faults) > _LISTED:
            listed.append(f"and {len(self.faults) - _LISTED:,} more")
        super().__init__("\n".join(["Nothing was imported.", *listed]), code="bad_labels")
