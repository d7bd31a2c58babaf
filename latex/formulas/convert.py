"""Turns the expanded tokens of one formula into LaTeX that KaTeX understands.

Numbers are written as \\tag, labels are taken out and reported, environments and commands that KaTeX lacks are
exchanged for honest equivalents, and what would be invisible is taken away.
"""

import re

from latex.formulas.parts import columns, has_dollar_outside_text, has_words, masked, unwrapped
from latex.formulas.rows import Context, FormulaWriter, Level, Row
from latex.formulas.words import (  # fmt: skip
    BRACED,
    DIMENSION,
    DROPPED,
    HIDING,
    INNER,
    PRIMES,
    RAGGED,
    REFERENCES,
    SOURCE_ONLY,
    TEXT_ARGUMENT,
    TEXT_IN_CELLS,
    THREE_COLUMNS,
    TRANSPARENT,
)
from latex.limits import MAX_FORMULA_DEPTH, MAX_NAME, LimitReached, ShownAsSource
from latex.reading.tokens import Token, spelled


class _Converter(FormulaWriter):
    # -- the walk --------------------------------------------------------------------------------------
    def run(self) -> str:
        if self.nesting > 8:
            raise LimitReached("formulas are nested too deeply")
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            self.at += 1
            self.token(token)
        self.end_row(last=True)
        return self.finished()

    def token(self, token: Token) -> None:
        if token.kind in ("word", "primitive"):
            self.word(token.text)
        elif token.kind == "symbol":
            self.symbol(token.text)
        elif token.kind == "{":
            self.open_brace()
        elif token.kind == "}":
            self.depth -= 1
            if self.text_depths and self.depth < self.text_depths[-1]:
                self.text_depths.pop()
            if self.bold_depth is not None and self.depth < self.bold_depth:
                self.bold_depth = None
            self.write("}")
        elif token.kind == "raw":
            name = token.text.partition("\0")[0]
            raise ShownAsSource(f"{name} is shown as source")
        elif token.kind == "&":
            self.ampersand()
        else:
            self.other(token)

    def open_brace(self) -> None:
        self.depth += 1
        if self.depth > MAX_FORMULA_DEPTH:
            raise LimitReached(f"the formula nests more than {MAX_FORMULA_DEPTH} groups")
        self.write("{")

    def other(self, token: Token) -> None:
        if token.kind in ("absent", "true", "false"):
            return
        if token.kind in ("space", "par"):
            self.write(" ")
            return
        if token.kind == "#":
            self.write("\\#")
        elif token.kind in "^_" and self.in_text:
            self.write("\\_" if token.kind == "_" else '\\char"5E{}')
        elif token.kind in ("$", "$$") and self.in_text:
            self.inner_formula(token.kind)
        elif self.in_text or self.tokens[self.at - 2].kind == "^":
            self.write(token.text)
        else:
            self.write(token.text.translate(PRIMES))
        self.row.empty = False

    @property
    def in_text(self) -> bool:
        return bool(self.text_depths)

    def inner_formula(self, closing: str) -> None:
        """$..$ or \\(..\\) inside \\text: its ^ and _ are mathematics again. The text's own end ends it as well."""
        start, depth = self.at, 0
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            ends = token.text == ")" and token.kind == "symbol" if closing == ")" else token.kind == closing
            if depth == 0 and (ends or token.kind == "}"):
                break
            depth += (token.kind == "{") - (token.kind == "}")
            self.at += 1
        inside = self.tokens[start : self.at]
        self.at += self.at < len(self.tokens) and self.tokens[self.at].kind != "}"
        nested = _Converter(inside, "", self.context, display=False)
        nested.nesting = self.nesting + 1
        written = nested.run()
        self.write(f"${bold(written) if self.bold_depth is not None else written}$")

    def ampersand(self) -> None:
        if self.in_text and not self.levels:
            self.write("\\&")
            return
        if not self.levels and self.environment in THREE_COLUMNS:
            self.row.columns += 1
            if self.row.columns != 1:
                self.write("{}" if self.row.columns == 2 else "&")
                return
        self.write("&")
        if (self.levels or self.environment in BRACED) and not self.in_text:
            self.cell_of_text(text=self.levels[-1].text if self.levels else True)

    def cell_of_text(self, *, text: bool) -> None:
        """A cell with dollar signs outside of \\text is text, as in plain \\cases; in cases* also one of words."""
        end, depth = self.at, 0
        while end < len(self.tokens):
            token = self.tokens[end]
            ends = token.kind == "&" or (token.kind in ("symbol", "word") and token.text in _AFTER_CELLS)
            if depth == 0 and (ends or token.kind == "}"):
                break
            depth += (token.kind == "{") - (token.kind == "}")
            end += 1
        cell = self.tokens[self.at : end]
        words = text and any(token.kind == "text" for token in cell)
        if has_dollar_outside_text(cell) or (
            words and all(token.kind in ("text", "space") for token in cell)
        ):
            self.at = end
            self.write(f"\\text{{{self.as_words(cell)}}}")

    def symbol(self, text: str) -> None:
        if text == "\\":
            self.line_break()
        elif text == "(" and self.in_text:
            self.inner_formula(")")
        elif text in "()[]" or text in "/-@":
            return
        elif text == "\n":
            self.write("\\ ")
        else:
            self.write("\\" + text)
            self.row.empty &= text in " ,;:!"

    def line_break(self) -> None:
        self.star()
        space = self.option() if self.at < len(self.tokens) and self.tokens[self.at].text[:1] == "[" else None
        if self.levels or self.depth:
            self.write(
                "\\\\" + (f"[{space}]" if space and DIMENSION.fullmatch(space) and space.strip() else "")
            )
            if space is not None and not DIMENSION.fullmatch(space):
                self.write(f"{{}}[{space}]")
            return
        if self.environment in RAGGED:
            self.write("\\\\&\\qquad ")
            return
        self.end_row(last=False)
        self.write("\\\\")
        self.row = Row(numbered=self.numbering == "each")

    # -- commands --------------------------------------------------------------------------------------
    def word(self, name: str) -> None:
        if name in ("begin", "end"):
            (self.begin if name == "begin" else self.end)(spelled(self.argument()).strip())
        elif name == "label":
            self.row.label.append(spelled(self.argument())[:MAX_NAME])
        elif name in ("notag", "nonumber"):
            self.row.numbered = False
        elif name == "tag":
            self.tag()
        elif name == "footnote":
            self.option()
            self.write(f"\\text{{ ({self.in_words()})}}")
        elif name in ("eqno", "leqno"):
            self.number_of_plain_tex()
        elif name in ("kern", "mkern", "mskip"):
            self.kern(name)
        elif name == "ensuremath":
            self.ensured()
        elif name == "boldmath":  # in mathematics itself TeX ignores it, with a warning
            self.bold_depth = self.depth if self.in_text else None
        elif name == "unboldmath":
            self.bold_depth = None
        elif name in REFERENCES:
            self.refer(name)
        elif name == "mathbb" and self.digits_follow():
            self.plain("mathbf")
        elif name in HIDING:
            self.hide(name)
        elif name in DROPPED:
            self.drop(DROPPED[name])
        elif name in SOURCE_ONLY:
            raise ShownAsSource(f"\\{name}: {SOURCE_ONLY[name]}")
        else:
            self.plain(name)

    def kern(self, name: str) -> None:
        """A space given in units stays; one given by a register (\\kern-\\nulldelimiterspace) is let go."""
        self.skip_spaces()
        ahead = self.tokens[self.at : self.at + 2]
        if ahead and ahead[0].kind == "text" and ahead[0].text == "-" and ahead[1:]:
            self.at += ahead[1].kind == "word"
            ahead = ahead[1:] if ahead[1].kind == "word" else ahead
        if ahead and ahead[0].kind == "word":
            self.at += 1
            return
        self.write("\\" + name, is_word=True)

    def digits_follow(self) -> bool:
        """KaTeX has no blackboard digits; the indicator function is a bold one then."""
        self.skip_spaces()
        ahead = self.tokens[self.at : self.at + 2]
        ahead = ahead[1:] if ahead and ahead[0].kind == "{" else ahead
        return bool(ahead) and ahead[0].text[:1].isdecimal()

    def plain(self, name: str) -> None:
        self.row.empty = False
        self.write("\\" + name, is_word=name[-1].isalpha())
        if name in TEXT_ARGUMENT:
            self.skip_spaces()
            if self.at < len(self.tokens) and self.tokens[self.at].kind == "{":
                self.text_depths.append(self.depth + 1)

    def drop(self, signature: str) -> None:
        for letter in signature:
            if letter == "m":
                self.argument()
            elif letter == "o":
                self.option()
            elif letter == "s":
                self.star()
            else:
                self.dimension()
        self.write(" ")

    def ensured(self) -> None:
        nested = _Converter(self.argument(), "", self.context, display=False)
        nested.nesting = self.nesting + 1
        written = nested.run()
        self.write(f"${written}$" if self.in_text else f"{{{written}}}")

    def tag(self) -> None:
        starred = self.star()
        written = f"\\tag{'*' if starred else ''}{{{self.in_words()}}}"
        if self.depth == 0 and not self.levels and self.display:
            self.row.tag = written
            return
        self.hoisted.append((len(self.out), written))
        self.out.append("")

    def in_words(self) -> str:
        """The argument that follows, as text that may have formulas."""
        return self.as_words(self.argument())

    def as_words(self, tokens: list[Token]) -> str:
        text = _Converter(tokens, "", self.context, display=False)
        text.text_depths = [0]
        text.nesting = self.nesting + 1
        return text.run()

    def number_of_plain_tex(self) -> None:
        """\\eqno takes the rest of a display for its number."""
        if self.depth or self.levels or not self.display or self.environment:
            self.write(" ")
            return
        nested = _Converter(self.tokens[self.at :], "", self.context, display=False)
        nested.nesting = self.nesting + 1
        self.at = len(self.tokens)
        if number := nested.run():
            self.row.tag = f"\\tag*{{${number}$}}"

    def refer(self, name: str) -> None:
        self.star()
        option = self.option()
        shown = self.context.reference(name, spelled(self.argument())[: 10 * MAX_NAME], option or "")
        self.write(shown if self.in_text else f"\\text{{{shown}}}")
        self.row.empty = False

    def hide(self, name: str) -> None:
        """Invisible ink keeps its room and loses its words: letters are exchanged for letters as tall."""
        content = self.argument()
        if has_words(content):
            self.context.note(f"\\{name} hid text, which was taken out")
        if not any(token.kind == "word" and token.text in ("begin", "end") for token in content):
            self.write(f"\\{name}{{{spelled(masked(content))}}}")

    # -- environments ----------------------------------------------------------------------------------
    def begin(self, name: str) -> None:
        self.row.empty = False
        if len(self.levels) > 30:
            raise LimitReached("the formula nests too many environments")
        if name in TRANSPARENT:
            self.levels.append(Level("", self.depth))
            if name == "minipage":
                self.argument()
            return
        written = INNER.get(name, name)
        self.levels.append(Level(written, self.depth, name in TEXT_IN_CELLS))
        if name in ("tabular*",):
            self.argument()
        if written not in ("CD",):
            self.position_option(written)
        self.write(f"\\begin{{{written}}}")
        if written in ("array", "darray", "subarray"):
            self.write("{" + columns(spelled(self.argument())) + "}")

    def position_option(self, written: str) -> None:
        """[t] and [b] say how a block sits on its line; KaTeX would print them (matrix* takes its own)."""
        if written.endswith("matrix*"):
            return
        if self.at < len(self.tokens) and self.tokens[self.at].text[:3] in (
            "[t]",
            "[b]",
            "[c]",
            "[l]",
            "[r]",
        ):
            self.option()

    def end(self, name: str) -> None:
        if not self.levels:
            raise LimitReached(f"\\end{{{name[:40]}}} without its \\begin")
        level = self.levels.pop()
        if level.written:
            self.write(f"\\end{{{level.written}}}")


_AFTER_CELLS = frozenset(
    ("\\", "cr", "tabularnewline", "begin", "end", "hline", "label", "nonumber", "notag", "tag")
)
_IN_ROWS = re.compile(r"\\(?:begin|tag|\\)(?![A-Za-z])|(?<!\\)&")


def bold(latex: str) -> str:
    """A formula under \\boldmath. One of several rows or with a number stays as it is: KaTeX embolds neither."""
    return latex if not latex.strip() or _IN_ROWS.search(latex) else f"\\boldsymbol{{{latex}}}"


def convert(tokens: list[Token], environment: str, context: Context, *, display: bool) -> str:
    """LaTeX for KaTeX. Raises LimitReached, with words for the reader, for what can't be shown as a formula."""
    if display and not environment:
        tokens, environment = unwrapped(tokens)
    converter, left = _Converter(list(tokens), environment, context, display), ""
    if environment.startswith("alignat"):
        converter.skip_spaces()
        converter.write("{" + spelled(converter.argument()) + "}")
        converter.row.empty = True
    elif environment.startswith(("IEEE", "xalignat", "xxalignat")):
        converter.option()
        converter.argument()
    elif environment in BRACED:
        converter.skip_spaces()
        left = _Converter(converter.argument(), "", context, display=False).run()
    return left + converter.run()
