"""The words of a page are read as a reader sees them, however the source built them."""

import pytest

from latex import render
from latex.shown import read_shown
from tests.growing import grows_in_proportion


@pytest.mark.parametrize(
    ("text_format", "source", "read"),
    [
        ("latex", r"\newcommand{\w}[2]{#2#1}\w{b}{a}c", "abc\n"),
        ("latex", r"a\label{x}b\hspace{0pt}c\index{y}d", "abcd\n"),
        ("latex", r"a\verb|b|\verb|c|", "abc\na b c\n"),
        ("latex", r"The\emph{name}here", "Thenamehere\nThe name here\n"),
        ("latex", r"The \emph{name}, here", "The name, here\n"),
        ("latex", r"a\footnote{A note.}b", "ab\na b\n1 A note.\n"),
        ("latex", r"a\cite{k}b", "ab\na[k]b\n"),
        ("latex", r"see \cite{k}", "see [k]\n"),
        ("latex", r"\begin{tabular}{ll}a&b\\c&d\end{tabular}", "ab\ncd\na b \nc d \n"),
        ("latex", r"\begin{itemize}\item a\item b\end{itemize}", "a\nb\n"),
        ("latex", "a\n\nb", "a\nb\n"),
        ("markdown", "[a](#x)[b](y.md)~~c~~d", "abcd\na b c d\n"),
        ("markdown", "a&shy;b&amp;&#99;", "ab&c\n"),
        ("plain", "a <b>\nc", "a <b>\nc\n"),
        ("plain", "Ꮐꓑⲟɢ🇵", "GPoGP\n"),
    ],
)
def test_the_letters_of_a_line_belong_together_and_edges_may_part_them(text_format, source, read):
    assert read_shown(render(source, text_format).blocks).text == read


@pytest.mark.parametrize(
    ("formula", "read", "products"),
    [
        ("GP", "GP", "GP"),
        (r"\mathrm{G}\mathbf P\text{T}", "GPT", ""),
        (r"{\rm GP}T", "GPT", "T"),
        (r"\mathrm{G}\hspace{0pt}\mathrm{P}\phantom{x}\mathrm{T}", "GPT", ""),
        (r"\color{red}\text{G}\color{blue}\text{P}", "GP", ""),
        (r"\mathrm{\char71\char`P\char'124\char" + '"' + "35}", "GPT5", ""),
        (r"\begin{matrix}\text{G}&\text{P}\end{matrix}", "G P", ""),
    ],
)
def test_a_formula_is_read_as_its_letters_and_those_that_stand_for_themselves_are_known(
    formula, read, products
):
    page = read_shown(render(f"${formula}$", "latex").blocks)
    assert page.text.split() == read.split()
    known = "".join(sign for sign, symbol in zip(page.text, page.symbol, strict=True) if symbol)
    assert known.strip() == products


def test_the_place_of_a_letter_is_that_of_its_block():
    source = "First.\n\nSe\\textbf{c}ond."
    page = read_shown(render(source, "latex").blocks)
    assert len(page.text) == len(page.starts) == len(page.ends) == len(page.symbol)
    place = page.text.index("ond")
    assert source[slice(*page.span(place, place + 3))] == "Se\\textbf{c}ond."


@pytest.mark.parametrize(
    "flood", ["a", "$a$ ", "\\textbf{a}", "\\footnote{a}", "a\n\n", "\\cite{a}", "\\[a\\]"]
)
def test_the_work_is_in_proportion_to_the_page(flood):
    assert grows_in_proportion(
        read_shown,
        lambda length: render(flood * (length // len(flood)), "latex").blocks,
        *(2_000, 8_000, 32_000),
    )
