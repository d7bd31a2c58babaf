"""The tokens of one formula, up to its end, with the document's macros expanded."""

from collections import Counter
from functools import cache
from pathlib import Path

from latex.formulas.words import BARE, DISPLAYS, TEXT_IN_CELLS
from latex.limits import MAX_FORMULA, MAX_MACRO_CALLS_PER_FORMULA, MAX_NAME, Budget, LimitReached
from latex.reading.definitions import DEFINITIONS
from latex.reading.engine import Engine
from latex.reading.macros import Macro, MacroTable
from latex.reading.stream import Stream
from latex.reading.theorems import PROOFS, Theorem, known_theorem
from latex.reading.tokens import Token, tokenize

# What gives a document its shape is in no formula; an item is in none either, outside of a list in its text.
_NEVER_INSIDE = frozenset(
    ("part", "chapter", "section", "subsection", "subsubsection", "paragraph", "maketitle", "bibliography",
     "newtheorem")
)  # fmt: skip
_ITEMS = ("item", "bibitem")
_OPENED_BY = {"]": "[", ")": "("}
_WITH_TEXT = frozenset(("tabular", "tabular*", "minipage", *TEXT_IN_CELLS))


@cache
def math_prelude() -> MacroTable:
    """Commands that KaTeX lacks, from prelude.tex."""
    table = MacroTable()
    source = Path(__file__).with_name("prelude.tex").read_text(encoding="utf-8")
    stream = Stream(tokenize(source), table, Budget())
    while (token := stream.next()) is not None:
        if token.text in ("newcommand", "NewDocumentCommand", "def"):
            DEFINITIONS[token.text](stream)
    return table


class FormulaCollector:
    """Reads the tokens of one formula up to its end, expanding macros on the way."""

    def __init__(self, engine: Engine, closing: Token | None, environment: str) -> None:
        self.engine = engine
        self.stream = engine.stream
        self.closing = closing
        self.environment = environment
        self.tokens: list[Token] = []
        self.open_environments: list[str] = []
        self.times_open: Counter[str] = (
            Counter()
        )  # of these, so that asking for a name does not take longer and longer
        self.depth = 0
        self.begun = 0  # times \\begingroup
        self.inner = 0  # displays in the text of a group, as in \\[ \\parbox{..}{\\[..\\]} \\]
        self.inner_dollars = 0
        self.parted = False  # by a blank line, after which a single dollar is another formula's
        self.stopped = 0  # where in the source the token read last begins
        self.last = Token("space", " ", 0, 0)
        self.calls = 0
        self.fault = ""
        self.ended: list[str] = []  # environments of the document whose end closed the formula

    def read(self) -> bool:
        """True if the formula ended where it should; `fault` tells what made it impossible to show."""
        self.engine.macros.open_group()
        groups = 1
        try:
            while (token := self.stream.next()) is not None:
                self.stopped = self.stream.source_start
                self.last = token
                if (done := self.done(token)) is not None:
                    return done
                groups += self.take(token)
                if len(self.tokens) > MAX_FORMULA:
                    self.fault = f"the formula is longer than {MAX_FORMULA} symbols"
                    self.tokens.clear()
            self.stopped = self.stream.source_end  # the text ends here
            return False
        finally:
            for _ in range(groups):
                self.engine.macros.close_group()

    @property
    def own_end(self) -> int:
        """Where the formula ends in the argument of a macro that it is in."""
        if self.last.text != "end":
            return self.last.end
        return self.engine.text.find("}", self.last.end, self.last.end + MAX_NAME) + 1

    # -- where it ends ---------------------------------------------------------------------------------
    @property
    def nested(self) -> bool:
        return bool(self.depth or self.open_environments)

    def done(self, token: Token) -> bool | None:
        """True at the end of the formula, False before something that no formula holds, None inside of it.

        An end that comes too early, in a group or an environment that was never closed, is the end all the same:
        a slip costs its own formula and not those that follow.
        """
        if token.kind == "word":
            if token.text in ("begin", "end"):
                return self.done_at_environment(token)
            if token.text in _NEVER_INSIDE or (token.text in _ITEMS and not self.nested):
                return self.give_up(token)
        elif token.kind == "par" and self.closing is not None and self.closing.text in ("$", ")"):
            return False
        elif token.kind == "par":
            self.parted = True
        elif token.kind == "}" and self.depth == 0:
            return self.give_up(token)
        elif self.closing is not None:
            return self.done_at(token, self.closing)
        return None

    def give_up(self, *tokens: Token) -> bool:
        self.stream.push(tokens)
        return False

    def done_at(self, token: Token, closing: Token) -> bool | None:
        if closing.kind == "symbol" and (token.kind, token.text) == ("symbol", _OPENED_BY[closing.text]):
            if not self.nested:
                return self.give_up(token)
            self.inner += 1
        if token.kind == "$" and self.depth:
            self.inner_dollars += 1
        if token.kind == "$" and closing.kind == "$$" and self.parted and not self.nested:
            return self.give_up(token)
        if (token.kind, token.text) != (closing.kind, closing.text):
            if (closing.kind, token.kind) != ("$", "$$") or self.nested:
                return None
            self.stream.push([token._replace(kind="$", text="$")])
            return True
        if self.inner:
            self.inner -= 1
            return None
        text_inside = any(self.times_open[name] for name in _WITH_TEXT)
        if (closing.kind == "$" and (self.depth or text_inside)) or (
            closing.kind == "$$" and self.inner_dollars % 2
        ):
            return None
        return self.close()

    def close(self) -> bool:
        if self.open_environments:
            self.fault = self.fault or f"\\begin{{{self.open_environments[-1][:40]}}} without its \\end"
        elif self.depth:
            self.fault = self.fault or "a group in the formula is never closed"
        return True

    def done_at_environment(self, token: Token) -> bool | None:
        """Reads the name of an environment, and takes it if it belongs to the formula."""
        argument = self.stream.required()
        name = "".join(part.text for part in argument).strip()
        own = self.engine.environments.get(name)
        custom = isinstance(own, tuple)
        if token.text == "end" and not self.times_open[name]:
            if self.closing is None and name == self.environment:
                return self.close()
            display = name in DISPLAYS and name not in BARE
            if display and (self.closing is None or self.closing.text in ("]", "$$")):
                self.fault = self.fault or f"\\end{{{name}}} ends what it did not begin"
                return True
            outside = display or name == "document" or self.engine.open_environments.get(name)
        else:
            outside = token.text == "begin" and (
                isinstance(own, Theorem)
                or name in PROOFS
                or (own is None and known_theorem(name) is not None)
            )
        if outside and not custom:
            return self.give_up(token, Token("{", "{", 0, 0), *argument, Token("}", "}", 0, 0))
        self.nested_environment(token, name, argument)
        return None

    # -- what it holds ---------------------------------------------------------------------------------
    def take(self, token: Token) -> int:
        """Takes one token; returns how many groups it opened."""
        if token.kind == "word" and token.text in ("begin", "end"):
            return 0  # taken with its name
        if token.kind in ("word", "symbol") and self.expanded(token):
            return 0
        if token.kind == "word" and (token.text in DEFINITIONS):
            try:
                DEFINITIONS[token.text](self.stream)
            except LimitReached as limit:
                self.fault = str(limit)
            return 0
        if token.kind == "word" and token.text in ("begingroup", "endgroup"):
            return self.group(token.text)
        self.tokens.append(token)
        if token.kind == "{":
            self.depth += 1
            self.engine.macros.open_group()
            return 1
        if token.kind == "}":
            self.depth -= 1
            self.engine.macros.close_group()
            return -1
        return 0

    def group(self, word: str) -> int:
        """\\begingroup and \\endgroup, which hold definitions and nothing that is seen."""
        if word == "begingroup":
            self.engine.macros.open_group()
            self.begun += 1
            return 1
        if not self.begun:
            return 0
        self.engine.macros.close_group()
        self.begun -= 1
        return -1

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

    def nested_environment(self, token: Token, name: str, argument: list[Token]) -> None:
        custom = self.engine.environments.get(name)
        if isinstance(custom, tuple) and isinstance(custom[0], Macro):
            self.custom_environment(token.text, name, custom)
            return
        self.tokens += [token, Token("{", "{", 0, 0), *argument, Token("}", "}", 0, 0)]
        if token.text == "begin":
            self.open_environments.append(name)
            self.times_open[name] += 1
        elif self.open_environments:
            self.times_open[self.open_environments.pop()] -= 1

    def custom_environment(self, word: str, name: str, custom: tuple[Macro, Macro]) -> None:
        try:
            self.stream.expand(custom[0 if word == "begin" else 1], Token("word", word, 0, 0))
        except LimitReached as limit:
            self.fault = str(limit)
        if word == "end" and not self.open_environments:
            self.ended.append(name)
