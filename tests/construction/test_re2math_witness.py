"""What is refused as a witness, and as an anchor."""

import pytest

from benchmark.citations.reading import read_citation
from benchmark.protocols.re2math.citing import cited_source
from construction.recipes.re2math.recipe import Recipe
from construction.recipes.re2math.witness import anchor_refused, lost_backslash, refused, restated
from tests.construction.re2math_data import published_rows
from tests.growing import takes_less_than

GOOD = "If $f$ is continuous on $[0,1]$, then $\\sup |f| < \\infty$."
CITED = read_citation(
    "A. Tutte, The factorization of linear graphs, J. London Math. Soc. 22 (1947), 107-111."
)
ANCHOR = "Bound the number of odd components that are left after removing a set of vertices."


def test_a_statement_is_a_witness() -> None:
    assert refused(GOOD, "theorem", Recipe(), source=GOOD, macros={"eps"}) is None


@pytest.mark.parametrize(
    ("tool", "code"),
    [
        (" ", "weak_tool_empty"),
        ("x" * 5_001, "weak_tool_too_long"),
        (f"{GOOD} See \\cite{{A}}.", "weak_tool_contains_citation_command"),
        (f"\\begin{{thm}}{GOOD}\\end{{thm}}", "weak_tool_env_wrapper"),
        ("Theorem 2 states that $x$ is small.", "weak_tool_source_report"),
        ("Recall that $x$ is small for all $y$.", "weak_tool_narrative_phrase"),
        ("then $x$ is small for all $y$.", "weak_tool_bad_prefix"),
        ("For every $n$ the term $x_$ is small.", "weak_tool_dangling_script"),
        ("For every $n the term is small.", "weak_tool_unbalanced_inline"),
        ("For every number \\[ n the term is small.", "weak_tool_unbalanced_display"),
        ("For every ${n$ the term is small.", "weak_tool_unbalanced_brace"),
        ("For every }n the term is small.", "weak_tool_unbalanced_brace"),
        ("$x$ is small.", "weak_tool_too_short"),
        ("It is so that if . , then $x$ is small.", "weak_tool_if_then_non_math_if"),
        ("It is so that if $x$ is small, then .", "weak_tool_if_then_non_math_then"),
        ("For every $n$ the  igma -field is small.", "lost_backslash"),
        ("For every $\\eps$ the term is small.", "macro_not_expanded"),
        ("For every $\\frac{n}$ the term is small.", "formula_not_set"),
    ],
)
def test_a_weak_witness_is_refused_with_its_code(tool: str, code: str) -> None:
    drop = refused(tool, "lemma", Recipe(), source="Let $\\sigma$ be a field.", macros={"eps"})
    assert drop is not None
    assert drop.code == code
    assert drop.sentence


def test_a_witness_of_no_known_type_is_refused() -> None:
    drop = refused(GOOD, "other", Recipe())
    assert drop is not None
    assert drop.code == "generic_tool_type"


def test_a_word_of_the_source_is_no_lost_control_word() -> None:
    assert lost_backslash("S ubseteq T", "$S \\subseteq T$") == "ubseteq"
    assert lost_backslash("an and", "$\\land$ and $x$") == ""


def test_a_quotation_must_be_in_the_passage_once() -> None:
    assert restated("sum  is\nsmall", "The sum is small.")
    assert not restated("sum", "The sum of the sum.")
    assert not restated(" ", "The sum.")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Bound it.", "anchor_length"),
        (ANCHOR + "x" * 200, "anchor_length"),
        (ANCHOR + " $x", "anchor_unbalanced_inline"),
        (ANCHOR[:-1] + " by the theorem of Tutte.", "anchor_leaks"),
        (ANCHOR + " \\cite{Tu47}", "anchor_leaks"),
    ],
)
def test_an_anchor_that_cannot_be_shown_is_refused(text: str, code: str) -> None:
    drop = anchor_refused(text, CITED, Recipe())
    assert drop is not None
    assert drop.code == code


@pytest.mark.parametrize("worst", ["if ", "\\sigma ", "theorem 1", "$", "{", "_ ", "\\begin{", "1.1"])
def test_a_witness_of_a_megabyte_is_refused_at_once(worst: str) -> None:
    text = worst * (1_000_000 // len(worst))
    assert refused(text, "lemma", Recipe(), source=text) is not None
    assert anchor_refused(text, CITED, Recipe()) is not None
    work = (
        lambda: refused(text, "lemma", Recipe(), source=text),
        lambda: lost_backslash(text, text),
        lambda: anchor_refused(text, CITED, Recipe()),
    )
    assert takes_less_than(3, lambda: [each() for each in work])


@pytest.mark.slow
@pytest.mark.real_data
def test_no_published_anchor_that_passes_is_at_fault() -> None:
    refusals = [
        anchor_refused(
            row.x.anchor_hint, cited_source(row.z), Recipe(), key=row.z.citation_key,
            nearby=" ".join(row.x.local_context),
        )
        for row in published_rows()
    ]  # fmt: skip
    codes = [drop.code for drop in refusals if drop]
    assert codes.count("anchor_leaks") == 181  # one title only the page shows so: α is an a there
    assert refusals.count(None) == 610
