"""The memory of an attempt: five sections, append-only, and who may write to which."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from solvers.steps import Entry

# Modules (analysis, literature, knowledge bank) write before the first draft, or on behalf of a proposer.
WRITERS: Mapping[str, frozenset[str]] = {
    "problem": frozenset({"initializer", "module"}),
    "literature": frozenset({"initializer", "module"}),
    "knowledge": frozenset({"initializer", "module"}),
    "proof": frozenset({"initializer", "proposer"}),
    "feedback": frozenset({"verifier"}),
}
BYTES_PER_TOKEN = 4  # of English with formulas, roughly; only for how much memory is shown, never for caps


class MemoryRefused(ValueError):
    """A write that the table of writers does not allow."""


class Memory:
    """Entries in the order in which they were written. Nothing is ever changed or removed."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []

    @property
    def entries(self) -> tuple[Entry, ...]:
        return tuple(self._entries)

    def write(self, section: str, *, round: int, agent: str, role: str, text: str, step: str = "") -> Entry:
        """Append an entry. Raises MemoryRefused for a section that the role does not write."""
        if role not in WRITERS.get(section, ()):
            raise MemoryRefused(f"{role} does not write {section}")
        entry = Entry(len(self._entries) + 1, section, round, agent, role, text, step)
        self._entries.append(entry)
        return entry

    def of(self, section: str) -> list[Entry]:
        """The entries of a section, oldest first."""
        return [entry for entry in self._entries if entry.section == section]


@dataclass(frozen=True)
class Shown:
    """Fields of a prompt made of memory, the numbers of the entries in them, and those that did not fit."""

    fields: Mapping[str, str]
    reads: tuple[int, ...]
    left_out: tuple[int, ...] = ()


def shown(parts: Iterable[tuple[str, Sequence[Entry]]], context_tokens: int) -> Shown:
    """Whole entries, part by part in this order, until `context_tokens` are full; a line says what was left out.

    The first entry is always shown: a question without its problem is none.
    """
    left, fields, reads, left_out = context_tokens, dict[str, str](), list[int](), list[int]()
    for name, entries in parts:
        texts = []
        for entry in entries:
            size = -(-len(entry.text.encode()) // BYTES_PER_TOKEN)
            if reads and size > left:
                left_out.append(entry.number)
                continue
            left -= size
            reads.append(entry.number)
            texts.append(f"[#{entry.number}, round {entry.round}, {entry.agent}]\n{entry.text}")
        if texts:
            fields[name] = "\n\n".join(texts)
    if left_out:
        fields["left_out"] = "Left out for length: " + ", ".join(f"#{number}" for number in left_out)
    return Shown(fields, tuple(reads), tuple(left_out))
