"""Builds blocks: an HTML writer with a stack of containers, so that depth costs no recursion."""

from dataclasses import dataclass, field

from latex.limits import MAX_CONTAINER_DEPTH, MAX_INLINE_DEPTH


@dataclass
class BlockDraft:
    """A block before its references are resolved."""

    kind: str
    html: str
    start: int
    end: int
    label: str = ""
    within: tuple[str, ...] = ()
    tail: list[str] = field(default_factory=list)  # boxes after proofs that end with this block

    def whole(self) -> str:
        if not self.tail:
            return self.html
        if self.html.endswith("</p>"):
            return f"{self.html[:-4]}{''.join(self.tail)}</p>"
        return f'{self.html}<p class="qed-line">{"".join(self.tail)}</p>'


@dataclass
class Container:
    """Something that holds paragraphs (a theorem, an item, a cell) or one line (`line`: a title, a caption)."""

    kind: str
    line: bool
    parts: list[str] = field(default_factory=list)
    paragraph_open: bool = False
    run_in: list[str] = field(default_factory=list)  # HTML that opens the next paragraph
    run_in_at: int | None = None  # where the heading begins that is part of the next paragraph
    inline: list[tuple[str, str]] = field(default_factory=list)  # open inline elements: (tag, classes)


class Writer:
    """Paragraphs at the bottom become blocks of their own; deeper ones become part of their container."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.blocks: list[BlockDraft] = []
        self.within: dict[str, int] = {}  # the boxes and proofs that are open, and how many of each
        self.stack = [Container("document", line=False)]
        self.started = 0  # where the open paragraph of the bottom container begins
        self.next_kind = "paragraph"
        self.size = 0  # characters of HTML in finished blocks
        self.waiting = 0  # characters written since; what containers hold counts again when they close
        self.ignored = 0  # containers not opened because of the depth limit

    # -- state -----------------------------------------------------------------------------------------
    @property
    def top(self) -> Container:
        return self.stack[-1]

    @property
    def at_bottom(self) -> bool:
        return len(self.stack) == 1

    @property
    def next_id(self) -> str:
        return f"b{len(self.blocks) + 1}"

    # -- text ------------------------------------------------------------------------------------------
    def put(self, html: str, at: int) -> None:
        """Inline HTML, which opens a paragraph if none is open."""
        self.open_paragraph(at)
        self.top.parts.append(html)
        self.waiting += len(html)

    def space(self) -> None:
        if self.top.paragraph_open or (self.top.line and self.top.parts):
            self.top.parts.append(" ")

    def open_paragraph(self, at: int) -> None:
        top = self.top
        if top.paragraph_open:
            return
        top.paragraph_open = True
        if self.at_bottom:
            self.started = at if top.run_in_at is None else top.run_in_at
        top.run_in_at = None
        if not top.line:
            top.parts.append("<p>")
        top.parts += top.run_in
        top.run_in = []
        top.parts.extend(_opening(entry) for entry in top.inline)
        self.waiting += 60 * len(top.inline)

    def end_paragraph(self, upto: int) -> None:
        """Closes the open paragraph; at the bottom it becomes a block that ends before `upto`."""
        top = self.top
        if top.line:
            self.space()
            return
        if not top.paragraph_open:
            return
        if top.parts[-1:] == [" "]:
            top.parts.pop()
        top.parts.extend(_closing(entry) for entry in reversed(top.inline))
        top.parts.append("</p>")
        top.paragraph_open = False
        if self.at_bottom:
            html = "".join(top.parts)
            top.parts.clear()
            kind, self.next_kind = self.next_kind, "paragraph"
            self.add(BlockDraft(kind, html, self.started, self._trimmed(self.started, upto)))

    def end_paragraph_with_run_in(self, upto: int) -> None:
        """Also writes a heading that still waits for its paragraph."""
        if self.top.run_in:
            self.open_paragraph(upto)
        self.end_paragraph(upto)

    def _trimmed(self, start: int, end: int) -> int:
        while end > start and self.text[end - 1].isspace():
            end -= 1
        return end

    # -- inline elements -------------------------------------------------------------------------------
    def open_inline(self, tag: str, classes: str = "") -> None:
        """Where too many are open already, the text goes on unstyled."""
        if len(self.top.inline) >= MAX_INLINE_DEPTH:
            return
        self.top.inline.append((tag, classes))
        if self.top.paragraph_open or self.top.line:
            self.top.paragraph_open = True
            self.top.parts.append(_opening((tag, classes)))

    def close_inline(self, count: int) -> None:
        """Closes the innermost elements until `count` are left."""
        while len(self.top.inline) > count:
            entry = self.top.inline.pop()
            if self.top.paragraph_open:
                self.top.parts.append(_closing(entry))

    # -- containers ------------------------------------------------------------------------------------
    def open(self, kind: str, *, line: bool = False, run_in: str = "", upto: int = 0) -> None:
        if not line:
            self.end_paragraph(upto)
        if len(self.stack) > MAX_CONTAINER_DEPTH:
            self.ignored += 1
            return
        self.stack.append(Container(kind, line, run_in=[run_in] if run_in else []))

    def close(self, upto: int) -> str:
        """The HTML of the innermost container, which is closed."""
        if self.ignored:
            self.ignored -= 1
            return ""
        if len(self.stack) == 1:
            return ""
        if self.top.line:
            self.close_inline(0)
        else:
            self.end_paragraph_with_run_in(upto)
        return "".join(self.stack.pop().parts)

    def add(self, draft: BlockDraft) -> None:
        """A finished block-level piece: a block of the document, or a part of the open container."""
        if self.at_bottom:
            self.size += len(draft.html)
            self.waiting = 0
            draft.within = tuple(self.within)
            self.blocks.append(draft)
        else:
            self.top.parts.append(draft.html)
            self.waiting += len(draft.html)

    def enter(self, name: str) -> None:
        """Blocks from here on are within a box or proof of that name, until `leave`."""
        self.within[name] = self.within.get(name, 0) + 1

    def leave(self, name: str) -> None:
        if self.within.get(name, 0) > 1:
            self.within[name] -= 1
        else:
            self.within.pop(name, None)

    def block(self, kind: str, html: str, start: int, end: int, label: str = "") -> None:
        self.end_paragraph_with_run_in(start)
        self.add(BlockDraft(kind, html, start, max(start, end), label))

    def append_to_last(self, html: str, at: int) -> None:
        """Adds to the open paragraph, else to the end of what was written last (the box after a proof)."""
        if self.top.paragraph_open or not self.at_bottom:
            self.put(html, at)
        elif self.blocks:
            self.blocks[-1].tail.append(html)
            self.size += len(html)


def _opening(entry: tuple[str, str]) -> str:
    tag, classes = entry
    if tag == "a":
        return f'<a href="{classes}">'
    return f'<{tag} class="{classes}">' if classes else f"<{tag}>"


def _closing(entry: tuple[str, str]) -> str:
    return f"</{entry[0]}>"
