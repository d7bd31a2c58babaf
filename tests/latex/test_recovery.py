"""A fault costs only what it is in: the formula, the diagram, the line. What follows is read as if it were absent."""

import pytest

from latex import check_formulas, render
from tests.latex.pages import formulas, fragment, markdown, words

THEOREM = r"\newcommand{\R}{\mathbf{R}}\begin{theorem}Let $x\in\R$. Then \[x^2\ge0.\]\end{theorem}"
ENDLESS = {
    "eats its argument": r"\def\lam#1{\lambda #1 \lam}",
    "eats nothing": r"\def\lam{x\lam}",
    "doubles": r"\def\lam{\lam\lam}",
    "two in turn": r"\def\lam{\mu\mu}\def\mu{\lam\lam}",
    "with an option": r"\newcommand{\lam}[1][x]{#1\lam}",
    "delimited": r"\def\lam#1;{#1\lam}",
    "in a group": r"\newcommand{\lam}[1]{{#1\lam}}",
    "in its argument": r"\newcommand{\lam}[1]{\lam{#1 #1}}",
}
PLACES = {
    "a display": r"\[\lam x = 1\]",
    "an equation": r"\begin{equation}\lam x = 1\end{equation}",
    "two dollars": r"$$\lam x = 1$$",
    "the end of a display": r"\[1 = \lam\]",
    "the end of an equation": r"\begin{align}1 &= \lam\end{align}",
    "a dollar": r"Say $1 = \lam$.",
    "parentheses": r"Say \(\lam\).",
    "text": r"Say \lam{x} and so on.",
    "a title": r"\begin{lemma}[Of $\lam$]Text.\end{lemma}",
    "a section": r"\section{Of $\lam$}",
    "an item": r"\begin{itemize}\item[$\lam$] a \item b\end{itemize}",
    "a cell": r"\begin{tabular}{ll}$\lam$ & b \\ c & d\end{tabular}",
    "a footnote": r"Text\footnote{of $\lam$ here}.",
    "an argument": r"\newcommand{\keep}[1]{#1}\keep{before $\lam$ after}",
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("macro", ENDLESS)
def test_an_endless_macro_in_ten_places_leaves_the_theorems_after_them(macro: str, place: str) -> None:
    document = render(
        ENDLESS[macro] + "\n\n" + (PLACES[place] + "\n\n") * 10 + (THEOREM + "\n\n") * 80, "latex"
    )
    theorems = [block for block in document.blocks if block.label.startswith("Theorem")]
    assert [block.label for block in theorems] == [f"Theorem {n}" for n in range(1, 81)]
    assert all(block.html.count('class="math"') == 2 and r"\mathbf{R}" in block.html for block in theorems)
    assert document.report.notes or document.report.failures


def test_ten_endless_displays_lose_ten_formulas() -> None:
    document = render(ENDLESS["eats its argument"] + (r"\[\lam x\]" + "\n\n" + THEOREM) * 10, "latex")
    assert (document.report.formulas, len(document.report.failures)) == (30, 10)


@pytest.mark.parametrize(
    "broken",
    [
        r"\[\frac{a\]", r"\[a", r"\[\begin{pmatrix}a\]", r"\[a\end{pmatrix}\]", r"\[a}\]", r"$$\frac{a$$", r"$$a",
        r"\begin{align}a&=b", r"\begin{align}a\end{equation}", r"\begin{equation}\begin{split}a\end{equation}",
        r"\begin{equation}\frac{a\end{equation}", r"\[a\end{equation}", r"$\begin{matrix}a$", r"\(\frac{a\)",
        r"\[\text{a $b$\]", r"\begin{gather}a\end{align}", r"\[\left(a\]", r"\begin{align}\begin{cases}a\end{align}",
    ],
)  # fmt: skip
@pytest.mark.parametrize("between", ["\n\n", " "])
def test_a_broken_formula_leaves_the_theorems_after_it(broken: str, between: str) -> None:
    document = render("Before. " + broken + between + (THEOREM + between) * 20, "latex")
    theorems = [block for block in document.blocks if block.label.startswith("Theorem")]
    assert len(theorems) == 20
    assert all(block.html.count('class="math"') == 2 for block in theorems)
    assert document.report.formulas >= 40


def test_a_display_that_never_ends_ends_before_the_next_one() -> None:
    document = render(r"One \[a and two \[b\] and three.", "latex")
    assert [formula.latex for formula in document.formulas] == ["b"]
    assert words(document).endswith("and three.")


def test_a_display_in_the_text_of_a_display_is_no_end_of_it() -> None:
    document = render(r"\[a \mbox{ if \parbox{3cm}{\[b\]} } c\] d", "latex")
    assert document.report.formulas == 1
    assert words(document).split()[-1] == "d"


# -- diagrams ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "source",
    [
        r"\begin{tikzpicture}\node{\begin{tikzpicture}\draw(0,0);\end{tikzpicture}};\fill(1,1);\end{tikzpicture}",
        r"\begin{tikzpicture}% \end{tikzpicture}" + "\n" + r"\fill(1,1);\end{tikzpicture}",
        r"\begin{tikzpicture}\node{\\\begin{tikzpicture}\end{tikzpicture}};\fill(1,1);\end{tikzpicture}",
        r"\begin{xy}\begin{xy}\end{xy}\fill(1,1)\end{xy}",
        r"\begin{tikzpicture}\begin{axis}\addplot{x};\end{axis}\fill(1,1);\end{tikzpicture}",
        r"\xymatrix@R=1em@C=2em{a\ar[r]&\fill(1,1)}",
        r"\[\xymatrix@!0{a\ar[r]&\fill(1,1)}\]",
        r"\[\begin{tikzcd}a\arrow[r]&\fill(1,1)\end{tikzcd}\]",
        r"\xy (0,0)*{a}; \fill(1,1) \endxy",
        r"\tikz[scale=2]{\fill(1,1);}",
        r"\tikz \fill(1,1);",
        r"\newenvironment{pic}{\begin{tikzpicture}[scale=2]}{\end{tikzpicture}}\begin{pic}\fill(1,1);\end{pic}",
        r"\newcommand{\pic}[1]{\begin{tikzpicture}\fill(#1,1);\end{tikzpicture}}\pic{1}",
    ],
)
def test_a_diagram_ends_where_it_ends_and_never_runs_into_the_text(source: str) -> None:
    document = render(f"Before.\n\n{source}\n\nAfter.", "latex")
    *_, last = document.blocks
    assert last.html == "<p>After.</p>"
    shown = [failure.source for failure in document.report.failures]
    assert len(shown) == 1
    assert r"\fill(1,1)" in shown[0]
    assert document.html.count("fill") == 1


def test_a_diagram_is_a_frame_with_its_source_folded() -> None:
    document = render(r"\begin{tikzpicture}\fill(1,1);\end{tikzpicture}", "latex")
    assert "<details><summary>tikzpicture is shown as source</summary>" in document.html


def test_a_diagram_that_never_ends_takes_nothing_with_it() -> None:
    document = render(r"\begin{tikzpicture} a \begin{tikzpicture} b \end{tikzpicture} Then $x$.", "latex")
    assert [formula.latex for formula in document.formulas] == ["x"]


def test_the_styles_of_diagrams_are_no_text() -> None:
    text = r"\tikzstyle{a}=[draw,circle]\tikzstyle{b}+=[fill] Text."
    assert words(render(text, "latex")) == "Text."


# -- code ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (r"\newcommand{\code}[1]{\lstinline|#1|}\code{x+1}", "x+1"),
        (r"\newcommand{\code}[1]{\lstinline{#1}}\code{x+1}", "x+1"),
        (r"\newcommand{\code}[2][go]{\lstinline[language=#1]{#2}}\code{f(x)}", "f(x)"),
        (r"\newcommand{\code}[1]{\verb|#1|}\code{x+1}", "x+1"),
        (r"\def\code#1{\mintinline{lean}{#1}}\code{x}", "x"),
        (r"\newcommand{\code}[1]{\lstinline|#1##|}\code{a}", "a#"),
        (r"\lstinline[style=a]|x#1|", "x#1"),
        (r"\lstinline{f{x}y}", "f{x}y"),
        (r"\verb*|a b|", "a b"),
        (r"\verb|#1|", "#1"),
        (r"\mintinline[a]{lean}|x|", "x"),
        (r"\newcommand{\code}[1]{\lstinline|\foo{#1}|}\code{\bar x}", r"\foo{\bar x}"),
    ],
)
def test_code_keeps_the_arguments_of_its_macro(source: str, shown: str) -> None:
    assert f"<code>{shown}</code>" in render(f"A {source} b.", "latex").html


@pytest.mark.parametrize(
    "definition",
    [
        r"\newenvironment{hide}{\comment}{\endcomment}",
        r"\newenvironment{hide}{\begin{comment}}{\end{comment}}",
        r"\renewenvironment{hide}{\comment}{\endcomment}",
        r"\newenvironment*{hide}[1][]{ \comment }{ \endcomment }",
        r"\excludecomment{hide}",
    ],
)
def test_an_environment_made_of_comment_is_one(definition: str) -> None:
    document = render(definition + "Seen. \\begin{hide}Hidden $x$ \\bad{\\end{hide} Seen.", "latex")
    assert words(document).split() == ["Seen.", "Seen."]
    assert "a comment environment is not shown" in document.report.notes


@pytest.mark.parametrize(
    "definition",
    [
        r"\lstnewenvironment{code}{\lstset{a=b}}{}",
        r"\newenvironment{code}{\verbatim}{\endverbatim}",
        r"\DefineVerbatimEnvironment{code}{Verbatim}{a=b}",
    ],
)
def test_an_environment_made_of_verbatim_text_is_code(definition: str) -> None:
    document = render(definition + "\n\n\\begin{code}\n$x$ % y\n\\end{code}", "latex")
    assert '<pre class="verbatim"><code>$x$ % y</code></pre>' in document.html


# -- words ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("tag", "shown"),
    [("$*$", "($*$)"), (r"$\star$", r"($\star$)"), (r"\ensuremath{*}", "($*$)"), ("$a_1$", "($a_1$)")],
)
def test_a_reference_to_a_tag_that_is_a_formula_shows_the_formula(tag: str, shown: str) -> None:
    text = rf"\begin{{equation}}x\tag{{{tag}}}\label{{e}}\end{{equation}} By \eqref{{e}} and $y\eqref{{e}}$."
    document = check_formulas(render(text, "latex"))
    assert document.report.failures == ()
    link = '<a class="reference" href="#b1" rel="nofollow noopener noreferrer"><span class="math" data-display="false"'
    assert f'{link} data-source="{shown}">\\text{{{shown}}}</span></a>' in document.html
    assert document.formulas[-1].latex == rf"y\text{{{shown}}}"


@pytest.mark.parametrize(
    "formula",
    [
        r"\mbox{\boldmath{$R$}}", r"\mbox{\boldmath $R$}", r"\hbox{\boldmath$R$}", r"\text{\boldmath{$R$} and $S$}",
        r"a_1,\hdots,a_n", r"\begin{matrix}a&b\\\hdotsfor{2}\end{matrix}", r"\begin{matrix}\hdotsfor[2]{2}\end{matrix}",
    ],
)  # fmt: skip
def test_formulas_that_were_wrong_without_notice_render(formula: str) -> None:
    assert check_formulas(render(f"${formula}$", "latex")).report.failures == ()


def test_bold_symbols_in_running_text_are_formulas() -> None:
    boxes = r"The field \mbox{\boldmath{$R$}} and \mbox{\boldmath $S$}, "
    document = render(boxes + r"{\boldmath$a$ \unboldmath$b$ \boldmath\[c+d\]} $e$.", "latex")
    assert [formula.latex for formula in document.formulas] == [
        r"\boldsymbol{R}", r"\boldsymbol{S}", r"\boldsymbol{a}", "b", r"\boldsymbol{c+d}", "e",
    ]  # fmt: skip
    assert check_formulas(document).report.failures == ()


@pytest.mark.parametrize(
    ("formula", "shown"),
    [
        (
            r"x_{\mbox{\boldmath $\alpha$}} + \mbox{$\beta$}",
            r"x_{\text{$\boldsymbol{\alpha}$}} + \text{$\beta$}",
        ),
        (r"\mbox{{\boldmath $u$} is $v$}", r"\text{{$\boldsymbol{u}$} is $v$}"),
        (r"\mbox{\boldmath $u$ \unboldmath $v$}", r"\text{$\boldsymbol{u}$ $v$}"),
        (r"\boldmath x", "x"),
    ],
)
def test_bold_symbols_in_the_text_of_a_formula_end_with_their_group(formula: str, shown: str) -> None:
    document = check_formulas(render(f"${formula}$", "latex"))
    assert document.formulas[0].latex.replace(" ", "") == shown.replace(" ", "")
    assert document.report.failures == ()


def test_rows_under_boldmath_stay_readable() -> None:
    document = check_formulas(render(r"\boldmath\begin{align}a&=b\\c&=d\end{align}", "latex"))
    assert "boldsymbol" not in document.formulas[0].latex
    assert document.report.failures == ()


@pytest.mark.parametrize(
    ("definition", "head"),
    [
        (r"\newtheorem*{proof}{Proof}", "Proof."),
        (r"\theoremstyle{definition}\newtheorem*{proof}{Beweis}", "Beweis."),
        (r"\newtheorem{proof}{Proof}", "Proof."),
        (r"\declaretheorem[name=Beweis,numbered=no]{proof}", "Beweis."),
    ],
)
def test_a_proof_that_is_declared_as_a_theorem_is_a_proof(definition: str, head: str) -> None:
    document = render(definition + "\n\\begin{proof}One.\n\nTwo. \\qed\\end{proof}", "latex")
    first, second = document.blocks
    assert first.html == f'<p><span class="proof-head">{head}</span> One.</p>'
    assert first.within == second.within == ("proof",)
    assert document.html.count("□") == 1


def test_spaces_that_macros_leave_before_an_option_are_no_depth() -> None:
    text = r"\newcommand{\a}[1]{\cite" + " #1" * 2_400 + "{k}}" + r"\a{} Text."
    assert words(render(text, "latex")).endswith("Text.")


def test_a_percent_sign_in_an_address_takes_no_words_away() -> None:
    text = r"See \url{https://a.org/Fej%C3%A9r#x} and \href{https://a.org/%7Eb}{his page}, so $x$ \emph{is}."
    for document in (fragment(text), markdown(text)):
        assert formulas(document) == ["x"]
        assert words(document) == "See https://a.org/Fej%C3%A9r#x and his page, so is."
        assert 'href="https://a.org/%7Eb"' in document.html
