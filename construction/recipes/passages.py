"""Passages of a source as an instance shows them: cut by the program, macros expanded, with the origin of each string.

A model never writes them. It points with a quotation, which must be found exactly once.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Generic, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from benchmark.importing.keys import Strict
from latex import OUTLINE_VERSION, Outline, Place, Span, Statement, expand, flatten, outline, render_checked
from llm.strict_json import NotJson, fault_of_reply, loads, storable

PROGRAM = f"outline {OUTLINE_VERSION}"
# What blueprints say to their own tools, and to no reader.
_ASIDE = re.compile(
    r"\\(?:(?:uses|lean|proves|discussion)\s*\{[^{}]{0,4000}\}|(?:leanok|mathlibok|notready)(?![A-Za-z]))[ \t]*"
)
# Names that only packages may use. One underscore alone is a subscript, and @ after a command of Xy-pic an option.
_INTERNAL = re.compile(r"\\(?!(?:xymatrix|ar)@)[A-Za-z]+(?:(?:_[A-Za-z]+){2,}:[A-Za-z]*|@[A-Za-z@]*)")
_BEGIN = "\\begin{document}"
_PARAGRAPH = re.compile(r"\n[ \t\r]*\n\s*")
_FENCE = re.compile(r"```(?:json)?[ \t]*\n(?P<inside>.*)\n```", re.DOTALL)
UNREADABLE = ("not_json", "wrong_reply")  # codes of replies that are not what was asked for
Reply = TypeVar("Reply", bound=Strict)
Record = TypeVar("Record", bound=BaseModel)


class Drop(NamedTuple):
    """Why something goes no further: a code to count by, and a sentence for people."""

    code: str
    sentence: str


@dataclass(frozen=True)
class Origin:
    """Where a string of an instance is from: the places whose text a `program` read and expanded. Without places, a
    model wrote it whose prompt is `written_by`, or the program did. With both, that prompt's reply pointed there."""

    places: tuple[Place, ...] = ()
    written_by: str = ""
    program: str = ""


@dataclass(frozen=True)
class Made(Generic[Record]):
    """A line of a release file, with the origin of each of its strings; `definitions.0.text` is within a list."""

    line: Record
    provenance: Mapping[str, Origin]


GIVEN = Origin(program="given with the source")


@dataclass(frozen=True)
class Passage:
    """A passage in LaTeX that needs no macro of its author's. The text of `spans` is what it was made of."""

    text: str
    spans: tuple[Span, ...]
    left: tuple[str, ...] = ()  # commands that it still needs

    def origin(self, source: Outline) -> Origin:
        return origin(source, self.spans)


def passage(source: Outline, span: Span) -> Passage:
    """The passage in that range of the joined text, without the asides of a blueprint."""
    text = source.text_of(span)
    ends = [0, *(end for found in _ASIDE.finditer(text) for end in found.span()), len(text)]
    kept = [(start, end) for start, end in zip(ends[::2], ends[1::2], strict=True) if text[start:end].strip()]
    made = expand("".join(text[start:end] for start, end in kept), source.definitions, span.start)
    internal = _INTERNAL.findall(made.text)
    spans = tuple(Span(span.start + start, span.start + end) for start, end in kept)
    return Passage(made.text, spans, (*made.left, *dict.fromkeys(internal)))


def begin(source: Outline) -> int:
    """Where the document begins, behind its preamble."""
    found = source.flat.text.find(_BEGIN)
    return found + len(_BEGIN) if found >= 0 else 0


def overlap(span: Span, other: Span) -> bool:
    return span.start < other.end and other.start < span.end


def outside(span: Span, hidden: Span) -> list[Span]:
    """What is left of a range before and behind another."""
    sides = (
        Span(span.start, min(span.end, hidden.start)),
        Span(max(span.start, hidden.end), span.end),
    )
    return [side for side in sides if side.start < side.end]


def as_statement(source: Outline, statement: Statement, hidden: Span) -> Passage:
    """A statement in an environment with the usual name of its kind, whatever its author calls it.

    What is `hidden`, a proof, is left out, and so is every proof that its author wrote within the environment.
    """
    sides = [side for part in source.stated(statement) for side in outside(part, hidden)]
    parts = [passage(source, side) for side in sides]
    body = Passage(
        "\n".join(part.text for part in parts),
        tuple(span for part in parts for span in part.spans),
        tuple(name for part in parts for name in part.left),
    )
    title = passage(source, statement.title_span) if statement.title_span else Passage("", ())
    name = statement.kind if statement.kind.isalpha() and statement.kind.isascii() else "theorem"
    option = f"[{{{title.text}}}]" if title.text else ""
    return Passage(
        f"\\begin{{{name}}}{option}{body.text.rstrip()}\n\\end{{{name}}}",
        (*title.spans, *body.spans),
        (*title.left, *body.left),
    )


def origin(source: Outline, spans: Sequence[Span]) -> Origin:
    """The places of these ranges in the files, as this version of the program reads and expands them."""
    places = [place for span in spans for place in source.flat.places(span.start, span.end)]
    return Origin(tuple(places), program=PROGRAM)


def read_alone(text: str) -> Outline:
    """The outline of a passage that is a document of its own."""
    return outline(flatten({"passage.tex": text}, "passage.tex"), {})


def paragraphs(text: str, start: int, end: int) -> Iterator[Span]:
    """What blank lines separate in a range of a text."""
    breaks = [(found.start(), found.end()) for found in _PARAGRAPH.finditer(text, start, end)]
    for (_, begin), (until, _) in pairwise([(start, start), *breaks, (end, end)]):
        if begin < until and not text[begin:until].isspace():
            yield Span(begin, until)


def depths(spans: Iterable[Span]) -> list[int]:
    """In how many of the others each range lies; they are in the order of the text."""
    around: list[int] = []
    found = []
    for span in spans:
        while around and around[-1] <= span.start:
            around.pop()
        found.append(len(around))
        around.append(span.end)
    return found


def not_set(text: str) -> Drop | None:
    """Refuses a text with a formula that KaTeX does not set."""
    failures = render_checked(text, "latex").report.failures
    if not failures:
        return None
    source, reason = failures[0].source[:200], failures[0].reason
    return Drop("formula_not_set", f"{len(failures)} formulas cannot be set, the first is {source}: {reason}")


def not_expanded(passages: Sequence[Passage]) -> Drop | None:
    """Refuses passages in which commands are left that only their author's files define."""
    left = list(dict.fromkeys(name for made in passages for name in made.left))
    if not left:
        return None
    return Drop(
        "macro_not_expanded", f"These macros expand without end, or are internal: {', '.join(left[:20])}"
    )


def read_reply(reply: str, schema: type[Reply]) -> Reply | Drop:
    """A model's reply: one strict JSON object of that shape, nothing around it but perhaps one code fence."""
    fenced = _FENCE.fullmatch(reply.strip())
    try:
        return schema.model_validate(storable(loads(fenced["inside"] if fenced else reply)))
    except NotJson as error:
        return Drop("not_json", f"The reply cannot be read: {fault_of_reply(error)}")
    except ValidationError as error:
        return Drop("wrong_reply", f"The reply has another shape: {fault_of_reply(error)}")


class Quotations:
    """Finds quotations in a range of a text; any white space is as good as any other."""

    def __init__(self, text: str, within: Span) -> None:
        self._text, self._within = text, within
        self._collapsed = " ".join(text[within.start : within.end].split())

    def find(self, quote: str) -> Span | Drop:
        """The one place of a quotation."""
        words = " ".join(quote.split())
        at = self._collapsed.find(words) if words else -1
        if at < 0:
            return Drop("quote_not_found", f"The text does not have the words {quote[:200]!r}")
        if self._collapsed.find(words, at + 1) >= 0:
            return Drop("quote_not_unique", f"The text has the words {quote[:200]!r} more than once")
        written = re.compile(r"\s++".join(map(re.escape, quote.split())))
        found = written.search(self._text, self._within.start, self._within.end)
        assert found is not None  # it is in the collapsed text
        return Span(*found.span())
