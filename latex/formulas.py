"""Formulas in a document: where one ends, its macros expanded, and what the page shows of it."""

from functools import cache
from pathlib import Path

from latex.characters import html_attribute, html_text, no_placeholders, visible
from latex.counters import alph
from latex.definitions import DEFINITIONS
from latex.document import Failure, Formula
from latex.engine import Engine
from latex.limits import MAX_FORMULA, MAX_MACRO_CALLS_PER_FORMULA, Budget, LimitReached
from latex.macros import Macro, MacroTable
from latex.mathconvert import Context, convert
from latex.mathwords import DISPLAYS
from latex.references import Target
from latex.stream import Stream
from latex.tokens import Token, tokenize, without_comments

_MAX_TOKENS = MAX_FORMULA


@cache
def math_prelude() -> MacroTable:
    """Commands that KaTeX lacks, from prelude.tex."""
    table = MacroTable()
    source = Path(__file__).with_name("prelude.tex").read_text(encoding="utf-8")
    stream = Stream(tokenize(source), table, Budget.for_source(len(source)))
    while (token := stream.next()) is not None:
        if token.text in ("newcommand", "def"):
            DEFINITIONS[token.text](stream)
    return table


class _Collector:
    """Reads the tokens of one formula up to its end, expanding macros on the way."""

    def __init__(self, engine: Engine, closing: Token | None, environment: str) -> None:
        self.engine = engine
        self.stream = engine.stream
        self.closing = closing
        self.environment = environment
        self.tokens: list[Token] = []
        self.open_environments: list[str] = []
        self.depth = 0
        self.calls = 0
        self.fault = ""
        self.ended: list[str] = []  # environments of the document whose end closed the formula

    def read(self) -> bool:
        """True if the formula ended where it should; `fault` tells what made it impossible to show."""
        self.engine.macros.open_group()
        groups = 1
        try:
            while (token := self.stream.next()) is not None:
                if self.ends(token):
                    return True
                if self.impossible(token):
                    return False
                groups += self.take(token)
                if len(self.tokens) > _MAX_TOKENS:
                    self.fault = f"the formula is longer than {MAX_FORMULA} symbols"
                    self.tokens.clear()
                    self.tokens_dropped = True
            return False
        finally:
            for _ in range(groups):
                self.engine.macros.close_group()

    def ends(self, token: Token) -> bool:
        if self.closing is not None:
            if self.depth or self.open_environments:
                return False
            return (token.kind, token.text) == (self.closing.kind, self.closing.text) or (
                self.closing.kind == "$" and token.kind == "$$" and self.split_dollars(token)
            )
        return not self.open_environments and token.kind == "word" and token.text == "end" and self.end_name()

    def split_dollars(self, token: Token) -> bool:
        self.stream.push([token._replace(kind="$", text="$")])
        return True

    def end_name(self) -> bool:
        name = self.stream.required()
        if "".join(token.text for token in name).strip() == self.environment:
            return True
        self.stream.push([Token("{", "{", 0, 0), *name, Token("}", "}", 0, 0)])
        return False

    def impossible(self, token: Token) -> bool:
        """A paragraph ends inside $..$, or a group closes that was open before the formula."""
        if token.kind == "par":
            return self.closing is not None and self.closing.text in ("$", ")")
        if token.kind == "}" and self.depth == 0:
            self.stream.push([token])
            return True
        return False

    def take(self, token: Token) -> int:
        """Takes one token; returns how many groups it opened."""
        if token.kind in ("word", "symbol") and self.expanded(token):
            return 0
        if token.kind == "word" and (token.text in DEFINITIONS):
            DEFINITIONS[token.text](self.stream)
            return 0
        self.tokens.append(token)
        if token.kind == "{":
            self.depth += 1
            self.engine.macros.open_group()
            return 1
        if token.kind == "}":
            self.depth -= 1
            self.engine.macros.close_group()
            return -1
        if token.kind == "word" and token.text in ("begin", "end"):
            self.nested_environment(token.text)
        return 0

    def expanded(self, token: Token) -> bool:
        macro = self.engine.macros.get(token.text)
        if macro is None and token.kind == "word":
            macro = math_prelude().get(token.text)
        if macro is None:
            return False
        self.calls += 1
        if self.calls > MAX_MACRO_CALLS_PER_FORMULA:
            self.fault = "the macros of this formula expand without end"
            return True
        try:
            self.stream.expand(macro, token)
        except LimitReached as limit:
            self.fault = str(limit)
        return True

    def nested_environment(self, word: str) -> None:
        argument = self.stream.required()
        name = "".join(token.text for token in argument).strip()
        custom = self.engine.environments.get(name)
        if isinstance(custom, tuple) and isinstance(custom[0], Macro):
            self.tokens.pop()
            self.custom_environment(word, name, custom)
            return
        self.tokens += [Token("{", "{", 0, 0), *argument, Token("}", "}", 0, 0)]
        if word == "begin":
            self.open_environments.append(name)
        elif self.open_environments:
            self.open_environments.pop()

    def custom_environment(self, word: str, name: str, custom: tuple[Macro, Macro]) -> None:
        try:
            self.stream.expand(custom[0 if word == "begin" else 1], Token("word", word, 0, 0))
        except LimitReached as limit:
            self.fault = str(limit)
        if word == "end" and not self.open_environments:
            self.ended.append(name)


def formula(engine: Engine, closing: Token | None, environment: str, *, display: bool) -> None:
    """Reads a formula whose opening was just read, and writes it; what can't be shown is written as source."""
    start, begin = engine.here, engine.stream.mark
    if display and not engine.writer.top.line:
        engine.end_paragraph()
    collector = _Collector(engine, closing, environment)
    closed = collector.read()
    end = engine.stream.source_end
    if not closed:
        _unclosed(engine, collector, start, begin, display)
        return
    for name in collector.ended:
        engine.close_environment(name)
    if engine.in_preamble:
        return
    source = without_comments(engine.text[start:end])
    if collector.fault:
        show_source(engine, source, collector.fault, start, end, display=display)
        return
    try:
        latex = convert(
            collector.tokens,
            _numbered(engine, environment, collector.tokens),
            _context(engine),
            display=display,
        )
    except LimitReached as limit:
        show_source(engine, source, str(limit), start, end, display=display)
        return
    if not latex.strip():
        engine.note("empty formulas are left out")
        return
    _write(engine, Formula(visible(latex), display, _copyable(source, latex), start), end)


def _numbered(engine: Engine, environment: str, tokens: list[Token]) -> str:
    if engine.numbered or environment.endswith("*") or environment + "*" not in DISPLAYS:
        return environment
    labelled = any(token.kind == "word" and token.text == "label" for token in tokens)
    return environment if labelled else environment + "*"


def _copyable(source: str, latex: str) -> str:
    """The author's own words, unless they hide something that the formula does not show."""
    hiding = (
        "phantom",
        "color",
        "html",
        "href",
        "\\def",
        "\\gdef",
        "\\newcommand",
        "\\let",
        "footnote",
        "\\if",
    )
    return visible(latex if any(word in source for word in hiding) else source)


def _unclosed(engine: Engine, collector: _Collector, start: int, begin: int | None, display: bool) -> None:
    """Gives up on a formula that has no end: a lone dollar is a dollar, anything else is shown as source up to
    the end of its paragraph."""
    reason = collector.fault or "the formula is never closed"
    end = engine.stream.source_end
    if begin is not None and engine.stream.rewind(begin):
        lone_dollar = collector.closing is not None and collector.closing.kind == "$"
        if lone_dollar and not _closing_dollar(engine):
            engine.put("$")
            return
        if not lone_dollar:
            _skip_paragraph(engine)
        end = engine.stream.source_end
    show_source(engine, without_comments(engine.text[start:end]).strip(), reason, start, end, display=display)


def _closing_dollar(engine: Engine) -> bool:
    """Reads up to the next dollar of this paragraph; nothing is read if there is none."""
    mark = engine.stream.mark
    while (token := engine.stream.next()) is not None and token.kind != "par":
        if token.kind == "$":
            return True
    if mark is not None:
        engine.stream.rewind(mark)
    return False


def _skip_paragraph(engine: Engine) -> None:
    while (token := engine.stream.peek()) is not None and token.kind != "par":
        engine.stream.next()


def _context(engine: Engine) -> Context:
    block = engine.anchor(engine.writer.next_id)

    def label(name: str, number: str) -> None:
        engine.references.label(name, Target(number, "eq", block))

    return Context(lambda: next_equation(engine), label, engine.references.mark_in_formula, engine.note)


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


def show_source(engine: Engine, source: str, reason: str, start: int, end: int, *, display: bool) -> None:
    """Writes what can't be rendered as the author's source, in place, and counts it as a failed formula."""
    engine.formula_count += 1
    source = no_placeholders(visible(source))
    engine.failures.append(Failure(source, reason, start))
    code = f'<code class="math-source" title="{html_attribute(reason)}">{html_text(source)}</code>'
    if display and not engine.writer.top.line:
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
    engine.stream.push([Token("$", "$", 0, 0), *engine.stream.required(), Token("$", "$", 0, 0)])


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
    engine.stream.push([Token("$", "$", 0, 0), *taken, Token("$", "$", 0, 0)])


COMMANDS = {
    "character $": dollar,
    "character $$": double_dollar,
    "(": inline,
    "[": bracket,
    "ensuremath": ensure_math,
}
