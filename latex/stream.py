"""The tokens still to come: the source, and in front of it what macros have put back."""

from latex.limits import LOOPING, MAX_ARGUMENT, MAX_NAME, Budget, LimitReached
from latex.macros import Macro, MacroTable, Parameter, substitute
from latex.tokens import Token, spelled

Arguments = list[list[Token]]
_STAR = "*"


class Stream:
    """Reads tokens one by one and expands macros in place."""

    def __init__(self, tokens: list[Token], macros: MacroTable, budget: Budget, begin: int = 0) -> None:
        self._tokens = tokens
        self._at = 0
        self._back: list[Token] = []
        self._calls_without_source = 0
        self._begin = begin
        self.macros = macros
        self.budget = budget

    # -- reading ---------------------------------------------------------------------------------------
    def next(self) -> Token | None:
        if self._back:
            return self._back.pop()
        if self._at == len(self._tokens):
            return None
        self._calls_without_source = 0
        self._at += 1
        return self._tokens[self._at - 1]

    def peek(self) -> Token | None:
        if self._back:
            return self._back[-1]
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def push(self, tokens: list[Token] | tuple[Token, ...]) -> None:
        self._back.extend(reversed(tokens))

    def skip_spaces(self) -> None:
        while (token := self.peek()) is not None and token.kind == "space":
            self.next()

    @property
    def source_start(self) -> int:
        """Where in the source the token read last begins."""
        return self._tokens[self._at - 1].start if self._at else self._begin

    @property
    def source_end(self) -> int:
        """Where in the source reading has come to."""
        return self._tokens[self._at - 1].end if self._at else self._begin

    @property
    def mark(self) -> int | None:
        """A place to come back to; None inside a macro's expansion."""
        return None if self._back else self._at

    def rewind(self, mark: int) -> bool:
        """Goes back to a mark, if the budget for reading twice allows it."""
        if not self.budget.may_rescan(self._at - mark + len(self._back)):
            return False
        self._at = mark
        self._back.clear()
        return True

    # -- arguments -------------------------------------------------------------------------------------
    def group(self) -> list[Token] | None:
        """The tokens of a balanced group whose { was just read; None, and nothing read, if it never ends."""
        taken: list[Token] = []
        depth = 0
        while (token := self.next()) is not None:
            if token.kind == "}" and depth == 0:
                return taken
            depth += (token.kind == "{") - (token.kind == "}")
            taken.append(token)
            if len(taken) > MAX_ARGUMENT:
                break
        self._give_back(taken)
        return None

    def _give_back(self, taken: list[Token]) -> None:
        if self.budget.may_rescan(len(taken)):
            self.push(taken)

    def required(self) -> list[Token]:
        """A group's tokens, or the next single token; [] where there is none."""
        self.skip_spaces()
        token = self.peek()
        if token is None or token.kind in ("}", "par", "$", "$$"):
            return []
        self.next()
        if token.kind == "{":
            return self.group() or []
        if token.kind == "text" and len(token.text) > 1:
            self.push([token._replace(text=token.text[1:])])
            return [token._replace(text=token.text[0])]
        return [token]

    def optional(self) -> list[Token] | None:
        """The tokens between [ and ], or None if no [ comes next (or it is never closed)."""
        token = self.peek()
        if token is not None and token.kind == "space":
            self.next()
            found = self.optional()
            if found is None:
                self.push([token])
            return found
        if token is None or token.kind != "text" or not token.text.startswith("["):
            return None
        self.next()
        self.push([token._replace(text=token.text[1:])] if len(token.text) > 1 else [])
        found = self.until_character("]")
        if found is None:
            self.push([token._replace(text="[")])
        return found

    def until_character(self, stop: str) -> list[Token] | None:
        """Tokens up to a character outside all braces, which is taken too; None, and nothing read, if the
        paragraph ends first."""
        taken: list[Token] = []
        depth = 0
        while (token := self.next()) is not None and len(taken) <= MAX_ARGUMENT:
            if depth == 0 and token.kind == "text" and stop in token.text:
                before, _, after = token.text.partition(stop)
                self.push([token._replace(text=after)] if after else [])
                return [*taken, token._replace(text=before)] if before else taken
            taken.append(token)
            depth += (token.kind == "{") - (token.kind == "}")
            if token.kind == "par" or depth < 0:
                break
        self._give_back(taken)
        return None

    def star(self) -> bool:
        token = self.peek()
        if token is None or token.kind != "text" or not token.text.startswith(_STAR):
            return False
        self.next()
        if len(token.text) > 1:
            self.push([token._replace(text=token.text[1:])])
        return True

    def name(self) -> str:
        """A required argument as plain characters (labels, keys, environments), cut at MAX_NAME."""
        return spelled(self.required())[:MAX_NAME].strip()

    # -- macros ----------------------------------------------------------------------------------------
    def expand(self, macro: Macro, call: Token) -> None:
        """Puts a macro's expansion in front of what follows. Raises LimitReached for endless macros."""
        self._calls_without_source += 1
        if self._calls_without_source > LOOPING:
            self._back.clear()
            self._calls_without_source = 0
            raise LimitReached(f"\\{call.text} expands without end")
        self._match(macro.prefix)
        arguments = [self._argument(parameter) for parameter in macro.parameters]
        result = substitute(macro.body, arguments)
        self.budget.spend_expansion(len(result))
        self.push(result)

    def _argument(self, parameter: Parameter) -> list[Token]:
        if parameter.kind == "required":
            return self.required()
        if parameter.kind == "star":
            kind = "true" if self.star() else "false"
            return [Token(kind, "", 0, 0)]
        if parameter.kind == "optional":
            found = self.optional()
            return found if found is not None else list(parameter.default or (Token("absent", "", 0, 0),))
        return self._delimited(parameter.until)

    def _match(self, tokens: tuple[Token, ...]) -> bool:
        """Takes these tokens if they come next; else leaves everything as it was."""
        taken: list[Token] = []
        for wanted in tokens:
            token = self.character()
            if token is not None:
                taken.append(token)
            if token is None or (token.kind, token.text) != (wanted.kind, wanted.text):
                self.push(taken)
                return False
        return True

    def character(self) -> Token | None:
        """The next token, a run of text one character at a time."""
        token = self.next()
        if token is not None and token.kind == "text" and len(token.text) > 1:
            self.push([token._replace(text=token.text[1:])])
            return token._replace(text=token.text[0])
        return token

    def _delimited(self, until: tuple[Token, ...]) -> list[Token]:
        taken: list[Token] = []
        depth = 0
        while len(taken) <= MAX_ARGUMENT:
            if depth == 0 and self._match(until):
                return _without_outer_braces(taken)
            token = self.character()
            if token is None or token.kind == "par":
                break
            depth += (token.kind == "{") - (token.kind == "}")
            taken.append(token)
        self._give_back(taken)
        return []


def _without_outer_braces(tokens: list[Token]) -> list[Token]:
    if len(tokens) >= 2 and tokens[0].kind == "{" and tokens[-1].kind == "}":
        inner = tokens[1:-1]
        if all(token.kind not in "{}" for token in inner):
            return inner
    return tokens
