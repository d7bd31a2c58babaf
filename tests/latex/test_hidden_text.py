"""Nothing invisible reaches the page: a reviewer sees all that is there, and no more is there."""

import pytest

from latex import render
from tests.latex.pages import fragment, latex, words

CANARY = "canary7f3ab"


@pytest.mark.parametrize(
    "source",
    [
        f"Text % {CANARY}\nmore",
        f"$x % {CANARY}\n + y$",
        f"\\[ x % {CANARY}\n \\]",
        f"\\begin{{equation}} x % {CANARY}\n \\end{{equation}}",
        f"\\[\\begin{{tikzcd}} A % {CANARY}\n \\end{{tikzcd}}\\]",
        f"\\begin{{tikzpicture}} % {CANARY}\n\\draw (0,0); \\end{{tikzpicture}}",
        f"$x \\phantom{{{CANARY} words}} y$",
        f"$x \\phantom{{\\text{{{CANARY}}}}} y$",
        f"$x \\hphantom{{{CANARY}}} y$",
        f"\\author{{{CANARY}}}text\\thanks{{{CANARY}}}",
        f"\\iffalse {CANARY} \\fi text",
        f"\\begin{{comment}}{CANARY}\\end{{comment}} text",
        f"$\\htmlData{{x={CANARY}}}{{y}}$",
        f"$\\href{{https://{CANARY}}}{{y}}$",
        f"\\label{{{CANARY}}} text",
        f"\\index{{{CANARY}}} text",
        f"\\hypersetup{{pdfauthor={CANARY}}} text",
        f"$\\def\\unused{{{CANARY}}} x$",
        f"$\\color{{{CANARY}}} x$",
    ],
)
def test_hidden_text_is_nowhere_in_the_page(source: str) -> None:
    assert CANARY not in fragment(source).html
    assert CANARY not in latex(source).html


@pytest.mark.parametrize(
    "source",
    [
        r"\textcolor{white}{seen}",
        r"{\color{white} seen}",
        r"{\tiny seen}",
        r"\phantom{seen}",
        r"\fontsize{0.1pt}{1pt} seen",
    ],
)
def test_text_in_invisible_ink_is_shown(source: str) -> None:
    assert "seen" in words(fragment(source))


def test_white_text_in_a_formula_is_shown() -> None:
    assert [f.latex for f in fragment(r"$\textcolor{white}{x^2}$").formulas] == ["x^2"]


@pytest.mark.parametrize("hidden", ["GPT-5", "G P T", "o3", "Gемини", r"\text{Gemini}", r"\mathrm{GPT}"])
def test_a_phantom_keeps_its_room_and_not_its_letters(hidden: str) -> None:
    html = fragment(f"$a\\phantom{{{hidden}}}b$").html
    assert "phantom{" in html
    assert all(word not in html for word in ("GPT", "G P T", "o3", "емини", "Gemini"))


def test_spacing_by_phantoms_stays() -> None:
    assert r"\phantom{+}" in fragment(r"$a\phantom{+}b$").formulas[0].latex


@pytest.mark.parametrize(
    "character", ["\u200b", "\u202e", "\u2066", "\U000e0041", "\u00ad", "\ufeff", "\x07"]
)
def test_characters_that_nobody_sees_are_taken_out(character: str) -> None:
    for format in ("latex", "markdown", "plain"):
        html = render(f"ab{character}cd $x{character}y$ `q{character}`", format).html
        assert character not in html
        assert "abcd" in html


def test_what_was_taken_out_is_noted() -> None:
    document = latex(r"$\phantom{hidden words}$ \iffalse x \fi", r"\title{T}")
    assert any("phantom" in note for note in document.report.notes)
    assert any("condition" in note for note in document.report.notes)


def test_text_after_the_end_of_the_document_is_noted_and_not_shown() -> None:
    document = render(f"\\begin{{document}}x\\end{{document}} {CANARY}", "latex")
    assert CANARY not in document.html
    assert any("after the end" in note for note in document.report.notes)
