"""The outline of a source: what it finds, where, and which proof proves what."""

import itertools

import pytest

from latex import Outline, expand, flatten, outline
from latex.structure.expansion import Definitions
from tests.growing import grows_in_proportion
from tests.latex import sources

HEAD = r"\documentclass{article}\newtheorem{thm}{Theorem}\newtheorem{rem}[thm]{Remark}\begin{document}" + "\n"


def read(body: str, **files: str) -> Outline:
    texts = {"main.tex": HEAD + body, **{name.replace("_", "."): text for name, text in files.items()}}
    return outline(flatten(texts, "main.tex"), texts)


def pairing(body: str) -> list[tuple[int | None, str]]:
    return [(proof.statement, proof.evidence) for proof in read(body).proofs]


THM = "\\begin{thm}\\label{a}A.\\end{thm}\n"
PROOF = "\\begin{proof}So.\\end{proof}\n"


# -- files ---------------------------------------------------------------------------------------------------
def test_files_are_joined_where_they_are_input_and_every_span_is_in_its_own_file() -> None:
    files = {
        "main.tex": "A\\input{parts/one}B % \\input{parts/two}\n\\include{parts/two}C",
        "parts/one.tex": "1\\input parts/two \n",
        "parts/two.tex": "2",
    }
    flat = flatten(files, "main.tex")
    assert flat.text == "A12 \nB % \\input{parts/two}\n2C"
    assert [(place.file, files[place.file][place.start : place.end]) for place in flat.places(0, 3)] == [
        ("main.tex", "A"), ("parts/one.tex", "1"), ("parts/two.tex", "2"),
    ]  # fmt: skip


def test_a_file_that_inputs_itself_or_is_missing_is_named_and_nothing_is_lost() -> None:
    flat = flatten({"main.tex": "A\\input{main}\\input{gone}B"}, "main.tex")
    assert flat.text == "A\\input{main}\\input{gone}B"
    assert [name.split(" ")[0] for name in flat.missing] == ["main.tex", "gone"]


def test_a_comment_at_the_end_of_a_file_hides_nothing_that_follows() -> None:
    assert flatten({"m.tex": "\\input{a}B", "a.tex": "A% end"}, "m.tex").text == "A% end\nB"


def test_a_package_of_the_source_defines_macros_and_theorems_but_not_what_the_reader_knows() -> None:
    texts = {
        "m.tex": r"\documentclass{article}\usepackage{own}\begin{document}\begin{satz}$\R$\cite{k}\end{satz}",
        "own.sty": r"\newcommand\my@R{\mathbb R}\newcommand\R{\my@R}\newtheorem{satz}{Satz}\def\cite#1{}",
    }
    found = outline(flatten(texts, "m.tex"), texts)
    (statement,) = found.statements
    assert (statement.kind, statement.head) == ("theorem", "Satz")
    assert found.expanded(statement.body).text == r"$\mathbb R$\cite{k}"
    assert [citation.keys for citation in found.citations] == [("k",)]


def test_a_package_may_be_longer_than_the_text_and_say_things() -> None:
    texts = {
        "m.tex": r"\usepackage{own}\begin{lemma}L.\end{lemma}",
        "own.sty": "% long "
        + 200 * "x"
        + "\n"
        + r"\label{a}\ref{a}\cite{k}\newtheorem{lemma}{Lemma}\title{T}$x$",
    }
    assert [made.kind for made in outline(flatten(texts, "m.tex"), texts).statements] == ["lemma"]


# -- what is found -------------------------------------------------------------------------------------------
def test_spans_are_the_source_of_what_they_name() -> None:
    found = read(
        "\\section{One}\\begin{thm}[Main $x$]\\label{a}Let $y$.\\end{thm} See \\cite[Theorem 2]{k,l} and \\ref{a}."
    )
    (statement,) = found.statements
    assert found.text_of(statement.span) == "\\begin{thm}[Main $x$]\\label{a}Let $y$.\\end{thm}"
    assert found.text_of(statement.body) == "\\label{a}Let $y$."
    assert statement.title_span is not None
    assert found.text_of(statement.title_span) == "Main $x$"
    assert (statement.kind, statement.number, statement.labels) == ("theorem", "1", ("a",))
    (citation,) = found.citations
    assert (found.text_of(citation.span), citation.keys, citation.note) == (
        "\\cite[Theorem 2]{k,l}", ("k", "l"), "Theorem 2",
    )  # fmt: skip
    assert [found.text_of(pointer.span) for pointer in found.references] == ["\\ref{a}"]
    assert [found.text_of(label.span) for label in found.labels] == ["\\label{a}"]
    assert [found.flat.text[made.start : made.end] for made in found.formulas] == ["$x$", "$y$"]


@pytest.mark.parametrize(
    ("definition", "begin", "end"),
    [
        (r"\def\bt{\begin{thm}}\def\et{\end{thm}}", r"\bt ", r"\et"),
        (r"\newenvironment{mine}{\begin{thm}}{\end{thm}}", r"\begin{mine}", r"\end{mine}"),
        (r"\newcommand\keep[1]{#1}", r"\keep{\begin{thm}", r"\end{thm}}"),
    ],
)
def test_a_statement_that_a_macro_makes_begins_and_ends_where_its_author_wrote(
    definition: str, begin: str, end: str
) -> None:
    found = read(f"{definition}{begin}Text $x$.{end} After.")
    (statement,) = found.statements
    assert found.text_of(statement.span) == f"{begin}Text $x$.{end}".removeprefix(r"\keep{").removesuffix(
        "}}"
    ) + ("}" if begin.startswith(r"\keep") else "")


def test_a_search_for_the_end_of_an_option_moves_no_end() -> None:
    found = read("\\begin{thm}\\begin{itemize}\\item [0,1 is open.\\end{itemize}\\end{thm}\n\nAfter.")
    assert found.text_of(found.statements[0].span).endswith("\\end{itemize}\\end{thm}")


def test_the_label_of_a_display_that_cannot_be_set_resolves() -> None:
    found = read("\\begin{equation}\\xymatrix{A\\ar[r]&B}\\label{d}\\end{equation}\\eqref{d}")
    assert [(label.name, label.number, label.kind) for label in found.labels] == [("d", "1", "eq")]


def test_bibliographies_are_read_from_what_bibtex_made_and_bib_files_fill_in() -> None:
    found = read(
        "\\cite{a}\\cite{b}\\cite{c}\\bibliography{own}",
        main_bbl="\\begin{thebibliography}{9}\\bibitem{a} Smith, {\\it Sums}.\\end{thebibliography}",
        own_bib="@book{b, title={A {B} C}}\n@string{x = 1}\n@article{d, title={D}}",
    )
    assert [(entry.key, entry.form, entry.text) for entry in found.bibliography] == [
        ("a", "bibitem", "\\bibitem{a} Smith, {\\it Sums}."), ("b", "bib", "@book{b, title={A {B} C}}"),
    ]  # fmt: skip


@pytest.mark.parametrize("declared", ["proof}{Proof", "beweis}{Beweis"])
def test_a_proof_that_its_author_declares_as_a_theorem_is_a_proof(declared: str) -> None:
    name = declared.partition("}")[0]
    found = read(f"\\newtheorem*{{{declared}}}{THM}\\begin{{{name}}}So.\\end{{{name}}}")
    assert [(proof.environment, proof.statement) for proof in found.proofs] == [(name, 0)]


@pytest.mark.parametrize(
    ("proof", "title"),
    [
        ("{\\bf Proof.} So it is. $\\Box$", "Proof"),
        ("\\noindent{\\it Proof of Theorem~\\ref{a}.} So. \\qed", "Proof of Theorem~\\ref{a}"),
        ("\\textbf{Proof.} So. \\hfill$\\blacksquare$", "Proof"),
        ("\\newcommand{\\pr}{{\\noindent\\bf Proof:}}\\newcommand{\\kkk}{\\hfill$\\Box$}\\pr So. \\kkk", ""),
        ("\\proof So. \\endproof", ""),
    ],
)
def test_a_proof_that_only_its_words_make_ends_at_its_box(proof: str, title: str) -> None:
    found = read(f"{THM}\n\n{proof} After.\n\nMore.")
    (made,) = found.proofs
    assert (made.form, made.title, made.statement) == ("text", title, 0)
    shown = found.text_of(made.span)
    assert proof.endswith(shown)
    assert "After" not in shown
    assert "$" not in found.text_of(made.body)


def test_a_formula_right_before_the_box_of_a_proof_stays_whole() -> None:
    (made,) = (found := read(f"{THM}\n\n{{\\bf Proof.}} So $x=1$\\qed")).proofs
    assert found.text_of(made.body) == " So $x=1$"


def test_a_theorem_that_can_be_restated_is_a_statement_with_its_number_and_its_proof() -> None:
    body = "\\begin{restatable}[Main]{thm}{again}\\label{r}R.\\end{restatable}" + THM
    found = read(f"{body}\\section{{Proofs}}\\again*\n{PROOF}")
    restatable, other = found.statements
    assert (restatable.kind, restatable.number, restatable.title) == ("theorem", "1", "Main")
    assert (found.text_of(restatable.body), other.number) == ("\\label{r}R.", "2")
    assert [(proof.statement, proof.evidence) for proof in found.proofs] == [(0, "restated")]


# -- pairing -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (THM + PROOF, [(0, "adjacent")]),
        (THM + "% a remark\n\\medskip\n" + PROOF, [(0, "adjacent")]),
        (THM + "\\begin{thm}B.\\end{thm}\\begin{proof}[Proof of Theorem~\\ref{a}]\\end{proof}", [(0, "named")]),
        (THM + "\\begin{thm}B.\\end{thm}\\begin{proof}[Proof of Theorem 1]\\end{proof}", [(0, "named")]),
        (THM + "\\begin{proof}[Proof of \\ref{gone}]\\end{proof}", [(None, "names no statement")]),
        (THM + "\\begin{proof}[Proof of Herbrand's theorem]\\end{proof}", [(None, "names something else")]),
        (
            "\\begin{thm}[Herbrand]A.\\end{thm}" + THM + "\\begin{proof}[Proof of Herbrand's theorem]\\end{proof}",
            [(0, "titled")],
        ),
        (THM + PROOF + "\\begin{proof}[Second proof]\\end{proof}", [(0, "adjacent"), (0, "another proof")]),
        (THM + PROOF + "\nWe also note that sums converge.\n" + PROOF, [(0, "adjacent"), (None, "after a proof")]),
        (THM + "\nThis is deep.\n\n" + PROOF, [(0, "near")]),
        (THM + "\nA.\n\nB.\n\nC.\n\nD.\n\n" + PROOF, [(None, "far")]),
        (THM + "\\section{Next}" + PROOF, [(None, "across a heading")]),
        (THM + "\\section{Proof of Theorem \\ref{a}}" + PROOF, [(0, "heading")]),
        (THM + "\\begin{rem}R.\\end{rem}We now prove Theorem~\\ref{a}.\n" + PROOF, [(0, "announced")]),
        (THM + "\\begin{rem}R." + PROOF + "\\end{rem}", [(None, "none")]),
        ("\\begin{thm}A." + PROOF + "\\end{thm}", [(0, "inside")]),
        (PROOF, [(None, "none")]),
        (THM + "\\begin{thm}B.\\end{thm}\\begin{proof}\\proves{a} So.\\end{proof}", [(0, "proves")]),
    ],
)  # fmt: skip
def test_a_proof_is_paired_by_the_first_rule_that_holds(
    body: str, expected: list[tuple[int | None, str]]
) -> None:
    assert pairing(body) == expected


# -- expansion -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("definitions", "passage", "expected"),
    [
        (r"\newcommand\R{\mathbb R}", r"$x\in\R$ and \emph{so}", r"$x\in\mathbb R$ and \emph{so}"),
        (r"\newcommand\f[2][k]{#1\to#2}", r"$\f a$, $\f[l]{b}$", r"$k\to a$, $l\to b$"),
        (r"\def\a{\alpha}", r"$\a b$", r"$\alpha b$"),
        (r"\def\a{\alpha}", "one % \\a\n two~\\verb|\\a|", "one two~\\verb|\\a|"),
        (r"\newenvironment{eq}{\begin{equation}}{\end{equation}}", r"\begin{eq}x\end{eq}",
         r"\begin{equation}x\end{equation}"),
        (r"\let\old\phi\def\phi{\varphi}", r"$\phi\old$", r"$\varphi\phi$"),
        ("", r"{\def\b{1}$\b$}", r"{$1$}"),
        ("", r"\iffalse no\fi yes", "yes"),
        ("", "\\[x.\\qedhere\n", "\\[x.\\qedhere\n"),
    ],
)  # fmt: skip
def test_macros_of_the_author_are_expanded_and_the_rest_stays(
    definitions: str, passage: str, expected: str
) -> None:
    found = read(f"{definitions}\\begin{{thm}}{passage}\\end{{thm}}")
    text = found.expanded(found.statements[0].body).text
    assert text == expected
    assert expand(text, Definitions()).text == text


def test_a_passage_is_expanded_by_the_definitions_that_are_in_force_there() -> None:
    found = read("\\def\\x{1}\\begin{thm}\\x\\end{thm}\\begingroup\\def\\x{2}\\begin{thm}\\x\\end{thm}\\endgroup"
                 "\\begin{thm}\\x\\end{thm}")  # fmt: skip
    assert [found.expanded(made.body).text for made in found.statements] == ["1", "2", "1"]
    assert [found.expanded(made.body).text for made in reversed(found.statements)] == ["1", "2", "1"]


def test_a_macro_that_expands_without_end_is_named() -> None:
    found = read("\\def\\x{a\\x}\\begin{thm}$\\x$ b\\end{thm}")
    assert found.expanded(found.statements[0].body).left == ("x",)


# -- harm ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "piece",
    [
        THM + PROOF, PROOF, "\\begin{thm}", "\\begin{proof}[Proof of ", "{\\bf Proof. ", "\\proof ", "\\begingroup}",
        "\\label{a}\\ref{a}", "\\cite[", "\\def\\x{a\\x}\\[\\x\\]", "\\section{Proof of \\ref{a}}" + PROOF,
        "\\label[" + PROOF, "\n{\\bf Proof {a}{b", "\\bib{a}{b}{", "%\n", "\\begin{thm}\\def\\y{1}\\end{thm}",
    ],
)  # fmt: skip
def test_the_outline_of_a_flood_takes_time_in_proportion(piece: str) -> None:
    def work(text: str) -> None:
        found = outline(flatten({"m.tex": text}, "m.tex"), {"m.tex": text})
        for made in itertools.islice(found.statements, 20):
            found.expanded(made.span)

    assert grows_in_proportion(
        work, lambda size: HEAD + piece * (size // len(piece)), 12_500, 50_000, 200_000
    )


# -- real sources --------------------------------------------------------------------------------------------
@pytest.mark.real_data
@pytest.mark.parametrize("name", sources.SOURCES)
def test_every_statement_and_proof_of_real_sources_is_found_at_its_place(name: str) -> None:
    files, flat, found = sources.files_of(name), sources.flat_of(name), sources.outline_of(name)
    statements = {sources.key_of(name, made.span): made for made in found.statements}
    proofs = {sources.key_of(name, made.span): made for made in found.proofs}
    wanted = sources.truth(name, "statement")
    assert wanted.keys() <= statements.keys()
    assert {key: row["kind"] for key, row in wanted.items()} == {key: statements[key].kind for key in wanted}
    assert proofs.keys() == sources.truth(name, "proof").keys()
    for made in [*found.statements, *found.proofs]:
        text = found.text_of(made.span)
        places = flat.places(made.span.start, made.span.end)
        assert text == "".join(files[file][start:end] for file, start, end in places)
        assert text.startswith("\\begin{" + made.environment)
        assert text.endswith("\\end{" + made.environment + "}")
    for formula in found.formulas:
        assert formula.start < formula.end
    by_number = {(key[0], row["n"]): key for key, row in wanted.items()}
    for key, row in sources.truth(name, "proof").items():
        if row["evidence"] in ("adjacent", "named"):
            paired = proofs[key].statement
            assert paired is not None
            doc = key[0] if sources.SOURCES[name][2] is not None else ""
            assert sources.key_of(name, found.statements[paired].span) == by_number[doc, row["statement"]]
