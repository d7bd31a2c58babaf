"""What the owner of a study says and chooses about a public record. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Declared:
    """Everything on a record that does not follow from the artifact and the frozen texts.

    `address` is the absolute address of this version; `systems` are the names of systems by slug. `embargo` is the day
    (ISO) on which the texts of a problem may be read, by the problem's key; of a problem under embargo only its title
    is published. `credited` are the referees who chose to be named, as they chose it; `referees` counts all of them.
    With `hides_hashes` there is no hash of an answer that is not shown: anyone who has its text would find its system
    by it. Records from before 27 November 2026 have all hashes. With `hides_clues` there are no draws of campaigns in
    which nobody had graded yet, because they name the systems of what is still to be read, and where a problem is not
    shown no words of references and no names of papers. Records from before 29 November 2026 have them.
    """

    name: str
    version: int
    address: str
    published_on: str
    title: str
    authors: Sequence[str]
    licence: str
    asked: str
    limitations: str
    changes: str = ""
    doi: str = ""
    show_problems: bool = False
    show_outputs: bool = False
    show_reports: bool = False
    embargo: Mapping[str, str] = field(default_factory=dict)
    systems: Mapping[str, str] = field(default_factory=dict)
    credited: Sequence[str] = ()
    referees: int = 0
    is_sample: bool = False
    frozen_sha256: str = ""
    hides_hashes: bool = False
    hides_clues: bool = False

    @property
    def author_line(self) -> str:
        """The authors in a row; names that have a comma of their own are told apart by semicolons."""
        return ("; " if any("," in name for name in self.authors) else ", ").join(self.authors)

    def is_open(self, instance: str) -> bool:
        """Whether the texts of the problem may be read from the day of publishing on."""
        return self.embargo.get(instance, "") <= self.published_on

    def hides_problem(self, instance: str) -> bool:
        """Whether nothing is published by which the problem's text, or what it asks for, could be found."""
        return self.hides_clues and not (self.show_problems and self.is_open(instance))

    def hides_answer(self, instance: str) -> bool:
        """Whether nothing by which its text could be recognised is published of an answer to the problem."""
        return self.hides_hashes and not (self.show_outputs and self.is_open(instance))

    def public_on(self, instance: str) -> str:
        """The day on which a text under embargo may be read, "" where there is none."""
        return "" if self.is_open(instance) else self.embargo[instance]

    def still_closed(self, today: date) -> dict[str, date]:
        """What the next version keeps closed unless its owner says otherwise: the days that have not come."""
        days = {key: date.fromisoformat(day) for key, day in sorted(self.embargo.items())}
        return {key: day for key, day in days.items() if day > today}

    def as_json(self) -> dict[str, object]:
        """Plain JSON values."""
        return {**asdict(self), "authors": list(self.authors), "credited": list(self.credited)}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "Declared":
        """The inverse of as_json."""
        return cls(**document)
