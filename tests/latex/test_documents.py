"""Structure: sections, theorems, lists, tables, references, notes."""

from itertools import pairwise

import pytest

from latex import render, render_checked
from tests.latex.pages import attributes, formulas, fragment, kinds, latex, words

PREAMBLE = r"""
\newtheorem{thm}{Theorem}[section]\newtheorem{lem}[thm]{Lemma}\newtheorem*{conj}{Conjecture}
\theoremstyle{definition}\newtheorem{defn}{Definition}
"""


def test_theorems_share_counters_within_sections() -> None:
    body = r"""\section{A}\begin{thm}a\end{thm}\begin{lem}b\end{lem}\begin{conj}c\end{conj}
    \section{B}\begin{lem}d\end{lem}\begin{defn}e\end{defn}"""
    labels = [block.label for block in latex(body, PREAMBLE).blocks]
    assert labels == [
        "Section 1",
        "Theorem 1.1",
        "Lemma 1.2",
        "Conjecture",
        "Section 2",
        "Lemma 2.1",
        "Definition 1",
    ]


def test_a_theorem_keeps_its_title_and_its_citation() -> None:
    books = r"\begin{thebibliography}{9}\bibitem{K} K. Book.\end{thebibliography}"
    body = r"\begin{thm}[Main, {\cite[Thm.~3]{K}}]x\end{thm}" + books
    text = words(latex(body, PREAMBLE))
    assert "Theorem 0.1 (Main, [1, Thm. 3])." in text


def test_a_citation_keeps_its_words_and_their_formulas_on_both_sides() -> None:
    books = r"\begin{thebibliography}{9}\bibitem{K} K. Book.\end{thebibliography}"
    body = (
        r"\cite[\S3, $\Phi^\ast.4$ on \R]{K}, \cite[see][Thm.~\ref{t}]{K}, \cite[see, \emph{e.g.},][]{K},"
        r" \cite[{after \cite[p.~2]{K}}]{K}. \begin{thm}\label{t}x\end{thm}"
    )
    document = latex(body + books, PREAMBLE + r"\newcommand{\R}{$\mathbb R$}")
    assert words(document).startswith(
        "[1, §3, on ], [see 1, Thm. 0.1], [see, e.g., 1], [1, after [1, p. 2]]."
    )
    assert [(found.latex, found.source) for found in document.formulas] == [
        (r"\Phi^\ast.4", r"$\Phi^\ast.4$"),
        (r"\mathbb R", r"$\mathbb R$"),
    ]


def test_what_is_copied_of_a_formula_in_a_title_is_its_own_source() -> None:
    macro = r"\newcommand{\R}{$\mathbb R$}"
    body = r"\begin{thm}[On $x^2$ and \R]\R\end{thm}\begin{itemize}\item[\(y\)] z\end{itemize}"
    sources = [formula.source for formula in latex(body, PREAMBLE + macro).formulas]
    assert sources == ["$x^2$", r"$\mathbb R$", r"\R", r"\(y\)"]


def test_a_worker_refuses_no_formula_because_it_refers_to_something() -> None:
    books = r"\begin{thebibliography}{9}\bibitem{K} K. Book.\end{thebibliography}"
    body = r"$a \overset{\eqref{e}}{=} b$, $c \text{ by \cite[Thm.~3]{K}}$."
    body += r"\begin{equation}\label{e}d\ \ref{e}\end{equation}"
    document = render_checked(body + books, "latex")
    assert document.report.failures == ()
    assert [formula.latex for formula in document.formulas] == [
        r"a \overset{\text{(1)}}{=} b",
        r"c \text{ by [1, Thm. 3]}",
        r"d\ \text{1}\tag{1}",
    ]


def test_undeclared_theorems_have_their_usual_names() -> None:
    assert [
        b.label for b in fragment(r"\begin{lemma}x\end{lemma}\begin{theorem*}y\end{theorem*}").blocks
    ] == [
        "Lemma 1",
        "Theorem",
    ]


def test_a_proof_is_paragraphs_and_ends_in_its_box() -> None:
    document = fragment("\\begin{proof}[Idea]One.\n\nTwo.\\end{proof}After.")
    assert kinds(document) == ["proof", "paragraph", "paragraph"]
    assert [block.within for block in document.blocks] == [("proof",), ("proof",), ()]
    assert words(document) == "Idea. One. Two.□ After."


def test_references_resolve_forwards_and_link_to_blocks() -> None:
    document = latex(r"See \cref{t}, \ref{s} and \eqref{e}.\section{A}\label{s}\begin{thm}\label{t}x\end{thm}"
                     r"\begin{equation}\label{e}y\end{equation}", PREAMBLE)  # fmt: skip
    assert words(document).startswith("See Theorem 1.1, 1 and (1).")
    targets = {value for _, name, value in attributes(document.html) if name == "href"}
    ids = {f"#{block.id}" for block in document.blocks}
    assert targets == {"#b2", "#b3", "#b4"}
    assert targets <= ids


def test_an_unknown_reference_shows_its_name_and_is_noted() -> None:
    document = fragment(r"By \ref{thm:x} and \cite{Key}.")
    assert words(document) == "By thm:x and [Key]."
    assert {"no label thm:x", "no bibliography entry Key"} <= set(document.report.notes)


def test_lists_keep_their_labels() -> None:
    body = r"""\begin{enumerate}[label=(\roman*)]\item a\item[(ii')] b\item c\end{enumerate}
    \begin{enumerate}[(a)]\item d\end{enumerate}\begin{enumerate}[start=3]\item e
    \begin{enumerate}\item f\end{enumerate}\end{enumerate}"""
    assert words(fragment(body)) == "(i) a (ii’) b (ii) c (a) d 3. e (a) f"


def test_an_item_can_be_referred_to() -> None:
    body = r"\begin{enumerate}[label=\textup{(\alph*)}]\item\label{i} x\end{enumerate}By \ref{i}."
    assert words(fragment(body)).endswith("By (a).")


def test_a_table_has_rows_cells_and_spans() -> None:
    document = fragment(
        r"\begin{tabular}{|l|cr|}\hline a & \& & $x$\\ \multicolumn{2}{c}{wide} & 3 \\ \end{tabular}"
    )
    html = document.blocks[0].html
    assert html.count("<tr>") == 2
    assert 'colspan="2"' in html
    assert "&amp;" in html


def test_accents_quotes_and_dashes_are_typographic() -> None:
    text = words(
        fragment(
            r"G\"odel, Erd\H{o}s, \v{C}ech, H\'e\`a, \c{c}, \o, na\"{\i}ve ``q'' --- p.~1--2, \S 3, 50\%."
        )
    )
    assert text == "Gödel, Erdős, Čech, Héà, ç, ø, naïve “q” — p. 1–2, §3, 50%."


def test_old_style_and_new_style_fonts_are_the_same() -> None:
    html = fragment(r"{\bf a} \textbf{a} {\it b} \emph{b \emph{c}} {\tt d}").html
    assert html.count("<strong>a</strong>") == 2
    assert "typewriter" in html


def test_a_style_declared_in_a_group_reaches_over_its_paragraphs_and_no_further() -> None:
    document = fragment("{\\bfseries One.\n\nTwo.} Three.")
    assert [block.html for block in document.blocks] == [
        "<p><strong>One.</strong></p>",
        "<p><strong>Two.</strong> Three.</p>",
    ]


def test_a_footnote_is_a_block_that_its_mark_links_to() -> None:
    document = fragment(r"Text\footnote{A note with $x$.} on.")
    assert kinds(document) == ["paragraph", "footnote"]
    assert ("a", "href", "#fn1") in attributes(document.html)


def test_the_title_is_shown_and_the_people_are_not() -> None:
    document = latex(
        r"\maketitle Hello.", r"\title{Odd\thanks{GRANT}}\author{SECRET}\date{TODAY}\address{PLACE}"
    )
    assert words(document) == "Odd Hello."
    for hidden in ("GRANT", "SECRET", "TODAY", "PLACE"):
        assert hidden not in document.html


def test_the_appendix_counts_in_letters() -> None:
    assert [b.label for b in fragment(r"\section{A}\appendix\section{B}").blocks] == [
        "Section 1",
        "Section A",
    ]


def test_boxes_of_the_document_have_their_titles_and_stay_blocks() -> None:
    preamble = r"\newtcolorbox{solution}[1]{colback=white, title={#1}, % remark" + "\n sharp corners}"
    document = latex("\\begin{solution}{Answer $x$}One.\n\nTwo.\\end{solution}", preamble)
    assert kinds(document) == ["heading", "paragraph", "paragraph"]
    assert document.blocks[1].within == ("box",)
    assert formulas(document) == ["x"]


def test_input_is_named_and_never_read() -> None:
    document = fragment(r"\input{/etc/passwd} \include{chapter} \verbatiminput{/etc/hosts}")
    assert "root:" not in document.html
    assert "not read" in words(document)
    assert len(document.report.notes) == 3


def test_verbatim_text_is_kept_as_it_is() -> None:
    document = fragment("\\begin{verbatim}\n\\x{a} % kept <b>\n\\end{verbatim} and \\verb|$y|.")
    assert "\\x{a} % kept &lt;b&gt;" in document.html
    assert "<code>$y</code>" in document.html


def test_the_options_of_a_listing_are_not_part_of_it() -> None:
    document = fragment("\\begin{lstlisting}[language=Python]\nx = [1]\n\\end{lstlisting}")
    assert document.blocks[0].html == '<pre class="verbatim"><code>x = [1]</code></pre>'


def test_an_unknown_command_shows_what_it_encloses() -> None:
    document = fragment(r"Some \fancything{important words} here.")
    assert words(document) == "Some important words here."
    assert any("fancything" in note for note in document.report.notes)


def test_a_heading_within_a_paragraph_is_part_of_its_block() -> None:
    document = fragment(
        r"A\paragraph{Step 1.} b\subparagraph{C} \paragraph{D} e\begin{proof}\paragraph{F} g\end{proof}"
    )
    assert [block.source for block in document.blocks] == [
        "A",
        r"\paragraph{Step 1.} b",
        r"\subparagraph{C} \paragraph{D} e",
        r"\paragraph{F} g\end{proof}",
    ]


def test_an_unknown_environment_keeps_its_title_and_no_options() -> None:
    page = latex(
        r"\begin{case}[Then $x$] a\end{case}\begin{case}[t] b\end{case}\begin{case}[c=1, d] c\end{case}"
    )
    assert (words(page), formulas(page)) == ("(Then ) a b c", ["x"])


def test_pseudocode_has_lines_and_indentation() -> None:
    body = r"\begin{algorithmic}\For{$i$} \State go \EndFor\end{algorithmic}"
    assert words(fragment(body)) == "for do go end for"


def test_ranges_follow_the_source_in_order() -> None:
    body = "\\section{A} First.\n\nSecond \\[x\\] third.\\begin{lemma}L\\end{lemma}"
    document = latex(body)
    for before, after in pairwise(document.blocks):
        assert 0 <= before.start < before.end <= after.start
    assert document.blocks[1].source == "First."
    assert document.blocks[5].source == "\\begin{lemma}L\\end{lemma}"


def test_a_prefix_keeps_two_documents_on_a_page_apart() -> None:
    source = r"\section{A}\label{a}\ref{a}\footnote{n}"
    first, second = (render(source, "latex", prefix=prefix) for prefix in ("left-", "right-"))
    ids = [value for d in (first, second) for _, name, value in attributes(d.html) if name == "id"]
    assert len(ids) == len(set(ids))
    assert 'href="#left-b1"' in first.html


def test_the_same_text_gives_the_same_page() -> None:
    source = r"\begin{theorem}x\footnote{y} $z$\end{theorem}\cite{q}"
    assert fragment(source).html == fragment(source).html


def test_a_document_says_itself_how_its_counters_print():
    page = latex(
        r"\section{One}\begin{equation}\label{e}a\end{equation}\begin{thm}\label{t}x\end{thm}\begin{main}\label{m}y"
        r"\end{main}\eqref{e}, \ref{t}, \ref{m}. \section{Two}\begin{equation}b\end{equation}",
        r"\newtheorem{thm}{Theorem}[section]\newtheorem{main}{Theorem}\renewcommand{\themain}{\Alph{main}} %"
        "\n"
        r"\renewcommand\theequation{{\rm\thesection.\arabic{equation}}}\renewcommand{\thesection}{\Roman{section}}"
        r"\makeatletter\@addtoreset{equation}{section}\makeatother",
    )
    assert words(page) == "I One Theorem I.1. x Theorem A. y (I.1), I.1, A. II Two"
    assert formulas(page) == [r"a\tag{I.1}", r"b\tag{II.1}"]


def test_what_a_counter_prints_ends_with_its_group_and_with_the_appendix():
    page = latex(
        r"\section{One}{\def\thethm{\ref{x}'}\begin{thm}a\end{thm}}{\def\thethm{1'}\begin{thm}b\end{thm}}"
        r"\begin{thm}c\end{thm}\appendix\section{Two}\renewcommand{\thesection}{A\arabic{section}}\section{Three}",
        r"\newtheorem{thm}{Theorem}\renewcommand{\thesection}{\Roman{section}}",
    )
    assert words(page) == "I One Theorem 1. a Theorem 1'. b Theorem 3. c A Two A2 Three"


@pytest.mark.parametrize(
    "body",
    [r"\thethm", r"\theb\theb", "x" * 150, r"\arabic{thm}$'$", r"\value{thm}", r"\thenothing", r"\arabic{"],
)
def test_numbers_that_print_as_more_than_a_number_are_arabic(body):
    preamble = (
        rf"\newtheorem{{thm}}{{Theorem}}\newcounter{{b}}\def\thethm{{{body}}}\def\theb{{\thethm\thethm}}"
    )
    assert words(latex(r"\begin{thm}a\end{thm}", preamble)).startswith("Theorem 1. a")


def test_counters_restart_without_showing_what_restarts_them():
    body = r"\section{A}\begin{thm}a\end{thm}\section{B}\begin{thm}b\end{thm}"
    assert words(latex(body, r"\newtheorem{thm}{Theorem}\counterwithin*{thm}{section}")) == (
        "1 A Theorem 1. a 2 B Theorem 1. b"
    )
    assert words(latex(body, r"\newtheorem{thm}{Theorem}[section]\counterwithout{thm}{section}")) == (
        "1 A Theorem 1. a 2 B Theorem 2. b"
    )


@pytest.mark.parametrize(
    ("depth", "shown"),
    [
        (r"-\maxdimen", "A 1. B Lemma 0.1. x"),
        ("0", "A 1. B Lemma 0.1. x"),
        ("1", "1 A 1. B Lemma 1.1. x"),
        ("5", "1 A 1.1 1. B Lemma 1.1. x"),
    ],
)
def test_headings_below_secnumdepth_have_no_number(depth, shown):
    preamble = rf"\setcounter{{secnumdepth}}{{{depth}}}\newtheorem{{lem}}{{Lemma}}[section]"
    page = latex(r"\section{A}\subsection{1. B}\begin{lem}x\end{lem}\setcounter{lem}{--5}", preamble)
    assert words(page) == shown


def test_an_enumeration_has_the_labels_that_its_document_declares():
    inside = r"\item\label{a} x\item y\end{enumerate} \ref{a}"
    for declared, shown in (
        (r"\def\labelenumi{(\alph{enumi})}\setcounter{enumi}{2}", "(c) x (d) y 3"),
        (r"\renewcommand{\labelenumi}{{\bf Step \arabic{enumi}:}}", "Step 1: x Step 2: y 1"),
        (r"\renewcommand{\theenumi}{\roman{enumi}}\renewcommand\labelenumi{(\theenumi)}", "(i) x (ii) y i"),
        (r"\renewcommand{\theenumi}{\roman{enumi}}", "i. x ii. y i"),
        (r"\renewcommand{\labelenumi}{\fbox{\theenumi}}", "1. x 2. y 1"),
    ):
        assert words(latex(r"\begin{enumerate}" + declared + inside)) == shown
    assert words(latex(r"\begin{enumerate}[label=\Alph*)]\def\labelenumi{-}" + inside)) == "A) x B) y A)"
    for declared in (r"\setlist[enumerate,1]{label=(\roman*), nosep}", r"\setenumerate[1]{label=(\roman*)}"):
        assert words(latex(r"\begin{enumerate}[nosep]" + inside, declared)) == "(i) x (ii) y (i)"
        assert words(latex(r"\begin{enumerate}[(a)]" + inside, declared)) == "(a) x (b) y (a)"
        nested = latex(
            r"\begin{enumerate}\item x\begin{enumerate}\item y\end{enumerate}\end{enumerate}", declared
        )
        assert words(nested) == "(i) x (a) y"
    assert (
        words(latex(r"\begin{enumerate}" + inside, r"\setlist[itemize]{label=--}\setlist{nosep}"))
        == "1. x 2. y 1"
    )


def test_a_quantity_keeps_its_unit():
    assert words(latex(r"\SI{9.8}{\meter\per\second} or \SI{5}{kg}")) == "9.8 meter per second or 5 kg"
    assert (
        words(latex(r"\SIrange{1}{2}{\meter}, \ang{30}, \si{\kilo\gram}")) == "1 to 2 meter, 30°, kilo gram"
    )
    assert words(latex(r"2\texttimes3\textpm1 \og a\fg{}")) == "2×3±1 « a »"


def test_a_file_that_is_input_without_braces_is_named_whole() -> None:
    assert words(fragment("One.\n\\input lemma_1\nTwo.")) == "One. [file lemma_1, not read] Two."


def test_a_condition_of_the_document_shows_the_branch_that_holds() -> None:
    preamble = r"\newif\iflong\newif\ifdraft\drafttrue"
    assert words(latex(r"\iflong A\else B\fi{\longtrue\iflong C\else D\fi} \iflong E\fi", preamble)) == "BC"
    assert (
        words(latex(r"\ifdraft A\iftrue B\else C\fi\else D\fi\draftfalse\ifdraft E\fi F", preamble)) == "ABF"
    )


def test_an_environment_for_theorems_with_numbers_of_their_own_shows_them() -> None:
    preamble = (
        r"\newtheorem{inner}{Theorem}"
        r"\newenvironment{numbered}[1]{\renewcommand\theinner{#1}\inner}{\endinner}"
    )
    page = latex(r"\begin{numbered}{A'}[Main]\label{a} x\end{numbered} By \ref{a}. \inner y", preamble)
    assert words(page) == "Theorem A' (Main). x By A'. y"


def test_the_keys_of_thmtools_are_no_title() -> None:
    page = latex(r"\begin{lemma}[name=Foo, label=a] x\end{lemma}\begin{lemma}[label] y\end{lemma} \ref{a}")
    assert words(page) == "Lemma 1 (Foo). x Lemma 2 (label). y 1"


def test_a_restatable_theorem_is_named_where_it_is_stated_again() -> None:
    page = latex(
        r"\begin{restatable}{theorem}{main} x\end{restatable}\begin{theorem} y\end{theorem}\main* So."
    )
    assert words(page) == "Theorem 1. x Theorem 2. y Theorem 1 (restated) So."


def test_an_enumeration_goes_on_and_refers_as_enumitem_says() -> None:
    first = r"\begin{enumerate}[label=Step \arabic*:, ref=\arabic*]\item x\item\label{a} y\end{enumerate}"
    again = r"\begin{enumerate}[resume]\item z\end{enumerate}\begin{enumerate}\item w\end{enumerate}"
    assert words(latex(first + again + r"\ref{a}")) == "Step 1: x Step 2: y 3. z 1. w 2"


def test_references_to_items_of_inner_enumerations_name_the_outer_ones_as_latex_does() -> None:
    """What LaTeX calls p@enumii is the number of the outer item, p@enumiii that and (a)."""
    inner = r"\begin{enumerate}\item\label{i} z\end{enumerate}"
    middle = rf"\begin{{enumerate}}\item x\item\label{{m}} y{inner}\end{{enumerate}}"
    for option, shown in (("", "1b 1(b)i"), (r"[label=(\roman*)]", "(i)b (i)(b)i")):
        page = latex(
            rf"\begin{{enumerate}}{option}\item w\begin{{itemize}}\item v{middle}\end{{itemize}}\end{{enumerate}}"
            r"\ref{m} \ref{i}"
        )
        assert words(page).endswith(f" {shown}")
    own = r"\begin{enumerate}\item\begin{enumerate}[label=\Alph*)]\item\label{o} x\end{enumerate}\end{enumerate}"
    assert words(latex(own + r"\ref{o}")).endswith(" A)")


def test_pseudocode_keeps_its_keywords_and_calls() -> None:
    for source, shown in (
        (r"\eIf{a}{b\;}{c\;}", "if a then b else c"),
        (r"\ForEach{a}{b\;} \tcp*{c}", "for each a do b ▷ c"),
        (r"\Function{F}{x}\State \Call{G}{y}\EndFunction", "function F(x) G(y) end function"),
        (r"\Loop\State a\EndLoop", "loop a end loop"),
    ):
        assert words(latex(r"\begin{algorithmic}" + source + r"\end{algorithmic}")) == shown


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (
            r"\begin{tabular}{ll}a&b\\\cmidrule(lr){1-2}c&d\\\cmidrule[1pt](l{3pt}r){1-1}e\end{tabular}",
            "a b c d e",
        ),
        (r"\begin{longtable}{l}\caption{A}\\b\end{longtable}", "Table 1. A b"),
        (r"\begin{wrapfigure}[9]{r}{3cm}\caption{A}\end{wrapfigure}", "Figure 1. A"),
        (r"\selectlanguage{english}\newtagform{b}{[}{]}\usetagform{b}a", "a"),
        (r"\framebox[3cm][l]{a} \framebox{b}", "a b"),
    ],
)
def test_what_says_only_how_to_lay_out_is_not_shown(source: str, shown: str) -> None:
    assert words(latex(source)) == shown


def test_a_range_of_references_shows_numbers() -> None:
    page = latex(r"\begin{align}a\label{a}\\b\label{b}\end{align}\crefrange{a}{b}")
    assert words(page) == "equation (1) to (2)"


def test_a_listing_keeps_its_caption() -> None:
    page = latex("\\begin{lstlisting}[caption={Sorting}, language=C]\nx\n\\end{lstlisting}")
    assert words(page) == "Sorting"
