"""One reading of a joined source: its statements and proofs, and what they refer to, each with its place."""

import gc
import re
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field

from latex.limits import MAX_SOURCE, Clock, LimitReached
from latex.reading.characters import no_placeholders
from latex.reading.engine import Engine
from latex.reading.latex_document import Task, new_engine
from latex.reading.record import Heading, Mark, Passage, Set
from latex.reading.theorems import KNOWN
from latex.reading.tokens import tokenize, tokenize_package
from latex.structure.bibliography import Reference, bibliography
from latex.structure.expansion import Definitions, Expanded, expand
from latex.structure.flat import Flat
from latex.structure.pairing import pair
from latex.structure.proofs_in_text import proofs_in_text
from latex.writer import BlockDraft, Writer

OUTLINE_VERSION = "2026.11.3"  # to be stored with an outline; raise it when a source gives another one
_KINDS = sorted({title.lower() for title in KNOWN.values()} - {"main theorem"}, key=len, reverse=True)
_TRANSLATED = {
    "satz": "theorem", "théorème": "theorem", "theoreme": "theorem", "teorema": "theorem", "hauptsatz": "theorem",
    "lemme": "lemma", "hilfssatz": "lemma", "korollar": "corollary", "corollaire": "corollary",
    "corollario": "corollary", "folgerung": "corollary", "proposizione": "proposition", "proposición": "proposition",
    "définition": "definition", "definizione": "definition", "definición": "definition",
    "bemerkung": "remark", "remarque": "remark", "osservazione": "remark", "beispiel": "example",
    "exemple": "example", "esempio": "example", "vermutung": "conjecture", "behauptung": "claim",
}  # fmt: skip


@dataclass(frozen=True)
class Span:
    """A half-open range of the joined text."""

    start: int
    end: int


@dataclass(frozen=True)
class Statement:
    """A theorem, lemma, definition and so on. `kind` is one of the usual words ("theorem") or the printed name in
    lowercase letters; `title` is the author's [..] as TeX. `span` is the environment, `body` what is in it."""

    kind: str
    environment: str
    head: str
    number: str
    title: str
    title_span: Span | None
    labels: tuple[str, ...]
    span: Span
    body: Span


@dataclass(frozen=True)
class Proof:
    """A proof: of the statement with that index in the outline, or of none that the rules find.

    `evidence` says which rule paired it, or why none did (`latex.structure.pairing`). `form` is "environment", or
    "text" for a proof that only its opening words and its closing box make one.
    """

    form: str
    environment: str
    head: str
    title: str
    title_span: Span | None
    statement: int | None
    evidence: str
    span: Span
    body: Span


@dataclass(frozen=True)
class Label:
    """What a \\label names: the number and kind that references print (kind "eq", "section", "item" or the head of a
    statement), and the statement with that index, if it is one. `span` is the command."""

    name: str
    number: str
    kind: str
    statement: int | None
    span: Span


@dataclass(frozen=True)
class Pointer:
    """A reference: its command, and the labels that it names."""

    command: str
    names: tuple[str, ...]
    span: Span


@dataclass(frozen=True)
class Citation:
    """A citation, with the paragraph that it is in."""

    command: str
    keys: tuple[str, ...]
    note: str
    span: Span
    context: Span


@dataclass(frozen=True)
class Outline:
    """What was found in a source, each list in the order of the text. A reference resolves if its name is a label's,
    a citation if its key is an entry's."""

    flat: Flat
    statements: tuple[Statement, ...]
    proofs: tuple[Proof, ...]
    headings: tuple[Heading, ...]
    formulas: tuple[Set, ...]
    labels: tuple[Label, ...]
    references: tuple[Pointer, ...]
    citations: tuple[Citation, ...]
    bibliography: tuple[Reference, ...]
    notes: tuple[str, ...]
    definitions: Definitions = field(repr=False, compare=False, default_factory=Definitions)

    def text_of(self, span: Span) -> str:
        return self.flat.text[span.start : span.end]

    def stated(self, statement: Statement) -> list[Span]:
        """What a statement says: its body without the proofs that its author wrote within it."""
        parts, at, end = [], statement.body.start, statement.body.end
        first = bisect_left(self.proofs, at, key=lambda proof: proof.span.start)
        last = bisect_left(self.proofs, end, key=lambda proof: proof.span.start)
        for proof in self.proofs[first:last]:
            if at < proof.span.start:
                parts.append(Span(at, proof.span.start))
            at = max(at, proof.span.end)
        return [*parts, Span(at, end)] if at < end else parts

    def expanded(self, span: Span) -> Expanded:
        """A passage in standard LaTeX. Quick when asked for one passage after the other."""
        return expand(self.text_of(span), self.definitions, span.start)


def outline(flat: Flat, files: Mapping[str, str], *, seconds: float | None = None) -> Outline:
    """The outline of a joined source; `files` are those it was joined from, for its .bib files.

    Raises `LimitReached` for a text that is longer than `limits.MAX_SOURCE`, and `limits.OutOfTime` after `seconds` of
    processor time.
    """
    if len(flat.text) > MAX_SOURCE:
        raise LimitReached(f"the source is longer than {MAX_SOURCE} characters")
    was_on = gc.isenabled()
    gc.disable()  # as in `render`: it would look through all tokens, again and again
    try:
        engine, made_of = _read(flat, Clock(seconds))
    finally:
        if was_on:
            gc.enable()
    record, text = engine.record, flat.text
    headings = sorted(record.headings, key=lambda heading: heading.start)
    in_text = proofs_in_text(text, record.passages, headings, engine.macros)
    statements = sorted((p for p in record.passages if not p.is_proof), key=lambda p: p.start)
    proofs = sorted([*(p for p in record.passages if p.is_proof), *in_text], key=lambda p: p.start)
    kinds = {made: kind_of(made.head, made.environment) for made in statements}
    labels_of: dict[Passage, list[str]] = {}
    for label in record.labels:
        if label.passage is not None:
            labels_of.setdefault(label.passage, []).append(label.name)
    named: dict[str, Passage] = {}
    for statement, names in labels_of.items():
        for name in names:
            named.setdefault(name, statement)
    pairs = pair(text, statements, proofs, kinds, named, headings)
    places = {made: index for index, made in enumerate(statements)}
    cited = {key for mark in record.citations for key in mark.names}
    return Outline(
        flat,
        tuple(
            Statement(
                kinds[made], made.environment, made.head, made.number, made.title, _title_span(made),
                tuple(labels_of.get(made, ())), Span(made.start, made.end), Span(made.body_start, made.body_end),
            )
            for made in statements
        ),
        tuple(
            Proof(
                "environment" if made.environment else "text", made.environment, made.head, made.title,
                _title_span(made), None if proved is None else places[proved], evidence,
                Span(made.start, made.end), Span(made.body_start, made.body_end),
            )
            for made in proofs
            for proved, evidence in [pairs[made]]
        ),
        tuple(headings), tuple(record.formulas),
        tuple(
            Label(
                label.name, label.number, label.kind, places.get(label.passage) if label.passage else None,
                Span(label.start, label.end),
            )
            for label in record.labels
        ),
        tuple(Pointer(mark.command, mark.names, Span(mark.start, mark.end)) for mark in record.references),
        tuple(
            Citation(mark.command, mark.names, mark.note, Span(mark.start, mark.end), _paragraph(text, mark))
            for mark in record.citations
        ),
        bibliography(flat, files, record.entries, cited),
        tuple(engine.notes),
        Definitions(
            engine.macros.changes,
            {name: made for name, made in engine.environments.items() if isinstance(made, tuple)},
            made_of,
        ),
    )  # fmt: skip


class _NoPage(Writer):
    """Keeps containers, which commands look at, and no text: a page is not wanted here and may not limit the source."""

    def put(self, html: str, at: int) -> None:
        self.top.paragraph_open = True

    def space(self) -> None:
        pass

    def add(self, draft: BlockDraft) -> None:
        pass


def _read(flat: Flat, clock: Clock) -> tuple[Engine, dict[str, str]]:
    text = no_placeholders(flat.text)
    engine = new_engine(text, Task(clock=clock))
    engine.writer = _NoPage(text)
    engine.in_preamble = True
    made_of: dict[str, str] = {}
    engine.macros.kept = frozenset(engine.commands)
    for package in flat.packages:
        engine.read(tokenize_package(package, made_of), -len(package))
    engine.macros.kept = frozenset()
    engine.in_preamble = "\\begin{document}" in text
    engine.read(tokenize(text, made_of=made_of))
    return engine, made_of


def kind_of(head: str, environment: str) -> str:
    """The usual word for a statement with that printed name: of "Main Theorem" and of "Théorème", "theorem"."""
    shown = (head or KNOWN.get(environment.rstrip("*"), environment)).lower().strip(" .:")
    for kind in _KINDS:
        if re.search(rf"\b{kind}s?\b", shown):
            return kind
    return next((kind for word, kind in _TRANSLATED.items() if word in shown), shown)


def _title_span(passage: Passage) -> Span | None:
    return Span(passage.title_start, passage.title_end) if passage.title_end else None


_BLANK_LINE = re.compile(r"\n[ \t\r]*\n")


def _paragraph(text: str, mark: Mark) -> Span:
    """The paragraph around a mark, at most 2,000 characters on each side."""
    left = max(0, mark.start - 2000)
    before = [found.end() for found in _BLANK_LINE.finditer(text, left, mark.start)]
    after = _BLANK_LINE.search(text, mark.end, mark.end + 2000)
    start = before[-1] if before else left
    end = after.start() if after else min(len(text), mark.end + 2000)
    return Span(start, end)
