"""The tokens still to come: the source, and in front of it what macros have put back."""

from collections.abc import Sequence
from typing import NamedTuple

from latex.limits import MAX_ARGUMENT, MAX_MACRO_DEPTH, MAX_NAME, Budget, LimitReached
from latex.reading.macros import Macro, MacroTable, Parameter, substitute
from latex.reading.tokens import Token, spelled

_STAR = "*"
# Taken as an argument, these would take the end of their formula or environment away.
_NO_ARGUMENT = frozenset(
    {("symbol", "]"), ("symbol", ")"), ("word", "end"), ("word", "begin"), ("word", "item")}
)
_RUN = 64  # characters of a text that are made tokens of their own at a time


class Expansion(NamedTuple):
    """An expansion that waits to be read: it lies above `base` of what was put back; its `depth` is the number of
    macro calls it came from, each in the expansion of the one before."""

    base: int
    depth: int
    macro: Macro | None


class Stream:
    """Reads tokens one by one and expands macros in place."""

    def __init__(self, tokens: list[Token], macros: MacroTable, budget: Budget, begin: int = 0) -> None:
        self._tokens = tokens
        self._at = 0
        self._back: list[Token] = []
        self._calls: list[Expansion] = []
        self._depth = 0  # of the token read last
        self._begin = begin
        self.last = Token("space", " ", begin, begin)  # read last
        self.macros = macros
        self.budget = budget

    # -- reading ---------------------------------------------------------------------------------------
    def next(self) -> Token | None:
        if self._back:
            token = self.last = self._back.pop()
            calls = self._calls
            self._depth = calls[-1].depth if calls else 0
            while calls and len(self._back) <= calls[-1].base:
                calls.pop()
            return token
        if self._at == len(self._tokens):
            return None
        self._depth = 0
        self._at += 1
        self.last = self._tokens[self._at - 1]
        return self.last

    def peek(self) -> Token | None:
        if self._back:
            return self._back[-1]
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def push(self, tokens: Sequence[Token]) -> None:
        """Puts tokens in front of what follows; they come from as many macro calls as the token read last."""
        self._put_back(tokens, self._depth, None)

    def _put_back(self, tokens: Sequence[Token], depth: int, macro: Macro | None) -> None:
        if tokens and depth > (self._calls[-1].depth if self._calls else 0):
            self._calls.append(Expansion(len(self._back), depth, macro))
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
    def depth(self) -> int:
        """How many macro calls the token read last came from, each in the expansion of the one before."""
        return self._depth

    @property
    def mark(self) -> int | None:
        """A place to come back to; None inside a macro's expansion."""
        return None if self._back else self._at

    def rewind(self, mark: int) -> bool:
        """Goes back to a mark, if the budget for reading twice allows it."""
        tokens = self._at - mark + len(self._back)
        if tokens > self._may_reread():
            return False
        self.budget.reread += tokens
        self._at = mark
        self._back.clear()
        self._calls.clear()
        return True

    def _may_reread(self) -> int:
        return self.budget.may_reread(self.source_end)

    # -- arguments -------------------------------------------------------------------------------------
    def group(self) -> list[Token] | None:
        """The tokens of a balanced group whose { was just read; None, and nothing read, if it never ends."""
        taken: list[Token] = []
        depth, limit = 0, self._farthest()
        while len(taken) <= limit and (token := self.next()) is not None:
            if token.kind == "}" and depth == 0:
                return taken
            depth += (token.kind == "{") - (token.kind == "}")
            taken.append(token)
        self._give_back(taken)
        return None

    def _farthest(self) -> int:
        """How many tokens may be read in search of the end of an argument."""
        return min(MAX_ARGUMENT, self._may_reread())

    def _give_back(self, taken: list[Token]) -> None:
        self.budget.reread += len(taken)
        self.push(taken)

    def read_again(self, tokens: list[Token]) -> bool:
        """Puts an argument back to be read as part of the document. False, and nothing done, where arguments lie in
        arguments so often that the budget is spent."""
        if len(tokens) > self._may_reread():
            return False
        self.budget.reread += len(tokens)
        self.push(tokens)
        return True

    def keep(self, tokens: list[Token]) -> None:
        """The same for an argument that takes the place of its command. Raises LimitReached where it cannot be read
        again, which leaves it out with a note."""
        if not self.read_again(tokens):
            raise LimitReached("arguments lie in arguments too deeply; some are left out")

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
        spaces: list[Token] = []
        while (token := self.peek()) is not None and token.kind == "space":
            self.next()
            spaces.append(token)
        found = None
        if token is not None and token.kind == "text" and token.text.startswith("["):
            self.next()
            self.push([token._replace(text=token.text[1:])] if len(token.text) > 1 else [])
            found = self.until_character("]")
            if found is None:
                self.push([token._replace(text="[")])
        if found is None:
            self.push(spaces)
        return found

    def until_character(self, stop: str) -> list[Token] | None:
        """Tokens up to a character outside all braces, which is taken too; None, and nothing read, if the
        paragraph ends first."""
        taken: list[Token] = []
        depth, limit = 0, self._farthest()
        while len(taken) <= limit and (token := self.next()) is not None:
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
        """Puts a macro's expansion in front of what follows. Raises LimitReached for an endless macro, and the call
        that led there comes to nothing."""
        depth = self._depth
        if depth >= MAX_MACRO_DEPTH:
            self.macros.endless[call.text] = macro
        if self.macros.endless.get(call.text) is macro:
            self._drop(macro)
            raise LimitReached(f"\\{call.text} expands without end")
        self._match(macro.prefix)
        arguments = [self._argument(parameter) for parameter in macro.parameters]
        result = substitute(macro.body, arguments)
        self.budget.spend_expansion(len(result), self.source_end)
        self._put_back(result, depth + 1, macro)

    def _drop(self, macro: Macro) -> None:
        """Forgets what of the outermost call of `macro` was not read yet, but for the ends of what it has opened."""
        call = next((place for place, waiting in enumerate(self._calls) if waiting.macro is macro), None)
        if call is None:
            return
        base = self._calls[call].base
        dropped = self._back[: base - 1 if base else None : -1]
        del self._back[base:]
        del self._calls[call:]
        ends: list[Token] = []  # closing braces and \end{name} whose beginning is not among what is dropped
        groups = environments = 0
        for at, token in enumerate(dropped):
            if token.kind == "}" and groups == 0:
                ends.append(token)
            elif token.kind in "{}":
                groups += 1 if token.kind == "{" else -1
            elif token.kind == "word" and token.text == "end" and environments == 0:
                ends += dropped[at : at + 4]  # the word, and {name}
            elif token.kind == "word" and token.text in ("begin", "end"):
                environments += 1 if token.text == "begin" else -1
        self.push(ends)

    def _argument(self, parameter: Parameter) -> list[Token]:
        if parameter.kind == "required":
            self.skip_spaces()
            token = self.peek()
            if token is not None and (token.kind, token.text) in _NO_ARGUMENT:
                return []
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
                self.budget.reread += max(0, len(taken) - 1)
                self.push(taken)
                return False
        return True

    def character(self) -> Token | None:
        """The next token, a run of text one character at a time."""
        token = self.next()
        if token is None or token.kind != "text" or len(token.text) == 1:
            return token
        ahead, rest = token.text[:_RUN], token.text[_RUN:]
        if rest:
            self.push([token._replace(text=rest)])
        self.push([token._replace(text=letter) for letter in ahead[1:]])
        return token._replace(text=ahead[0])

    def _delimited(self, until: tuple[Token, ...]) -> list[Token]:
        taken: list[Token] = []
        depth = 0
        while len(taken) <= self._farthest():
            if depth == 0 and self._match(until):
                inner = taken[1:-1]  # outer braces go, if there are no others
                braced = len(taken) > 1 and taken[0].kind == "{" and taken[-1].kind == "}"
                return inner if braced and all(token.kind not in "{}" for token in inner) else taken
            token = self.character()
            if token is None:
                break
            taken.append(token)
            depth += (token.kind == "{") - (token.kind == "}")
            if token.kind == "par" or depth < 0:
                break
        self._give_back(taken)
        return []
