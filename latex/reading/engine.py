"""Reads a LaTeX document from front to back, once, and writes its blocks.

Nothing here recurses: groups, environments and captured text are frames on a stack, so nesting costs memory in
proportion to the source and no more.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field

from latex.document import Failure, Formula
from latex.limits import MAX_HTML, MAX_NOTES, Budget, Clock, LimitReached
from latex.reading.characters import ACCENTS as TEXT_ACCENTS
from latex.reading.characters import ESCAPED, accented, html_text, typographic, visible
from latex.reading.counters import Counters
from latex.reading.definitions import DEFINITIONS
from latex.reading.macros import MacroTable
from latex.reading.record import MAX_NAMES, Record
from latex.reading.references import References, Target
from latex.reading.stream import Stream
from latex.reading.tokens import Token, spelled, tokenize
from latex.writer import Writer

Close = Callable[[], None]
BEGINGROUP = "\\begingroup"  # as the kind of a frame, which no environment can have as its name


@dataclass(slots=True)
class Frame:
    """An open group ("{"), environment (its name) or captured line; `inline` is what was open before it."""

    kind: str
    inline: int
    close: list[Close] = field(default_factory=list)
    container: object = None


class Engine:
    """One document being read. Handlers in other modules work on its public parts."""

    def __init__(self, text: str, prefix: str = "") -> None:
        self.text = text
        self.prefix = prefix
        self.macros = MacroTable()
        self.counters = Counters(lambda name: self.body_of("the" + name))
        self.references = References()
        self.macros.position = lambda: self.stream.source_end
        self.writer = Writer(text)
        self.budget = Budget()
        self.clock = Clock()
        self.unfinished: Callable[[Formula], str] = lambda _: ""  # why to show a formula as source
        self.stream = Stream([], self.macros, self.budget)
        self.frames: list[Frame] = []
        self.open_environments: dict[str, int] = {}
        self.environments: dict[str, object] = {}  # what this document defines
        self.formulas: list[Formula] = []
        self.failures: list[Failure] = []
        self.formula_count = 0
        self.notes: dict[str, None] = {}
        self.target = Target("", "", "b1")
        self.settings: dict[str, str] = {}
        self.footnotes: list[tuple[str, int, int]] = []
        self.here = 0  # where in the source the token being obeyed begins
        self.record = Record(text)
        self.token = Token("space", " ", 0, 0)  # being obeyed
        self.called = 0  # where the call begins that the token came from, or the token itself
        self.in_preamble = False
        self.appendix = False
        self.numbered = True  # displays that carry no label are numbered too
        self.subequation = ""  # the number shared by the equations of a subequations environment
        self.lists: list[object] = []
        self.conditions: list[bool] = []  # the open ones: whether the text before their \\else is shown
        self.tables: list[object] = []
        self.raw_environments: dict[str, Callable[[Engine, str, str], None]] = {}
        self.commands: dict[str, Callable[[Engine], None]] = {}
        self.builtin_environments: dict[str, Callable[[Engine, str], None]] = {}

    # -- reports ---------------------------------------------------------------------------------------
    def note(self, text: str) -> None:
        if len(self.notes) < MAX_NOTES:
            self.notes[text] = None

    def anchor(self, block_id: str) -> str:
        return self.prefix + block_id

    def body_of(self, name: str) -> str:
        """What a macro without parameters stands for, or ""."""
        macro = self.macros.get(name)
        return "" if macro is None or macro.parameters else spelled(list(macro.body[:MAX_NAMES]))

    def aim(self, number: str, kind: str) -> None:
        """What a \\label that follows refers to."""
        self.target = Target(number, kind, self.anchor(self.writer.next_id))
        self.record.aimed = None

    @property
    def own_start(self) -> int:
        """Where the command being obeyed begins in the source. One that a macro's body holds begins at the call, one
        in a macro's argument at its own place."""
        start = self.token.start
        return start if start > self.called and self.text.startswith(("\\", "$"), start) else self.called

    def own_end(self, start: int) -> int:
        """Where a command that began there and has read its arguments ends."""
        read = self.stream.source_end
        if start > self.called or self.text.startswith("\\end", start):
            brace = self.text.find("}", start, start + MAX_NAMES)
            return brace + 1 if brace >= 0 else read
        # What was read in search of the end of an argument, and put back, is not part of the command.
        last = self.stream.last.end
        # A package is outside of the text, below zero.
        return last if max(start, 0) < last <= read and self.text[last - 1] == "}" else read

    # -- reading ---------------------------------------------------------------------------------------
    def read(self, tokens: list[Token], begin: int = 0) -> None:
        """Obeys all tokens and closes what they left open."""
        outer, self.stream = self.stream, Stream(tokens, self.macros, self.budget, begin)
        depth = len(self.frames)
        for count in itertools.count():
            if (token := self.stream.next()) is None:
                break
            if count % 256 == 0:
                self.clock.check()
            self.here = self.stream.source_start
            self.token = token
            if self.stream.depth == 0:
                self.called = token.start or self.here
            try:
                self.obey(token)
            except LimitReached as limit:
                self.note(str(limit))
            if self.writer.size + self.writer.waiting > MAX_HTML:
                self.stop_here()
                break
        self.here = self.stream.source_end
        while len(self.frames) > depth:
            self.close_frame()
        if self.writer.at_bottom:
            self.writer.end_paragraph(self.here)
        self.stream = outer

    def stop_here(self) -> None:
        """The page would grow without bound: the rest is one block of plain text."""
        self.note("the page of this document would be too large; its end is shown as plain text")
        while self.frames:
            self.close_frame()
        self.writer.end_paragraph(self.here)
        start = self.stream.source_end
        rest = html_text(self.text[start : start + MAX_HTML])
        html = f'<pre class="verbatim"><code>{rest}</code></pre>'
        self.writer.block("source", html, start, len(self.text))

    def read_text(self, text: str, base: int = 0) -> None:
        self.read(tokenize(text, base), base)

    def obey(self, token: Token) -> None:
        kind = token.kind
        if kind == "text":
            self.words(token.text)
        elif kind == "space":
            self.writer.space()
        elif kind in ("word", "symbol", "primitive"):
            self.control(token)
        elif kind == "{":
            self.open_frame("{")
        elif kind == "}":
            self.close_group("{")
        elif kind == "par":
            self.end_paragraph()
        else:
            self.special(token)

    def special(self, token: Token) -> None:
        if token.kind in ("$", "$$"):
            self.commands["character " + token.kind](self)
        elif token.kind == "raw":
            name, _, body = token.text.partition("\0")
            self.raw(name, body)
        elif token.kind == "&":
            self.commands["character &"](self)
        elif token.kind == "close":
            self.close_environment(token.text)
        elif token.kind == "~":
            self.put("\u00a0")
        elif token.kind in "^_#":
            self.put(html_text(token.text))

    def raw(self, name: str, body: str) -> None:
        """Verbatim text, a diagram or a comment environment, as the tokenizer found it."""
        self.raw_environments[name](self, name, body)

    # -- text ------------------------------------------------------------------------------------------
    def put(self, html: str) -> None:
        if not self.in_preamble:
            self.writer.put(html, self.here)

    def words(self, text: str) -> None:
        shown = visible(text)
        if len(shown) != len(text):
            self.note("invisible characters were taken out")
        if shown:
            self.put(html_text(typographic(shown)))

    def end_paragraph(self) -> None:
        self.writer.end_paragraph(self.here)

    # -- control sequences -----------------------------------------------------------------------------
    def control(self, token: Token) -> None:
        name = token.text
        macro = self.macros.get(name) if token.kind != "primitive" else None
        if macro is not None:
            self.stream.expand(macro, token)
        elif (definition := DEFINITIONS.get(name)) is not None:
            definition(self.stream)
        elif (command := self.commands.get(name)) is not None:
            command(self)
        elif name in TEXT_ACCENTS and len(name) == 1:
            self.accent(name)
        elif token.kind == "symbol" or not name[-1].isalpha():
            self.put(html_text(ESCAPED.get(name, name)))
        else:
            self.commands["unknown command"](self, name)  # type: ignore[call-arg]

    def accent(self, name: str) -> None:
        tokens = [token for token in self.stream.required() if token.kind != "space"]
        base = ""
        if tokens:
            base = (
                {"i": "ı", "j": "ȷ"}.get(tokens[0].text, "") if tokens[0].kind == "word" else tokens[0].text
            )
        if base[:1].isalpha():
            self.put(html_text(accented(name, base)))
            self.stream.keep(tokens[1:])
        else:
            self.stream.keep(tokens)

    # -- frames ----------------------------------------------------------------------------------------
    def open_frame(self, kind: str, *close: Close) -> None:
        self.frames.append(Frame(kind, len(self.writer.top.inline), list(close), self.writer.top))
        if kind != "{":
            self.open_environments[kind] = self.open_environments.get(kind, 0) + 1
        self.macros.open_group()

    def close_frame(self) -> None:
        frame = self.frames.pop()
        if frame.kind != "{":
            self.open_environments[frame.kind] -= 1
        if frame.container is self.writer.top:
            self.writer.close_inline(frame.inline)
        self.macros.close_group()
        for close in frame.close:
            close()

    def close_group(self, kind: str) -> None:
        """Closes the innermost group of that kind, "{" or "\\begingroup", and one of the other kind left open in it,
        unless an environment is open in it."""
        for frame in itertools.islice(reversed(self.frames), 100):
            if frame.kind == kind:
                while self.frames[-1] is not frame:
                    self.close_frame()
                self.close_frame()
                return
            if frame.kind != BEGINGROUP:
                return

    def close_environment(self, name: str) -> None:
        """Closes the innermost environment of that name, and what was left open in it."""
        if not self.open_environments.get(name):
            self.note(f"\\end{{{name[:40]}}} without its \\begin")
            return
        while self.frames[-1].kind != name:
            self.close_frame()
        self.close_frame()

    def close_down_to(self, frame: Frame) -> None:
        """Closes everything opened inside `frame`, if it is still open."""
        while self.frames and self.frames[-1] is not frame:
            self.close_frame()

    def argument(self, on_open: Close, on_close: Close) -> None:
        """The command's argument is read as part of the document: `on_open` before it, `on_close` after.

        Without braces only a character counts as an argument: the style of \\textbf\\foo is let go.
        """
        self.stream.skip_spaces()
        token = self.stream.peek()
        if token is None or token.kind in ("}", "par", "&"):
            return
        if token.kind == "{":
            self.stream.next()
        elif token.kind in ("$", "word", "primitive", "symbol"):
            return
        else:
            self.stream.push([*self.stream.required(), Token("}", "}", 0, 0)])
        on_open()
        self.frames.append(Frame("{", len(self.writer.top.inline), [on_close], self.writer.top))
        self.macros.open_group()

    def styled(self, tag: str, classes: str = "") -> None:
        """The argument becomes an inline element."""
        depth = len(self.writer.top.inline)
        top = self.writer.top

        def finish() -> None:
            if self.writer.top is top:
                self.writer.close_inline(depth)

        self.argument(lambda: self.declared(tag, classes), finish)

    def declared(self, tag: str, classes: str = "") -> None:
        """\\bfseries and its kin: the style lasts until the group ends."""
        self.writer.open_inline(tag, classes)

    def captured(self, finish: Callable[[str], None]) -> None:
        """The argument is read into a line of its own; `finish` gets its HTML."""
        self.argument(
            lambda: self.writer.open("line", line=True, upto=self.here),
            lambda: finish(self.writer.close(self.here).strip()),
        )

    def captured_tokens(self, tokens: list[Token], finish: Callable[[str], None]) -> None:
        """The same for tokens that were read already (an optional argument)."""
        if self.stream.read_again([Token("{", "{", 0, 0), *tokens, Token("}", "}", 0, 0)]):
            self.captured(finish)
        else:
            self.note("arguments lie in arguments too deeply; some are shown as source")
            finish(html_text(spelled(tokens)))
