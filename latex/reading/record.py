"""What the reading of a document notes next to its page: where each thing is, for `latex.structure`."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from latex.limits import MAX_NAME
from latex.reading.tokens import Token, spelled

MAX_NAMES = 10 * MAX_NAME  # characters of the keys in one citation


@dataclass(eq=False, slots=True)
class Passage:
    """A statement or a proof, as an environment of the source. Offsets; `title` is the author's optional argument as
    TeX, `head` the printed name, `inside` the passage around it, `again` the macro that prints it again."""

    environment: str
    head: str
    title: str
    title_start: int
    title_end: int
    number: str
    start: int
    body_start: int
    is_proof: bool
    inside: "Passage | None" = None
    body_end: int = 0
    end: int = 0
    again: str = ""


@dataclass(frozen=True, slots=True)
class Heading:
    level: str
    number: str
    title: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Mark:
    """A \\label, a reference or a citation: the command, its names, the words in [..], where it is."""

    command: str
    names: tuple[str, ...]
    note: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Named:
    """What a \\label names: the printed number, its kind, and the passage that it belongs to."""

    name: str
    number: str
    kind: str
    passage: Passage | None
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the bibliography."""

    key: str
    label: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Set:
    """A formula: where it is, whether it is a display."""

    start: int
    end: int
    display: bool


@dataclass
class Record:
    """Everything noted, in the order of the source."""

    text: str
    passages: list[Passage] = field(default_factory=list)
    open: list[Passage] = field(default_factory=list)  # of these, those that have not ended
    headings: list[Heading] = field(default_factory=list)
    labels: list[Named] = field(default_factory=list)
    references: list[Mark] = field(default_factory=list)
    citations: list[Mark] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    formulas: list[Set] = field(default_factory=list)
    aimed: Passage | None = None  # the passage that a \\label would name

    def begin(
        self, *, environment: str, head: str, number: str, option: list[Token] | None, start: int, upto: int,
        is_proof: bool,
    ) -> Passage:  # fmt: skip
        """Notes that a statement or a proof has begun, read up to `upto`."""
        title_start = title_end = 0
        body = upto
        if option is not None:
            # An option may end within a token, whose offsets are those of the whole: its brackets say where.
            opening = self.text.find("[", start, option[0].end if option else upto)
            closing = self.text.find("]", option[-1].start if option else opening, upto + 1)
            if start < opening < closing:
                title_start, title_end, body = opening + 1, closing, closing + 1
        self.passages.append(
            Passage(
                environment, head, spelled(option or []).strip(), title_start, title_end, number, start, body,
                is_proof, self.open[-1] if self.open else None,
            )
        )  # fmt: skip
        self.open.append(self.passages[-1])
        return self.passages[-1]

    def finish(self, passage: Passage, closing: int, end: int) -> None:
        """Notes its end, by a command that begins at `closing`."""
        passage.end = max(end, passage.start)
        passage.body_end = min(max(closing, passage.body_start), passage.end)
        self.open.pop()  # environments end in the opposite order

    def formula(self, start: int, end: int, display: bool) -> None:
        # Of two formulas in a row, as in $a$$b$, both have the token in the middle.
        if not display:
            start += self.text.startswith("$$", start)
            end -= self.text.startswith("$$", end - 2)
        self.formulas.append(Set(start, end, display))

    def marks(self, tokens: list[Token], commands: tuple[str, ...]) -> Iterator[Mark]:
        """The marks with these commands among the tokens of a formula, as far as they are in the source itself."""
        for index, token in enumerate(tokens):
            if token.kind != "word" or token.text not in commands or index + 1 == len(tokens):
                continue
            if not self.text.startswith("\\" + token.text, token.start) or tokens[index + 1].kind != "{":
                continue
            end = self.text.find("}", token.end, token.end + MAX_NAMES)
            names = tuple(self.text[tokens[index + 1].end : end].split(",")) if end > 0 else ()
            if names:
                yield Mark(token.text, tuple(name.strip() for name in names), "", token.start, end + 1)
