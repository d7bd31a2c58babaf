"""Lemmas with what they need: which are recalled, what a model is shown, what it may point to, the lines."""

import json
from pathlib import Path

import pytest

from benchmark.citations.folding import undelimited
from benchmark.importing.keys import PaperFields
from benchmark.protocol import InstanceRecord
from benchmark.protocols.lemmas.loader import context_text, read_release
from benchmark.protocols.lemmas.schema import LemmaLine
from construction.recipes.lemmas.assembly import Needed, assembled, needed, refused
from construction.recipes.lemmas.contexts import Found, full, lemmas, lexical
from construction.recipes.lemmas.recipe import Recipe
from construction.recipes.passages import Drop, Made
from latex import Outline, flatten, outline
from tests.construction import mined
from tests.growing import grows_in_proportion
from tests.latex import sources

HEAD = (
    r"\documentclass{article}\newtheorem{lem}{Lemma}\newtheorem{dfn}[lem]{Definition}\newcommand{\R}{\mathbb{R}}"
    "\\begin{document}"
)
PAPER = (
    "Trees grow.\n\nA \\emph{tree} is\n a graph over $\\R$.\n\nForests burn.\n\nA subtree is no tree  here.\n\n"
    "\\begin{lem}\\label{l}Every tree has $x\\in\\R$.\\end{lem}\nThe tree ends here.\n"
)


def read(body: str) -> Outline:
    texts = {"main.tex": HEAD + body}
    return outline(flatten(texts, "main.tex"), texts)


def reply(*definitions: str, assumptions: tuple[str, ...] = ()) -> str:
    return json.dumps(
        {
            "definitions": [{"quotes": [quote]} for quote in definitions],
            "assumptions": [{"quotes": [quote]} for quote in assumptions],
            "missing": ["graph"],
        }
    )


def line_of(body: str, *definitions: str) -> Made[LemmaLine] | Drop:
    source = read(body)
    ((number, found),) = lemmas(source, Recipe())
    assert isinstance(found, Found)
    needs = needed(source, number, full(source, number, Recipe()), reply(*definitions))
    if isinstance(needs, Drop):
        return needs
    return assembled(
        source, found, needs, extraction="full", instance_id="l-1", domain="combinatorics",
        paper=PaperFields(key="p"), written_by="needs.v1", category="math.CO",
    )  # fmt: skip


# -- lemmas --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("lemma", "expected"),
    [
        ("\\begin{lem}Every tree.\\end{lem}", 0),
        ("\\begin{lem}[{\\cite[2]{a}}]Every tree.\\end{lem}", "recalled_lemma"),
        ("\\begin{lem}[Lemma 2 of Smith [3]]Every tree.\\end{lem}", "recalled_lemma"),
        ("\\begin{lem}[Main]\\label{l}By \\cite{a}, every tree.\\end{lem}", "recalled_lemma"),
        # more than 60 characters before it: the citation is counted
        (f"\\begin{{lem}}{'Every tree grows. ' * 5}See \\cite{{a}}.\\end{{lem}}", 1),
    ],
)
def test_a_lemma_is_recalled_if_its_title_or_its_first_words_say_so(lemma: str, expected: int | str) -> None:
    ((_, found),) = lemmas(read(lemma), Recipe())
    assert (found.code if isinstance(found, Drop) else found.citations) == expected


def test_lemmas_within_lemmas_within_lemmas_are_left_out() -> None:
    found = lemmas(read("\\begin{lem}A" * 4 + "\\end{lem}" * 4), Recipe())
    codes = [one.code if isinstance(one, Drop) else "" for _, one in found]
    assert codes == ["", "", "nested_too_deeply", "nested_too_deeply"]


# -- contexts ------------------------------------------------------------------------------------------------
def test_the_full_context_is_all_of_the_document_before_the_lemma() -> None:
    source = read(PAPER)
    (span,) = full(source, 0, Recipe()).spans
    assert source.text_of(span) == PAPER[: PAPER.index("\\begin{lem}")]


def test_a_context_that_is_too_long_is_cut_at_a_paragraph_and_says_so() -> None:
    source = read(PAPER)
    found = full(source, 0, Recipe(max_context=60))
    (span,) = found.spans
    assert source.text_of(span).strip() == "Forests burn.\n\nA subtree is no tree  here."
    assert found.codes == ("truncated_context",)


def test_paragraphs_that_name_an_object_are_found_by_words_in_the_order_of_the_source() -> None:
    source = read(PAPER)
    found = lexical(source, 0, ["tree"], Recipe(min_paragraphs=0), {})
    assert [source.text_of(span) for span in found.spans] == [
        "A \\emph{tree} is\n a graph over $\\R$.", "A subtree is no tree  here.",
    ]  # fmt: skip
    assert found.extraction == "lexical"
    assert lexical(source, 0, [], Recipe(), {}).spans == ()
    (best,) = lexical(source, 0, ["no tree"], Recipe(min_paragraphs=0), {}).spans
    assert source.text_of(best) == "A subtree is no tree  here."
    assert len(lexical(source, 0, ["tree"], Recipe(min_paragraphs=0, max_paragraphs=1), {}).spans) == 1


# -- what a model points to ----------------------------------------------------------------------------------
def test_a_definition_is_cut_from_the_paper_with_its_span() -> None:
    found = line_of(PAPER, "A \\emph{tree} is a graph over $\\R$.")
    assert isinstance(found, Made)
    (definition,) = found.line.definitions
    assert not isinstance(definition, str)
    assert definition.text == "A \\emph{tree} is\n a graph over $\\mathbb{R}$."
    text = HEAD + PAPER
    assert [text[span.start : span.end] for span in definition.spans] == [
        "A \\emph{tree} is\n a graph over $\\R$."
    ]
    assert found.line.statement == "\\label{l}Every tree has $x\\in\\mathbb{R}$."
    assert found.line.extraction == "full_context"
    (place,) = found.provenance["definitions.0.text"].places
    assert text[place.start : place.end] == "A \\emph{tree} is\n a graph over $\\R$."
    assert found.provenance["definitions.0.text"].written_by == "needs.v1"


@pytest.mark.parametrize(
    ("quote", "code"),
    [
        ("The tree ends here.", "later_text"),
        ("Every tree has", "later_text"),
        ("A forest is", "quote_not_found"),
        ("tree", "quote_not_unique"),
    ],
)
def test_words_that_are_not_once_before_the_lemma_are_refused(quote: str, code: str) -> None:
    found = line_of(PAPER, quote)
    assert isinstance(found, Drop)
    assert found.code == code


def test_a_reply_in_its_own_words_is_refused() -> None:
    source = read(PAPER)
    wrong = json.dumps({"definitions": [{"text": "A tree is a graph."}], "assumptions": [], "missing": []})
    found = needed(source, 0, full(source, 0, Recipe()), wrong)
    assert isinstance(found, Drop)
    assert found.code == "wrong_reply"


def test_paragraphs_that_were_found_by_words_are_not_called_vectors() -> None:
    source = read(PAPER)
    ((number, found),) = lemmas(source, Recipe())
    assert isinstance(found, Found)
    needs = needed(
        source, number, lexical(source, 0, ["tree"], Recipe(), {}), reply("A subtree is no tree here.")
    )
    assert isinstance(needs, Needed)
    assert needs.missing == ("graph",)
    made = assembled(
        source, found, needs, extraction="lexical", instance_id="l", domain="d", paper=PaperFields(key="p"),
        written_by="needs.v1",
    )  # fmt: skip
    assert isinstance(made, Made)
    assert made.line.extraction is None
    assert made.provenance["definitions.0.text"].program.endswith("lexical context")


def test_a_lemma_that_its_proof_is_written_in_is_refused_whatever_the_author_calls_a_proof() -> None:
    made = line_of(
        "\\newtheorem*{prf}{Proof}\\begin{lem}Every tree. \\begin{prf}So \\[x=1\\] it is.\\end{prf}\\end{lem}"
    )
    assert isinstance(made, Drop)
    assert made.code == "has_proof"


def test_a_definition_from_the_lemmas_own_proof_which_stands_before_it_is_refused() -> None:
    proof = "\\begin{proof}[Proof of Lemma \\ref{l}]So \\[x=1\\] it is.\\end{proof} Trees grow.\n\n"
    lemma = "\\begin{lem}\\label{l}Every tree.\\end{lem}"
    made = line_of(proof + lemma, "So \\[x=1\\]")
    assert isinstance(made, Drop)
    assert made.code == "quote_in_proof"
    assert isinstance(line_of(proof + lemma, "Trees grow."), Made)


# -- what a program refuses ----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("A \\cite{k}.", "external_citation"),
        ("See \\ref{gone}.", "unresolved_reference"),
        ("\\begin{figure}x\\end{figure}", "drawing"),
        ("$\\xymatrix{A}$", "drawing"),
        ("\\begin{proof}So.\\end{proof}", "has_proof"),
        ("A $x^y^z$.", "formula_not_set"),
    ],
)
def test_a_lemma_that_needs_more_than_its_text_is_refused_each_time(text: str, code: str) -> None:
    for _ in range(2):
        found = refused(f"$x=1$ \\label{{a}}\\ref{{a}}. {text}")
        assert found is not None
        assert found.code == code
    assert refused("$x=1$ \\label{a}\\ref{a}.") is None


@pytest.mark.parametrize(
    "piece", ["tree ", "\\begin{lem}[", "\\begin{lem}\\label{a}", "\\cite{a}", "\n\n", "\\begin{figure}"]
)
def test_a_flood_takes_time_in_proportion(piece: str) -> None:
    def work(text: str) -> None:
        source = read(text)
        found = list(lemmas(source, Recipe()))
        for number, _ in found[-3:]:
            full(source, number, Recipe())
            lexical(source, number, ["tree tree tree", "x"], Recipe(), {})
        refused(text)

    assert grows_in_proportion(
        work, lambda size: piece * (size // len(piece)) + "\\begin{lem}L.\\end{lem}", 12_500, 50_000, 200_000
    )


# -- real sources --------------------------------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.real_data
@pytest.mark.parametrize("name", sources.SOURCES)
def test_the_lemmas_of_real_sources_are_those_of_the_ground_truth_and_make_a_release(
    name: str, tmp_path: Path
) -> None:
    source = mined.outline_of(name)
    wanted = {key for key, row in sources.truth(name, "statement").items() if row["kind"] == "lemma"}
    results = dict(mined.lemmas_of(name))
    assert {sources.key_of(name, source.statements[number].span) for number in results} == wanted
    made = {number: one for number, one in results.items() if isinstance(one, Made)}
    for number, one in made.items():
        line, limit = one.line, source.statements[number].span.start
        for entry in [*line.definitions, *line.assumptions]:
            assert not isinstance(entry, str)
            assert all(span.end <= limit for span in entry.spans)
        assert (
            refused(
                "\n\n".join([line.title, line.statement, context_text(line.definitions, line.assumptions)])
            )
            is None
        )
        strings = {f"definitions.{at}.text" for at in range(len(line.definitions))}
        strings |= {key for key, value in line.model_dump().items() if isinstance(value, str) and value}
        assert one.provenance.keys() - {"paper"} == strings
    records = list(read_release(mined.written(list(made.values()), tmp_path / "release.jsonl")))
    assert all(isinstance(record, InstanceRecord) for record in records)
    assert len(records) == len(made) > 0


@pytest.mark.slow
@pytest.mark.real_data
def test_two_weeks_have_no_lemma_in_common() -> None:
    first, second = (
        {
            undelimited(one.line.statement)
            for name in names
            for _, one in mined.lemmas_of(name)
            if isinstance(one, Made)
        }
        for names in (("pfr", "paper-roetz22"), ("flt", "paper-benning-crit"))
    )
    assert first
    assert second
    assert not first & second
