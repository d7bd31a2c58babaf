"""Systems two at a time from grades: the sample's proofs, counted by hand where that is possible."""

import csv
import io
from io import BytesIO

import pytest
from django.urls import reverse

from accounts.refusal import Refused
from reports.comparison.implied_pairs import implied_document, implied_kinds, implied_rows
from reports.comparison.pairs_page import pairs_sections
from reports.scores.inputs import collect
from stats.analyses.options import Options
from stats.analyses.pairs import pairs_document
from stats.tables.labels import read_labels
from tests.reports.conftest import queries

pytestmark = pytest.mark.django_db


@pytest.fixture
def carl(client, coordinator):
    client.force_login(coordinator)
    return client


@pytest.mark.slow
def test_every_expert_compares_every_two_systems_on_every_problem_once(proofs):
    rows = list(implied_rows(collect(release=proofs), "sample-proofs:logic"))
    assert len(rows) == 6 * 3 * 3  # problems, experts, pairs of three systems
    assert len({(row["subject"], row["rater"], row["system"]) for row in rows}) == 54


def test_the_higher_grade_wins_and_equal_grades_tie(proofs):
    inputs = collect(release=proofs)
    given = {
        (label.subject.split("/")[0], label.rater, label.subject.split("/")[1]): float(label.value)
        for label in inputs.labels
        if label.question == "clarity"
    }
    for row in implied_rows(inputs, "sample-proofs:clarity"):
        first, second = (given[row["instance"], row["rater"], name] for name in row["system"].split("|"))
        expected = "tie" if first == second else "first" if first > second else "second"
        assert row["value"] == expected


def test_correct_beats_inconclusive_beats_incorrect(proofs):
    inputs = collect(release=proofs)
    order = {"correct": 2, "inconclusive": 1, "incorrect": 0}
    given = {
        (label.subject.split("/")[0], label.rater, label.subject.split("/")[1]): order[label.value]
        for label in inputs.labels
        if label.question == "correctness"
    }
    rows = list(implied_rows(inputs, "sample-proofs:correctness"))
    assert {row["value"] for row in rows} == {"first", "second", "tie"}
    for row in rows:
        first, second = (given[row["instance"], row["rater"], name] for name in row["system"].split("|"))
        assert (row["value"] == "first") == (first > second)


def test_wins_losses_and_ties_add_up(proofs):
    document = implied_document(collect(release=proofs), "sample-proofs:logic")
    assert document["comparisons"] == 54
    assert sum(entry["wins"] for entry in document["systems"]) == sum(
        p["wins"] + p["losses"] for p in document["pairs"]
    )
    assert all(pair["wins"] + pair["losses"] + pair["ties"] == 18 for pair in document["pairs"])
    assert sum(entry["strength"]["value"] for entry in document["systems"]) == pytest.approx(0, abs=1e-9)


def test_grades_have_no_order_of_presentation(proofs):
    document = implied_document(collect(release=proofs), "")
    assert document["position_bias"] is None
    assert document["order_effect"] is None


def test_choices_shown_in_both_orders_would_have_their_position_bias_on_the_page():
    lines = ["system,subject,rater,order,value"]
    for problem in range(6):
        lines += [f"a|b,p{problem},r,1,first", f"b|a,p{problem},r,2,{'second' if problem else 'first'}"]
    found = pairs_document(read_labels(BytesIO("\n".join(lines).encode())), options=Options())
    assert found["pairs"] == [{"first": "a", "second": "b", "wins": 5, "losses": 0, "ties": 1}]
    sections = pairs_sections({"source": "direct", "grades": {"title": "Choices"}, "seed": 1, **found})
    # the first shown won 6 of the first presentations and 1 of the second: 7 of 12; 5 of 6 pairs agree
    assert sections["position"]["first_slot"].counts == "7/12"
    assert sections["position"]["consistency"].counts == "5/6"
    assert sections["strengths"] is not None or sections["systems"][0]["rank"] == ""


@pytest.mark.slow
def test_only_closed_gradings_imply_anything(gaps):
    inputs = collect(release=gaps)  # an audit
    assert implied_kinds(inputs) == {}
    with pytest.raises(Refused, match="before a grading campaign is closed"):
        implied_document(inputs, "")


@pytest.mark.slow
def test_the_page_the_csv_and_rest_say_the_same(carl, proofs):
    asked = {"grades": "sample-proofs:logic"}
    document = carl.get("/api/v1/releases/sample-proofs/pairs/", asked).json()
    reply = carl.get(reverse("pairs-csv", args=["sample-proofs"]), asked)
    table = list(csv.DictReader(io.StringIO(b"".join(reply.streaming_content).decode())))
    aurora = document["systems"][0]
    assert (table[0]["system"], int(table[0]["wins"])) == (aurora["system"], aurora["wins"])
    page = carl.get(reverse("pairs", args=["sample-proofs"]), asked)
    text = page.content.decode()
    assert page.context["systems"][0]["wins"] == aurora["wins"]
    linked = {part.split('"')[0] for part in text.split('href="#def-')[1:]}
    assert all(f'id="def-{key}"' in text for key in linked)
    assert carl.get(reverse("pairs", args=["sample-proofs"]), {"grades": "x:y"}).status_code == 404


@pytest.mark.slow
def test_the_page_names_the_test_of_equal_strengths_and_says_where_there_is_none(carl, proofs, monkeypatch):
    address = reverse("pairs", args=["sample-proofs"])
    assert "by Wald’s test, which takes comparisons of one problem or paper together" in (
        carl.get(address).content.decode()
    )
    monkeypatch.setattr("stats.analyses.pairs.SINGULAR", 1)  # as if one problem alone compared a system
    text = carl.get(address).content.decode()
    assert "There are too few problems or papers to tell. Likelihood ratio" in text
    assert "Wald" not in text


def test_before_a_close_the_page_says_what_to_do(carl, gaps):
    reply = carl.get(reverse("pairs", args=["sample-re2math"]))
    assert b"No campaign of this track that grades or compares is closed yet" in reply.content


@pytest.mark.slow
def test_the_number_of_queries_does_not_depend_on_the_question(carl, proofs):
    address = reverse("pairs", args=["sample-proofs"])
    assert queries(carl, f"{address}?grades=sample-proofs:logic") == queries(carl, address) <= 18
