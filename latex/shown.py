"""What a rendered document shows, as bare letters: the words of its page, however the source built them.

Letters of neighbouring elements of a line and of neighbouring cells belong together; blocks and lines part words. What
has letters that meet at the edge of an element or cell is there twice, the second time with a gap at each edge: in
`The<em>Gemini</em>proof` a reader sees three words.
"""

import re
from collections.abc import Iterable
from html import unescape

from latex.document import Block
from latex.folding import Reading, letters, read_formula

_PIECE = re.compile(
    r'<(?P<math>span|div) class="math"[^>]*>(?P<formula>[^<]*)</(?P=math)>'
    r'|(?P<note><sup[^>]*><a href="#[^"]*"[^>]*>[^<]*</a></sup>)'
    r"|(?P<cite><cite[^>]*>.*?</cite>)"
    r"|</?(?P<tag>[a-z0-9]+)[^>]*>|(?P<text>[^<]+)",
    re.DOTALL,
)
_TAG = re.compile(r"<[^>]*>")
_CELLS = ("td", "th")
_INLINE = (
    "span", "em", "strong", "b", "i", "u", "s", "code", "kbd", "sub", "sup", "small", "a", "cite", "q", "mark",
)  # fmt: skip


def read_shown(blocks: Iterable[Block]) -> Reading:
    """The reading of what the blocks of a document show; the place of every letter is that of its block."""
    reading = Reading()
    lines: list[str] = []
    for block in blocks:
        together, apart = _lines(block)
        for line in (together, apart) if apart.gaps else (together,):
            text = "".join(line.text)
            lines.append(text)
            reading.symbol += line.symbol
            reading.starts += [block.start] * len(text)
            reading.ends += [block.end] * len(text)
    reading.text = "".join(lines)
    return reading


class _Line:
    """The text of a block. With `edges`, letters that meet at the edge of an element are parted; `gaps`: how often."""

    def __init__(self, *, edges: bool) -> None:
        self.text: list[str] = []
        self.symbol: list[bool] = []
        self.gaps = 0
        self._edges, self._at_edge, self._last = edges, False, "\n"

    @property
    def in_word(self) -> bool:
        return self._last.isalnum()

    def edge(self) -> None:
        self._at_edge = self._edges

    def add(self, text: str, symbol: list[bool] | None = None) -> None:
        if not text:
            return
        if self._at_edge and self.in_word and text[0].isalnum():
            self.gaps += 1
            self.text.append(" ")
            self.symbol.append(False)
        self.text.append(text)
        self.symbol += symbol or [False] * len(text)
        self._last, self._at_edge = text[-1], False

    def part(self, sign: str) -> None:
        """A blank or a line end, unless one is there."""
        if self._last != "\n" and (sign == "\n" or not self._last.isspace()):
            self.add(sign)


def _lines(block: Block) -> tuple[_Line, _Line]:
    both = together, apart = _Line(edges=False), _Line(edges=True)
    for piece in _PIECE.finditer(block.html):
        if piece["text"]:
            words = letters(unescape(piece["text"]))
            for line in both:
                line.add(words)
        elif piece["formula"]:
            formula = read_formula(unescape(piece["formula"]))
            for line in both:
                line.edge()
                line.add(formula.text, formula.symbol)
                line.edge()
        elif piece["note"]:  # a raised number
            apart.edge()
        elif piece["cite"]:
            words = letters(unescape(_TAG.sub("", piece["cite"])))
            if together.in_word:
                apart.gaps += 1
            else:
                together.add(words)
            apart.edge()
            apart.add(words)
            apart.edge()
        elif piece["tag"] in _INLINE:
            apart.edge()
        elif piece["tag"] in _CELLS:
            apart.gaps += together.in_word
            apart.part(" ")
        elif piece["tag"]:
            for line in both:
                line.part("\n")
    for line in both:
        line.part("\n")
    return both
