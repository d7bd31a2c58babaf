"""The program's items of Re2Math's construction audit, and whose source an output selected."""

import copy
import json
from collections import Counter
from typing import Any

import pytest

from benchmark.protocols.re2math import PROTOCOL
from tests.benchmark.files import gap
from tests.stats.real_data import real_file

pytestmark = pytest.mark.no_database
CITED = (
    "R.~Hardt and F.-H. Lin. \\newblock Mappings minimizing the $L^p$ norm of the gradient. "
    "\\newblock \\em Comm. Pure Appl. Math., 40(5):555--588, 1987. doi:10.1002/cpa.3160400503."
)


def instance(**changes: Any) -> dict[str, Any]:
    """A gap with a sound citation; changes are named part__field."""
    row = copy.deepcopy(gap())
    row["paper"] = {
        "paper_id": "2001.00001v2",
        "title": "Extensions of maps",
        "publication_date": "2020-01-01",
    }
    row["z"] |= {
        "citation_content": CITED,
        "citation_key": "HaLi87",
        "doi": "10.1002/cpa.3160400503",
        "arxiv_id": "",
    }
    row["z"] |= {"locator": "", "locator_snippet": ""}
    row["x"] |= {
        "anchor_hint": "Use interior regularity of minimizers.",
        "local_context": ["Let u be a map."],
    }
    for name, value in changes.items():
        part, field = name.split("__")
        row[part][field] = value
    return row


def says(predicate: str, row: dict[str, Any]) -> str:
    return PROTOCOL.program("construction").decide(predicate, row, None, "").value


def test_a_sound_instance_passes_what_a_program_can_decide() -> None:
    row = instance()
    answers = {key: says(key, row) for key in PROTOCOL.program("construction").predicates}
    assert answers == {
        "context_aligned": "uncertain",  # no passage around the citation is stored
        "leak_free": "yes",
        "metadata_correct": "yes",
        "external_source": "yes",
    }


def test_six_items_are_listed_and_the_program_answers_four() -> None:
    assert [item.key for item in PROTOCOL.construction_items if not item.program] == [
        "instrumental",
        "witness_sufficient",
    ]
    assert len(PROTOCOL.construction_items) == 6


@pytest.mark.parametrize(
    ("changes", "value", "reason"),
    [
        ({"z__doi": "10.1002/cpa.316040050310.1002/cpa.3160400503"}, "no", "is not one DOI"),
        ({"z__doi": "10.1002/other"}, "no", "is not the DOI of the citation"),
        ({"z__arxiv_id": "1316.57022"}, "no", "no arXiv identifier reads so"),
        (
            {"z__arxiv_id": "1316.57022", "z__citation_content": CITED + " Zbl 1316.57022."},
            "no",
            "a review's number",
        ),
        ({"z__citation_content": CITED + " UniversitÃ© de Grenoble"}, "no", "wrong encoding"),
        ({"z__arxiv_id": "1006.5960"}, "uncertain", "does not stand in the citation"),
        (
            {"z__citation_content": CITED.replace("1987", "2031")},
            "uncertain",
            "later than the citing paper's",
        ),
        (
            {"z__citation_content": CITED.replace("R.~Hardt and F.-H. Lin", "\\bysame")},
            "uncertain",
            "who its authors",
        ),
        ({"z__citation_content": CITED.replace(", 1987", "")}, "uncertain", "no year"),
    ],
)
def test_metadata_that_is_malformed_or_contradicts_itself_is_named(
    changes: dict[str, str], value: str, reason: str
) -> None:
    reply = PROTOCOL.program("construction").decide("metadata_correct", instance(**changes), None, "")
    assert (reply.value, reason in reply.reason) == (value, True), reply


BEFORE = "since the energy of the map is finite we may extend it by the lemma of"
BEHIND = "which gives the trace on every sphere of small radius around zero"


@pytest.mark.parametrize(
    ("blocks", "value"),
    [
        ([f"Here {BEFORE}"], "yes"),
        ([f"Here {BEFORE} somebody, {BEHIND}"], "uncertain"),
        ([f"Here {BEFORE}~\\cite[Thm.~2]{{HaLi87}}"], "no"),
        (["Earlier we used a result of \\cite{HaLi87}."], "uncertain"),
        (["$$ \\, $$"], "no"),
    ],
)
def test_the_context_is_compared_with_the_passage_around_the_citation(blocks: list[str], value: str) -> None:
    passage = f"{BEFORE}~\\cite{{HaLi87}}, {BEHIND}."
    assert says("context_aligned", instance(x__local_context=blocks, z__locator=passage)) == value


def test_a_cited_source_that_is_the_citing_paper_is_not_external() -> None:
    title = "Mappings minimizing the $L^p$ norm of the gradient"
    assert says("external_source", instance(paper__title=title)) == "uncertain"  # authors unknown
    own = CITED + " arXiv:2001.00001"
    assert says("external_source", instance(paper__title=title, z__citation_content=own)) == "no"


@pytest.mark.parametrize(
    ("source", "cited", "citing"),
    [
        (
            {"title": "Mappings minimizing the L^p norm of the gradient", "authors": "R. Hardt, F. Lin"},
            "yes",
            "no",
        ),
        ({"title": "x", "identifier": "https://doi.org/10.1002/CPA.3160400503"}, "uncertain", "no"),
        ({"title": "Extensions of maps", "identifier": "arXiv:2001.00001v1"}, "no", "yes"),
        ({"title": "Extensions of maps"}, "no", "uncertain"),
        ({"title": "Harmonic maps and their singular sets", "authors": "A. Other"}, "no", "no"),
    ],
)
def test_the_source_of_an_output_is_the_cited_one_the_citing_paper_or_neither(
    source: dict[str, str], cited: str, citing: str
) -> None:
    program = PROTOCOL.program("sources")
    output = {"selected_source": source}
    assert program.decide("cited_source_match", instance(), output, "").value == cited
    assert program.decide("citing_paper_source", instance(), output, "").value == citing


def test_an_output_without_a_source_is_unavailable() -> None:
    reply = PROTOCOL.program("sources").decide("cited_source_match", instance(), {}, "")
    assert (reply.state, reply.value) == ("unavailable", "")


@pytest.mark.slow
@pytest.mark.real_data
def test_the_counts_of_the_200_real_instances_are_those_of_the_note() -> None:
    """docs/construction-audit.md, 2026-11-21."""
    program = PROTOCOL.program("construction")
    lines = real_file("re2math", "benchmark_dataset_eval200.jsonl").read_text("utf-8").splitlines()
    counts = Counter(
        (key, program.decide(key, json.loads(line), None, "").value)
        for line in lines
        for key in program.predicates
    )
    assert counts == {
        ("context_aligned", "yes"): 12,
        ("context_aligned", "uncertain"): 188,
        ("leak_free", "yes"): 156,
        ("leak_free", "no"): 43,
        ("leak_free", "uncertain"): 1,
        ("metadata_correct", "yes"): 178,
        ("metadata_correct", "no"): 13,
        ("metadata_correct", "uncertain"): 9,
        ("external_source", "yes"): 191,
        ("external_source", "uncertain"): 9,
    }
