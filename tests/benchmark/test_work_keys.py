"""Keys of works: what the matcher calls the same has one in common, so CiteRecall may skip everything else."""

import json
from itertools import product
from pathlib import Path

import pytest

from benchmark.citations.identity import Identity, same_work
from benchmark.citations.keys import source_keys, work_keys
from benchmark.citations.reading import Citation, read_citation, read_source
from benchmark.protocols.re2math.citing import cited_source, selected
from benchmark.protocols.re2math.metrics import cited_among
from benchmark.protocols.re2math.schema import GapAnswer, ProofGap
from tests.stats.real_data import real_file

SAMPLE = Path(__file__).parents[2] / "sample" / "re2math"


def rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def recalled_one_by_one(gap: ProofGap, answer: GapAnswer) -> float:
    """CiteRecall@20 of one output by its definition: every candidate read whole and compared."""
    cited = cited_source(gap.z)
    return float(
        any(same_work(selected(source), cited).identity == Identity.SAME for source in answer.candidates)
    )


@pytest.mark.parametrize("outputs", sorted(path.name for path in SAMPLE.glob("outputs-*.jsonl")))
def test_recall_by_keys_is_recall_by_comparing_every_candidate(outputs):
    gaps = {row["instance_id"]: row for row in rows(SAMPLE / "release.jsonl")}
    found = []
    for row in rows(SAMPLE / outputs):
        payload = {name: row[name] for name in GapAnswer.model_fields if name in row}
        gap = gaps[row["instance_id"]]
        found.append(cited_among(gap, payload))
        assert found[-1] == recalled_one_by_one(
            ProofGap.model_validate(gap), GapAnswer.model_validate(payload)
        )
    assert len(found) >= 8


@pytest.mark.parametrize(
    ("title", "identifier"),
    [
        ("Sur le th\\'eor\\`eme de Lax--Milgram.", ""),
        ("", "arXiv:2110.11087v2"),
        ("{A} note", "https://doi.org/10.1090/S0002-9947-1955-0074856-1"),
        ("On $L^p$ spaces", "10.48550/arXiv.2110.11087"),
        ("Теорема о неявной функции", "see 10.1000/xyz, arXiv:math/0601001"),
    ],
)
def test_a_source_in_fields_has_the_keys_of_the_citation_that_is_read_from_it(title, identifier):
    source = read_source(title=title, authors="A. Uthor", year=2001, identifier=identifier)
    assert source_keys(title, identifier) == work_keys(source) != frozenset()


def in_fields(citation: Citation) -> list[Citation]:
    """The same work as an output would name it: with authors, with identifiers, run together, in capitals."""
    names = " and ".join(f"{name.given} {name.surname}".strip() for name in citation.authors.names)
    marks = [*sorted(citation.dois), *sorted(citation.arxiv_ids), ""]
    titles = [citation.title, citation.title.upper(), citation.title.replace(" ", "-")]
    return [
        read_source(title=title, authors=names, year=citation.year, identifier=mark)
        for title, mark in product(titles, marks)
    ]


@pytest.mark.slow
@pytest.mark.real_data
def test_all_that_the_matcher_calls_the_same_on_eval_200_has_a_key_in_common():
    gaps = rows(real_file("re2math/benchmark_dataset_eval200.jsonl"))
    read = [
        read_citation(
            gap["z"]["citation_content"], doi_field=gap["z"]["doi"], arxiv_field=gap["z"]["arxiv_id"]
        )
        for gap in gaps
    ]
    same = 0
    for one in read:
        for other in (*in_fields(one), *(two for two in read[:60] if two is not one)):
            if same_work(one, other).identity == Identity.SAME:
                same += 1
                assert work_keys(one) & work_keys(other)
    assert same > 200  # most works are told again from their own fields
