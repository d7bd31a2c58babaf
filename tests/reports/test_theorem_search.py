"""Theorem search end to end: runs are imported, measured, compared and graded, and the published counts come out."""

import json
import re

import pytest
from django.core.management import call_command
from django.urls import reverse

from accounts.refusal import Refused
from benchmark.importing.outputs import import_outputs
from benchmark.models import Release
from benchmark.releases.actions import import_release
from reports.core.canonical import canonical
from reports.core.outcomes import chosen_kind, outcomes
from reports.scores.document import score
from reports.scores.inputs import Inputs, collect
from reports.scores.text import score_text
from stats.core.display import rounded
from tests.benchmark.files import write_lines
from tests.documents import comparison_document, score_document

pytestmark = pytest.mark.django_db
QUERIES = 111
# STATISTICS.md 2A, table S: counts of P@1, Hit@10 and Hit@20 among 111 queries at the level of papers, and at the
# level of theorems where the paper gives it (Google's search returns papers alone).
TABLE_2 = {
    "google": {"paper": (18, 42, 42)},
    "qwen3-8b": {"theorem": (19, 43, 50), "paper": (27, 56, 63)},
    "qwen3-8b-reranker": {"theorem": (21, 48, 50), "paper": (36, 68, 70)},
}
PRINTED = {
    ("google", "paper"): ("0.162", "0.378", "0.378"),
    ("qwen3-8b", "theorem"): ("0.171", "0.387", "0.450"),
    ("qwen3-8b", "paper"): ("0.243", "0.505", "0.568"),
    ("qwen3-8b-reranker", "theorem"): ("0.189", "0.432", "0.450"),
    ("qwen3-8b-reranker", "paper"): ("0.324", "0.613", "0.631"),
}


def places(first: int, ten: int, twenty: int) -> list[int]:
    """A rank for each query that gives these counts: 1, 10 or 20, and 0 for a miss."""
    return [1] * first + [10] * (ten - first) + [20] * (twenty - ten) + [0] * (QUERIES - twenty)


def trec_run(system: str) -> str:
    """A run with the system's published counts: the right paper at one rank, the right statement at or below it."""
    counts = TABLE_2[system]
    papers, theorems = places(*counts["paper"]), places(*counts.get("theorem", (0, 0, 0)))
    mark = "#Lemma_{rank}" if "theorem" in counts else ""
    lines = []
    for query, (paper, theorem) in enumerate(zip(papers, theorems, strict=True)):
        for rank in range(1, 21):
            found = f"other-{rank}{mark.format(rank=rank)}"
            if rank == paper:
                found = f"2401.{query:05}{mark.format(rank=rank)}"
            if rank == theorem:
                found = f"2401.{query:05}#Theorem_1"
            lines.append(f"q{query:03} Q0 {found} {rank} {-rank} {system}")
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def _published(rows_of_the_module, tmp_path_factory) -> None:
    tmp_path = tmp_path_factory.mktemp("published")
    queries = [
        {
            "instance_id": f"q{number:03}",
            "domain": "geometry" if number % 2 else "algebra",
            "query": f"Query {number}",
            "targets": [{"paper": f"2401.{number:05}", "statement": "Theorem 1"}],
        }
        for number in range(QUERIES)
    ]
    path = write_lines(tmp_path / "queries.jsonl", *queries)
    with rows_of_the_module():
        import_release(actor=None, protocol="theorem_search", path=path, name="validation")
        release = Release.objects.select_related("benchmark").get(name="validation")
        for system in TABLE_2:
            (tmp_path / "run.trec").write_text(trec_run(system))
            import_outputs(actor=None, path=tmp_path / "run.trec", release=release, system=system)


@pytest.fixture
def published(_published, db) -> Release:
    return Release.objects.select_related("benchmark").get(name="validation")


@pytest.mark.slow
def test_the_published_counts_come_out_with_their_denominators(published):
    found = score_document(collect(release=published))["measured"]
    assert found["instances"] == QUERIES
    for system, levels in TABLE_2.items():
        for level, counts in levels.items():
            for key, count, printed in zip(
                ("p_at_1", "hit_at_10", "hit_at_20"), counts, PRINTED[system, level], strict=True
            ):
                estimate = found["systems"][system][f"{level}_{key}"]["estimate"]
                assert (estimate["k"], estimate["n"]) == (count, QUERIES)
                assert rounded(estimate["value"], places=3) == printed


def test_reciprocal_ranks_are_those_of_the_run_with_an_interval_over_queries(published):
    found = score_document(collect(release=published))["measured"]["systems"]["qwen3-8b"]["theorem_mrr_at_20"]
    # 19 at rank 1, 24 at rank 10, 7 at rank 20
    assert found["estimate"]["value"] == pytest.approx((19 + 2.4 + 0.35) / QUERIES)
    low, high = found["estimate"]["ci"]
    assert low < found["estimate"]["value"] < high
    assert (found["estimate"]["method"], found["estimate"]["k"]) == ("instance_mean_wilson", None)


@pytest.mark.slow
def test_inputs_of_thirds_and_sevenths_are_those_that_an_artifact_has(published, tmp_path):
    """JSON has twelve digits of them. A score from all digits did not always follow from its artifact."""
    lines = [
        f"q{query:03} Q0 {f'2401.{query:05}' if rank == (3, 7)[query % 2] else f'other-{rank}'} {rank} {-rank} thirds"
        for query in range(9)
        for rank in range(1, 21)
    ]
    (tmp_path / "run.trec").write_text("\n".join(lines) + "\n")
    import_outputs(actor=None, path=tmp_path / "run.trec", release=published, system="thirds")
    inputs = collect(release=published)
    assert {row.value for row in inputs.measured} >= {0.333333333333, 0.142857142857}
    assert Inputs.from_json(json.loads(canonical(inputs.as_json()))) == inputs


def test_a_run_of_papers_has_no_level_of_theorems(published):
    systems = score_document(collect(release=published))["measured"]["systems"]
    assert not [key for key in systems["google"] if key.startswith("theorem")]
    assert [key for key in systems["qwen3-8b"] if key.startswith("theorem")]


def test_queries_that_a_run_leaves_out_stay_in_its_denominator(published, tmp_path):
    (tmp_path / "short.csv").write_text(
        "query,rank,paper,statement\nq000,1,2401.00000,Theorem 1\nq001,,,\nq002,1,nowhere,Theorem 1\n"
    )
    import_outputs(actor=None, path=tmp_path / "short.csv", release=published, system="short")
    found = score_document(collect(release=published))["measured"]["systems"]["short"]["theorem_hit_at_10"]
    assert (found["estimate"]["k"], found["estimate"]["n"]) == (1, QUERIES)
    assert (found["missing"], found["estimate"]["n_abstain"]) == (QUERIES - 3, 1)


def test_domains_add_up_to_the_whole(published):
    found = score_document(collect(release=published))["measured"]["systems"]["qwen3-8b"]["paper_hit_at_20"]
    assert [sum(of[part] for of in found["domains"].values()) for part in ("k", "n")] == [63, QUERIES]


def test_systems_are_compared_on_the_same_queries(published):
    inputs = collect(release=published)
    kind = chosen_kind(inputs, "measure:paper_hit_at_20")
    (pair,) = [
        pair
        for pair in comparison_document(outcomes(inputs, kind), seed=1)["pairs"]
        if pair["second"] == "qwen3-8b-reranker" and pair["first"] == "qwen3-8b"
    ]
    # the hits are the first 63 and the first 70 queries
    assert pair["cells"] == {"both": 63, "first_only": 0, "second_only": 7, "neither": 41}
    assert pair["mcnemar"]["exact"] == pytest.approx(2 / 2**7)


def test_measures_between_0_and_1_are_compared_by_the_sign_test(published):
    inputs = collect(release=published)
    kind = chosen_kind(inputs, "measure:paper_mrr_at_20")
    document = comparison_document(outcomes(inputs, kind), seed=1)
    pair = next(
        p for p in document["pairs"] if (p["first"], p["second"]) == ("qwen3-8b", "qwen3-8b-reranker")
    )
    # ranks 1, 10, 20, none up to queries 27, 56, 63 and 36, 68, 70: they differ on 27-35, 56-67 and 68-69
    assert pair["cells"] == {"both": 27 + 20, "first_only": 0, "second_only": 9 + 12 + 2, "neither": 41}
    assert pair["difference"]["value"] == pytest.approx(-(9 * 0.9 + 7 * 0.05 + 5 * 0.1 + 2 * 0.05) / QUERIES)
    assert pair["newcombe"]["reason"] == document["omnibus"]["reason"] == "LEVEL"


@pytest.mark.slow
def test_inputs_with_measures_survive_json_and_give_the_same_score(published):
    inputs = collect(release=published)
    again = Inputs.from_json(json.loads(json.dumps(inputs.as_json())))
    assert score_document(again) == score_document(inputs)


def test_collecting_takes_the_same_number_of_queries_whatever_the_size(
    published, django_assert_max_num_queries
):
    with django_assert_max_num_queries(12):
        collect(release=published)


@pytest.mark.slow
def test_the_command_the_page_and_rest_show_the_same_numbers(published, client, capsys, coordinator):
    call_command("score", "--release", "validation")
    assert "0.450 [0.361, 0.543] (50/111)" in capsys.readouterr().out
    assert "MRR@20, paper" in score_text(score(collect(release=published)))
    client.force_login(coordinator)
    page = client.get(reverse("score-numbers", args=["validation"])).content.decode()
    assert "50/111" in page
    assert "does not apply" in page
    document = client.get(reverse("score-json", args=["validation"])).json()
    assert document["measured"]["systems"]["qwen3-8b"]["theorem_hit_at_20"]["estimate"]["k"] == 50
    for outcome in ("measure:paper_hit_at_20", "measure:paper_mrr_at_20"):
        compared = client.get(reverse("compare", args=["validation"]), {"outcome": outcome})
        assert compared.status_code == 200
        pair = {"outcome": outcome, "first": "google", "second": "qwen3-8b"}
        assert client.get(reverse("compare-pair", args=["validation"]), pair).status_code == 200
    assert "Test by paper" in compared.content.decode()


@pytest.mark.slow
@pytest.mark.parametrize("outcome", ["measure:paper_hit_at_20", "measure:paper_mrr_at_20"])
def test_every_definition_that_a_comparison_leads_to_is_on_the_page(published, client, coordinator, outcome):
    client.force_login(coordinator)
    page = client.get(reverse("compare", args=["validation"]), {"outcome": outcome}).content.decode()
    named = set(re.findall(r'href="#(def-[^"]+)"', page))
    assert named
    assert named <= set(re.findall(r'id="(def-[^"]+)"', page))


def test_an_impossible_report_keeps_the_whole_run_out(published, tmp_path):
    folder = tmp_path / "reported"
    folder.mkdir()
    (folder / "run.trec").write_text(trec_run("google"))
    # at most 0.162 + (0.378 - 0.162) / 2 = 0.270, beyond rounding
    rates = {"p_at_1": "0.162", "hit_at_10": "0.378", "hit_at_20": "0.378", "mrr_at_20": "0.337"}
    table = "\n".join(f'{key} = "{value}"' for key, value in rates.items())
    (folder / "reported.toml").write_text(f'[[reported]]\nlevel = "paper"\nqueries = 111\n{table}\n')
    with pytest.raises(Refused, match="impossible"):
        import_outputs(actor=None, path=folder, release=published, system="liar")
    assert not published.runs.filter(system__slug="liar").exists()


@pytest.mark.slow
def test_without_measures_the_document_has_no_part_for_them(proofs):
    assert "measured" not in score_document(collect(release=proofs))
