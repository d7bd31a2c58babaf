"""Markdown to a Document: the LaTeX engine reads the LaTeX, and markdown-it everything else."""

import re
from collections.abc import Callable

from markdown_it import MarkdownIt
from markdown_it.rules_block.table import escapedSplit
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter
from markdown_it.token import Token

from latex.document import Document
from latex.protect import CLOSE, OPEN, PLACEHOLDER, Protected, protect
from latex.reading.characters import html_attribute, html_text, no_placeholders
from latex.reading.definitions import DEFINITIONS
from latex.reading.engine import Engine
from latex.reading.latex_document import Task, finished, new_engine
from latex.reading.links import safe_address

_HEADINGS = {"h1": "h2", "h2": "h3", "h3": "h4", "h4": "h5", "h5": "h6", "h6": "h6"}
# Commands that a document in LaTeX obeys but that Markdown text never means.
_NOT_COMMANDS = frozenset({"unknown command"})


def _clock(state: StateInline, silent: bool) -> bool:
    """A rule that matches nothing and ends what takes too long; only some places look, a look takes its time."""
    if state.pos % 64 == 0:
        state.env["clock"].check()
    return False


def _whole_rows(state: StateCore) -> None:
    """A row with more cells than its table has columns: the last column keeps what Markdown would throw away."""
    lines: list[str] = []
    row, columns, last = "", 0, None
    for token in state.tokens:
        if token.type == "tr_open" and token.map:
            lines = lines or state.src.split("\n")
            row, columns, last = lines[token.map[0]].strip(" \t\r>"), 0, None
        elif token.type == "td_open":
            columns += 1
        elif token.type == "inline":
            last = token
        elif token.type == "tr_close" and columns and last is not None:
            cells = escapedSplit(row.removeprefix("|"))
            if cells and not cells[-1].strip():
                cells.pop()
            if len(cells) > columns:
                last.content = "|".join(cells[columns - 1 :]).strip()


def _emphasis(state: StateInline, silent: bool) -> bool:
    """Markdown's own rule, but * also opens right after and closes right before a formula or a script without
    spaces: in **Proof:**$x$ it would see a letter after a sign of punctuation, and no end, as in **Note:**This.
    Signs of mathematics are no emphasis, for which Markdown would take them away: nor do * in 2*3*4 and *-algebra
    and _ in (x)_+ begin one."""
    marker = state.src[state.pos]
    if silent or marker not in "*_":
        return False
    found = state.scanDelims(state.pos, marker == "*")
    before = state.src[max(0, state.pos - 2) : state.pos]
    last, after = before[-1:], state.src[state.pos + found.length : state.pos + found.length + 1]
    between = marker == "*" and bool(last.strip() and after.strip())
    multiplies = between and bool(_FACTOR_ENDS.match(last) and _FACTOR_BEGINS.match(after))
    alone = found.length == 1  # **-1 is a root** is in bold
    begins_none = multiplies or (last in _SUBSCRIPTED if marker == "_" else alone and after in _NO_WORD)
    ends_none = multiplies and last in _ENDS_FACTOR
    ends_note = found.length in (2, 3) and last in _ENDS_NOTE
    can_open = (found.can_open and not begins_none) or (between and bool(_UNSPACED.match(last)))
    can_close = (found.can_close and not ends_none) or (
        between and (ends_note or bool(_UNSPACED.match(after)))
    )
    # such as the label (*) or the scripts of A^*A, f_*g and ∑_{i}
    is_sign = after == "{" if marker == "_" else last + after in _ALONE or bool(_SCRIPT.search(before))
    for _ in range(found.length):
        state.push("text", "", 0).content = marker
        state.delimiters.append(
            Delimiter(
                marker=ord(marker),
                length=found.length,
                token=len(state.tokens) - 1,
                end=-1,
                open=can_open and not is_sign,
                close=can_close and not is_sign,
            )
        )
    state.pos += found.length
    return True


def _markup(state: StateInline, silent: bool) -> bool:
    """<br>, <sub> and <sup>, which models write where Markdown has nothing of its own; no other HTML is read."""
    found = _TAG.match(state.src, state.pos)
    if found is None:
        return False
    if not silent and found["name"] is None:
        state.push("hardbreak", "br", 0)
    elif not silent:
        state.push(f"{found['name']}_open", found["name"], 1)
        state.push("text", "", 0).content = found["words"]
        state.push(f"{found['name']}_close", found["name"], -1)
    state.pos = found.end()
    return True


# Ideographs, kana, Hangul and their punctuation, and placeholders of formulas.
_UNSPACED = re.compile(f"[\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\uff00-\uffef{OPEN}{CLOSE}]")
_ALONE = frozenset(("()", "{}", "（）", "[]"))
_SCRIPT = re.compile(r"\^$|[\w)\]]_$")
_ENDS_NOTE, _ENDS_FACTOR = frozenset(".:!?)"), frozenset("0123456789)]")
_SUBSCRIPTED, _NO_WORD = frozenset(")]}|"), frozenset("-:;,.)]=")
_FACTOR_ENDS, _FACTOR_BEGINS = re.compile(r"[A-Za-z0-9)\]]"), re.compile(r"[A-Za-z0-9(\[]")
_TAG = re.compile(r"<br ?/?>|<(?P<name>sub|sup)>(?P<words>[^<>\n]{1,200})</(?P=name)>")


class _Parser(MarkdownIt):
    def validateLink(self, url: str) -> bool:
        """Whether [x](url) is a link and [x]: url says where one leads. E[f](x) and [1]: $x>0$ are words."""
        return bool(safe_address(url) or _LEADS_NOWHERE.search(url))


# No raw HTML, no links by guessing, no indented code, no headings by underlining (models write --- as a rule).
_LEADS_NOWHERE = re.compile(r"^#|^(?:data|javascript):|\.[A-Za-z]{2,4}$")  # here: a place in a text, a file
_PARSER = _Parser("commonmark", {"html": False, "linkify": False, "typographer": False})
_PARSER.enable(["table", "strikethrough"])
_PARSER.disable(["code", "lheading", "html_block", "html_inline"])
_PARSER.core.ruler.before("inline", "whole_rows", _whole_rows)
_PARSER.inline.ruler.before("text", "clock", _clock)
_PARSER.inline.ruler.at("emphasis", _emphasis)
_PARSER.inline.ruler.before("autolink", "markup", _markup)
_DEFINED = re.compile(r"\\(?:def|(?:new|renew|provide)command\*?\{?)\s*\\([A-Za-z]+)")
_INLINE = {
    "em": ("em", ""), "strong": ("strong", ""), "s": ("span", "strike"), "sub": ("sub", ""), "sup": ("sup", ""),
}  # fmt: skip


class _Walk:
    """Writes markdown-it's flat list of tokens through the engine's writer."""

    def __init__(self, engine: Engine, protected: Protected) -> None:
        self.engine = engine
        self.writer = engine.writer
        self.protected = protected
        lines = protected.text.split("\n")
        self.line_starts = [0]
        for line in lines:
            self.line_starts.append(self.line_starts[-1] + len(line) + 1)
        self.starts: list[int] = []  # where the open containers begin
        self.list_starts: list[int] = []  # the first number of each open ordered list
        self.cell_class = ""
        self.here = 0
        self.end = 0

    def offset(self, line: int) -> int:
        position = self.line_starts[min(line, len(self.line_starts) - 1)]
        return min(self.protected.source_offset(position), len(self.engine.text))

    def run(self, tokens: list[Token]) -> None:
        for token in tokens:
            if token.map:
                self.here, self.end = self.offset(token.map[0]), self.offset(token.map[1])
                self.engine.here = self.here
            handler = _HANDLERS.get(token.type)
            if handler is not None:
                handler(self, token)
        self.writer.end_paragraph(len(self.engine.text))

    # -- inline ----------------------------------------------------------------------------------------
    def inline(self, token: Token) -> None:
        for child in token.children or []:
            self.child(child)

    def child(self, token: Token) -> None:
        kind = token.type
        if kind in ("text", "text_special"):
            self.text(token.content)
        elif kind == "softbreak":
            self.writer.space()
        elif kind == "hardbreak":
            self.writer.put("<br>", self.here)
        elif kind == "code_inline":
            self.writer.put(f"<code>{html_text(self.original(token.content))}</code>", self.here)
        elif kind == "image":
            self.image(token)
        elif kind == "link_open":
            self.link(str(token.attrs.get("href", "")))
        elif kind.endswith("_open"):
            self.writer.open_inline(*_INLINE[kind.removesuffix("_open")])
        elif kind.endswith("_close"):
            self.writer.close_inline(max(0, len(self.writer.top.inline) - 1))

    def text(self, content: str) -> None:
        at = 0
        for match in PLACEHOLDER.finditer(content):
            self.words(content[at : match.start()])
            self.latex(int(match[1]))
            at = match.end()
        self.words(content[at:])

    def words(self, text: str) -> None:
        if self.writer.top.paragraph_open:
            self.writer.put(html_text(text), self.here)
        elif text.strip():
            self.skip_blanks()
            self.writer.put(html_text(text.lstrip()), self.here)

    def skip_blanks(self) -> None:
        """A block begins at its first word."""
        source = self.engine.text
        while self.here < len(source) and source[self.here].isspace():
            self.here += 1

    def latex(self, index: int) -> None:
        """The LaTeX that a placeholder stands for; displays and environments become blocks where they can."""
        piece = self.protected.pieces[index]
        self.engine.here = piece.start
        if not piece.block:
            self.inline_latex(piece.start, piece.end)
        else:
            self.block_latex(piece.start, piece.end)
        self.here = piece.end

    def inline_latex(self, start: int, end: int) -> None:
        writer = self.writer
        paragraph_was_open = writer.top.paragraph_open
        writer.open("line", line=True)
        self.engine.read_text(self.engine.text[start:end], start)
        html = writer.close(end)
        if html.strip() or paragraph_was_open:
            writer.put(html, start)

    def block_latex(self, start: int, end: int) -> None:
        self.engine.read_text(self.engine.text[start:end], start)

    def original(self, text: str) -> str:
        """Placeholders exchanged for the author's own words (in code)."""
        pieces, whole = self.protected.pieces, self.engine.text
        return PLACEHOLDER.sub(lambda m: whole[pieces[int(m[1])].start : pieces[int(m[1])].end], text)

    def image(self, token: Token) -> None:
        """Pictures are not loaded; their description is shown."""
        words = html_text(self.original(token.content))
        self.engine.note("pictures are named, not shown")
        self.writer.put(f'<span class="image-name">[picture: {words}]</span>', self.here)

    def link(self, address: str) -> None:
        safe = safe_address(address)
        self.writer.open_inline("a" if safe else "span", html_attribute(safe))

    # -- blocks ----------------------------------------------------------------------------------------
    def open(self, token: Token) -> None:
        self.starts.append(self.here)
        self.writer.open(token.type, upto=self.here)

    def open_line(self, token: Token) -> None:
        self.starts.append(self.here)
        self.writer.open("line", line=True)

    def close(self, kind: str, before: str, after: str) -> None:
        html = self.writer.close(self.end)
        start = self.starts.pop() if self.starts else 0
        self.writer.block(kind, f"{before}{html}{after}", start, self._trimmed(start, self.end))

    def part(self, before: str, after: str) -> None:
        """Closes a container that is part of another: an item of a list, a cell, a row."""
        html = self.writer.close(self.end)
        if self.starts:
            self.starts.pop()
        self.writer.top.parts.append(f"{before}{html}{after}")

    def _trimmed(self, start: int, end: int) -> int:
        text = self.engine.text
        while end > start and text[end - 1].isspace():
            end -= 1
        return end

    def end_paragraph(self, token: Token) -> None:
        self.writer.end_paragraph(max(self.here, self.end))

    def paragraph(self, token: Token) -> None:
        self.writer.end_paragraph(self.here)

    def heading(self, token: Token) -> None:
        tag = _HEADINGS[token.tag]
        self.close("heading", f"<{tag}>", f"</{tag}>")

    def open_ordered(self, token: Token) -> None:
        self.open(token)
        self.list_starts.append(int(token.attrs.get("start", 1)))

    def close_ordered(self, token: Token) -> None:
        start = self.list_starts.pop()
        self.close("list", f'<ol start="{start}">' if start != 1 else "<ol>", "</ol>")

    def code(self, token: Token) -> None:
        text = html_text(self.original(token.content.rstrip("\n")))
        html = f'<pre class="verbatim"><code>{text}</code></pre>'
        self.writer.block("source", html, self.here, self._trimmed(self.here, self.end))

    def rule(self, token: Token) -> None:
        self.writer.block("rule", "<hr>", self.here, self._trimmed(self.here, self.end))

    def open_cell(self, token: Token) -> None:
        self.cell_class = str(token.attrs.get("style", ""))
        self.writer.open("cell", line=True)

    def close_cell(self, token: Token) -> None:
        align = {"text-align:center": "c", "text-align:right": "r"}.get(self.cell_class, "l")
        html = self.writer.close(self.end).strip()
        self.writer.top.parts.append(f'<{token.tag} class="{align}">{html}</{token.tag}>')

    def literal(self, token: Token) -> None:
        self.writer.top.parts.append(f"</{token.tag}>" if token.nesting < 0 else f"<{token.tag}>")


_TABLE = ('<div class="table-scroll"><table class="tabular">', "</table></div>")
_HANDLERS: dict[str, Callable[[_Walk, Token], None]] = {
    "inline": _Walk.inline,
    "paragraph_open": _Walk.paragraph,
    "paragraph_close": _Walk.end_paragraph,
    "heading_open": _Walk.open_line,
    "heading_close": _Walk.heading,
    "bullet_list_open": _Walk.open,
    "bullet_list_close": lambda walk, token: walk.close("list", "<ul>", "</ul>"),
    "ordered_list_open": _Walk.open_ordered,
    "ordered_list_close": _Walk.close_ordered,
    "list_item_open": _Walk.open,
    "list_item_close": lambda walk, token: walk.part("<li>", "</li>"),
    "blockquote_open": _Walk.open,
    "blockquote_close": lambda walk, token: walk.close("quote", "<blockquote>", "</blockquote>"),
    "table_open": _Walk.open,
    "table_close": lambda walk, token: walk.close("table", *_TABLE),
    **dict.fromkeys(
        ("thead_open", "tbody_open", "tr_open", "thead_close", "tbody_close", "tr_close"), _Walk.literal
    ),
    **dict.fromkeys(("th_open", "td_open"), _Walk.open_cell),
    **dict.fromkeys(("th_close", "td_close"), _Walk.close_cell),
    "fence": _Walk.code,
    "hr": _Walk.rule,
}


def render_markdown(text: str, task: Task) -> Document:
    read = no_placeholders(text).replace("\r\n", " \n").replace("\r", "\n")
    engine = new_engine(read, task)
    engine.numbered = False
    engine.macros.lasting = True  # as where a script sets the formulas of a page
    commands = (engine.commands.keys() | DEFINITIONS.keys() | set(_DEFINED.findall(read))) - _NOT_COMMANDS
    protected = protect(read, commands.__contains__)
    if protected.blanked:
        signs = list(read)
        for at in protected.blanked:
            signs[at] = " "
        engine.text = "".join(signs)
    _Walk(engine, protected).run(_PARSER.parse(protected.text, {"clock": task.clock}))
    return finished(engine, text)
