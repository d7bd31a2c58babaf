"""Systems on the same items: numbers of the sample project, derived by hand where they are small."""

import csv
import io

import pytest
from django.urls import reverse

from accounts.refusal import Refused
from benchmark.importing.outputs import import_outputs
from reports.comparison.document import item_rows
from reports.core.outcomes import OutcomeKind, Outcomes, chosen_kind, outcome_kinds, outcomes
from reports.scores.inputs import collect
from tests.documents import comparison_document
from tests.reports.conftest import SAMPLE, queries

KIND = OutcomeKind("judge:x", "judge", "X", "Success.")


def made(**systems):
    """Outcomes from strings: 1, 0 and . for no usable label; every item is a paper of its own."""
    successes = {
        name: {(f"i{n}", 1): int(mark) for n, mark in enumerate(marks) if mark != "."}
        for name, marks in systems.items()
    }
    items = {item for found in successes.values() for item in found}
    return Outcomes(KIND, successes, {item: item[0] for item in items}, {}, {})


def pair(found, at=0):
    return comparison_document(found, seed=1)["pairs"][at]


def test_only_items_with_both_labels_are_compared_and_the_others_counted():
    found = pair(made(a="1101.", b="10.11"))
    assert (found["n"], found["dropped"]) == (3, 2)
    assert found["cells"] == {"both": 2, "first_only": 1, "second_only": 0, "neither": 0}
    assert found["difference"]["value"] == pytest.approx(1 / 3)


def test_mcnemar_is_the_exact_binomial_test_of_the_discordant_items():
    found = pair(made(a="111111" + "0", b="000000" + "1"))
    # 6 against 1: 2 * (C(7,0) + C(7,1)) / 2^7 = 16/128
    assert found["mcnemar"]["exact"] == pytest.approx(0.125)


def test_holm_takes_the_number_of_pairs_into_account():
    document = comparison_document(made(a="1" * 8, b="0" * 8, c="0" * 8), seed=1)
    exact = [entry["mcnemar"]["exact"] for entry in document["pairs"]]
    assert exact == pytest.approx([2 / 2**8, 2 / 2**8, 1.0])
    # the smallest times 3, the next times 2 but not below it, the last times 1
    assert [entry["mcnemar"]["holm"] for entry in document["pairs"]] == pytest.approx([6 / 256, 6 / 256, 1.0])


def test_the_interval_is_newcombes_and_resampled_papers_stand_next_to_it():
    for marks in ("1" * 9 + "0" * 9, "1" * 10 + "0" * 8):
        found = pair(made(a=marks, b="0" * 18))
        assert found["difference"]["method"] == "newcombe_paired_10"
        assert found["paper_bootstrap"]["method"] == "paired_cluster_bootstrap_percentile"
        assert found["paper_bootstrap"]["seed"] == 1


def attempts(**systems):
    """The same with four attempts at each problem: `1` four successes, `0` none."""
    found = made(**{name: "".join(mark * 4 for mark in marks) for name, marks in systems.items()})
    papers = {item: str(int(item[0][1:]) // 4) for item in found.clusters}
    return Outcomes(KIND, found.successes, papers, {}, {})


def test_attempts_of_a_problem_count_once_in_the_test_and_mcnemars_is_not_given():
    found = pair(attempts(a="111111" + "0", b="000000" + "1"))
    # As with one item to a paper: 6 against 1, 2 * (C(7,0) + C(7,1)) / 2^7. McNemar's test says 24 against 4: 1.8e-4.
    assert found["test"]["exact"] == pytest.approx(0.125)
    assert found["test"]["p"] == found["test"]["mid_p"] == pytest.approx(0.125 - 14 / 2**8)
    assert (found["test"]["clusters"], found["n"]) == (7, 28)
    assert found["mcnemar"] == {"exact": None, "mid_p": None, "chi2": None, "chi2_p": None, "holm": None}
    alone = pair(made(a="111111" + "0", b="000000" + "1"))
    width, width_alone = (one["difference"]["ci"][1] - one["difference"]["ci"][0] for one in (found, alone))
    assert width > 0.9 * width_alone


def test_the_rate_of_a_system_takes_its_attempts_at_a_problem_together():
    rate = comparison_document(attempts(a="1100110011", b="0000000001"), seed=1)["systems"]["a"]["estimate"]
    assert (rate["method"], rate["clusters"], rate["n"]) == ("wilson_n_eff", 10, 40)
    # Copies: as wide as 6 of 10 at least, where 24 of 40 would be [.45, .74].
    assert rate["ci"][0] < 0.35
    assert rate["ci"][1] > 0.8


def test_intervals_for_all_pairs_at_once_are_wider_with_more_pairs():
    two = pair(made(a="1101" * 8, b="1010" * 8))
    assert two["simultaneous"]["ci"] == two["difference"]["ci"]
    four = pair(made(a="1101" * 8, b="1010" * 8, c="0" * 32, d="1" * 32))
    assert four["simultaneous"]["family"] == 6
    assert four["simultaneous"]["ci"][0] < four["difference"]["ci"][0]
    assert four["simultaneous"]["ci"][1] > four["difference"]["ci"][1]


def test_all_systems_at_once_are_tested_by_permuting_them_within_papers():
    found = comparison_document(attempts(a="1110010111", b="0110000110", c="0100000010"), seed=1)["omnibus"]
    assert (found["method"], found["df"], found["n"]) == ("permutation_by_cluster", 2, 40)
    once = comparison_document(made(a="1110010111", b="0110000110", c="0100000010"), seed=1)["omnibus"]
    assert once["method"] == "chi_squared"
    assert found["q"] == pytest.approx(4 * once["q"])
    assert found["p"] == pytest.approx(once["p"], abs=0.02)


def test_systems_without_a_common_item_have_no_difference():
    found = pair(made(a="1.", b=".1"))
    assert (found["difference"]["value"], found["difference"]["reason"]) == (None, "NO_ITEMS")
    assert found["mcnemar"]["exact"] is None


def test_a_pair_without_a_common_item_is_not_tested_and_makes_no_other_pair_weaker():
    # b and c share nothing, so two differences are tested: Holm doubles the smaller p, 2 / 2^8, not three times it.
    document = comparison_document(made(a="1" * 16, b="0" * 8 + "." * 8, c="." * 8 + "1" * 8), seed=1)
    first, second, apart = document["pairs"]
    assert apart["test"]["p"] is apart["test"]["holm"] is apart["mcnemar"]["exact"] is None
    assert (first["test"]["p"], first["test"]["holm"]) == pytest.approx((2 / 2**8, 4 / 2**8))
    assert second["test"]["holm"] == pytest.approx(1.0)
    assert first["simultaneous"]["family"] == second["simultaneous"]["family"] == 2


def test_one_system_alone_gives_no_pair():
    document = comparison_document(made(a="10"), seed=1)
    assert document["pairs"] == []
    assert document["omnibus"]["p"] is None


def test_cochrans_q_uses_the_items_that_all_share():
    # rows (1,1,0) x 3, (1,0,0), (0,0,1): Q = 2 (3 * (16 + 9 + 1) - 8^2) / (3 * 8 - (3 * 4 + 1 + 1)) = 28/10
    omnibus = comparison_document(made(a="11110.", b="111001", c="00001."), seed=1)["omnibus"]
    assert (omnibus["n"], omnibus["dropped"], omnibus["df"]) == (5, 1, 2)
    assert omnibus["q"] == pytest.approx(2.8)


def test_the_items_that_tell_the_two_apart_come_first_and_missing_labels_last():
    rows = item_rows(made(a="101.", b="110."), "a", "b")
    assert [(row.first, row.second) for row in rows] == [(1, 0), (0, 1), (1, 1)]


@pytest.mark.slow
@pytest.mark.django_db
def test_the_judges_unavailable_verdicts_leave_and_abstentions_count_against(gaps):
    inputs = collect(release=gaps)
    found = outcomes(inputs, chosen_kind(inputs, "judge:tool_acc"))
    # sample/README.md: one output of cobalt has an unavailable verdict; 2, 4 and 9 abstained
    assert {system: sum(items.values()) for system, items in found.successes.items()} == {
        "aurora": 16,
        "basalt": 9,
        "cobalt": 3,
    }
    assert found.left_out == {"cobalt": 1}
    assert found.by_rule == {"aurora": 2, "basalt": 4, "cobalt": 9}


@pytest.mark.slow
@pytest.mark.django_db
def test_experts_are_compared_only_after_the_close_and_never_by_an_audits_sample(gaps, proofs):
    assert [kind.key for kind in outcome_kinds(collect(release=gaps))] == [
        "judge:tool_acc",
        "judge:ground_rate",
        "measure:cite_recall_20",
    ]
    assert [kind.key for kind in outcome_kinds(collect(release=proofs))] == ["sample-proofs:correctness"]


@pytest.mark.django_db
def test_an_open_campaign_is_compared_for_nobody(client, owner, proofs, still_open):
    client.force_login(owner)
    reply = client.get(reverse("compare", args=["sample-proofs"]))
    assert b"Nothing to compare yet" in reply.content
    assert client.get(reverse("compare-csv", args=["sample-proofs"])).status_code == 404
    assert client.get("/api/v1/releases/sample-proofs/comparison/").status_code == 404


@pytest.mark.django_db
def test_an_unknown_outcome_is_refused_with_what_there_is(gaps):
    with pytest.raises(Refused, match="judge:tool_acc"):
        chosen_kind(collect(release=gaps), "judge:nonesuch")


@pytest.fixture
def carl(client, coordinator):
    client.force_login(coordinator)
    return client


@pytest.mark.django_db
def test_the_page_the_csv_and_rest_say_the_same(carl, gaps):
    document = carl.get("/api/v1/releases/sample-re2math/comparison/?outcome=judge:tool_acc").json()
    reply = carl.get(reverse("compare-csv", args=["sample-re2math"]), {"outcome": "judge:tool_acc"})
    table = list(csv.DictReader(io.StringIO(b"".join(reply.streaming_content).decode())))
    first = document["pairs"][0]
    assert float(table[0]["difference"]) == first["difference"]["value"] == pytest.approx(7 / 30)
    assert float(table[0]["holm"]) == first["test"]["holm"]
    assert float(table[0]["simultaneous_low"]) == first["simultaneous"]["ci"][0]
    assert table[0]["mcnemar_exact"] == ""  # papers have several gaps
    text = carl.get(reverse("compare", args=["sample-re2math"])).content.decode()
    assert "+23.3" in text  # 7/30
    assert "9 / 2" in text  # discordant items of aurora and basalt


@pytest.mark.slow
@pytest.mark.django_db
def test_a_pair_shows_its_fourfold_table_and_its_items(carl, gaps):
    address = reverse("compare-pair", args=["sample-re2math"])
    reply = carl.get(address, {"first": "aurora", "second": "basalt"})
    assert reply.context["pair"]["cells"] == {"both": 7, "first_only": 9, "second_only": 2, "neither": 12}
    assert len(reply.context["page"]) == 30
    test = reply.context["pair"]["test"]
    assert test["p"] == test["mid_p"] == "0.076", "papers have several gaps"
    assert "; mid-p over all signs)" in reply.content.decode()
    assert carl.get(address, {"first": "aurora", "second": "aurora"}).status_code == 404


@pytest.mark.slow
@pytest.mark.django_db
def test_the_number_of_queries_does_not_depend_on_the_number_of_systems(carl, gaps):
    address = reverse("compare", args=["sample-re2math"])
    few = queries(carl, address)
    path = SAMPLE / "re2math" / "outputs-aurora.jsonl"
    import_outputs(actor=None, path=path, release=gaps, system="delta")
    assert queries(carl, address) == few
    assert few <= 22
