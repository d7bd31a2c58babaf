"""Environments: the document itself, its own ones, boxes, quotations, floats and verbatim text."""

from collections.abc import Callable

from latex.formulas.find import formula, show_source
from latex.formulas.words import DISPLAYS
from latex.reading.characters import html_text, no_placeholders, visible
from latex.reading.definitions import environment_signature
from latex.reading.engine import Engine
from latex.reading.macros import Macro
from latex.reading.theorems import Box, Theorem, begin_theorem, keyed, known_theorem, open_theorem
from latex.reading.tokens import DIAGRAMS, HIDDEN, VERBATIM, Token, spelled, tokenize, without_comments
from latex.vocabulary import signatures

QUOTES = {
    "quote": "quote",
    "quotation": "quote",
    "verse": "verse",
    "displayquote": "quote",
    "blockquote": "quote",
}
LAYOUT = signatures("environments", "layout")
FLOATS = {"figure": "Figure", "figure*": "Figure", "table": "Table", "table*": "Table", "wrapfigure": "Figure",
          "wraptable": "Table", "algorithm": "Algorithm", "algorithm*": "Algorithm", "sidewaysfigure": "Figure",
          "sidewaystable": "Table", "listing": "Listing", "subfigure": "", "subtable": ""}  # fmt: skip


# -- environments ----------------------------------------------------------------------------------------
def begin(engine: Engine) -> None:
    name = engine.stream.name()
    custom = engine.environments.get(name)
    if name == "document":
        begin_document(engine)
    elif isinstance(custom, Theorem):
        begin_theorem(engine, name, custom)
    elif isinstance(custom, Box):
        begin_box(engine, name, custom)
    elif isinstance(custom, tuple):
        begin_custom(engine, name, custom)
    elif name in DISPLAYS:
        formula(engine, None, name, display=True)
    elif name == "math":
        formula(engine, None, name, display=False)
    elif name in engine.builtin_environments:
        engine.builtin_environments[name](engine, name)
    elif (known := known_theorem(name)) is not None:
        engine.environments[name] = known
        begin_theorem(engine, name, known)
    else:
        begin_unknown(engine, name)


def begin_restatable(engine: Engine, name: str) -> None:
    """thm-restate: \\begin{restatable}[title]{theorem}{macro}, a theorem that a macro can print again."""
    place = engine.here, engine.own_start
    engine.end_paragraph()
    option = engine.stream.optional()
    kind, macro = engine.stream.name(), engine.stream.name()
    body = engine.stream.source_end
    custom = engine.environments.get(kind)
    made = custom if isinstance(custom, Theorem) else known_theorem(kind)
    if made is None:
        return transparent(engine, name, "")

    def opened(title: str) -> None:
        passage = open_theorem(engine, name, made, place, option, title)
        engine.settings[f"again {macro}"] = made.title
        engine.references.label(f"again {macro}", engine.target)
        passage.body_start, passage.again = body, macro

    engine.captured_tokens(option or [], opened)


def begin_unknown(engine: Engine, name: str) -> None:
    engine.end_paragraph()
    engine.note(f"environment {name[:60]} is not known; its text is shown")
    option = engine.stream.optional() or []
    engine.open_frame(name, engine.end_paragraph)
    words = any(token.kind in ("space", "$") for token in option)
    if words and not any(keyed(spelled(option)).values()):  # a title, not how to lay it out
        engine.captured_tokens(option, lambda title: engine.put(f"({title}) "))


def begin_custom(engine: Engine, name: str, custom: tuple[Macro, Macro]) -> None:
    engine.open_frame(name)
    engine.stream.expand(custom[0], Token("word", name, engine.here, engine.here))


def end(engine: Engine) -> None:
    name = engine.stream.name()
    custom = engine.environments.get(name)
    if name == "document":
        end_document(engine)
    elif isinstance(custom, tuple) and engine.open_environments.get(name):
        engine.stream.push([Token("close", name, engine.called, engine.called)])
        engine.stream.expand(custom[1], Token("word", name, engine.here, engine.here))
    else:
        engine.close_environment(name)


def begin_document(engine: Engine) -> None:
    engine.in_preamble = False
    engine.writer.within.clear()


def end_document(engine: Engine) -> None:
    while engine.frames:
        engine.close_frame()
    engine.end_paragraph()
    rest = 0
    while (token := engine.stream.next()) is not None:
        rest += token.kind == "text"
    if rest:
        engine.note("text after the end of the document is not shown")


def new_environment(engine: Engine) -> None:
    name, parameters = environment_signature(engine.stream)
    first, last = engine.stream.required(), engine.stream.required()
    if name and name not in ("document", "proof", "enumerate", "itemize"):
        engine.environments[name] = (Macro(parameters, tuple(first)), Macro((), tuple(last)))


def layout(signature: str, within: str = "") -> Callable[[Engine, str], None]:
    def run(engine: Engine, name: str) -> None:
        engine.end_paragraph()
        for letter in signature:
            engine.stream.required() if letter == "m" else engine.stream.optional()
        transparent(engine, name, within)

    return run


def transparent(engine: Engine, name: str, within: str) -> None:
    """An environment whose paragraphs are blocks of their own, marked as being `within` it."""
    if within:
        engine.writer.enter(within)

    def finish() -> None:
        engine.end_paragraph()
        engine.writer.leave(within)

    engine.open_frame(name, finish)


def begin_tcolorbox(engine: Engine, name: str) -> None:
    options = keyed(spelled(engine.stream.optional() or []))
    open_box(engine, name, tokenize(options.get("title", "")), engine.here)


def begin_box(engine: Engine, name: str, box: Box) -> None:
    arguments = []
    for index in range(box.arguments):
        found = engine.stream.optional() if index == 0 and box.first_optional else engine.stream.required()
        arguments.append(found or [])
    title: list[Token] = []
    for token in box.title:
        number = int(token.text[-1]) if token.kind == "#" and token.text[-1:].isdecimal() else 0
        title += arguments[number - 1] if 0 < number <= len(arguments) else [token]
    open_box(engine, name, title, engine.here)


def open_box(engine: Engine, name: str, title: list[Token], start: int) -> None:
    engine.end_paragraph()
    transparent(engine, name, "box")
    if not title:
        return
    end_of_title = engine.stream.source_end

    def finish(html: str) -> None:
        engine.writer.block("heading", f'<p class="box-title">{html}</p>', start, end_of_title)

    engine.captured_tokens(title, finish)


def quote(engine: Engine, name: str) -> None:
    start = engine.here
    engine.writer.open("quote", upto=start)

    def finish() -> None:
        html = f'<blockquote class="{QUOTES[name]}">{engine.writer.close(engine.here)}</blockquote>'
        engine.writer.block("quote", html, start, engine.stream.source_end)

    engine.open_frame(name, finish)


def abstract(engine: Engine, name: str) -> None:
    engine.end_paragraph()
    engine.writer.top.run_in = ['<span class="abstract-head">Abstract.</span> ']
    transparent(engine, name, "abstract")


def figure(engine: Engine, name: str) -> None:
    start = engine.here
    engine.end_paragraph()
    engine.stream.optional()
    if name.startswith(("wrap", "sub")):
        engine.stream.required()
    if name.startswith("wrap"):
        engine.stream.optional()
        engine.stream.required()
    engine.writer.open("figure", upto=start)
    outer, engine.settings["float"] = engine.settings.get("float", ""), FLOATS[name]

    def finish() -> None:
        body = engine.writer.close(engine.here)
        engine.settings["float"] = outer
        engine.writer.block(
            "figure", f'<figure class="figure">{body}</figure>', start, engine.stream.source_end
        )

    engine.open_frame(name, finish)


def caption(engine: Engine) -> None:
    starred = engine.stream.star()
    engine.stream.optional()
    kind = engine.settings.get("float") or "Figure"
    number = "" if starred else engine.counters.step(kind.lower())
    engine.aim(number, kind.lower())
    engine.end_paragraph()
    head = f'<span class="caption-label">{kind} {number}.</span> ' if number else ""

    def finish(html: str) -> None:
        engine.end_paragraph()
        engine.writer.top.parts.append(f'<p class="caption">{head}{html}</p>')

    engine.captured(finish)


def subequations(engine: Engine, name: str) -> None:
    number = engine.counters.step("equation")
    engine.end_paragraph()
    engine.aim(number, "eq")
    engine.subequation = number
    engine.counters.set("subequation", 0)

    def finish() -> None:
        engine.end_paragraph()
        engine.subequation = ""

    engine.open_frame(name, finish)


def subnumcases(engine: Engine, name: str) -> None:
    subequations(engine, name)
    formula(engine, None, "numcases", display=True, until=name)
    engine.close_environment(name)


def empheq(engine: Engine, name: str) -> None:
    """The rows of another environment; braces and boxes around them are left out."""
    engine.stream.optional()
    inner = engine.stream.name().partition("=")[0].replace("alignat", "align")
    engine.note("braces and boxes of empheq are left out")
    if inner in DISPLAYS:
        formula(engine, None, inner, display=True, until=name)
    else:
        begin_unknown(engine, name)


# -- source that is shown as it is -----------------------------------------------------------------------
def verbatim(engine: Engine, name: str, body: str) -> None:
    start = engine.here
    options, _, rest = body.partition("\n")
    listing = name in ("lstlisting", "minted", "Verbatim") and options.strip()[-1:] in ("]", "}")
    text = no_placeholders(visible((rest if listing else body).strip("\n")))
    caption = keyed(options.strip()[1:-1]).get("caption", "") if listing else ""
    head = f'<p class="caption">{html_text(no_placeholders(visible(caption)))}</p>' if caption else ""
    html = f'{head}<pre class="verbatim"><code>{html_text(text)}</code></pre>'
    engine.writer.block("source", html, start, engine.stream.source_end)


def diagram(engine: Engine, name: str, body: str) -> None:
    reason = f"{name.rstrip('*')} is shown as source"
    source = without_comments(f"\\begin{{{name}}}{body}\\end{{{name}}}")
    engine.note(reason)
    show_source(engine, source, reason, engine.here, engine.stream.source_end, display=True, folded=True)


def hidden(engine: Engine, name: str, body: str) -> None:
    if body.strip():
        engine.note("a comment environment is not shown")


def inline_verbatim(engine: Engine, name: str, body: str) -> None:
    engine.put(f"<code>{html_text(body)}</code>")


COMMANDS: dict[str, Callable[[Engine], None]] = {
    "begin": begin,
    "end": end,
    "caption": caption,
    "subcaption": caption,
    "newenvironment": new_environment,
    "renewenvironment": new_environment,
}
ENVIRONMENTS: dict[str, Callable[[Engine, str], None]] = {
    **{name: layout(signature) for name, signature in LAYOUT.items()},
    "center": layout("", "center"),
    "flushright": layout("", "right"),
    "framed": layout("", "box"),
    "restatable": begin_restatable,
    "restatable*": begin_restatable,
    "mdframed": layout("o", "box"),
    **dict.fromkeys(QUOTES, quote),
    **dict.fromkeys(FLOATS, figure),
    "tcolorbox": begin_tcolorbox,
    "abstract": abstract,
    "subequations": subequations,
    "subnumcases": subnumcases,
    "empheq": empheq,
}
RAW: dict[str, Callable[[Engine, str, str], None]] = {
    **dict.fromkeys(VERBATIM, verbatim),
    **dict.fromkeys(DIAGRAMS, diagram),
    **dict.fromkeys(HIDDEN, hidden),
    "verb": inline_verbatim,
}
