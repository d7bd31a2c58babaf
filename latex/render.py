"""The door: text in one of three formats to a Document."""

import re
from typing import Literal

from latex.characters import html_text, no_placeholders
from latex.document import Block, Document, Report
from latex.latex_document import render_latex
from latex.limits import MAX_SOURCE
from latex.sanitize import clean

Format = Literal["latex", "markdown", "plain"]
RENDER_VERSION = "2026.11.2"  # part of the cache key; raise it when the HTML changes


def render(text: str, format: Format, *, prefix: str = "") -> Document:
    """Blocks of safe HTML for a document, with a report; never raises on any text.

    `prefix` (letters, digits, - and _) goes in front of every element id, so that several documents fit on one
    page. A text longer than `limits.MAX_SOURCE` characters is shown as plain text.
    """
    if len(text) > MAX_SOURCE:
        return render_plain(text, prefix, note=f"longer than {MAX_SOURCE} characters: shown as plain text")
    if format == "latex":
        return render_latex(text, prefix)
    if format == "markdown":
        from latex.markdown import render_markdown

        return render_markdown(text, prefix)
    return render_plain(text, prefix)


_PARAGRAPH = re.compile(r"\S[^\n]*(?:\n[^\n]*\S[^\n]*)*")


def render_plain(text: str, prefix: str = "", note: str = "") -> Document:
    """Paragraphs between blank lines, every character as it stands."""
    blocks: list[Block] = []
    for start, end in _paragraphs(text):
        lines = "<br>".join(html_text(line) for line in no_placeholders(text[start:end]).split("\n"))
        block = Block(
            f"{prefix}b{len(blocks) + 1}", "paragraph", clean(f"<p>{lines}</p>"), start, end, text=text
        )
        blocks.append(block)
    return Document(tuple(blocks), Report(0, (), (note,) if note else ()))


def _paragraphs(text: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    position, start = 0, -1
    for line in text.split("\n"):
        if line.strip():
            start = position if start < 0 else start
            end = position + len(line)
        elif start >= 0:
            found.append((start, end))
            start = -1
        position += len(line) + 1
    return [*found, (start, end)] if start >= 0 else found


_LATEX = re.compile(
    r"\\(?:documentclass|begin\{(?:document|theorem|proof|lemma|proposition|definition|enumerate|itemize)\}"
    r"|(?:sub)*section\b|cite\b|emph\b|textbf\b|item\b|newcommand\b|label\b)"
)
_MARKDOWN = re.compile(r"^(?:#{1,6} |```|[-*+] |\d{1,3}[.)] |> |---+$)|\*\*", re.MULTILINE)


def guess_format(text: str) -> Literal["latex", "markdown"]:
    """LaTeX if the text declares itself as such or has more of its commands than of Markdown's marks."""
    head = text[:200_000]
    if "\\documentclass" in head or "\\begin{document}" in head:
        return "latex"
    return "latex" if len(_LATEX.findall(head)) > len(_MARKDOWN.findall(head)) else "markdown"
