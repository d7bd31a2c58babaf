"""A document's macros apply to it, all of them, and to nothing else."""

import pytest

from tests.latex.pages import formulas, fragment, latex, words


@pytest.mark.parametrize(
    ("definition", "use", "expected"),
    [
        (r"\newcommand{\R}{\mathbb{R}}", r"\R", r"\mathbb{R}"),
        (r"\newcommand\R{\mathbb R}", r"x\in\R^n", r"x\in\mathbb R^n"),
        (r"\newcommand{\ip}[2]{\langle #1,#2\rangle}", r"\ip{x}y", r"\langle x,y\rangle"),
        (r"\newcommand{\n}[2][p]{|#2|_{#1}}", r"\n{x}+\n[q]{y}", r"|x|_{p}+|y|_{q}"),
        (r"\def\pair<#1,#2>{(#1;#2)}", r"\pair<a,b>", r"(a;b)"),
        (r"\def\half{\frac12}", r"\half", r"\frac12"),
        (r"\let\eps\varepsilon", r"\eps", r"\varepsilon"),
        (r"\let\oldphi\phi\renewcommand{\phi}{\varphi}", r"\phi\oldphi", r"\varphi\phi"),
        (r"\DeclareMathOperator{\Hom}{Hom}", r"\Hom(A)", r"\operatorname{Hom}(A)"),
        (r"\DeclareMathOperator*{\colim}{colim}", r"\colim_i", r"\operatorname*{colim}_i"),
        (r"\DeclareMathAlphabet{\cat}{U}{rsfs}{m}{n}\newcommand{\aA}{{\cat{A}}}", r"\aA", r"{\mathscr{A}}"),
        (r"\DeclarePairedDelimiter{\abs}{\lvert}{\rvert}", r"\abs*{x}", r"\left \lvert x\right \rvert "),
        (
            r"\DeclarePairedDelimiterXPP\P[2]{P}(){_n}{#1\delimsize\vert #2}",
            r"\P{A}{B}",
            r"P\left(A\vert B\right)_n",
        ),
        (r"\NewDocumentCommand{\c}{m O{0}}{#1_{#2}}", r"\c{x}\c{y}[1]", r"x_{0}y_{1}"),
        (r"\newcommand{\a}{\b}\newcommand{\b}{\c}\newcommand{\c}{1}", r"\a", "1"),
        (r"\makeatletter\newcommand{\x@y}{1}\newcommand{\z}{\x@y}\makeatother", r"\z", "1"),
        (r"\providecommand{\Q}{1}\providecommand{\Q}{2}", r"\Q", "1"),
    ],
)
def test_a_definition_is_obeyed(definition: str, use: str, expected: str) -> None:
    written = formulas(latex(f"${use}$", definition))[0]
    assert written.replace(" ", "") == expected.replace(" ", "")


def test_a_definition_inside_a_formula_ends_with_it_unless_global() -> None:
    document = fragment(r"$\def\x{1}\x$ $\x$ $\gdef\y{2}\y$ $\y$")
    assert formulas(document) == ["1", r"\x", "2", "2"]


def test_macros_never_leak_into_the_next_document() -> None:
    fragment(r"\gdef\le{\ge}\newcommand{\in}{\notin}$x \le y$")
    assert formulas(fragment(r"$x \le y \in z$")) == [r"x \le y \in z"]


def test_a_group_ends_its_definitions() -> None:
    assert formulas(fragment(r"{\def\x{1}$\x$} $\x$")) == ["1", r"\x"]


def test_an_environment_of_the_document_is_expanded_around_its_text() -> None:
    preamble = r"\newenvironment{warn}[1]{\textbf{#1:} }{ (end)}"
    preamble += r"\newcommand{\be}{\begin{equation}}\newcommand{\ee}{\end{equation}}"
    document = latex(r"\begin{warn}{Note}text\end{warn} \be x=1 \ee after", preamble)
    assert "Note: text (end)" in words(document)
    assert formulas(document) == [r"x=1 \tag{1}"]
    assert "after" in words(document)


def test_an_equation_environment_of_ones_own_is_an_equation() -> None:
    document = latex(r"\begin{eq}a\end{eq}tail", r"\newenvironment{eq}{\begin{equation}}{\end{equation}}")
    assert formulas(document) == [r"a\tag{1}"]
    assert words(document).endswith("tail")


@pytest.mark.parametrize(
    "bomb", [r"\def\a{\a}", r"\def\a{x\a}", r"\def\a{\a\a}", r"\def\a{\b\b}\def\b{\a\a}"]
)
def test_a_macro_without_end_spoils_its_formula_and_no_other(bomb: str) -> None:
    document = fragment(bomb + r"$\a$ and $x^2$")
    assert "x^2" in formulas(document)
    assert [failure.source for failure in document.report.failures] == [r"$\a$"]
    assert "end" in document.report.failures[0].reason


def test_commands_that_give_a_document_its_shape_cannot_be_taken_away() -> None:
    document = latex(r"\section{One} text", r"\renewcommand{\section}{\relax}\def\begin{}")
    assert document.blocks[0].label == "Section 1"
