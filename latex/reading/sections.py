"""Title, sections and the counters that a document may set itself."""

from collections.abc import Callable

from latex.reading.characters import html_text
from latex.reading.counters import STYLES
from latex.reading.engine import Engine
from latex.reading.record import Heading
from latex.reading.tokens import spelled

LEVELS = {"part": 2, "chapter": 2, "section": 2, "subsection": 3, "subsubsection": 4}
RUN_IN = frozenset({"paragraph", "subparagraph"})
# The level that secnumdepth must reach for a heading to have its number.
_NUMBERED_FROM = {"part": -1, "chapter": 0, "section": 1, "subsection": 2, "subsubsection": 3}


def sectioning(name: str) -> Callable[[Engine], None]:
    def run(engine: Engine) -> None:
        starred = engine.stream.star()
        engine.end_paragraph()
        unnumbered = starred or name in RUN_IN or _NUMBERED_FROM[name] > engine.counters.value("secnumdepth")
        number = "" if unnumbered else engine.counters.step(name)
        start, begun, title = engine.here, engine.own_start, engine.stream.source_end
        engine.aim(number, "section")
        engine.stream.optional()

        def finish(html: str) -> None:
            end = engine.stream.source_end
            source = engine.text[title:end].strip().removeprefix("{").removesuffix("}")
            engine.record.headings.append(Heading(name, number, source, begun, end))
            heading(engine, name, number, html, start)

        engine.captured(finish)

    return run


def heading(engine: Engine, name: str, number: str, html: str, start: int) -> None:
    if name in RUN_IN:
        top = engine.writer.top
        top.run_in.append(f'<strong class="run-in">{html}</strong> ')
        top.run_in_at = start if top.run_in_at is None else top.run_in_at
        return
    tag = f"h{LEVELS[name]}"
    shown = f'<span class="sec-number">{html_text(number)}</span> ' if number else ""
    label = f"Section {number}" if number else ""
    engine.writer.block("heading", f"<{tag}>{shown}{html}</{tag}>", start, engine.stream.source_end, label)


def title(engine: Engine) -> None:
    """The title is shown; its thanks, like every author, is not."""
    start, preamble = engine.here, engine.in_preamble
    engine.stream.optional()
    engine.in_preamble = False

    def finish(html: str) -> None:
        engine.in_preamble = preamble
        if html:
            block = f'<h1 class="doc-title">{html}</h1>'
            engine.writer.block("heading", block, start, engine.stream.source_end)

    before = len(engine.frames)
    engine.captured(finish)
    if len(engine.frames) == before:
        engine.in_preamble = preamble


def appendix(engine: Engine) -> None:
    engine.counters.style("section", "Alph")
    if engine.macros.get("thesection") is not None:  # \appendix gives it a meaning of its own
        engine.macros.define("thesection", None, everywhere=True)
    engine.counters.set("section", 0)


def number_within(engine: Engine) -> None:
    """\\counterwithin and \\numberwithin; with a star the number is only set to zero."""
    starred = engine.stream.star()
    engine.stream.optional()
    child, parent = engine.stream.name(), engine.stream.name()
    (engine.counters.reset_with if starred else engine.counters.within)(child, parent)


def number_without(engine: Engine) -> None:
    engine.stream.star()
    child, parent = engine.stream.name(), engine.stream.name()
    if engine.counters.parent(child) == parent:
        engine.counters.without(child)


def add_to_reset(engine: Engine) -> None:
    """\\@addtoreset{child}{parent}"""
    engine.counters.reset_with(engine.stream.name(), engine.stream.name())


def new_counter(engine: Engine) -> None:
    name = engine.stream.name()
    within = engine.stream.optional()
    if within:
        engine.counters.within(name, spelled(within).strip())


def set_counter(add: bool) -> Callable[[Engine], None]:
    def run(engine: Engine) -> None:
        name, value = engine.stream.name(), engine.stream.name()
        if value.removeprefix("-").isdecimal() and len(value) < 8:
            engine.counters.set(name, int(value) + (engine.counters.value(name) if add else 0))
        elif name == "secnumdepth" and value.startswith("-"):  # -\maxdimen, as pandoc writes
            engine.counters.set(name, -2)
        if engine.lists and name.startswith("enum") and not add and value.isdecimal() and len(value) < 8:
            engine.lists[-1].count = int(value)  # type: ignore[attr-defined]

    return run


def step_counter(engine: Engine) -> None:
    name = engine.stream.name()
    engine.aim(engine.counters.step(name), name)


def print_counter(style: str) -> Callable[[Engine], None]:
    return lambda engine: engine.put(html_text(STYLES[style](engine.counters.value(engine.stream.name()))))


COMMANDS: dict[str, Callable[[Engine], None]] = {
    "title": title,
    "appendix": appendix,
    "numberwithin": number_within,
    "counterwithin": number_within,
    "counterwithout": number_without,
    "@addtoreset": add_to_reset,
    "newcounter": new_counter,
    "setcounter": set_counter(add=False),
    "addtocounter": set_counter(add=True),
    "stepcounter": step_counter,
    "refstepcounter": step_counter,
    **{name: sectioning(name) for name in (*LEVELS, *RUN_IN)},
    **{name: print_counter(name) for name in STYLES},
}
