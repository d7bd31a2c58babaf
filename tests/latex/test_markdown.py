"""Markdown as models write it, with LaTeX inside."""

import re
from collections.abc import Callable
from itertools import pairwise

import pytest

from latex import Document, guess_format
from tests.latex.pages import formulas, fragment, kinds, markdown, words


@pytest.mark.parametrize(
    "text", ["It costs $5 and $6.", "Between $5 and US$6.", "A $ sign.", r"Escaped \$x\$."]
)
def test_prices_are_not_formulas(text: str) -> None:
    assert formulas(markdown(text)) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a $x_1*y*z$ b", "x_1*y*z"),
        (r"a \(x\) b", "x"),
        ("a\n\\[\nx\n\\]\nb", "x"),
        ("$$\nx\n$$", "x"),
        ("$$x$$", "x"),
        ("\\begin{align*}\na&=b\n\\end{align*}", "\\begin{align*}a&=b\\end{align*}"),
        ("| a |\n|---|\n| $|x|$ |", "|x|"),
        ("# On $x^2$", "x^2"),
        ("**bold $x$**", "x"),
        ("$ x + y $", "x + y"),
    ],
)
def test_formulas_are_found_wherever_they_stand(text: str, expected: str) -> None:
    found = formulas(markdown(text))
    assert [formula.split() for formula in found] == [expected.split()]


def test_code_is_not_mathematics() -> None:
    document = markdown("`$x$` and\n\n```\n$y$ \\(z\\)\n```\n")
    assert formulas(document) == []
    assert "$x$" in document.html
    assert "$y$ \\(z\\)" in document.html


def test_latex_environments_and_commands_are_obeyed() -> None:
    theorem = "\\begin{theorem}[Big]\nLet \\emph{x}.\n\\begin{itemize}\\item a\\end{itemize}\n\\end{theorem}"
    document = markdown(theorem + "\n\nBy \\textbf{this} and *that*, \\cite{K}.")
    assert kinds(document) == ["theorem", "paragraph"]
    assert words(document) == "Theorem 1 (Big). Let x. a By this and that, [K]."


def test_macros_defined_in_markdown_are_used() -> None:
    assert formulas(markdown("\\newcommand{\\RR}{\\mathbb{R}}\n\nLet $x\\in\\RR$.")) == [r"x\in\mathbb{R}"]


def test_lists_tables_quotes_and_rules_are_blocks() -> None:
    text = (
        "# H\n\n1. a\n2. b\n   \\[x\\]\n\n- c\n  - d\n\n> q\n\n---\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nend"
    )
    assert kinds(markdown(text)) == ["heading", "list", "list", "quote", "rule", "table", "paragraph"]


def test_a_display_inside_a_paragraph_divides_it_into_blocks_with_their_own_ranges() -> None:
    document = markdown("Let\n\\[\nx\n\\]\nbe *given*.\n\nNext.")
    assert kinds(document) == ["paragraph", "display", "paragraph", "paragraph"]
    assert [block.source for block in document.blocks] == ["Let", "\\[\nx\n\\]", "be *given*.", "Next."]
    for before, after in pairwise(document.blocks):
        assert before.end <= after.start


def test_an_ordered_list_keeps_its_first_number() -> None:
    assert '<ol start="3">' in markdown("3. a\n4. b").html


def test_raw_html_is_shown_as_text() -> None:
    document = markdown("a <b>x</b> <script>alert(1)</script>\n\n<div onclick=x>y</div>")
    assert "<script>alert(1)</script>" in words(document)
    assert "<script" not in document.html


def test_pictures_are_named_and_never_loaded() -> None:
    document = markdown("![a plot](https://example.org/p.png)")
    assert words(document) == "[picture: a plot]"
    assert "example.org" not in document.html


def test_an_indented_display_is_not_code() -> None:
    assert formulas(markdown("Then\n\n    \\[ x \\]\n")) == ["x"]


def test_a_tag_outside_of_a_formula_is_its_number() -> None:
    assert words(markdown(r"By \tag{3} it holds.")) == "By (3) it holds."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"\documentclass{article}\begin{document}x\end{document}", "latex"),
        (r"\section{A} See \cite{b} and \emph{c}.", "latex"),
        ("# A\n\n**Proof.** Let $x$.", "markdown"),
        ("Plain words with $x$.", "markdown"),
        ("1. a\n2. b\n\n\\begin{proof}x\\end{proof} **q**", "markdown"),
    ],
)
def test_the_format_is_guessed(text: str, expected: str) -> None:
    assert guess_format(text) == expected


def test_a_backslash_before_three_ticks_leaves_two_that_open_nothing() -> None:
    """The run of three has no partner of two: a proof that holds it is still a page."""
    assert words(markdown("A \\``` and $x$.")).startswith("A ``` and")


def test_delimiters_with_two_backslashes_are_delimiters_as_where_markdown_takes_one_away():
    document = markdown(
        "Let \\\\( x_1 \\\\) be (\\\\(y\\\\)), `\\\\(code\\\\)`, \\\\[2pt] of \\\\( it.\n\n"
        "$$\\begin{aligned} a \\\\(b) \\\\[2pt] c \\\\) \\end{aligned}$$\n\n\\\\[\nz \\in \\{1\\}\n\\\\]"
    )
    assert formulas(document) == [
        "x_1",
        "y",
        "\\begin{aligned} a \\\\(b) \\\\[2pt] c \\\\) \\end{aligned}",
        "z \\in\\{1\\}",
    ]
    assert words(document) == "Let be ( ), , \\[2pt] of \\( it."
    assert document.formulas[0].source == "\\( x_1  \\)"
    assert [block.start for block in document.blocks][:2] == [0, document.blocks[0].end + 2]


def test_an_answer_in_a_box_outside_of_a_formula_is_a_formula() -> None:
    page = markdown(r"So \boxed{2^{k+1}}, \boxed{\frac{a}{b}} or \boxed{\text{even if } x_{n+1}}.")
    assert formulas(page) == [r"\boxed{2^{k+1}}", r"\boxed{\frac{a}{b}}", r"\boxed{\text{even if } x_{n+1}}"]
    page = markdown(r"\boxed{\text{Every $n$ is even.}} \boxed{$n$ is odd} \boxed{}")
    assert page.html.count('<span class="boxed">') == 2
    assert words(page) == "Every is even. is odd"
    assert formulas(fragment(r"It is \boxed{x_{n+1}}.")) == [r"\boxed{x_{n+1}}"]


def test_a_bar_in_code_ends_no_cell() -> None:
    page = markdown("| a | b |\n|---|---|\n| `KL(p||q)` and `\\|` | two |\n\nHere `x|y`.")
    assert '<code>KL(p||q)</code> and <code>|</code></td><td class="l">two</td>' in page.html
    assert "<code>x|y</code>" in page.html


def test_a_row_with_too_many_cells_loses_none() -> None:
    for table in (
        "| a | b |\n|---|---|\n| 1 | max |x| | *y* |\n| 2 |\n",
        "a | b\n---|---\n1 | max |x| | *y*\n2 |\n",
        "> | a | b |\n> |---|---|\n> | 1 | max |x| | *y* |\n> | 2 | |\n",
    ):
        page = markdown(table)
        assert '<tr><td class="l">1</td><td class="l">max |x| | <em>y</em></td></tr>' in page.html
        assert '<tr><td class="l">2</td><td class="l"></td></tr>' in page.html


@pytest.mark.parametrize("opened", ["$$\\begin{align*}\n", "\\begin{align*}\n", "\\[", "\\("])
def test_a_formula_that_the_text_breaks_off_in_is_shown_as_its_source_with_the_reason(opened: str) -> None:
    source = opened + "a_1*b &\\le \\frac{a}{b} \\\\\n*c* &= \\left( x"
    document = markdown("Then we have " + source)
    assert [(failure.source, failure.reason) for failure in document.report.failures] == [
        (source, "the formula is never closed")
    ]
    assert words(document) == "Then we have"


def test_what_opens_a_formula_and_begins_none_is_words() -> None:
    assert words(markdown(r"By \[12] and \(3) it holds.")) == "By [12] and (3) it holds."
    assert formulas(markdown(r"By \[12] it holds that \(x_1=2\)")) == ["x_1=2"]
    assert words(markdown("It is never closed: \\[x_1.\n\nAnother paragraph.")).endswith("Another paragraph.")


@pytest.mark.parametrize(
    ("text", "bold"),
    [
        ("**证明：**因为 $a$，所以**结论：**$c$成立。", ["证明：", "结论："]),
        ("称为**“好数”**的数", ["“好数”"]),
        ("**“좋은”**수", ["“좋은”"]),
        ("**Case 1:**$x=1$ and **Case 2:**\\(x=2\\)", ["Case 1:", "Case 2:"]),
        ("(a)**2 + (b)**2", []),
    ],
)
def test_bold_words_end_right_before_a_formula_or_a_script_without_spaces(text: str, bold: list[str]) -> None:
    assert re.findall("<strong>(.*?)</strong>", markdown(text).html) == bold


@pytest.mark.parametrize(
    "product", ["2*3*4", "x*y = z*w", "f(x)*g(x)*h", "(a+b)*c*(d)", "x**2 + y**2", "(x+1)**2 + y**2"]
)
def test_a_star_between_two_factors_is_shown(product: str) -> None:
    assert markdown(f"So {product} here.").html.count(f"<p>So {product} here.</p>") == 1


@pytest.mark.parametrize(
    "text", ["the *i*th and *p*-adic", "**b**-invariant", "(*b*) is *b*.", "引理**一**证", "**a**b"]
)
def test_emphasis_around_letters_is_emphasis(text: str) -> None:
    assert "*" not in markdown(text).html


@pytest.mark.parametrize("read", [markdown, fragment])
def test_a_display_without_end_turns_no_later_display_into_words(read: Callable[[str], Document]) -> None:
    text = "So $$ a = b\n\nfor every $x$. Then\n\n$$ c = d $$\n\nand again\n\n$$ e = f. $$"
    assert [formula.strip() for formula in formulas(read(text))] == ["x", "c = d", "e = f."]
    assert read(text).html.count("$$ a = b") == 1


def test_the_words_of_a_formula_may_have_formulas() -> None:
    text = r"So $f=0 \text{ if $x>0$ or $y_1$}$ and $g$, $\textbf{x $y$}$, $\text{a}$ and $\mbox{b}$."
    read = formulas(markdown(text))
    assert read == [r"f=0 \text{ if $x>0$ or $y_1$}", "g", r"\textbf{x $y$}", r"\text{a}", r"\text{b}"]
    assert formulas(markdown(r"So $\text{a$ and $b$ and $c$.")) == ["b", "c"]


def test_a_display_may_have_blank_lines() -> None:
    assert formulas(markdown("$$\n\na\n\n= b \\text{ if $x$}\n\n$$")) == ["a = b \\text{ if $x$}"]


def test_macros_that_a_formula_defines_are_known_in_those_that_follow() -> None:
    assert formulas(markdown("$\\newcommand{\\ww}{w}$\n\nThen $\\ww+1$.")) == ["w+1"]


def test_breaks_of_lines_and_scripts_in_tags_are_read_and_other_tags_are_words() -> None:
    html = markdown("x<sub>1</sub><br>y<sup>2</sup>\n\n|a|\n|-|\n|b<br/>c|\n\n<b>d</b> <sub>$x$").html
    assert "x<sub>1</sub><br>y<sup>2</sup>" in html
    assert "b<br>c" in html
    assert "&lt;b&gt;d&lt;/b&gt; &lt;sub&gt;" in html


@pytest.mark.parametrize(
    "text",
    [
        "> $$\n> a < b\n> $$\n\n> \\[\n> c\n> > d\n> \\]",
        "> - Item\n>   $$\n>   a < b\n>   $$\n> - $c\n>   > d$",
        "> > $$\n> > a\n> < b\n> > $$\n\n1. > $c\n   > > d$",
    ],
)
def test_the_marks_of_a_quotation_are_no_relations_of_its_formulas(text: str) -> None:
    assert [formula.split() for formula in formulas(markdown(text))] == [["a", "<", "b"], ["c", ">", "d"]]


@pytest.mark.parametrize(
    "text",
    [
        "x = y. (*) By (*) and (**) this holds, and (**) is clear.",
        "A *-homomorphism of C*-algebras, and *: V → V*.",
        "A^*A = AA^*, f_*g = f_*(h) and g^*.",
        "(x)_+ ≤ (y)_+ and (a)_(b_2)_",
        "*a 3*(4+5)*6 and (f)*g",
        "∑_{i=1}^n a_i, lim_{n→∞} a_n, a_{*}, b^{*}",
        "设（*）由（*）得",
    ],
)
def test_asterisks_and_underscores_that_are_mathematics_stay(text: str) -> None:
    assert words(markdown(text)) == text


def test_emphasis_next_to_brackets_is_emphasis() -> None:
    html = markdown("(*a*), (**b**) *(c)* _see (d)_ *e*-adic *f*(x), the *g*th **h:**i **-1 is j**").html
    assert re.findall(r"<(?:em|strong)>(.*?)</", html) == [
        "a",
        "b",
        "(c)",
        "see (d)",
        "e",
        "f",
        "g",
        "h:",
        "-1 is j",
    ]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Let <!-- by GPT, $x$ --> n be even.", "Let n be even."),
        ("A.\n\n<!--\nfirst\n\n**second** `third`\n-->\n\nB.", "A. B."),
        ("> A <!-- a\n> b --> B", "A B"),
        ("- A <!-- c -->\n- B", "A B"),
        ("A <!-- without an end\n\nB", "A <!-- without an end B"),
    ],
)
def test_comments_are_not_shown(text: str, shown: str) -> None:
    assert words(markdown(text)) == shown


def test_what_code_and_formulas_hold_is_no_comment() -> None:
    document = markdown("`<!-- a -->` and $a <!--b$, $c-->d$\n\n```\n<!-- b -->\n```")
    assert document.html.count("&lt;!-- a --&gt;") == document.html.count("&lt;!-- b --&gt;") == 1
    assert formulas(document) == ["a <!--b", "c-->d"]


def test_what_follows_a_comment_is_where_the_source_has_it() -> None:
    text = "<!-- one\n\ntwo --> First.\n\nThen $x$. <!-- three --> End."
    first, last = markdown(text).blocks
    assert text[first.start : first.end].endswith("First.")
    assert text[last.start : last.end] == "Then $x$. <!-- three --> End."


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("E[f](x) ≤ k[x](y)", "E[f](x) ≤ k[x](y)"),
        ("So[^1].\n\n[^1]: $x>0$", "So[^1]. [^1]:"),
        ("[Claim]: True.", "[Claim]: True."),
        ("By [*].\n\n[*]: $a=b$\n[2]: Obviously.", "By [*]. [*]: [2]: Obviously."),
    ],
)
def test_only_an_address_makes_a_link(text: str, shown: str) -> None:
    document = markdown(text)
    assert "<a" not in document.html
    assert (words(document), len(formulas(document))) == (shown, text.count("$") // 2)
