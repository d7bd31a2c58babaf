"""Tools: frozen sources, block lists, knowledge banks, and child processes that compute."""

import datetime as dt
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.files.base import ContentFile

from accounts.refusal import Refused
from benchmark.models import FrozenTuple
from benchmark.tuples.actions import declare_tuple
from retrieval.artifact import EXTERNAL, Artifact, Result, Row, Terms, packed
from solving.materials.actions import add_material
from solving.models import SolveRun, Step
from solving.tools.blocking import blocker
from solving.tools.reading import read_tool
from solving.tools.tools import used
from tests.solving import site

RESULTS = (
    Result(
        1, "2601.00001", 9, title="Sums of naturals", authors=("A. Author",), year=2020, snippet="On sums."
    ),
    Result(2, "2601.00002", 8, title="Products of primes", year=2021, snippet="On products of primes."),
)


def frozen_tuple(release: Any) -> FrozenTuple:
    terms = Terms(release=release.sha256, provider=EXTERNAL, settings={"service": "a library"})
    made = Artifact(terms, (Row("p1", "sums", RESULTS),))
    texts = [{"key": "2601.00001", "text": "Theorem. One and one is two."}]
    files = {
        "retrieval": ContentFile(packed(made), "retrieval.zip"),
        "materialisation": ContentFile(
            "".join(json.dumps(one) + "\n" for one in texts).encode(), "texts.jsonl"
        ),
    }
    return declare_tuple(
        actor=None, release=release, name="frozen", split="all", retrieval="r", materialisation="m", scoring="s",
        evaluated_on=dt.date(2026, 11, 1), files=files,
    )  # fmt: skip


@pytest.fixture
def run(db: None) -> SolveRun:
    release = site.problems()
    return SolveRun(release=release, artifact=frozen_tuple(release))


def test_a_query_of_the_artifact_has_its_frozen_results_and_another_ranks_them_by_words(
    run: SolveRun,
) -> None:
    exact = read_tool(run, "p1", "search", {"query": "sums"})
    assert ([one["key"] for one in exact["results"]], exact["frozen"]) == (["2601.00001", "2601.00002"], True)
    other = read_tool(run, "p1", "search", {"query": "prime products"})
    assert ([one["key"] for one in other["results"]], other["frozen"]) == (["2601.00002"], False)
    assert read_tool(run, "p2", "search", {"query": "sums"})["missing"]


def test_a_source_is_opened_by_its_key_or_title_if_its_text_is_there(run: SolveRun) -> None:
    for name in ("2601.00001", "Sums of naturals"):
        opened = read_tool(run, "p1", "open", {"query": name})
        assert (opened["status"], opened["text"]) == ("resolved", "Theorem. One and one is two.")
    assert read_tool(run, "p1", "open", {"query": "2601.00002"})["status"] == "unresolved"
    assert read_tool(run, "p1", "open", {"query": "2601.09999"})["status"] == "unresolved"


def test_what_is_blocked_is_neither_found_nor_opened_and_the_step_says_so(run: SolveRun) -> None:
    run.blocked = add_material(
        actor=None, kind="blocked", name="solutions", content={"titles": ["Sums of naturals"]}
    )
    found = read_tool(run, "p1", "search", {"query": "sums"})
    assert [one["key"] for one in found["results"]] == ["2601.00002"]
    assert found["blocked"] == [{"key": "2601.00001", "rule": "title Sums of naturals"}]
    assert "Sums" not in found["text"]
    opened = read_tool(run, "p1", "open", {"query": "2601.00001"})
    assert (opened["status"], opened["text"]) == ("blocked", "This source is blocked.")


LEMMA = "the key lemma is that every gadget of the second kind splits"
PLANTED = [
    *[{"key": f"x{n}", "title": title} for n, title in enumerate([
        "A Solution of the First Problem", "A solution of the first problem.", "A SOLUTION OF THE FIRST PROBLEM",
        "{A Solution} of the First Problem", "A solution of the \\emph{first} problem",
        "A   solution of the first problem",
        "A Solution Of The First Problem!", "``A solution of the first problem''", "A solution, of the first problem",
        "A solution of the first problem:",
    ])],
    *[{"key": key, "title": ""} for key in (
        "arXiv:2601.12345", "arXiv:2601.12345v1", "arXiv:2601.12345v2", "https://arxiv.org/abs/2601.12345",
        "https://arxiv.org/pdf/2601.12345v3", "10.1000/xyz.1", "https://doi.org/10.1000/xyz.1", "doi:10.1000/XYZ.1",
        "https://dx.doi.org/10.1000/xyz.1", "10.48550/arXiv.2601.12345",
    )],
    *[{"key": f"https://{host}/{n}", "title": "Notes"} for n, host in enumerate(
        ["solutions.example.org", "www.solutions.example.org", "mirror.solutions.example.org",
         "SOLUTIONS.example.org", "cdn.solutions.example.org"] * 2
    )],
    *[{"key": f"q{n}", "title": "Notes", "snippet": before + LEMMA + after}
      for n, (before, after) in enumerate([
          ("", ""), ("We show: ", "."), ("\\emph{", "}"),
          ("Indeed ", " twice"),
          ("(", ")"), ("1. ", "; 2."), ("$x$ ", " $y$"),
          ("Recall that ", ", as claimed"), ("THE POINT: ", "!"), ("As before, ", " again"),
      ])],
    *[{"key": f"t{n}", "title": "Notes", "text": text} for n, text in enumerate(
        ["A solution of the first problem\n\nAbstract. We solve it.", "arXiv:2601.12345v1 [math.CO]\nSome title",
         "Some title\ndoi:10.1000/xyz.1", f"By X. Every step: {LEMMA}.",
         "Title: A Solution of the First Problem. By Y."] * 2
    )],
]  # fmt: skip


def test_none_of_fifty_planted_sources_passes_a_block_list() -> None:
    block = blocker(
        {
            "titles": ["A solution of the first problem"],
            "identifiers": ["arXiv:2601.12345", "10.1000/xyz.1"],
            "hosts": ["solutions.example.org"],
            "phrases": [LEMMA],
        }
    )
    assert len(PLANTED) == 50
    passed = [one for one in PLANTED if not block.of_source(one) and not block.of_text(one.get("text", ""))]
    assert passed == []
    honest = {
        "key": "2601.00001",
        "title": "Sums of naturals",
        "snippet": "Every gadget of the first kind splits.",
    }
    assert block.of_source(honest) == block.of_text("On sums of naturals. The first problem is open.") == ""


@pytest.mark.parametrize("named", ["2601.12345", "2601.12345v2", "math/0601001", "solv-int/9901001v1"])
def test_a_preprint_is_blocked_by_its_bare_number_as_artifacts_have_it(named: str) -> None:
    block = blocker({"identifiers": [named]})
    for field in ("key", "paper", "identifier"):
        assert block.of_source({"key": "s1", field: named})
    assert not block.of_source({"key": "2601.12346", "paper": "math/0601002"})
    assert not block.of_text(f"The value is {named} by chance.")  # a number within a text is not a preprint


def test_a_bank_is_searched_by_words_and_keeps_its_conditions(run: SolveRun) -> None:
    entries = [
        {"key": "k1", "title": "Addition", "statement": "n + 0 = n", "conditions": ["n is natural"]},
        {"key": "k2", "title": "Compactness", "statement": "Closed and bounded sets are compact."},
    ]
    run.bank = add_material(actor=None, kind="bank", name="results", content={"entries": entries})
    found = read_tool(run, "p1", "knowledge", {"query": "compact sets", "k": 8})
    assert [one["key"] for one in found["entries"]] == ["k2"]
    assert (
        "condition: n is natural" in read_tool(run, "p1", "knowledge", {"query": "addition", "k": 1})["text"]
    )
    assert (
        add_material(actor=None, kind="bank", name="results", content={"entries": entries}).pk == run.bank.pk
    )
    with pytest.raises(Refused, match="There is already another results"):
        add_material(actor=None, kind="bank", name="results", content={"entries": entries[:1]})
    with pytest.raises(Refused, match="two entries have the same key"):
        add_material(actor=None, kind="bank", name="twice", content={"entries": entries[:1] * 2})


def step(name: str, **arguments: Any) -> Step:
    made: Any = SimpleNamespace(name=name, question=arguments)
    return made  # type: ignore[no-any-return]


@pytest.mark.slow
def test_formulas_are_compared_and_latex_is_checked_in_a_child_process() -> None:
    document, fault = used(step("calculate", query="(x + 1)^2 == x^2 + 2x + 1"))
    assert (document["value"], fault) == ("yes", "")
    document, _ = used(step("calculate", query="x + 1 == x"))
    assert document["value"] == "no"
    document, _ = used(step("calculate", query="what is it?"))
    assert document["value"] == "unknown"
    document, _ = used(step("check", latex="A proof of $x = x$."))
    assert document["faults"] == []
    document, _ = used(step("check", latex="See \\ref{nowhere}."))
    assert document["faults"] == ["a reference leads nowhere: no label nowhere"]


def test_a_child_that_takes_too_long_or_too_much_is_ended(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("solving.tools.tools.CLOCK_SECONDS", 0.01)
    assert used(step("check", latex="x"))[1] == "check took longer than 0.01 seconds"
