"""A strict reader of LaTeX formulas, by recursive descent. What it is not sure of it refuses.

Why not SymPy's own: docs/adr/0012-own-reader-of-formulas.md. Notation that mathematicians read in two ways
(f(x), e, i, log) is kept open in the tree and settled by algebra/readings.py.
"""

from fractions import Fraction

from algebra.names import ACCENTS, ASYMPTOTIC, ATOMS, FONTS, FUNCTIONS, RELATIONS
from algebra.tokens import FormulaToken, NotUnderstood, tokenize
from algebra.tree import Chain, Collection, Formula, Matrix, Node, Side, number, symbol

MAX_DEPTH = 40
MAX_NODES = 600
_CLOSING = {
    "(": ")",
    "[": "]",
    "\\{": "\\}",
    "\\langle": "\\rangle",
    "\\lfloor": "\\rfloor",
    "\\lceil": "\\rceil",
}
_CLOSERS = (")", "]", "\\}")
_TIMES = {"\\cdot", "\\times", "*"}
_MATRICES = ("matrix", "pmatrix", "bmatrix")


def read(text: str) -> Formula:
    """The formula in `text`. Raises NotUnderstood with the reason."""
    reader = _FormulaReader(tokenize(text))
    formula = reader.formula()
    if reader.here is not None:
        raise NotUnderstood(f"cannot read {reader.here.text!r} here")
    return formula


class _FormulaReader:
    def __init__(self, tokens: list[FormulaToken]) -> None:
        self.tokens = tokens
        self.place = 0
        self.depth = 0
        self.made = 0
        self.in_bars = False

    # -- looking at tokens

    @property
    def here(self) -> FormulaToken | None:
        return self.tokens[self.place] if self.place < len(self.tokens) else None

    def sees(self, *texts: str) -> bool:
        return self.here is not None and self.here.text in texts

    def take(self) -> FormulaToken:
        token = self.here
        if token is None:
            raise NotUnderstood("the formula ends too early")
        self.place += 1
        return token

    def expect(self, text: str) -> None:
        token = self.take()
        if token.text != text:
            raise NotUnderstood(f"expected {text!r}, found {token.text!r}")

    def make(self, kind: str, name: str = "", *args: Node) -> Node:
        self.made += 1
        if self.made > MAX_NODES:
            raise NotUnderstood(f"more than {MAX_NODES} parts")
        return Node(kind, name, args)

    # -- formulas

    def formula(self) -> Formula:
        sides = [self.items()]
        relations: list[str] = []
        while self.here is not None and self._at_relation():
            relations.append(self.relation())
            sides.append(self.items())
        return Chain(tuple(sides), tuple(relations)) if relations else sides[0]

    def _at_relation(self) -> bool:
        return self.here is not None and (self.here.text in RELATIONS or self.here.text == ":")

    def relation(self) -> str:
        token = self.take()
        if token.text == ":":
            self.expect("=")
            return "="
        return RELATIONS[token.text]

    def items(self) -> Side:
        return self.matrix() if self.sees("\\begin") else self.side()

    def side(self) -> Side:
        """A bracketed list where a bracket opens and it can be one, else an expression."""
        if not self.sees("(", "[", "\\{"):
            return self.expression()
        mark, made = self.place, self.made
        self.deeper()
        collection = self._collection()
        self.depth -= 1
        if collection is not None and (self.here is None or self._at_relation() or self.sees(",", *_CLOSERS)):
            return collection
        self.place, self.made = mark, made
        return self.expression()

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise NotUnderstood(f"nested more than {MAX_DEPTH} deep")

    def _collection(self) -> Collection | None:
        opening = self.take().text
        items = [self.side()]
        while self.sees(","):
            self.take()
            items.append(self.side())
        closing = self.take().text if self.here is not None else ""
        if closing not in _CLOSERS:
            return None
        if (opening == "\\{") != (closing == "\\}"):
            raise NotUnderstood(f"{opening!r} is closed by {closing!r}")
        if len(items) == 1 and opening != "\\{":
            return None
        square = "[" in opening + closing or "]" in opening + closing
        if square and (len(items) != 2 or not all(isinstance(item, Node) for item in items)):
            raise NotUnderstood("square brackets around something that is not an interval")
        return Collection(opening, closing, tuple(items))

    def matrix(self) -> Matrix:
        self.take()
        name = self.group_text()
        if name not in _MATRICES:
            raise NotUnderstood(f"the environment {name}")
        rows: list[tuple[Node, ...]] = []
        row = [self.expression()]
        while not self.sees("\\end"):
            separator = self.take().text
            if separator == "\\\\" and not self.sees("\\end"):
                rows.append(tuple(row))
                row = [self.expression()]
            elif separator == "&":
                row.append(self.expression())
            elif separator != "\\\\":
                raise NotUnderstood(f"{separator!r} in a matrix")
        self.take()
        if self.group_text() != name:
            raise NotUnderstood(f"the matrix is not closed by \\end{{{name}}}")
        rows.append(tuple(row))
        if len({len(cells) for cells in rows}) != 1:
            raise NotUnderstood("a matrix with rows of different lengths")
        return Matrix(tuple(rows))

    # -- expressions

    def expression(self) -> Node:
        self.deeper()
        addends = [self.signed_term()]
        while self.sees("+", "-"):
            addends.append(self.signed_term())
        self.depth -= 1
        return addends[0] if len(addends) == 1 else self.make("add", "", *addends)

    def signed_term(self) -> Node:
        if self.sees("+", "-"):
            sign = self.take().text
            term = self.term()
            return self.make("neg", "", term) if sign == "-" else term
        return self.term()

    def term(self) -> Node:
        product = self.factor()
        divided = False
        while True:
            if self.sees(*_TIMES):
                sign, following = self.take().text, self.factor()
                if sign != "\\cdot" and not (_is_numeric(product) or _is_numeric(following)):
                    raise NotUnderstood(f"{sign} between letters may be another product than that of numbers")
                product = self.times(product, following)
                divided = False
            elif self.sees("/"):
                if divided:
                    raise NotUnderstood("a/b/c can be read in two ways")
                self.take()
                product = self.make("div", "", product, self.factor())
                divided = True
            elif self.starts_factor():
                if divided:
                    raise NotUnderstood("a/b c can be read in two ways")
                if self.here is not None and self.here.kind == "number":
                    raise NotUnderstood("a number after a factor without a sign between them")
                product = self.times(product, self.factor())
            else:
                return product

    def times(self, left: Node, right: Node) -> Node:
        factors = (*left.args, right) if left.kind == "mul" else (left, right)
        return self.make("mul", "", *factors)

    def starts_factor(self) -> bool:
        token = self.here
        if token is None:
            return False
        if token.kind in ("number", "letter"):
            return True
        if token.text in ("|", "\\|"):
            return token.bar == "\\left" or (not token.bar and not self.in_bars)
        return token.text in _STARTERS or token.text in ATOMS or token.text in FONTS or token.text in ACCENTS

    def factor(self) -> Node:
        token = self.here
        if token is None:
            raise NotUnderstood("the formula ends too early")
        base = self.primary()
        while self.sees("^", "!"):
            if self.take().text == "!":
                if self.sees("!"):
                    raise NotUnderstood("a double factorial")
                if base.kind == "maybe" and token.text not in ("(", "["):
                    raise NotUnderstood("n(n-1)! is a product with a factorial, or the factorial of a value")
                base = self.make("call", "factorial", base)
            else:
                exponent = self.exponent()
                if exponent == symbol("T") or (
                    exponent == symbol("t")
                    and any(below.kind == "symbol" and below.name[0].isupper() for below in base.walk())
                ):
                    raise NotUnderstood("an exponent that may mean the transpose")
                base = self.make("pow", "", base, exponent)
                if self.sees("^"):
                    raise NotUnderstood("two exponents on one base")
        if self.sees("'"):
            raise NotUnderstood("a prime after something that is not a letter")
        if self.sees("_"):
            raise NotUnderstood("a subscript after something that is not a letter")
        return base

    def exponent(self) -> Node:
        if not self.sees("{"):
            token = self.take()
            if token.kind == "number" and len(token.text) == 1:
                return number(int(token.text))
            if token.kind == "letter" or token.text in ATOMS:
                return self.atom_named(token.text)
            raise NotUnderstood(f"the exponent {token.text!r}")
        self.take()
        if self.sees("("):
            raise NotUnderstood("an exponent in brackets may mean a derivative")
        inner = self.expression()
        self.expect("}")
        return inner

    # -- primaries

    def primary(self) -> Node:
        token = self.take()
        text = token.text
        if token.kind == "number":
            return number(Fraction(text))
        if text == "{":
            return self.braces()
        if text in ("(", "["):
            return self.bracket(text)
        if text in ("|", "\\|"):
            return self.bars(token)
        if text == "\\langle":
            args = [self.expression()]
            while self.sees(","):
                self.take()
                args.append(self.expression())
            self.expect("\\rangle")
            return self.make("apply", "\\langle", *args)
        if text in ("\\lfloor", "\\lceil"):
            inner = self.expression()
            self.expect(_CLOSING[text])
            return self.make("call", "floor" if text == "\\lfloor" else "ceil", inner)
        if text in ("\\frac", "\\binom", "\\sqrt"):
            return self.fraction_like(text)
        if text in ("\\sum", "\\prod"):
            return self.big_operator("sum" if text == "\\sum" else "prod")
        if text == "\\int":
            return self.integral()
        if text == "\\operatorname" or (text == "\\mathrm" and self.word_ahead()):
            return self.function(self.group_text())
        if text.startswith("\\") and text[1:] in FUNCTIONS:
            return self.function(text[1:])
        if token.kind == "letter" or text in ATOMS or text in FONTS or text in ACCENTS:
            self.place -= 1
            return self.letter()
        raise NotUnderstood(f"cannot read {text!r}")

    def braces(self) -> Node:
        """What is between braces, which nobody sees: {a+b}^2 looks like a plus the square of b."""
        before, since = self.tokens[self.place - 2] if self.place > 1 else None, self.place
        inner = self.expression()
        within = self.tokens[since : self.place]
        self.expect("}")
        alone = before is None or before.text in _BEFORE_A_TERM or before.text in RELATIONS
        ended = self.here is None or self.here.text in _BEHIND_A_TERM or self._at_relation()
        if inner.kind == "number":
            alone, ended = alone or (before is not None and before.text in ("-", *_TIMES)), True
        elif _in_brackets(within) or (
            all(token.text != "/" for token in within)
            and (inner.kind in _SEEN_AS_ONE or inner.name in _SEEN_AS_ONE)
        ):
            return inner
        if not (alone and ended):
            raise NotUnderstood("braces, which nobody sees, hold together what looks apart")
        return inner

    def bracket(self, opening: str) -> Node:
        since = self.place
        inner = self.expression()
        self.expect(_CLOSING[opening])
        within = self.tokens[since : self.place - 1]
        if len(within) == 3 and within[1].text == "\\cdot" and within[0].kind == within[2].kind == "letter":
            raise NotUnderstood("a product in brackets that may be an inner product")
        if opening == "[" and all(token.text != "(" for token in self.tokens[since : self.place]):
            raise NotUnderstood("square brackets that may mean an integer part or a class")
        return inner

    def bars(self, opening: FormulaToken) -> Node:
        outside, self.in_bars = self.in_bars, True
        inner = self.expression()
        self.in_bars = outside
        closing = self.take()
        if closing.text != opening.text or (opening.bar and closing.bar != "\\right"):
            raise NotUnderstood("bars that do not pair up")
        if opening.text == "\\|":
            return self.make("apply", "\\|", inner)
        names = (below.name for below in inner.walk() if below.kind in ("symbol", "maybe", "apply"))
        if any(name[0].isupper() or name.startswith(("\\math", "\\bold")) for name in names):
            return self.make("apply", "|", inner)  # a determinant or the size of a set as well as a modulus
        return self.make("call", "abs", inner)

    def fraction_like(self, command: str) -> Node:
        if command == "\\sqrt":
            index = None
            if self.sees("["):
                self.take()
                index = self.expression()
                self.expect("]")
            inner = self.argument()
            return self.make("call", "root", inner, index) if index else self.make("call", "sqrt", inner)
        above = self.place
        first = self.argument()
        below = self.place
        second = self.argument()
        leads = [self.tokens[place + self.tokens[place].text.count("{")].text for place in (above, below)]
        if command == "\\frac" and leads[0] == leads[1] and leads[0] in _DIFFERENTIALS:
            raise NotUnderstood("a fraction that may be a derivative")
        if command == "\\frac":
            return self.make("div", "", first, second)
        return self.make("call", "binom", first, second)

    def argument(self) -> Node:
        """What TeX takes as one argument: a group, or a single digit or letter."""
        if self.sees("{"):
            self.take()
            inner = self.expression()
            self.expect("}")
            return inner
        token = self.take()
        if token.kind == "number":
            if len(token.text) == 1:
                return number(int(token.text))
            # \frac12: TeX takes one digit, the rest is the next argument
            self.place -= 1
            self.tokens[self.place] = FormulaToken("number", token.text[1:])
            if token.text[0].isdigit() and token.text[1:].isdigit():
                return number(int(token.text[0]))
        if token.kind == "letter" or token.text in ATOMS:
            return self.atom_named(token.text)
        raise NotUnderstood(f"the argument {token.text!r}")

    def atom_named(self, text: str) -> Node:
        if text == "\\infty":
            return symbol("\\infty")
        return self.make("symbol", text)

    def group_text(self) -> str:
        self.expect("{")
        text = ""
        while not self.sees("}"):
            token = self.take()
            if token.kind != "letter":
                raise NotUnderstood(f"{token.text!r} in a name")
            text += token.text
        self.take()
        return text

    def word_ahead(self) -> bool:
        r"""True for \mathrm{word} with at least two letters, which names a function."""
        ahead = self.tokens[self.place : self.place + 3]
        return len(ahead) == 3 and ahead[0].text == "{" and all(token.kind == "letter" for token in ahead[1:])

    def letter(self) -> Node:
        """An atom with its font, accent, subscript and primes, and the bracket behind it if there is one."""
        name = self.name()
        if self.sees("^") and self._starred():
            name += "^*"
        if self.sees("["):
            raise NotUnderstood(f"{name} before a square bracket")
        if not self.sees("("):
            if self.sees("^") and self._power_then_bracket():
                raise NotUnderstood(f"{name} with an exponent before a bracket")
            return self.atom_named(name)
        if name in ASYMPTOTIC:
            raise NotUnderstood("asymptotic notation")
        self.take()
        inner = [self.expression()]
        while self.sees(","):
            self.take()
            inner.append(self.expression())
        self.expect(")")
        if len(inner) > 1:
            return self.make("apply", name, *inner)
        if self.sees("^"):
            self.take()
            return self.make("maybe", name, inner[0], self.exponent())
        return self.make("maybe", name, inner[0])

    def name(self) -> str:
        token = self.take()
        name = token.text
        if name in FONTS or name in ACCENTS:
            inner = self.take()
            if inner.text == "{":
                found = self.name()
                self.expect("}")
            elif inner.kind == "letter" or inner.text in ATOMS:
                found = inner.text
            else:
                raise NotUnderstood(f"{name} over {inner.text!r}")
            name = f"{name}{{{found}}}"
        elif token.kind != "letter" and name not in ATOMS:
            raise NotUnderstood(f"cannot read {name!r} as a letter")
        if self.sees("_"):
            self.take()
            name += "_" + self._subscript()
        while self.sees("'", "\\prime"):
            self.take()
            name += "'"
        return name

    def _subscript(self) -> str:
        token = self.take()
        if token.text != "{":
            if token.kind in ("number", "letter") or token.text in ATOMS:
                if token.kind == "number" and len(token.text) > 1:
                    raise NotUnderstood(f"the subscript {token.text} without braces")
                return f"{{{token.text}}}"
            raise NotUnderstood(f"the subscript {token.text!r}")
        text, depth = "", 1
        while depth:
            token = self.take()
            depth += (token.text == "{") - (token.text == "}")
            text += token.text if depth else ""
        return f"{{{text}}}"

    def _starred(self) -> bool:
        ahead = self.tokens[self.place + 1 : self.place + 4]
        if ahead and ahead[0].text == "*":
            self.place += 2
            return True
        if [token.text for token in ahead] == ["{", "*", "}"]:
            self.place += 4
            return True
        return False

    def _power_then_bracket(self) -> bool:
        """Whether this is f^2(x): a power of f, an iterate or an inverse."""
        mark, made = self.place, self.made
        self.take()
        self.exponent()
        found = self.sees("(")
        self.place, self.made = mark, made
        return found

    # -- functions

    def function(self, name: str) -> Node:
        if self.sees("_"):
            raise NotUnderstood(f"{name} with a subscript")
        power: Node | None = None
        if self.sees("^"):
            self.take()
            power = self.exponent()
            if power.kind != "number" or (power.value or 0) <= 0:
                raise NotUnderstood(f"{name} with an exponent that may mean the inverse function")
        args, bracketed = self._arguments(name)
        if bracketed and self.sees("^"):
            raise NotUnderstood(f"{name}(...)^ can be read in two ways")
        if not bracketed and (self.sees("/", "!", "(", "[") or self.sees("|")):
            raise NotUnderstood(f"where the argument of {name} ends")
        kind = "call" if name in FUNCTIONS and name not in ("det", "dim", "deg", "ker", "arg") else "apply"
        called = self.make(kind, name, *args)
        return self.make("pow", "", called, power) if power else called

    def _arguments(self, name: str) -> tuple[list[Node], bool]:
        if self.sees("(", "[", "{", "\\{"):
            opening, since = self.take().text, self.place
            closing = {"{": "}"}.get(opening) or _CLOSING[opening]
            args = [self.expression()]
            while self.sees(","):
                self.take()
                args.append(self.expression())
            self.expect(closing)
            unseen = (
                opening == "{"
                and not _in_brackets(self.tokens[since : self.place - 1])
                and (
                    args[0].kind == "add"
                    or self.sees("/", "!")
                    or (self.starts_factor() and not self._at_function())
                )
            )
            if unseen:
                raise NotUnderstood(f"where the argument of {name} ends")
            return args, True
        if not self.starts_factor():
            raise NotUnderstood(f"{name} without an argument")
        arg = self._plain_factor(name)
        while self.starts_factor() and not self._at_function() and not self.sees("(", "["):
            arg = self.times(arg, self._plain_factor(name))
        return [arg], False

    def _at_function(self) -> bool:
        token = self.here
        return token is not None and (
            token.text in ("\\operatorname", "\\sum", "\\prod", "\\int")
            or (token.text.startswith("\\") and token.text[1:] in FUNCTIONS)
        )

    def _plain_factor(self, name: str) -> Node:
        node = self.factor()
        if any(below.kind == "maybe" for below in node.walk()):
            raise NotUnderstood(f"where the argument of {name} ends")
        return node

    # -- big operators

    def big_operator(self, kind: str) -> Node:
        self.expect("_")
        self.expect("{")
        variable = self.name()
        self.expect("=")
        lower = self.expression()
        self.expect("}")
        self.expect("^")
        upper = self.exponent()
        if self.sees("+", "-"):
            raise NotUnderstood(f"a {kind} over a signed term")
        body = self.indexed(self.term(), variable)
        if self.sees("+", "-") and self._mentioned_later(variable):
            raise NotUnderstood(f"where the {kind} ends")
        return self.make(kind, variable, lower, upper, body)

    def indexed(self, body: Node, variable: str) -> Node:
        """The body with a_k, where k is the bound variable, as a function of k and not as one letter."""
        if body.kind == "symbol" and body.name.endswith(f"_{{{variable}}}"):
            return self.make("apply", body.name.removesuffix(f"{{{variable}}}"), symbol(variable))
        _, _, subscript = body.name.partition("_")
        if body.kind in ("symbol", "apply", "maybe") and variable in subscript:
            raise NotUnderstood(f"the subscript of {body.name} under a sum over {variable}")
        return Node(body.kind, body.name, tuple(self.indexed(arg, variable) for arg in body.args), body.value)

    def _mentioned_later(self, variable: str) -> bool:
        """Whether the bound variable occurs again without being bound again."""
        texts = [token.text for token in self.tokens[self.place :]]
        for place, text in enumerate(texts):
            if text == variable[: len(text)]:
                return texts[max(place - 3, 0) : place] not in (["\\sum", "_", "{"], ["\\prod", "_", "{"])
        return False

    def integral(self) -> Node:
        self.expect("_")
        lower = self.exponent()
        self.expect("^")
        upper = self.exponent()
        end = self._differential()
        variable = self.tokens[end + 1].text
        rest = self.tokens[end + 2 :]
        inner = _FormulaReader(self.tokens[self.place : end])
        inner.depth, inner.made = self.depth, self.made
        body = inner.indexed(inner.expression(), variable) if inner.tokens else number(1)
        if inner.here is not None:
            raise NotUnderstood(f"cannot read {inner.here.text!r} in an integral")
        self.made = inner.made
        self.tokens, self.place = [*self.tokens[: end + 2], *rest], end + 2
        return self.make("integral", variable, lower, upper, body)

    def _differential(self) -> int:
        """The position of the first d of a differential, outside brackets."""
        depth = 0
        for place in range(self.place, len(self.tokens) - 1):
            text, following = self.tokens[place].text, self.tokens[place + 1]
            depth += (text in ("(", "{", "[")) - (text in (")", "}", "]"))
            if depth == 0 and text == "d" and (following.kind == "letter" or following.text in ATOMS):
                return place
        raise NotUnderstood("an integral without its differential")


def _in_brackets(tokens: list[FormulaToken]) -> bool:
    """Whether one pair of brackets is around everything."""
    depth = 0
    for place, token in enumerate(tokens):
        depth += (token.text in ("(", "[")) - (token.text in (")", "]"))
        if depth == 0:
            return 0 < place == len(tokens) - 1
    return False


def _is_numeric(node: Node) -> bool:
    return not any(below.kind in ("symbol", "apply", "maybe") for below in node.walk())


_BEFORE_A_TERM = {"(", "[", "{", "\\{", "|", "+", ",", "&", "\\\\"}
_BEHIND_A_TERM = {
    ")",
    "]",
    "}",
    "\\}",
    "|",
    "+",
    "-",
    ",",
    "&",
    "\\\\",
    "\\end",
    "\\rfloor",
    "\\rceil",
    "\\rangle",
}
_SEEN_AS_ONE = {"symbol", "pow", "apply", "div", "sqrt", "root", "abs", "floor", "ceil", "binom", "factorial"}
_DIFFERENTIALS = {"d", "\\Delta", "\\delta"}
_STARTERS = {
    "(",
    "{",
    "[",
    "\\langle",
    "\\lfloor",
    "\\lceil",
    "\\frac",
    "\\binom",
    "\\sqrt",
    "\\sum",
    "\\prod",
    "\\int",
    "\\operatorname",
    *(f"\\{name}" for name in FUNCTIONS),
}
