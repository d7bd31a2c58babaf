"""Reading rendered documents in tests."""

import re
from html import unescape
from html.parser import HTMLParser

from latex import Document, render

_FORMULA = re.compile(r'<(span|div)[^>]*class="math"[^>]*>.*?</\1>', re.DOTALL)
_BREAK = re.compile(r"</?(?:p|div|li|ul|ol|section|h[1-6]|table|tr|td|th|br)\b[^>]*>")
_CODE = re.compile(r"<code[^>]*>.*?</code>", re.DOTALL)


def latex(body: str, preamble: str = "") -> Document:
    return render(f"\\documentclass{{amsart}}{preamble}\\begin{{document}}{body}\\end{{document}}", "latex")


def fragment(body: str) -> Document:
    return render(body, "latex")


def markdown(text: str) -> Document:
    return render(text, "markdown")


def words(document: Document) -> str:
    """The running text: no formulas, no code, no tags, single spaces."""
    bare = re.sub(r"<[^>]*>", "", _BREAK.sub(" ", _CODE.sub(" ", _FORMULA.sub(" ", document.html))))
    return " ".join(unescape(bare).split())


def formulas(document: Document) -> list[str]:
    return [formula.latex for formula in document.formulas]


def kinds(document: Document) -> list[str]:
    return [block.kind for block in document.blocks]


class _Attributes(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, "", ""))
        self.found += [(tag, name, value or "") for name, value in attrs]


def attributes(html: str) -> list[tuple[str, str, str]]:
    """(tag, attribute, value) of everything in the HTML, as a browser would read it."""
    parser = _Attributes()
    parser.feed(html)
    return parser.found
