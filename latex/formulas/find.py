"""Formulas in a document: where one ends, its macros expanded, and what the page shows of it."""

from dataclasses import replace

from latex.document import Failure, Formula
from latex.formulas.convert import Context, bold, convert
from latex.formulas.words import DISPLAYS
from latex.limits import MAX_NUMBER, LimitReached, ShownAsSource
from latex.reading.characters import html_attribute, html_text, no_placeholders, visible
from latex.reading.collect import FormulaCollector
from latex.reading.counters import alph
from latex.reading.engine import Engine
from latex.reading.links import CITATIONS, REFERENCES
from latex.reading.macros import Macro
from latex.reading.record import Named
from latex.reading.references import Target
from latex.reading.tokens import Token, spelled, without_comments

_HIDING = (
    "phantom", "color", "html", "href", "\\def", "\\gdef", "\\newcommand", "\\let", "footnote", "\\if",
)  # fmt: skip

BOLD = "bold formulas"  # as the name of a macro, which no author can write for its space


def formula(
    engine: Engine, closing: Token | None, environment: str, *, display: bool, until: str = ""
) -> None:
    """Reads a formula whose opening was just read, and writes it; what can't be shown is written as source.

    It is set like `environment`, and ends with that or with the environment `until`.
    """
    start, begun, begin = engine.here, engine.own_start, engine.stream.mark
    if display and not engine.writer.top.line:
        engine.end_paragraph()
    collector = FormulaCollector(engine, closing, until or environment)
    closed = collector.read()
    end = engine.stream.source_end
    if not closed:
        _unclosed(engine, collector, start, begin, display)
        return
    for name in collector.ended:
        engine.close_environment(name)
    if engine.in_preamble:
        return
    own_end = collector.own_end
    engine.record.formula(begun, own_end if begun < own_end <= end else end, display)
    if begun < own_end <= start:  # in the title of a theorem, say, which was read before
        start, end = begun, own_end
    engine.record.references += engine.record.marks(collector.tokens, REFERENCES)
    engine.record.citations += engine.record.marks(collector.tokens, CITATIONS)
    labels = {found.names[0]: found for found in engine.record.marks(collector.tokens, ("label",))}
    source = without_comments(engine.text[start:end])
    if not source.startswith(
        ("$", "\\")
    ):  # from a macro's body there, so that its words are nowhere in the text
        source = f"${spelled(collector.tokens)}$"
    block = engine.anchor(engine.writer.next_id)

    def label(name: str, number: str) -> None:
        number = number or engine.subequation  # of the argument before a brace
        shown = number if len(number) <= MAX_NUMBER else "…"
        engine.references.label(name, Target(shown, "eq", block))
        place = labels.get(name)
        engine.record.labels.append(
            Named(name, shown, "eq", None, place.start if place else begun, place.end if place else begun)
        )

    def label_unread() -> None:
        """Numbers and names a display that is shown as source, as its author's page does."""
        unread = [name for name in labels if name not in engine.references.labels]
        number = next_equation(engine) if unread else ""
        for name in unread:
            label(name, number)

    if collector.fault:
        label_unread()
        show_source(engine, source, collector.fault, start, end, display=display)
        return
    if not engine.numbered and environment + "*" in DISPLAYS:
        labelled = any(token.kind == "word" and token.text == "label" for token in collector.tokens)
        environment += "" if labelled else "*"
    context = Context(lambda: next_equation(engine), label, engine.references.mark_in_formula, engine.note)
    try:
        latex = convert(collector.tokens, environment, context, display=display)
        if engine.macros.get(BOLD):
            latex = bold(latex)
    except LimitReached as limit:
        label_unread()
        folded = isinstance(limit, ShownAsSource)
        show_source(engine, source, str(limit), start, end, display=display, folded=folded)
        return
    if not latex.strip():
        engine.note("empty formulas are left out")
        return
    # The author's own words, unless they hide something that the formula does not show.
    copyable = visible(latex if any(word in source for word in _HIDING) else source)
    formula = Formula(visible(latex), display, copyable, start)
    if reason := engine.unfinished(replace(formula, latex=engine.references.numbered(formula.latex))):
        show_source(engine, source, reason, start, end, display=display)
    else:
        _write(engine, formula, end)


def _unclosed(
    engine: Engine, collector: FormulaCollector, start: int, begin: int | None, display: bool
) -> None:
    """Gives up on a formula that has no end: a lone dollar is a dollar, anything else is shown as source up to
    the end of its paragraph."""
    reason = collector.fault or "the formula is never closed"
    end = engine.stream.source_end
    if begin is not None and engine.stream.rewind(begin):
        if collector.closing is not None and collector.closing.kind == "$":
            mark = engine.stream.mark
            while (token := engine.stream.next()) is not None and token.kind != "par":
                if token.kind == "$":
                    break
            else:  # no other dollar in this paragraph
                if mark is not None and engine.stream.rewind(mark):
                    engine.put("$")
                    return
        else:  # up to the end of the paragraph, or to where the formula could not go on
            while (token := engine.stream.peek()) is not None and token.kind != "par":
                if token.start >= collector.stopped:
                    break
                engine.stream.next()
        end = engine.stream.source_end
    show_source(engine, without_comments(engine.text[start:end]).strip(), reason, start, end, display=display)


def next_equation(engine: Engine) -> str:
    if not engine.subequation:
        return engine.counters.step("equation")
    engine.counters.step("subequation")
    return engine.subequation + alph(engine.counters.value("subequation"))


def _write(engine: Engine, made: Formula, end: int) -> None:
    engine.formula_count += 1
    engine.formulas.append(made)
    tag = "div" if made.display and not engine.writer.top.line else "span"
    html = (
        f'<{tag} class="math" data-display="{"true" if made.display else "false"}" '
        f'data-source="{html_attribute(made.source)}">{html_text(made.latex)}</{tag}>'
    )
    if tag == "div":
        engine.writer.block("display", html, made.start, end)
    else:
        engine.put(html)


def show_source(
    engine: Engine, source: str, reason: str, start: int, end: int, *, display: bool, folded: bool = False
) -> None:
    """Writes what can't be rendered as the author's source, in place, and counts it as a failed formula.

    The source of a diagram is long and says little: as a display it is `folded` in a frame with the reason.
    """
    engine.formula_count += 1
    source = no_placeholders(visible(source))
    engine.failures.append(Failure(source, reason, start))
    code = f'<code class="math-source" title="{html_attribute(reason)}">{html_text(source)}</code>'
    if display and not engine.writer.top.line:
        if folded:
            code = f"<details><summary>{html_text(reason)}</summary>{code}</details>"
        engine.writer.block("source", f'<div class="source">{code}</div>', start, end)
    else:
        engine.put(code)


def dollar(engine: Engine) -> None:
    formula(engine, Token("$", "$", 0, 0), "", display=False)


def double_dollar(engine: Engine) -> None:
    formula(engine, Token("$$", "$$", 0, 0), "", display=True)


def inline(engine: Engine) -> None:
    formula(engine, Token("symbol", ")", 0, 0), "", display=False)


def bracket(engine: Engine) -> None:
    formula(engine, Token("symbol", "]", 0, 0), "", display=True)


def ensure_math(engine: Engine) -> None:
    engine.stream.keep([Token("$", "$", 0, 0), *engine.stream.required(), Token("$", "$", 0, 0)])


def symbol(engine: Engine, name: str) -> None:
    """A symbol that its author left outside of dollar signs, with the arguments and scripts that follow it."""
    taken = [Token("word", name, engine.here, engine.here)]
    while (token := engine.stream.peek()) is not None and len(taken) < 200:
        if token.kind in "^_" and len(token.kind) == 1:
            engine.stream.next()
            taken.append(token)
        elif token.kind != "{":
            break
        taken += [Token("{", "{", 0, 0), *engine.stream.required(), Token("}", "}", 0, 0)]
    engine.note("symbols outside of formulas were set as formulas")
    engine.stream.keep([Token("$", "$", 0, 0), *taken, Token("$", "$", 0, 0)])


def switch_bold(engine: Engine) -> None:
    """\\boldmath: the formulas of this group are bold, which TeX's grouping of macros already knows how to end."""
    engine.macros.define(BOLD, Macro((), ()))


def switch_medium(engine: Engine) -> None:
    engine.macros.define(BOLD, None)


COMMANDS = {
    "boldmath": switch_bold,
    "unboldmath": switch_medium,
    "character $": dollar,
    "character $$": double_dollar,
    "(": inline,
    "[": bracket,
    "ensuremath": ensure_math,
}
