"""What rendering gives back: blocks of safe HTML with their place in the source, and a report."""

from dataclasses import dataclass, field
from html import escape


@dataclass(frozen=True)
class Failure:
    """A formula that is shown as source: the author's words, why, and where it starts."""

    source: str
    reason: str
    start: int


@dataclass(frozen=True)
class Report:
    """How a document fared; `formulas` counts all, failed ones included.

    `unresolved` are the references and citations that lead nowhere; the notes name the first of them too.
    """

    formulas: int
    failures: tuple[Failure, ...] = ()
    notes: tuple[str, ...] = ()
    unresolved: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        return {
            "formulas": self.formulas,
            "failures": [{"source": f.source, "reason": f.reason, "start": f.start} for f in self.failures],
            "notes": list(self.notes),
        }


@dataclass(frozen=True)
class Formula:
    """A formula as KaTeX gets it."""

    latex: str
    display: bool
    source: str
    start: int


@dataclass(frozen=True)
class Block:
    """One piece of a document: safe HTML, and the half-open range of the source it came from.

    `within` names the boxes and proofs around it ("proof", "box"), for styling.
    """

    id: str
    kind: str
    html: str
    start: int
    end: int
    label: str = ""
    within: tuple[str, ...] = ()
    text: str = field(default="", repr=False)

    @property
    def source(self) -> str:
        return self.text[self.start : self.end]

    @property
    def section(self) -> str:
        """The block as an element that carries its id and its place."""
        classes = " ".join(["block", f"kind-{self.kind}", *(f"in-{name}" for name in self.within)])
        return (
            f'<section class="{classes}" id="{escape(self.id)}" data-start="{self.start}" '
            f'data-end="{self.end}">{self.html}</section>'
        )


@dataclass(frozen=True)
class Document:
    blocks: tuple[Block, ...]
    report: Report
    formulas: tuple[Formula, ...] = ()

    @property
    def html(self) -> str:
        """All blocks, each in its <section class="block" id data-start data-end>."""
        return "\n".join(block.section for block in self.blocks)
