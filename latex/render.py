"""The door: text in one of three formats to a Document."""

import gc
import re
from typing import Literal

from latex.document import Block, Document, Report
from latex.formulas.katex import Trials, with_failures
from latex.limits import MAX_SOURCE, SECONDS_FOR_FORMULAS, SECONDS_PER_DOCUMENT, Clock, OutOfTime
from latex.reading.characters import html_text, no_placeholders
from latex.reading.latex_document import Task, render_latex
from latex.sanitize import clean

Format = Literal["latex", "markdown", "plain"]
RENDER_VERSION = "2026.11.13"  # stored with every rendered text; raise it when the HTML changes


def render(text: str, format: Format, *, prefix: str = "") -> Document:
    """Blocks of safe HTML for a document, with a report; never raises on any text.

    `prefix` (letters, digits, - and _) goes in front of every element id, so that several documents fit on one
    page. A text longer than `limits.MAX_SOURCE` characters is shown as plain text.
    """
    return _render(text, format, Task(prefix))


def render_checked(
    text: str, format: Format, *, prefix: str = "", seconds: float = SECONDS_PER_DOCUMENT
) -> Document:
    """The same with every formula tried by KaTeX, for a worker: within about `seconds` of processor time.

    A formula that KaTeX does not finish is shown as source, so that no browser tries it. What takes longer than
    `seconds` to read is shown as plain text. The report says so in both cases.
    """
    trials = Trials(SECONDS_FOR_FORMULAS)
    try:
        document = _render(text, format, Task(prefix, Clock(seconds), trials.unfinished))
    except OutOfTime:
        note = f"rendering took longer than {seconds:g} s: shown as plain text"
        return render_plain(text, prefix, note=note)
    return with_failures(document, trials.refused)


def render_in_time(text: str, format: Format) -> Document:
    """The blocks that `render_checked` gives, with the same ids and sources, without trying any formula."""
    try:
        return _render(text, format, Task("", Clock(SECONDS_PER_DOCUMENT)))
    except OutOfTime:
        return render_plain(text)


def _render(text: str, format: Format, task: Task) -> Document:
    if len(text) > MAX_SOURCE:
        note = f"longer than {MAX_SOURCE} characters: shown as plain text"
        return render_plain(text, task.prefix, note=note)
    # Python's garbage collector looks through all that was read, again and again while it grows,
    # so that twice the text took more than twice the time.
    was_on = gc.isenabled()
    gc.disable()
    try:
        if format == "latex":
            return render_latex(text, task)
        if format == "markdown":
            from latex.markdown import render_markdown

            return render_markdown(text, task)
        return render_plain(text, task.prefix)
    finally:
        if was_on:
            gc.enable()


def render_plain(text: str, prefix: str = "", note: str = "") -> Document:
    """Paragraphs between blank lines, every character as it is."""
    spans: list[tuple[int, int]] = []
    position, start, end = 0, -1, 0
    for line in [*text.split("\n"), ""]:
        if line.strip():
            start = position if start < 0 else start
            end = position + len(line)
        elif start >= 0:
            spans.append((start, end))
            start = -1
        position += len(line) + 1
    blocks = []
    for number, (start, end) in enumerate(spans, 1):
        lines = "<br>".join(html_text(line) for line in no_placeholders(text[start:end]).split("\n"))
        blocks.append(
            Block(f"{prefix}b{number}", "paragraph", clean(f"<p>{lines}</p>"), start, end, text=text)
        )
    return Document(tuple(blocks), Report(0, (), (note,) if note else ()))


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
