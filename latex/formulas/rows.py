"""What a formula becomes: LaTeX written piece by piece, its rows, and the number of each."""

from collections.abc import Callable
from dataclasses import dataclass, field

from latex.formulas.parts import number_in, shown_tag
from latex.formulas.read import FormulaReader
from latex.formulas.words import BRACED, DISPLAYS, RAGGED
from latex.limits import MAX_FORMULA, LimitReached
from latex.reading.tokens import Token


@dataclass(frozen=True)
class Context:
    """What a formula asks of its document: the next equation number, a place for a label (name, number), a
    reference's visible text, and a note for the report."""

    number: Callable[[], str]
    label: Callable[[str, str], None]
    reference: Callable[[str, str, str], str]
    note: Callable[[str], None]


@dataclass
class Row:
    label: list[str] = field(default_factory=list)
    tag: str = ""
    numbered: bool = True
    empty: bool = True
    columns: int = 0


@dataclass
class Level:
    """An open environment inside the formula (or the formula itself, at the bottom)."""

    written: str
    depth: int
    text: bool = False  # whether cells after the first are text


class FormulaWriter(FormulaReader):
    """A reader that also writes; subclasses say what each token becomes."""

    def __init__(self, tokens: list[Token], environment: str, context: Context, display: bool) -> None:
        super().__init__(tokens)
        self.environment = environment
        self.wrapper, self.numbering = DISPLAYS.get(environment, ("", "none"))
        self.context = context
        self.display = display
        self.out: list[str] = []
        self.size = 0
        self.after_word = False
        self.depth = 0
        self.levels: list[Level] = []
        self.text_depths: list[int] = []  # depths of the open groups that hold text
        self.bold_depth: int | None = None  # of the group in text that said \\boldmath
        self.row = Row(numbered=self.numbering != "none")
        self.hoisted: list[tuple[int, str]] = []  # tags found where KaTeX takes none
        self.rows = 0
        self.tags: list[str] = []  # of rows behind one brace
        self.nesting = 0  # formulas in text in formulas

    def write(self, text: str, is_word: bool = False) -> None:
        if self.after_word and text[:1].isalpha():
            text = " " + text
        self.out.append(text)
        self.after_word = is_word
        self.size += len(text)
        if self.size > MAX_FORMULA:
            raise LimitReached(f"the formula is longer than {MAX_FORMULA} characters")

    def end_row(self, last: bool) -> None:
        row, self.row = self.row, Row()
        if last and self.environment in RAGGED:
            self.row = row
            return
        if last and row.empty and not row.tag and self.rows:
            return
        self.rows += 1
        self._finish_row(row, take_hoisted=last and self.wrapper == "")

    def _finish_row(self, row: Row, take_hoisted: bool) -> None:
        tag = row.tag
        if take_hoisted and not tag and len(self.hoisted) == 1 and self.display:
            tag = self.hoisted.pop()[1]
        if not tag and row.numbered and self.numbering != "none":
            tag = f"\\tag{{{self.context.number()}}}"
        for label in row.label:
            self.context.label(label, number_in(tag))
        if tag and self.environment in BRACED:
            self.tags.append(number_in(tag))
        elif tag:
            self.write(tag)

    def finished(self) -> str:
        for index, tag in self.hoisted:
            self.out[index] = f"\\qquad\\text{{{shown_tag(tag)}}}"
        body = "".join(self.out).strip()
        if self.environment in RAGGED:
            return self.ragged(body)
        if self.wrapper:
            tags = f"\\tag{{{', '.join(self.tags)}}}" if self.tags else ""
            return f"\\begin{{{self.wrapper}}}{self.wrapper_argument(body)}\\end{{{self.wrapper}}}{tags}"
        return body

    def ragged(self, body: str) -> str:
        self.out = [f"\\begin{{aligned}}&{body}\\end{{aligned}}"]
        self.row.numbered = self.row.numbered and self.numbering == "one"
        self._finish_row(self.row, take_hoisted=True)
        return "".join(self.out)

    def wrapper_argument(self, body: str) -> str:
        if self.wrapper == "alignat*" or not self.environment.startswith("IEEE"):
            return body
        return body.partition("}")[2] if body.startswith("{") else body
