"""The tokens of one formula, up to its end, with the document's macros expanded."""

from functools import cache
from pathlib import Path

from latex.definitions import DEFINITIONS
from latex.engine import Engine
from latex.limits import MAX_FORMULA, MAX_MACRO_CALLS_PER_FORMULA, Budget, LimitReached
from latex.macros import Macro, MacroTable
from latex.stream import Stream
from latex.tokens import Token, tokenize


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


class FormulaCollector:
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
                if len(self.tokens) > MAX_FORMULA:
                    self.fault = f"the formula is longer than {MAX_FORMULA} symbols"
                    self.tokens.clear()
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
