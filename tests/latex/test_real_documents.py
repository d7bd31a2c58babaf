"""Whole documents that mathematicians will read: nothing raw, nothing lost, nearly everything rendered."""

import itertools
import re
from functools import cache
from statistics import mean

import pytest

from latex import Document, check_formulas, render
from tests.latex.pages import words
from tests.latex.real_data import machine_proofs, papers, reference_solutions, snippets

COMMAND = re.compile(r"\\[A-Za-z]+|\\[\[\]()]|\$")


@cache
def rendered_papers() -> dict[str, Document]:
    return {name: render(text, "latex") for name, text in papers().items()}


@cache
def rendered_proofs() -> dict[str, Document]:
    return {name: render(text, "markdown") for name, text in machine_proofs().items()}


def test_no_raw_command_is_left_in_the_papers() -> None:
    assert {name: COMMAND.findall(words(document)) for name, document in rendered_papers().items()} == {
        name: [] for name in papers()
    }


@pytest.mark.slow
def test_no_raw_command_is_left_in_the_machine_proofs() -> None:
    left = {name: COMMAND.findall(words(document)) for name, document in rendered_proofs().items()}
    assert {name: found for name, found in left.items() if found} == {}


@pytest.mark.slow
def test_of_the_papers_only_what_their_authors_never_defined_fails() -> None:
    """The 14 papers use \\SpG, \\mR and \\mf without defining them: 15 formulas of 3,206."""
    checked = [check_formulas(document).report for document in rendered_papers().values()]
    reasons = [failure.reason for report in checked for failure in report.failures]
    assert sum(report.formulas for report in checked) == 3206
    assert set(reasons) == {f"Undefined control sequence: \\{name}" for name in ("SpG", "mR", "mf")}
    assert len(reasons) == 15


@pytest.mark.slow
@pytest.mark.parametrize("every", range(6))
def test_every_formula_of_the_machine_proofs_renders(every: int) -> None:
    names = sorted(machine_proofs())[every::12]
    reports = [check_formulas(rendered_proofs()[name]).report for name in names]
    assert [failure for report in reports for failure in report.failures] == []
    assert mean(report.formulas for report in reports) > 50


def test_reference_solutions_render() -> None:
    documents = [render(text, "markdown") for text in reference_solutions().values()]
    failures = [f for d in documents for f in d.report.failures]
    assert failures == []
    assert sum(d.report.formulas for d in documents) > 1000


def test_fragments_keep_their_words_and_name_their_failures() -> None:
    for text in snippets():
        document = render(text, "latex")
        assert all(failure.reason and failure.source for failure in document.report.failures)
        assert not COMMAND.findall(words(document).replace("$", ""))


def test_blocks_lie_in_the_source_in_order_and_hold_its_words() -> None:
    for name, text in papers().items():
        blocks = [block for block in rendered_papers()[name].blocks if block.kind != "footnote"]
        for before, after in itertools.pairwise(blocks):
            assert before.start < before.end <= after.start, (name, before.id)
        covered = sum(block.end - block.start for block in blocks)
        body = text[text.index("\\begin{document}") :]
        assert covered > 0.9 * len(body)


def test_blocks_of_markdown_lie_in_the_source_in_order() -> None:
    for name, document in rendered_proofs().items():
        blocks = document.blocks
        for before, after in itertools.pairwise(blocks):
            assert before.start < before.end <= after.start, (name, before.id, before.source)
