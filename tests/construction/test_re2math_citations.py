"""Which papers are looked at, and the tools that their proofs cite."""

import re
from dataclasses import replace
from typing import Any

import pytest

from construction.recipes.re2math.citations import cited_tools, triage
from construction.recipes.re2math.recipe import Recipe
from latex import Outline, flatten, outline
from tests.growing import grows_in_proportion
from tests.latex.sources import outline_of

BOOKS = "".join(
    f"\\bibitem{{{key}}} A. Author, Title {key}, arXiv:1905.0000{number}.\n"
    for number, key in enumerate("ABCDEFGH")
)
ALL = Recipe(min_entries=1, min_statements=1, min_cited=1, min_cited_in_proofs=1, min_scout_score=0)


def paper(proof: str, *, bibliography: str = BOOKS) -> Outline:
    text = (
        "\\documentclass{article}\\newtheorem{thm}{Theorem}\\newtheorem{rem}{Remark}\\begin{document}\n"
        f"\\begin{{thm}}X.\\end{{thm}}\\begin{{proof}}{proof}\\end{{proof}}\n"
        f"\\begin{{thebibliography}}{{9}}{bibliography}\\end{{thebibliography}}\\end{{document}}"
    )
    return outline(flatten({"main.tex": text}, "main.tex"), {})


def test_a_tool_has_its_points_its_passage_and_its_entry() -> None:
    found = paper("It is small. By \\cite[Theorem 2]{A}, we obtain $x$. See \\cite{B}.")
    first, second = cited_tools(found, Recipe())
    # tool word 2 + trigger 1.25 + locator 1 + obtained .75 + locator in the citation 1 + entry .5 + arXiv .5
    assert first.score == 7
    assert found.text_of(first.passage) == "By \\cite[Theorem 2]{A}, we obtain $x$."
    assert (first.key, first.note, first.proof, first.code) == ("A", "Theorem 2", 0, "")
    assert "Title A" in first.entry
    assert dict(second.reasons) == {
        "see": -2.5,
        "bibliography": 0.5,
        "identifier": 0.5,
    }


def test_every_citation_is_listed_and_all_but_the_best_with_a_code() -> None:
    found = paper(
        "By Lemma 1 of \\cite{A,gone}. By Lemma 2 of \\cite{B}. By Lemma 3 of \\cite{C}. By Lemma 4 of \\cite{D}. "
        "See \\cite{E}. Using \\cite{F} and \\cite{F} again."
    )
    codes = [(tool.key, tool.code) for tool in cited_tools(found, Recipe())]
    assert codes == [
        ("A", ""), ("gone", "unknown_key"), ("B", ""), ("C", ""), ("D", ""), ("E", "beyond_the_best"),
        ("F", "beyond_the_best"), ("F", "duplicate"),
    ]  # fmt: skip


def test_citations_of_remarks_and_lists_within_a_proof_count_less() -> None:
    found = paper(
        "By \\cite{A}. \\begin{itemize}\\item By \\cite{B}.\\end{itemize}\\begin{rem}By \\cite{C}.\\end{rem}"
    )
    scores = [tool.score for tool in cited_tools(found, Recipe())]
    assert scores == [2.25, 0.25, 0.25]


@pytest.mark.parametrize(
    ("title", "changed", "code"),
    [
        ("A survey of sums", {}, "not_a_research_paper"),
        ("Sums", {"min_entries": 9}, "few_entries"),
        ("Sums", {"min_proofs": 2}, "few_proofs"),
        ("Sums", {"min_statements": 2}, "few_statements"),
        ("Sums", {"min_cited": 2}, "few_cited"),
        ("Sums", {"min_cited_in_proofs": 2}, "few_cited_in_proofs"),
        ("Sums", {"min_scout_score": 9}, "no_tools_cited"),
        ("Sums", {}, ""),
    ],
)
def test_a_paper_is_left_out_for_the_first_thing_that_it_lacks(
    title: str, changed: dict[str, Any], code: str
) -> None:
    drop = triage(paper("By \\cite{A}."), title, replace(ALL, **changed)).drop
    assert (drop.code if drop else "") == code


def test_the_scout_counts_three_hits_of_a_kind() -> None:
    made = triage(paper("We are using \\cite{A}. " * 5), "Sums", ALL)
    # "using ... \\cite" 3 x 2, a proof .5, and citations .5
    assert [tuple(points) for points in made.reasons] == [
        ("using_citation", 6), ("proofs", 0.5), ("proofs_and_citations", 0.5),
    ]  # fmt: skip
    assert made.score == 7


@pytest.mark.parametrize("worst", ["theorem ", "by ", "\\cite{a} ", "theorem \\", "\\cite[", "\\c", "if "])
def test_the_worst_text_takes_time_in_proportion(worst: str) -> None:
    def work(found: Any) -> None:
        triage(found, "Sums", ALL)
        cited_tools(found, ALL)

    assert grows_in_proportion(
        work, lambda size: paper("By \\cite{A}." + worst * (size // len(worst))), 7_500, 30_000, 120_000
    )


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "count"), [("paper-benning-crit", 5), ("paper-roetz22", 1), ("flt", 15), ("hott", 1), ("pfr", 0)]
)
def test_every_citation_within_a_proof_of_real_sources_is_listed(name: str, count: int) -> None:
    found = outline_of(name)
    text = re.sub(r"(?<!\\)%[^\n]*", lambda comment: " " * len(comment[0]), found.flat.text)
    scanned = set()
    for match in re.finditer(r"\\[a-z]*cite[a-z]*\*?(?:\[[^\]]*\])*\{([^{}]*)\}", text):
        if any(proof.span.start <= match.start() < proof.span.end for proof in found.proofs):
            scanned |= {(match.start(), key.strip()) for key in match[1].split(",")}
    listed = cited_tools(found, Recipe())
    assert {(tool.citation.start, tool.key) for tool in listed} == scanned
    assert len(scanned) == count
    for tool in listed:
        assert tool.passage.start <= tool.citation.start < tool.passage.end
        assert tool.score == sum(points for _, points in tool.reasons)
        assert tool.entry or tool.code == "unknown_key"
