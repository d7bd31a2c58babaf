"""Every construct that the reader knows, taken from its own tables, written as texts of about n characters.

A construct is repeated, nested in itself, opened and never closed, closed and never opened, crossed with another, put
in a cell, in a macro, in a formula; and something that is cheap by itself follows a long row of what stays open.
"""

from collections.abc import Callable, Iterator

from latex.formulas.words import DISPLAYS, DROPPED, HIDING, INNER, REFERENCES, SOURCE_ONLY, TRANSPARENT
from latex.reading.collect import math_prelude
from latex.reading.definitions import DEFINITIONS
from latex.reading.latex_document import _COMMANDS, _ENVIRONMENTS
from latex.reading.theorems import KNOWN
from latex.reading.tokens import DIAGRAMS, HIDDEN, VERBATIM
from latex.vocabulary import words

Write = Callable[[int], str]

COMMANDS = sorted(
    name
    for name in (
        {*_COMMANDS, *DEFINITIONS, *DROPPED, *HIDING, *REFERENCES, *SOURCE_ONLY, *math_prelude()._macros}
        | {
            *words("symbols"),
            *words("text_argument"),
            *words("structure"),
            "left",
            "right",
            "verb",
            "lstinline",
        }
    )
    if not name.startswith("character ") and " " not in name
)
ENVIRONMENTS = sorted(
    {*_ENVIRONMENTS, *DISPLAYS, *INNER, *TRANSPARENT, *KNOWN, *(f"{name}*" for name in KNOWN)}
    | {*VERBATIM, *DIAGRAMS, *HIDDEN, "document", "math", "array", "unheardof"}
)


def times(piece: str) -> Write:
    return lambda n: piece * (n // len(piece))


def nest(before: str, after: str) -> Write:
    """Opened, and closed again, as often as n characters allow."""

    def write(n: int) -> str:
        depth = n // (len(before) + len(after))
        return before * depth + "a" + after * depth

    return write


def between(before: str, piece: str, after: str = "") -> Write:
    return lambda n: before + piece * (n // len(piece)) + after


def halves(first: str, second: str) -> Write:
    """What stays open, and then something else, each half of the text."""
    return lambda n: first * (n // 2 // len(first)) + "\n\n" + second * (n // 2 // len(second))


def of_command(name: str) -> Iterator[tuple[str, Write]]:
    call = f"\\{name}"
    yield "repeated", times(f"{call}{{a}} ")
    yield "bare", times(f"{call} ")
    yield "with arguments", times(f"{call}[b]{{a}}{{c}}\n\n")
    yield "open", times(f"{call}{{")
    yield "open option", times(f"{call}[")
    yield "nested", nest(f"{call}{{", "}")
    yield "nested twice", nest(f"{call}{{a}}{{", "}")
    yield "nested in its option", nest(f"{call}[{{", "}]{a}")
    yield "in formulas", times(f"${call}{{a}}$ ")
    yield "in one formula", between("$", f"{call}{{a}} ", "$")
    yield "nested in a formula", lambda n: "$" + nest(f"{call}{{", "}")(n) + "$"
    yield "in cells", between("\\begin{tabular}{ll}", f"{call}{{a}} & b \\\\ ", "\\end{tabular}")
    yield "in an argument", between("\\newcommand{\\z}[1]{#1}\\z{", f"{call}{{a}} ", "}")
    yield "in a macro", between(f"\\newcommand{{\\z}}{{{call}{{a}}}}", "\\z ")


def of_environment(name: str) -> Iterator[tuple[str, Write]]:
    begin, end = f"\\begin{{{name}}}", f"\\end{{{name}}}"
    yield "repeated", times(f"{begin} a {end} ")
    yield "repeated with arguments", times(f"{begin}[b]{{c}} a {end}\n\n")
    yield "open", times(begin)
    yield "open in paragraphs", times(f"{begin} a\n\n")
    yield "never opened", times(end)
    yield "nested", nest(f"{begin} ", f" {end}")
    yield "nested in paragraphs", nest(f"{begin} a\n\n", f"\n\nb {end}")
    yield "crossed", times(f"{begin}\\begin{{quote}} a {end}\\end{{quote}} ")
    yield "crossed with groups", times(f"{begin}{{ a {end}}} ")
    yield "open option", times(f"{begin}[")
    yield "nested in its option", nest(f"{begin}[{{", "}]")
    yield "open argument", times(f"{begin}{{")
    yield "in a display", times(f"\\[{begin} a {end}\\] ")
    yield "open in a formula", between("$", begin, "$")
    yield "in cells", between("\\begin{tabular}{ll}", f"{begin}{{l}} a {end} & b \\\\ ", "\\end{tabular}")
    yield "in an argument", between("\\newcommand{\\z}[1]{#1}\\z{", f"{begin} a {end} ", "}")
    yield "made by macros", between(f"\\def\\b{{{begin}}}\\def\\e{{{end}}}", "\\b a \\e ")
    yield "of its own", between(f"\\newenvironment{{z}}{{{begin}}}{{{end}}}", "\\begin{z}a\\end{z}")


OPENINGS = {
    "group": "{",
    "emphasis": "\\emph{",
    "bold": "\\bf{",
    "footnote": "\\footnote{",
    "label": "\\label{a}",
    "relation": "\\numberwithin{equation}{section}",
    "counter": "\\newcounter{a}[section]",
    "theorem declared": "\\newtheorem{x}{X}[section]",
    "definition": "\\def\\a{b}",
    "global definition": "{\\gdef\\a{b}",
    "paragraph heading": "\\paragraph{a}",
    "formula open": "\\[",
    "entry": "\\bibitem{a}",
    "condition": "\\iffalse ",
    **{
        f"{name} open": f"\\begin{{{name}}}"
        for name in (
            *(
                "proof",
                "theorem",
                "itemize",
                "enumerate",
                "tabular",
                "quote",
                "figure",
                "center",
                "framed",
                "multicols",
            ),
            *(
                "algorithmic",
                "tcolorbox",
                "abstract",
                "subequations",
                "thebibliography",
                "unheardof",
                "align",
                "math",
            ),
            *("numcases", "subnumcases", "empheq"),
            *("description", "sketch", "solution", "aligned", "minipage"),
        )
    },
}
FOLLOWERS = {
    "paragraphs": "a\n\n",
    "words": "a ",
    "formulas": "$a$ ",
    "displays": "\\[a\\] ",
    "equations": "\\begin{equation}a\\label{e}\\end{equation}",
    "ends": "\\end{proof}",
    "groups": "{a}",
    "closings": "}",
    "items": "\\item a ",
    "cells": "& ",
    "rows": "\\\\ ",
    "references": "\\ref{a} ",
    "citations": "\\cite{a} ",
    "sections": "\\section{a}",
    "steps": "\\stepcounter{section}",
    "proofs": "\\begin{proof}a\\end{proof}",
    "theorems": "\\begin{theorem}a\\end{theorem}",
    "footnotes": "\\footnote{a}",
    "headings": "\\paragraph{a} b\n\n",
    "macros": "\\newcommand{\\a}{b}\\a ",
    "styles": "\\textbf{a} ",
    "declarations": "\\bfseries ",
    "options": "\\cite[",
    "dollars": "$ ",
    "verbatim": "\\verb|a| ",
}
_MARKDOWN = {
    "raw HTML": "<div><b>a</b></div>\n\n", "raw HTML open": "<div>", "comment": "<!-- ", "comments": "<!-- a -->",
    "table rows": "|a|b|\n", "cells": "|a", "escaped cells": "\\|", "list": "- a\n", "ordered": "1. a\n",
    "tasks": "- [ ] a\n", "emphasis open": "*a ", "strong open": "**a ", "both open": "*a **b ", "under": "_a_b",
    "under open": "_a ", "closing": "a* ", "run": "*", "run of under": "_", "struck": "~~a~~ ", "struck open": "~~a ",
    "links": "[a](b) ", "link open": "[a](", "brackets": "[", "brackets closed": "]", "bracket pairs": "[a]",
    "titles open": "[a](b \"", "angle link": "[a](<b", "references": "[a][b] ", "definitions": "[a]: b\n",
    "definition titles": "[a]: b \"c", "footnote marks": "[^1] ", "footnotes": "[^1]: a\n\n", "images": "![a](b) ",
    "image open": "![", "fence": "```\na\n```\n", "fence open": "```a\n", "tilde fence": "~~~\n", "ticks": "`a` ",
    "ticks open": "`a ", "double ticks": "``a` ", "headings": "# a\n", "heading marks": "#", "rules": "---\n",
    "stars rule": "* * *\n", "quotes": "> a\n", "quote marks": ">", "hard breaks": "a  \n", "backslash breaks": "a\\\n",
    "entities": "&amp;", "entity open": "&#", "autolinks": "<http://a> ", "autolink open": "<http:", "mail": "<a@b>",
    "bare addresses": "http://a.b ", "escapes": "\\*", "tabs": "\t", "blanks": " ", "indented": "    a\n",
    "blank lines": "\n", "dollars": "$a$ ", "dollar open": "$ ", "prices": "$5 ", "double dollars": "$$a$$\n\n",
    "double dollar open": "$$ ", "brackets of math": "\\[a\\] ", "math open": "\\[ ", "parens of math": "\\(a\\) ",
    "parens open": "\\( ", "environment": "\\begin{align}a\\end{align}\n", "environment open": "\\begin{align} ",
    "environment end": "\\end{align} ", "proof": "\\begin{proof}a\\end{proof}\n\n", "commands": "\\emph{a} ",
    "command open": "\\emph{", "unknown open": "\\foo{", "glued": "a\\foo{", "option open": "\\cite[", "returns": "\r",
    "returns and lines": "a\r\n", "braces": "{", "long dashes": "-", "plus": "+ a\n", "setext": "a\n===\n",
    "lazy quote": "> a\nb\n", "numbers": "1) a\n", "definition": "\\newcommand{\\a}{b}", "nul": "\0",
    "placeholder": "\ue0101\ue011", "wide": "\u4e00", "invisible": "\u200b",
}  # fmt: skip


def of_markdown() -> Iterator[tuple[str, Write]]:
    for name, piece in _MARKDOWN.items():
        yield name, times(piece)
        yield f"{name} in one quote", lambda n, piece=piece: "> " + times(piece)(n)
        yield f"{name} in one item", lambda n, piece=piece: "- " + times(piece)(n)
        yield f"{name} in emphasis", lambda n, piece=piece: "**" + times(piece)(n) + "**"
        yield (
            f"{name} in a table",
            lambda n, piece=piece: "|a|b|\n|-|-|\n" + times(f"|{piece.strip()}|b|\n")(n),
        )
    pairs = {"emphasis": ("*a ", " b*"), "strong": ("**a ", " b**"), "links": ("[", "](a)"), "images": ("![", "](a)"),
             "quotes": ("> ", ""), "bullets": ("- ", ""), "numbers": ("1. ", ""), "groups": ("\\emph{", "}"),
             "glued": ("a\\foo{", "}"), "brackets": ("[", "]"), "struck": ("~~a ", " b~~"), "mixed": ("*a _b ", "_ *"),
             "environments": ("\\begin{proof}\n", "\\end{proof}\n"), "math": ("\\(", "\\)"),
             "references": ("[", "][a]"),
             "parens": ("[a](", ")"), "html": ("<b>", "</b>"), "options": ("\\item[", "]")}  # fmt: skip
    for name, (before, after) in pairs.items():
        yield f"nested {name}", nest(before, after)
    yield "nested lists", lambda n: "".join("  " * (i % 60) + "- a\n" for i in range(n // 65))
    yield "wide table", lambda n: "|a" * (n // 4) + "\n" + "|-" * (n // 4) + "\n"
    yield (
        "wide table of short rows",
        lambda n: "|a" * (n // 6) + "\n" + "|-" * (n // 6) + "\n" + "|a\n" * (n // 9),
    )
    yield "emphasis and brackets", halves("[*a ", "b*](")
    yield "ticks of every length", lambda n: "".join("`" * i + " " for i in range(1, int((2 * n) ** 0.5)))
    yield (
        "many definitions and uses",
        lambda n: "".join(f"[a{i}]: b\n" for i in range(n // 24)) + "[a1] " * (n // 12),
    )
    yield "long label", lambda n: "[" + "a" * (n // 2) + "]: b\n\n" + "[" + "a" * (n // 2 - 10) + "]"


def latex() -> dict[str, Write]:
    """Every LaTeX construct in every shape."""
    found = {f"\\{name}: {shape}": write for name in COMMANDS for shape, write in of_command(name)}
    found |= {f"{{{name}}}: {shape}": write for name in ENVIRONMENTS for shape, write in of_environment(name)}
    for opening, piece in OPENINGS.items():
        found |= {f"{opening}, then {name}": halves(piece, after) for name, after in FOLLOWERS.items()}
    return found


def markdown() -> dict[str, Write]:
    """Every Markdown construct in every shape."""
    return dict(of_markdown())
