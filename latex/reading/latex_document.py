"""LaTeX source to a Document: an engine with all its commands, and the last steps after reading."""

from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape, unescape

from latex.document import Block, Document, Formula, Report
from latex.formulas import find as formulas
from latex.limits import Clock
from latex.reading import (
    algorithms,
    conditions,
    environments,
    links,
    lists,
    sections,
    tables,
    text_commands,
    theorems,
)
from latex.reading.characters import html_attribute, no_placeholders
from latex.reading.engine import Engine
from latex.sanitize import clean
from latex.writer import BlockDraft

_MODULES = (
    text_commands, links, conditions, formulas, theorems, lists, tables, sections, environments, algorithms,
)  # fmt: skip
_COMMANDS = {name: command for module in _MODULES for name, command in module.COMMANDS.items()}
_ENVIRONMENTS = {
    name: begin
    for module in (environments, theorems, lists, tables, algorithms)
    for name, begin in module.ENVIRONMENTS.items()
}


@dataclass(frozen=True)
class Task:
    """How a document is to be rendered: the prefix of its ids, its time, and why a formula is shown as source."""

    prefix: str = ""
    clock: Clock = field(default_factory=Clock)
    unfinished: Callable[[Formula], str] = lambda _: ""


def new_engine(text: str, task: Task) -> Engine:
    engine = Engine(text, task.prefix)
    engine.clock, engine.unfinished = task.clock, task.unfinished
    engine.commands = dict(_COMMANDS)
    engine.builtin_environments = dict(_ENVIRONMENTS)
    engine.raw_environments = dict(environments.RAW)
    return engine


def render_latex(text: str, task: Task) -> Document:
    text_read = no_placeholders(text)
    engine = new_engine(text_read, task)
    engine.in_preamble = "\\begin{document}" in text_read
    engine.read_text(text_read)
    if engine.in_preamble:  # \begin{document} was in a comment or verbatim: show what there is
        engine = new_engine(text_read, task)
        engine.read_text(text_read)
    return finished(engine, text)


def finished(engine: Engine, text: str) -> Document:
    """The document with its footnotes, references resolved, and every block through the allow-list."""
    add_footnotes(engine)
    resolve = engine.references.resolve
    blocks = []
    for number, draft in enumerate(engine.writer.blocks, start=1):
        engine.clock.check()
        blocks.append(block(number, draft, resolve(draft.whole()), engine.prefix, text))
    made = tuple(Formula(unescape(resolve(f.latex)), f.display, f.source, f.start) for f in engine.formulas)
    unresolved = tuple(engine.references.unresolved)
    for miss in unresolved[:20]:
        engine.note(miss)
    report = Report(engine.formula_count, tuple(engine.failures), tuple(engine.notes), unresolved)
    return Document(tuple(blocks), report, made)


def block(number: int, draft: BlockDraft, html: str, prefix: str, text: str) -> Block:
    return Block(
        id=escape(f"{prefix}b{number}"), kind=draft.kind, html=clean(html), start=draft.start, end=draft.end,
        label=draft.label, within=draft.within, text=text,
    )  # fmt: skip


def add_footnotes(engine: Engine) -> None:
    for number, (html, start, end) in enumerate(engine.footnotes, start=1):
        place = html_attribute(engine.anchor(f"fn{number}"))
        body = (
            f'<div class="footnote" id="{place}"><span class="footnote-number">{number}</span> {html}</div>'
        )
        engine.writer.block("footnote", body, start, end, f"Footnote {number}")
