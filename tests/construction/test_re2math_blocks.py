"""The blocks of a proof before a citation."""

import pytest

from construction.recipes.passages import Drop
from construction.recipes.re2math.blocks import Context, context, segments
from construction.recipes.re2math.recipe import Recipe
from latex import Outline, Span, flatten, outline, render_checked
from tests.construction.re2math_data import contexts_by_hand, cut_otherwise_than_by_hand
from tests.growing import grows_in_proportion

HEAD = (
    "\\documentclass{article}\\newtheorem{thm}{Theorem}\\newcommand{\\eps}{\\varepsilon}\n\\begin{document}\n"
    "\\begin{thm}\\label{t}X.\\end{thm}\n\\begin{equation}\\label{e}a\\end{equation}\n\\begin{proof}"
)


def of_proof(body: str) -> tuple[Outline, Span]:
    files = {"main.tex": f"{HEAD}{body}\\end{{proof}}\\end{{document}}"}
    found = outline(flatten(files, "main.tex"), files)
    return found, found.proofs[0].body


def cut(body: str) -> list[tuple[str, str]]:
    found, around = of_proof(body)
    return [(block.kind, found.text_of(block.span)) for block in segments(found, around)]


def test_sentences_end_at_stops_outside_of_formulas_braces_and_abbreviations() -> None:
    body = (
        "Let $x. Y$ be (see e.g.\\ Fig. 2, resp. A. Weil) small? Then \\emph{one. Two} holds! $y$ is by Prop. $Z$ "
        "fine. the end.\n\n\\noindent New one."
    )
    assert cut(body) == [
        ("sentence", "Let $x. Y$ be (see e.g.\\ Fig. 2, resp. A. Weil) small?"),
        ("sentence", "Then \\emph{one. Two} holds!"),
        ("sentence", "$y$ is by Prop. $Z$ fine. the end."),
        ("sentence", "New one."),
    ]


def test_displays_items_and_environments_are_blocks_of_their_own() -> None:
    body = (
        "We have \\[ a. B \\] where $a$ is. Cases:\\begin{enumerate}[(i)] \\item One. Two. \\item Three\n"
        "\\end{enumerate} So\n\\begin{quote}Four. Five.\\end{quote} % Hidden. Text\nDone."
    )
    assert cut(body) == [
        ("sentence", "We have"),
        ("display", "\\[ a. B \\]"),
        ("sentence", "where $a$ is."),
        ("sentence", "Cases:"),
        ("item", "\\item One. Two."),
        ("item", "\\item Three"),
        ("sentence", "So"),
        ("environment", "\\begin{quote}Four. Five.\\end{quote}"),
        ("sentence", "Done."),
    ]


def test_a_context_has_at_most_five_blocks_and_nothing_of_the_citations_own() -> None:
    body = "One. Two. Three. Four. Five. Six. By \\cite[Thm. A]{K} we win. Seven."
    found, around = of_proof(body)
    made = context(found, around, found.citations[0].span, Recipe())
    assert isinstance(made, Context)
    assert made.texts == ("Two.", "Three.", "Four.", "Five.", "Six.")
    assert found.text_of(made.own) == "By \\cite[Thm. A]{K} we win."


def test_a_block_is_shown_without_macros_and_labels_and_with_printed_numbers() -> None:
    body = "For $\\eps>0$ apply Theorem~\\ref{t}, \\eqref{e} and \\ref{gone}. \\cite{K} ends."
    found, around = of_proof(body)
    made = context(found, around, found.citations[0].span, Recipe())
    assert isinstance(made, Context)
    assert made.texts == ("For $\\varepsilon>0$ apply Theorem~1, (1) and \\ref{gone}.",)


def test_a_context_is_empty_only_where_the_tool_is_restated() -> None:
    found, around = of_proof("By \\cite{K} it is.")
    refused = context(found, around, found.citations[0].span, Recipe())
    assert isinstance(refused, Drop)
    assert refused.code == "empty_local_context"
    assert isinstance(context(found, around, found.citations[0].span, Recipe(), is_restated=True), Context)


@pytest.mark.parametrize(
    "worst",
    [
        "\\label{" * 5, ". " * 20, "\\begin{quote}" * 3, "{" * 40, "\\item " * 6, ".   \n \n  ", "\\index{a{b}" * 4,
        "$x_{a}$. A ", "\\begin{itemize}[", "\\ref{", "% a. B\n",
    ],
)  # fmt: skip
def test_the_worst_text_takes_time_in_proportion(worst: str) -> None:
    def write(size: int) -> tuple[Outline, Span]:
        text = worst * (size // len(worst))
        return Outline(flatten({"a": text}, "a"), (), (), (), (), (), (), (), (), ()), Span(0, len(text))

    assert grows_in_proportion(lambda given: list(segments(*given)), write, 12_500, 50_000, 200_000)


@pytest.mark.slow
@pytest.mark.real_data
def test_blocks_of_real_sources_are_cut_as_by_hand() -> None:
    read, wrong = cut_otherwise_than_by_hand()
    assert read == 55
    assert wrong == []


@pytest.mark.slow
@pytest.mark.real_data
def test_formulas_of_real_contexts_can_be_set_and_their_places_are_theirs() -> None:
    formulas = 0
    for found, made in contexts_by_hand():
        report = render_checked("\n\n".join(made.texts), "latex").report
        formulas += report.formulas
        assert report.failures == ()
        for block in made.blocks:
            places = found.flat.places(block.span.start, block.span.end)
            assert sum(place.end - place.start for place in places) == block.span.end - block.span.start
    assert formulas == 187
