"""Walks over the tokens of a formula: arguments, options, stars, dimensions."""

from latex.formulas.words import DIMENSION
from latex.reading.tokens import Token, spelled

LONGEST_OPTION = 60  # tokens


class FormulaReader:
    """A place in a list of tokens. The list is the reader's own: what is taken in part is replaced by its rest."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.at = 0

    def skip_spaces(self) -> None:
        while self.at < len(self.tokens) and self.tokens[self.at].kind == "space":
            self.at += 1

    def argument(self) -> list[Token]:
        self.skip_spaces()
        if self.at >= len(self.tokens):
            return []
        first = self.tokens[self.at]
        self.at += 1
        if first.kind != "{":
            return [first]
        start, depth = self.at, 1
        while self.at < len(self.tokens) and depth:
            kind = self.tokens[self.at].kind
            depth += (kind == "{") - (kind == "}")
            self.at += 1
        return self.tokens[start : self.at - (depth == 0)]

    def option(self) -> str | None:
        """The text of [..] if it comes next, without braces inside."""
        self.skip_spaces()
        if self.at >= len(self.tokens) or not self.tokens[self.at].text.startswith("["):
            return None
        start = self.at
        while self.at < len(self.tokens) and self.at - start < LONGEST_OPTION:
            token = self.tokens[self.at]
            if token.kind == "text" and "]" in token.text:
                inside = spelled(self.tokens[start : self.at + 1])
                before, _, rest = inside.partition("]")
                self.at += 1
                if rest:
                    self.at -= 1
                    self.tokens[self.at] = token._replace(text=rest)
                return before[1:]
            self.at += 1
        self.at = start
        return None

    def star(self) -> bool:
        if self.at < len(self.tokens) and self.tokens[self.at].text.startswith("*"):
            rest = self.tokens[self.at].text[1:]
            if rest:
                self.tokens[self.at] = self.tokens[self.at]._replace(text=rest)
            else:
                self.at += 1
            return True
        return False

    def dimension(self) -> None:
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            rest = token.text
            if token.kind == "text":
                rest = token.text[DIMENSION.match(token.text).end() :]  # type: ignore[union-attr]
            elif token.kind != "space":
                return
            if token.kind == "text":
                if rest:
                    self.tokens[self.at] = token._replace(text=rest)
                else:
                    self.at += 1
                return
            self.at += 1
