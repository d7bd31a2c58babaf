"""What KaTeX is given for each formula."""

import itertools
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from latex import Formula, FormulaError, check_formulas, to_math_html
from latex.formulas import katex
from latex.formulas.katex import KEPT_LENGTH, Trials, Unfinished
from latex.limits import UNTRIED
from latex.reading import collect
from tests.latex.pages import formulas, fragment, kinds, latex, markdown, words


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"\begin{equation}a\end{equation}", r"a\tag{1}"),
        (r"\begin{equation*}a\end{equation*}", "a"),
        (r"\begin{align}a&=b\\c&=d\end{align}", r"\begin{align*}a&=b\tag{1}\\c&=d\tag{2}\end{align*}"),
        (
            r"\begin{align}a&=b\notag\\c&=d\tag{$*$}\end{align}",
            r"\begin{align*}a&=b\\c&=d\tag{$*$}\end{align*}",
        ),
        (r"\begin{eqnarray}a&=&b\end{eqnarray}", r"\begin{align*}a&={}b\tag{1}\end{align*}"),
        (r"\begin{gather*}a\\b\end{gather*}", r"\begin{gather*}a\\b\end{gather*}"),
        (r"\begin{multline}a\\b\end{multline}", r"\begin{aligned}&a\\&\qquad b\end{aligned}\tag{1}"),
        (r"\[\begin{align*}a&=b\end{align*}\]", r"\begin{align*}a&=b\end{align*}"),
        (
            r"\[\begin{aligned}a\tag{1}\\b\tag{2}\end{aligned}\]",
            r"\begin{align*}a\tag{1}\\b\tag{2}\end{align*}",
        ),
        (r"\[x=\begin{aligned}a\tag{7}\end{aligned}\]", r"x=\begin{aligned}a\end{aligned}\tag{7}"),
        (r"$\mathds{1}_A$", r"\mathbf{1}_A"),
        ("$f′(x)=g″_1$", "f'(x)=g''_1"),
        (r"$x^′+\text{5′}$", r"x^′+\text{5′}"),
        (r"$\mbox{if $x^2$}$", r"\text{if $x^2$}"),
        (r"$\text{a_b^c}$", r'\text{a\_b\char"5E{}c}'),
        (
            r"$\text{\((P_t)\) has $x^2$, \(a_1 \text{ if \(b_2\)}\)}$",
            r"\text{$(P_t)$ has $x^2$, $a_1 \text{ if $b_2$}$}",
        ),
        (r"$\text{open \(a_1}+\text{ and $b_2}$", r"\text{open $a_1$}+\text{ and $b_2$}"),
        (r"$\begin{array}{@{}l|p{3cm}}a&b\end{array}$", r"\begin{array}{l|l}a&b\end{array}"),
        (r"$a \vspace{1cm} b$", "a   b"),
        (r"$\text{if \ensuremath{y^2}}$", r"\text{if $y^2$}"),
        ("$a % remark\n b$", "a b"),
        (r"\(a\)", "a"),
        (r"$$a$$", "a"),
        (r"$\nicefrac{1}{2}$", "{1}/{2}"),
        (r"$x\footnote[2]{See $z_1$ and \(w^2\).}$", r"x\text{ (See $z_1$ and $w^2$.)}"),
        (r"$\varangle ABC = \wideparen{AC}$", r"\sphericalangle ABC = \overgroup{AC}"),
        (
            r"$a \centernot\implies b$",
            r"a \not\implies b",
        ),
    ],
)
def test_a_formula_is_said_in_katexs_words(source: str, expected: str) -> None:
    document = check_formulas(fragment(source))
    written = formulas(document)[0]
    assert written.replace(" ", "") == expected.replace(" ", "") or written == expected
    assert document.report.failures == ()


@pytest.mark.parametrize(
    "name", ["align", "gather", "multline", "eqnarray", "flalign", "equation", "alignat"]
)
def test_every_display_environment_is_accepted_by_katex(name: str) -> None:
    argument = "{2}" if name == "alignat" else ""
    body = "a" if name in ("equation", "gather", "multline") else "a&=b" if name != "eqnarray" else "a&=&b"
    for starred in ("", "*"):
        source = f"\\begin{{{name}{starred}}}{argument}{body}\\\\{body}\\end{{{name}{starred}}}"
        assert check_formulas(fragment(source)).report.failures == ()


def test_equations_are_numbered_within_sections_when_asked() -> None:
    body = r"\section{A}\begin{equation}x\label{e}\end{equation}\section{B}\begin{equation}y\end{equation}"
    body += r" See \eqref{e}."
    document = latex(body, r"\numberwithin{equation}{section}")
    assert formulas(document) == [r"x\tag{1.1}", r"y\tag{2.1}"]
    assert "See (1.1)." in words(document)


def test_rows_behind_one_brace_have_numbers_of_their_own() -> None:
    rows = r"x, & if $x>0$, \label{a}\\ 0, & otherwise \label{b}"
    page = fragment(rf"\begin{{numcases}}{{f(x)=}}{rows}\end{{numcases}}\eqref{{a}}, \eqref{{b}}")
    shown = r"f(x)=\begin{cases}x, &\text{if $x>0$,}\\ 0, &\text{otherwise}\end{cases}\tag{1, 2}"
    assert formulas(check_formulas(page)) == [shown]
    assert "(1)</a>" in page.html
    assert "(2)</a>" in page.html
    assert not check_formulas(
        fragment(rf"\[\begin{{numcases}}{{y=}}{rows}\end{{numcases}}\]")
    ).report.failures

    page = fragment(
        rf"\begin{{subnumcases}}{{\label{{w}}y=}}{rows}\end{{subnumcases}}\ref{{w}}, \ref{{b}}$$z\eqno$$"
    )
    assert formulas(page)[0].endswith(r"\tag{1a, 1b}")
    assert "1</a>" in page.html
    assert "1b</a>" in page.html


def test_the_rows_of_empheq_are_those_of_its_environment() -> None:
    body = r"a&=b\\c&=d\label{b}\end{empheq}\eqref{b}"
    for begin in (r"[left=\empheqlbrace]{align}", "{alignat=2}"):
        page = fragment(rf"\begin{{empheq}}{begin}{body}")
        assert formulas(page) == [r"\begin{align*}a&=b\tag{1}\\c&=d\tag{2}\end{align*}"]
        assert "(2)</a>" in page.html


def test_subequations_share_a_number() -> None:
    body = r"\begin{subequations}\label{s}\begin{align}a\label{a}\\b\end{align}\end{subequations}\ref{s}, \eqref{a}"
    document = fragment(body)
    assert r"\tag{1a}" in formulas(document)[0]
    assert r"\tag{1b}" in formulas(document)[0]
    assert words(document) == "1, (1a)"


def test_references_inside_a_formula_are_numbers() -> None:
    document = fragment(r"\begin{equation}\label{e}x\end{equation}$a\overset{\eqref{e}}{=}b$")
    assert formulas(document)[1] == r"a\overset{\text{(1)}}{=}b"


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (r"\[\begin{tikzcd}A\ar[r]&B\end{tikzcd}\]", "tikzcd"),
        (r"\[\xymatrix{A\ar[r]&B}\]", "xymatrix"),
        ("$" + "{" * 200 + "}" * 200 + "$", "nests"),
        ("$" + "x" * 20_001 + "$", "longer"),
        (r"$\input{x}$", "not read"),
    ],
)
def test_what_cannot_be_a_formula_is_shown_as_source_with_its_reason(source: str, why: str) -> None:
    document = fragment(f"Before {source} after.")
    (failure,) = document.report.failures
    assert why in failure.reason
    assert failure.source == source
    assert "Before" in words(document)
    assert "after." in words(document)


def test_an_unclosed_formula_costs_its_own_paragraph_only() -> None:
    document = fragment("A $x$ then \\(y and more.\n\nNext $z$.")
    assert formulas(document) == ["x", "z"]
    assert "never closed" in document.report.failures[0].reason


def test_a_lone_dollar_is_a_dollar() -> None:
    assert words(fragment("It costs 5$ today.\n\nNew.")) == "It costs 5$ today. New."


def test_a_symbol_outside_of_a_formula_becomes_one() -> None:
    assert formulas(fragment(r"Let \alpha be \mathbb{R}.")) == [r"\alpha", r"\mathbb{R}"]


def test_a_display_is_a_block_with_its_own_range() -> None:
    document = fragment("Before\n\\[ x \\]\nafter.")
    assert kinds(document) == ["paragraph", "display", "paragraph"]
    assert [block.source for block in document.blocks] == ["Before", "\\[ x \\]", "after."]


def test_katex_refusals_enter_the_report() -> None:
    document = check_formulas(markdown(r"Good $x$ and bad $\nosuchmacro$."))
    assert document.report.formulas == 2
    assert document.report.failures[0].source == r"$\nosuchmacro$"
    assert "nosuchmacro" in document.report.failures[0].reason


@pytest.mark.parametrize("attack", ["{" * 4000 + "}" * 4000, r"\gdef\a{\a\a}\a", "x^" * 9000])
def test_the_server_side_engine_survives_an_attack(attack: str) -> None:
    with pytest.raises(FormulaError):
        to_math_html(attack, display=False)
    assert "katex" in to_math_html("x", display=False)


def test_server_side_definitions_do_not_reach_the_next_formula() -> None:
    clean = to_math_html(r"x\le y", display=False)
    to_math_html(r"\gdef\le{\ge}x\le y", display=False)
    assert to_math_html(r"x\le y", display=False) == clean


def trials_of(formula: Formula, seconds: float | None = None) -> tuple[str, list[str]]:
    """Why a text with that formula would show its source, and what KaTeX refuses."""
    trials = Trials(seconds)
    return trials.unfinished(formula), [failure.reason for failure in trials.refused]


def test_a_formula_that_many_texts_have_is_tried_once_in_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    ask = katex.ask
    monkeypatch.setattr(
        katex, "ask", lambda program, latex, *a, **k: asked.append(latex) or ask(program, latex, *a, **k)
    )
    katex._kept.cache_clear()
    good, bad, long = (
        Formula(latex, False, latex, 0) for latex in ("x_1", r"\nosuch", "x" * (KEPT_LENGTH + 1))
    )
    for _ in range(2):
        assert trials_of(good) == ("", [])
        assert trials_of(bad) == ("", [r"Undefined control sequence: \nosuch"])
        assert trials_of(long) == ("", [])
    assert asked == [good.latex, bad.latex, long.latex, long.latex]
    assert trials_of(replace(good, display=True)) == ("", [])
    assert asked[4:] == [good.latex]


def test_what_came_to_no_end_once_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    katex._kept.cache_clear()
    formula = Formula("x^2", False, "x^2", 0)

    def out_of_time(*_: object) -> str:
        raise Unfinished("a limit was reached: interrupted")

    with monkeypatch.context() as busy:
        busy.setattr(katex, "to_math_html", out_of_time)
        assert trials_of(formula)[0].startswith("a limit was reached")
    assert trials_of(formula) == ("", [])


def test_a_kept_verdict_leaves_a_text_no_more_time_than_when_it_was_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each of two formulas takes two seconds of three: of the third none are left, whatever was rendered before."""
    katex._kept.cache_clear()
    now = itertools.count(step=2)
    monkeypatch.setattr(katex, "time", SimpleNamespace(thread_time=lambda: next(now)))
    formulas = [Formula(latex, False, latex, 0) for latex in ("a", "b", "c" * (UNTRIED + 1))]
    for _ in range(2):
        trials = Trials(3)
        assert [trials.unfinished(formula) for formula in formulas] == [
            "", "", "there was no time to try a formula of this length",
        ]  # fmt: skip


def test_every_command_that_katex_lacks_is_said_with_commands_that_it_has():
    source = Path(collect.__file__).with_name("prelude.tex").read_text("utf-8")
    found = re.findall(r"^\\newcommand\{\\(\w+)\}(?:\[(\d)\](\[\])?)?\{", source, re.MULTILINE)
    assert len(found) == source.count("\\newcommand{")
    of_rows = {"intertext", "shortintertext", "MoveEqLeft"}  # nothing for a formula of one row
    for name, count, optional in found:
        given = "{a}" * (int(count or 0) - bool(optional)) if name != "sideset" else r"{}{'}\sum"
        document = check_formulas(fragment(f"$x \\{name}{given} y$"))
        assert name in of_rows or document.report.failures == (), name


def test_the_number_of_plain_tex_stands_apart_from_its_formula() -> None:
    for source, shown in (
        (r"$$a=b\eqno(2)$$", r"a=b\tag*{$(2)$}"),
        (r"\[a=b \leqno{(*)}\]", r"a=b \tag*{${(*)}$}"),
        (
            r"$$\begin{aligned}a&=b\end{aligned}\eqno\hbox{(A)}$$",
            r"\begin{aligned}a&=b\end{aligned}\tag*{$\hbox{(A)}$}",
        ),
        (r"$a\eqno(2)$", "a (2)"),
        (r"$$a\eqno$$", "a"),
    ):
        page = check_formulas(fragment(source))
        assert [*formulas(page), *page.report.failures] == [shown]


def test_commands_of_physics_and_mathtools_take_their_stars_and_options() -> None:
    for source, shown in (
        (r"$\dv{f}{x}$", r"\frac{d f}{d x}"),
        (r"$\dv[2]{f}{x}$", r"\frac{d^{2} f}{d x^{2}}"),
        (r"$\dv{x}f$", r"\frac{d}{d x}f"),
        (r"$\dv[n]{x}f$", r"\frac{d^{n}}{d x^{n}}f"),
        (r"$\pdv{f}{x}$", r"\frac{\partial f}{\partial x}"),
        (r"$\pdv[2]{f}{x}$", r"\frac{\partial^{2} f}{\partial x^{2}}"),
        (r"$\pdv{f}{x}{y}$", r"\frac{\partial^2 f}{\partial x\,\partial y}"),
        (r"$\derivative{f}{x}$", r"\frac{d f}{d x}"),
        (r"$\int f\dd x\dd[3]{y}$", r"\int f\mathrm{d}x\mathrm{d}^{3}y"),
        (r"$\cramped{x}$", "x"),
        (r"\begin{xalignat*}{2}a&=b&c&=d\end{xalignat*}", r"\begin{align*}a&=b&c&=d\end{align*}"),
        (
            r"\begin{multline*}a\\ \shoveleft{b}\\c\end{multline*}",
            r"\begin{aligned}&a\\&\qquad  b\\&\qquad c\end{aligned}",
        ),
        (r"$\norm*{x}$", r"\left\lVert x\right\rVert"),
        (r"$\qty(\frac12)\qty{x}\qty{5}{m}$", r"(\frac12)\left\{x\right\}5\,\mathrm{m}"),
        (r"$\abs[\big]{x}$", r"\left\lvert x\right\rvert"),
        (r"$\braket{a}{b}$", r"\left\langle a\middle\vert b\right\rangle"),
        (r"$\braket{a|b}$", r"\left\langle a|b\right\rangle"),
        (r"$\smashoperator[r]{\sum_i}a$", r"\sum_ia"),
        (r"$\adjustlimits\sup_x\inf_y$", r"\sup_x\inf_y"),
        (r"$\varangle ABC$", r"\sphericalangle ABC"),
        (r"$C\dasharrow P$", r"C\dashrightarrow P"),
        (r"$X\fatslash G$", r"X\mathbin{/\mkern-4mu/}G"),
    ):
        page = check_formulas(fragment(source))
        assert [*formulas(page), *page.report.failures] == [shown]


@pytest.mark.parametrize(
    "source",
    [
        r"\[\begin{cases*}1 & if $x>0$ \\ 0 & otherwise\end{cases*}\]",
        r"$\begin{cases*}1 & if $x>0$ \\ 0 & otherwise\end{cases*}$",
        r"$$\cases{1 & if $x>0$ \cr 0 & \hbox{otherwise}\cr}$$",
    ],
)
def test_the_second_cells_of_cases_are_text_where_they_are_written_so(source: str) -> None:
    document = check_formulas(fragment(source))
    assert document.report.failures == ()
    assert r"&\text{if $x>0$}" in formulas(document)[0]
    assert re.search(r"\\(?:text|hbox) ?\{otherwise\}", formulas(document)[0])


@pytest.mark.parametrize(
    "cell",
    [
        r"= x^2 \mbox{ for $x>0$}",
        r"= \alpha_1 + \hbox{$\beta$}",
        r"= x^2 \raisebox{1pt}{$\sim$} y",
        r"= x^2 \text{ as \textbf{every $x$} is \emph{positive}, $x>0$}",
    ],
)
def test_a_cell_with_formulas_only_in_its_words_is_mathematics(cell: str) -> None:
    for name in ("aligned", "split", "cases", "matrix"):
        document = check_formulas(fragment(rf"\[\begin{{{name}}} y &{cell} \end{{{name}}}\]"))
        assert document.report.failures == ()
        assert formulas(document)[0].count(cell.replace("mbox", "text")) == 1


@pytest.mark.parametrize("words", [r"{\rm if $x>0$}", r"\quad {\rm if $x>0$}", r"\emph{if} $x>0$"])
def test_a_cell_with_formulas_between_its_words_is_text(words: str) -> None:
    document = check_formulas(fragment(rf"$$\cases{{1 & {words} \cr 0 & \hbox{{otherwise}}\cr}}$$"))
    assert document.report.failures == ()
    assert r"&\text{" in formulas(document)[0]


def test_signs_that_a_web_page_spells_out_are_signs() -> None:
    assert ">a &lt; b</span>" in fragment(r"$a &lt; b$").html
    assert r"{align*}a &amp;= b &gt; c\end" in markdown(r"\begin{align*}a &amp;= b &gt; c\end{align*}").html


def test_numbers_in_french_and_what_mathjax_loads_are_known() -> None:
    document = check_formulas(fragment(r"$\require{cancel}\np{12345.6}+\np[m]{3}+\nombre{10 000}$"))
    assert document.report.failures == ()
