"""Results, reliability and monitoring of a campaign: for those who run the study, and never by system."""

import csv
import dataclasses
import datetime as dt
import io
import json
from dataclasses import replace

import pytest
from django.urls import reverse

from annotation.grading.actions import reopen_grade
from annotation.models import Campaign
from benchmark.rubrics import Rubric, question
from reports.campaign.data import CampaignData, GradeTime, Reviewer, ReviewerLabel
from tests.annotation.campaigns import drafted, opened, place, rubric
from tests.annotation.grading import submit_grade
from tests.documents import (
    campaign_results_document,
    monitoring_document,
    question_document,
    reliability_document,
    reviewers_document,
)
from tests.reports.conftest import queries

__all__ = ["drafted", "opened", "place", "rubric"]

NOON = dt.datetime(2026, 11, 2, 12, tzinfo=dt.UTC)
RUBRIC = Rubric(
    "r",
    1,
    "grade",
    "R",
    (
        question("ok", "Is it right?", "predicate", positive="yes"),
        question("clear", "How clear?", "ordinal"),
        question("note", "Remarks", "text"),
    ),
)
PEOPLE = {"Ann": 1, "Bo": 2, "Cy": 3}


def given(question="ok", seconds=None, **answers):
    """Labels from strings, one letter an output (y, n, u, digit, . for none), in the order of the letters."""
    words = {"y": "yes", "n": "no", "u": "uncertain"}
    labels, times = [], []
    for name, letters in answers.items():
        for item, letter in enumerate(letters):
            if letter != ".":
                key = PEOPLE[name]
                value = words.get(letter, letter)
                labels.append(ReviewerLabel(item, key, question, value, "answered", f"p{item}"))
                times.append(GradeTime(item, key, NOON, (seconds or {}).get((name, item), 600), 1000))
    reviewers = tuple(Reviewer(PEOPLE[name], name, f"{name}@x.test") for name in answers)
    return CampaignData(reviewers, tuple(labels), tuple(times))


def monitored(data):
    return {entry["reviewer"]: entry for entry in monitoring_document(RUBRIC, data)["reviewers"]}


def test_severity_is_the_excess_over_what_the_outputs_totals_leave_to_chance():
    # Cy says yes alone on 12 outputs: residual 12 * 2/3, variance 12 * (1/3)(2/3): z = 8 / sqrt(24/9) = 4.899
    found = monitored(given(Ann="n" * 12, Bo="n" * 12, Cy="y" * 12))
    assert found["Cy"]["questions"]["ok"]["z"] == pytest.approx(8 / (24 / 9) ** 0.5)
    assert found["Cy"]["questions"]["ok"]["flagged"]
    assert "ok: more lenient than the others" in found["Cy"]["signs"]
    assert not found["Ann"]["questions"]["ok"]["flagged"]  # -4 / sqrt(24/9) = -2.449


def test_outputs_without_overlap_or_disagreement_say_nothing():
    found = monitored(given(Ann="yyy...", Bo="...nnn"))
    assert found["Ann"]["questions"]["ok"]["z"] is None
    assert found["Ann"]["overlap"] == 0
    assert found["Ann"]["questions"]["ok"]["agreement"]["reason"] == "NO_PAIRABLE"


def test_agreement_with_others_counts_pairs_and_claims_no_interval():
    found = monitored(given(Ann="yn", Bo="yy", Cy="yn"))["Ann"]["questions"]["ok"]["agreement"]
    assert (found["k"], found["n"], found["ci"]) == (3, 4, None)


def test_scores_are_compared_on_the_outputs_that_all_graded():
    found = monitored(given(question="clear", Ann="1234.", Bo="2345.", Cy="23454"))
    assert [found[name]["questions"]["clear"]["compared"] for name in found] == [4, 4, 4]
    assert found["Ann"]["questions"]["clear"]["excess"] == pytest.approx(-8 / 3)  # 4 * (2.5 - 19/6)


def test_a_drift_is_found_and_placed():
    # Cy agrees with Bo against Ann for 15 outputs and is alone with yes for 15 more
    found = monitored(given(Ann="y" * 15 + "n" * 15, Bo="n" * 30, Cy="n" * 15 + "y" * 15))
    assert found["Cy"]["questions"]["ok"]["drifts_from"] > 15
    assert any("drifts" in sign for sign in found["Cy"]["signs"])


def test_grades_that_are_too_fast_slow_or_unread_are_counted_and_stay():
    seconds = {("Ann", item): 500 + 20 * item for item in range(12)}
    seconds |= {("Bo", item): 520 + 20 * item for item in range(12)}
    seconds |= {("Bo", 0): 30, ("Ann", 0): 90_000, ("Bo", 1): 20}  # 1,000 characters need 40 seconds
    data = given(seconds=seconds, Ann="y" * 12, Bo="y" * 12)
    found = monitored(data)
    assert found["Ann"]["time"]["slow"] == 1
    assert (found["Bo"]["time"]["fast"], found["Bo"]["time"]["unread"]) == (2, 2)
    assert found["Bo"]["graded"] == 12


def test_a_reviewer_who_prefers_one_side_whatever_is_shown_is_named_with_the_exact_test():
    rubric = Rubric("c", 1, "compare", "C", (question("better", "Which is better?", "preference"),))
    shown = {"Ann": ["first"] * 9 + ["tie"], "Bo": ["first"] * 12, "Cy": ["first", "second"] * 6}
    labels = [
        # the item's own order says nothing of sides
        ReviewerLabel(item, PEOPLE[name], "better", "second", "answered", f"p{item}", "", side)
        for name, sides in shown.items()
        for item, side in enumerate(sides)
    ]
    reviewers = tuple(Reviewer(key, name, f"{name}@x.test") for name, key in PEOPLE.items())
    found = monitoring_document(rubric, CampaignData(reviewers, tuple(labels), ()))["reviewers"]
    ann, bo, cy = (entry["sides"]["better"] for entry in found)
    assert (ann["first"], ann["second"], ann["p"], ann["flagged"]) == (9, 0, 2 / 2**9, False)  # .0039
    assert (bo["p"], bo["flagged"]) == (2 / 2**12, True)
    assert (cy["p"], cy["flagged"]) == (1, False)
    assert [entry["signs"] for entry in found] == [
        [],
        ["better: prefers the side shown first in 12 of 12 pairs"],
        [],
    ]


def test_a_pair_that_comes_to_its_reviewer_twice_is_no_overlap_with_others():
    data = given(Ann="yn", Bo="y.")
    twice = replace(data, times=(*data.times, replace(data.times[1], at=NOON + dt.timedelta(hours=1))))
    assert {name: entry["overlap"] for name, entry in monitored(twice).items()} == {"Ann": 1, "Bo": 1}


def test_people_stand_in_the_order_they_were_given_in_never_by_a_number():
    document = monitoring_document(RUBRIC, given(Ann="nnnn", Bo="yyyy", Cy="nnyy"))
    assert [entry["reviewer"] for entry in document["reviewers"]] == ["Ann", "Bo", "Cy"]


def test_reliability_gives_every_pair_with_enough_overlap_and_names_the_others():
    data = given(Ann="ynyn" * 3, Bo="ynyy" * 3, Cy="yyy" + "." * 9)
    document = reliability_document(RUBRIC, data, "ok", seed=1)
    assert [pair["raters"] for pair in document["pairs"]] == [["Ann", "Bo"]]
    assert document["pairs"][0]["percent"]["value"] == pytest.approx(0.75)
    assert {tuple(pair["raters"]): pair["n_items"] for pair in document["pairs_dropped"]} == {
        ("Ann", "Cy"): 3,
        ("Bo", "Cy"): 3,
    }


def test_namesakes_are_kept_apart():
    data = given(Ann="y" * 10, Bo="n" * 10)
    twins = tuple(Reviewer(person.key, "Ann", person.rater) for person in data.reviewers)
    document = reliability_document(RUBRIC, CampaignData(twins, data.labels, data.times), "ok", seed=1)
    assert document["raters"] == ["Ann (Ann@x.test)", "Ann (Bo@x.test)"]


SYSTEMS = ("aurora", "basalt", "cobalt")
ADDRESSES = [
    ("campaign-results", []),
    ("campaign-figure-csv", ["progress"]),
    ("campaign-figure-csv", ["coverage"]),
    ("question-reliability", ["correctness"]),
    ("question-csv", ["correctness"]),
    ("monitoring", []),
    ("monitoring-csv", []),
    ("api-results", []),
    ("api-question", ["correctness"]),
    ("api-monitoring", []),
]


@pytest.fixture
def carl(client, coordinator):
    client.force_login(coordinator)
    return client


def content(reply):
    return (b"".join(reply.streaming_content) if reply.streaming else reply.content).decode()


@pytest.mark.django_db
@pytest.mark.parametrize(("name", "args"), ADDRESSES)
def test_no_campaign_page_names_a_system(carl, proofs, name, args):
    reply = carl.get(reverse(name, args=["sample-proofs", *args]))
    assert reply.status_code == 200
    text = content(reply)
    assert not any(system in text for system in SYSTEMS)


@pytest.mark.django_db
@pytest.mark.parametrize(("name", "args"), ADDRESSES)
def test_reviewers_of_the_campaign_see_none_of_it(client, proofs, algebraist, name, args):
    client.force_login(algebraist)
    assert client.get(reverse(name, args=["sample-proofs", *args])).status_code == 403


@pytest.mark.django_db
def test_progress_ends_at_what_was_submitted(carl, proofs):
    document = campaign_results_document(Campaign.objects.select_related("rubric").get())
    assert document["wanted"] == 54  # 18 proofs, three experts
    assert document["days"][-1]["submitted"] == 54
    reply = carl.get(reverse("campaign-figure-csv", args=["sample-proofs", "progress"]))
    table = list(csv.DictReader(io.StringIO(content(reply))))
    assert [int(row["submitted"]) for row in table] == [day["submitted"] for day in document["days"]]


@pytest.mark.django_db
def test_rest_gives_what_the_pages_show(carl, proofs):
    campaign = Campaign.objects.select_related("rubric").get()
    for address, document in [
        ("results/", campaign_results_document(campaign)),
        ("questions/logic/", question_document(campaign, "logic")),
        ("monitoring/", reviewers_document(campaign)),
    ]:
        reply = carl.get(f"/api/v1/campaigns/sample-proofs/{address}")
        assert reply.json() == json.loads(json.dumps(document))
    assert carl.get("/api/v1/campaigns/sample-proofs/monitoring/?order=z").status_code == 400
    assert carl.get("/api/v1/campaigns/sample-proofs/questions/nonesuch/").status_code == 404


def test_pairs_of_experts_take_the_outputs_of_a_problem_together():
    # Bo differs from Ann on every fourth output. With copies of each output in its problem the error stays.
    data = given(Ann="ynyn" * 5, Bo="ynyy" * 5)
    copies = [dataclasses.replace(one, item=one.item + 100) for one in data.labels]
    twice = CampaignData(data.reviewers, (*data.labels, *copies), data.times)
    one, two = (
        reliability_document(RUBRIC, found, "ok", seed=1)["pairs"][0]["cohen_kappa"]
        for found in (data, twice)
    )
    assert two["se"] == pytest.approx(one["se"], rel=0.02)
    assert two["clusters"] == 20


@pytest.mark.django_db
def test_what_the_labels_say_when_experts_err_is_fitted_on_request(carl, proofs):
    address = reverse("question-reliability", args=["sample-proofs", "correctness"])
    assert "?more=errors#more" in content(carl.get(address))
    page = content(carl.get(address, {"more": "errors"}))
    assert "Accuracy" in page
    assert "err independently of each other" in page
    assert not any(system in page for system in SYSTEMS)
    address = "/api/v1/campaigns/sample-proofs/questions/correctness/"
    assert "expert_errors" not in carl.get(address).json()
    found = carl.get(f"{address}?more=errors").json()["expert_errors"]
    assert found["success"] == ["correct"]
    assert {row["accuracy"]["clusters"] for row in found["raters"]} == {6}
    assert carl.get(f"{address}?more=all").status_code == 400


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "args"),
    [("campaign-results", []), ("question-reliability", ["correctness"]), ("monitoring", [])],
)
def test_every_linked_definition_is_on_the_page_and_ids_are_unique(carl, proofs, name, args):
    text = content(carl.get(reverse(name, args=["sample-proofs", *args])))
    linked = {part.split('"')[0] for part in text.split('href="#def-')[1:]}
    assert linked
    assert all(f'id="def-{key}"' in text for key in linked)
    ids = [part.split('"')[0] for part in text.split(' id="')[1:]]
    assert len(ids) == len(set(ids))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "args"), [("campaign-results", []), ("question-reliability", ["ground"]), ("monitoring", [])]
)
def test_the_number_of_queries_does_not_grow_with_the_labels(carl, gaps, proofs, name, args):
    small = queries(carl, reverse(name, args=["sample-proofs", *(["logic"] if args else [])]))
    large = queries(carl, reverse(name, args=["sample-audit", *args]))  # 51 outputs instead of 18
    assert large == small <= 14


def test_before_the_first_grade_the_pages_say_what_to_do(carl, drafted):
    assert "Draw, assign and open" in content(carl.get(reverse("campaign-results", args=["round-1"])))
    assert "No reviewer has a place" in content(carl.get(reverse("monitoring", args=["round-1"])))
    question = next(iter(campaign_results_document(drafted)["questions"]))
    text = content(carl.get(reverse("question-reliability", args=["round-1", question])))
    assert "Nobody has answered this question yet" in text


def test_the_plot_of_a_campaign_without_a_grade_leads_to_its_definition(carl, opened):
    text = content(carl.get(reverse("campaign-results", args=["round-1"])))
    assert 'href="#def-coverage"' in text
    assert 'id="def-coverage"' in text


def test_a_corrected_grade_counts_once_in_the_progress(place, algebraist, rubric):
    for value in ("correct", "incorrect"):
        if value == "incorrect":
            reopen_grade(reviewer=algebraist, assignment=place)
        submit_grade(
            reviewer=algebraist,
            assignment=place,
            content={"answers": {"correctness": value, "rigour": "2"}},
            idempotency_key=value,
            rubric_sha256=rubric.sha256,
        )
    campaign = place.item.campaign
    assert [day["submitted"] for day in campaign_results_document(campaign)["days"]] == [1]
    assert reviewers_document(campaign)["reviewers"][0]["graded"] == 1
    assert question_document(campaign, "correctness")["n_labels"] == 1
