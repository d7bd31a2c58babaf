"""Not judging an item: that it cannot be judged, with the reason, and where a solution was seen before."""

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from annotation.assigning.actions import say_out_of_field
from annotation.assigning.taking import take_next
from annotation.core.own_data import own_data
from annotation.grading.answers import Incomplete, checked
from annotation.grading.ways_out import ways_out
from annotation.models import Answer, Grade, SeenBefore, Unjudged
from benchmark.rubrics import rubric_from_content
from reports.core.datasets import expert_labels
from reports.labels.rows import label_rows
from tests.annotation.grading import submit_grade
from tests.annotation.samples import COMPLETE, QUESTIONS
from tests.documents import agreement_document

pytestmark = pytest.mark.django_db
UNREADABLE = {"unjudged": {"reason": "unreadable", "note": "Half of the formulas are missing."}}
RUBRIC = rubric_from_content(
    {"name": "test", "version": 1, "kind": "grade", "title": "Test", "questions": QUESTIONS}
)


def submitted(person, place, content, key="k"):
    return submit_grade(
        reviewer=person,
        assignment=place,
        content=content,
        idempotency_key=key,
        rubric_sha256=place.item.campaign.rubric.sha256,
    )


@pytest.mark.parametrize(
    ("reason", "state"),
    [
        ("nothing", "abstain"),
        ("unreadable", "unavailable"),
        ("material", "unavailable"),
        ("statement", "unavailable"),
    ],
)
def test_every_needed_answer_gets_the_state_that_follows_from_the_reason(reason, state):
    found = checked(RUBRIC, {"unjudged": {"reason": reason, "note": ""}}, {})
    assert [(answer.question, answer.value, answer.state) for answer in found.answers] == [
        ("correctness", "", state),
        ("rigour", "", state),
    ]
    assert all(answer.comment for answer in found.answers)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"unjudged": {"reason": "other", "note": " "}}, "Say in a few words why"),
        ({"unjudged": {"reason": "tired"}}, "no reason 'tired'"),
        ({"unjudged": {"reason": "other", "note": "x" * 2001}}, "at most 2000"),
        ({"unjudged": {"reason": "nothing"}, **COMPLETE}, "Change one"),
        ({"unjudged": {"reason": "nothing"}, "abstained": ["rigour"]}, "Change one"),
        (
            {"unjudged": {"reason": "nothing"}, "comments": {"rigour": "Words that would be lost."}},
            "Change one",
        ),
        ({**COMPLETE, "seen_before": True, "seen_where": "x" * 501}, "at most 500"),
    ],
)
def test_a_reason_that_is_none_or_contradicts_an_answer_is_refused(content, words):
    with pytest.raises(Incomplete, match=words):
        checked(RUBRIC, content, {})


def test_without_a_reason_answers_are_still_asked_for():
    with pytest.raises(Incomplete):
        checked(RUBRIC, {"unjudged": {"reason": "", "note": "just a thought"}}, {})


def test_an_unjudged_grade_reaches_the_export_and_the_agreement_with_its_state(place, opened, algebraist):
    submitted(algebraist, place, UNREADABLE)
    reason = Unjudged.objects.get()
    assert (reason.reason, reason.note) == ("unreadable", "Half of the formulas are missing.")
    rows = list(label_rows(opened.release))
    assert {(row["question"], row["value"], row["state"]) for row in rows} == {
        ("correctness", "", "unavailable"),
        ("rigour", "", "unavailable"),
    }
    assert rows[0]["comment"] == ("The text cannot be read as it is shown: Half of the formulas are missing.")
    independent, _ = expert_labels(opened.release, "raw")
    agreement = agreement_document(RUBRIC, independent, {}, seed=1)
    assert agreement["correctness"]["n_unavailable"] == 1
    assert own_data(algebraist)["places"][0]["grades"][0]["unjudged"]["reason"] == "unreadable"


def test_where_a_solution_was_seen_is_kept_only_with_seen_before(opened, algebraist):
    seen = take_next(reviewer=algebraist, campaign=opened)
    unseen = take_next(reviewer=algebraist, campaign=opened)
    submitted(algebraist, seen, {**COMPLETE, "seen_before": True, "seen_where": " Lang,\n Algebra "})
    submitted(algebraist, unseen, {**COMPLETE, "seen_where": "https://example.org/"})
    assert [row.place for row in SeenBefore.objects.all()] == ["Lang, Algebra"]
    with pytest.raises(IntegrityError, match="saw a solution before"), transaction.atomic():
        SeenBefore.objects.create(grade=Grade.objects.get(assignment=unseen), place="Somewhere")


def test_reasons_and_places_are_immutable_and_within_their_rules(place, algebraist):
    grade = submitted(algebraist, place, {**UNREADABLE, "seen_before": True, "seen_where": "Somewhere"})
    for rows, change in ((Unjudged.objects, {"note": "x"}), (SeenBefore.objects, {"place": "x"})):
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            rows.update(**change)
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            rows.get().delete()
    for model, fields, name in (
        (Unjudged, {"reason": "tired"}, "unjudged_reason_is_known"),
        (Unjudged, {"reason": "other"}, "unjudged_otherwise_says_why"),
        (SeenBefore, {"place": ""}, "seen_before_says_where"),
    ):
        with pytest.raises(IntegrityError, match=name), transaction.atomic():
            model.objects.create(grade=Grade.objects.create(**_like(grade)), **fields)


def _like(grade):
    return {
        "assignment": grade.assignment,
        "supersedes": grade,
        "rubric_sha256": grade.rubric_sha256,
        "idempotency_key": "another",
        "seen_before": True,
    }


def test_staff_read_by_item_what_was_said_and_nobody_is_named(
    opened, algebraist, second_algebraist, coordinator, client
):
    place = take_next(reviewer=algebraist, campaign=opened)
    submitted(algebraist, place, UNREADABLE | {"statement_wrong": True})
    other = take_next(reviewer=second_algebraist, campaign=opened)
    while other.item_id != place.item_id:
        other = take_next(reviewer=second_algebraist, campaign=opened)
    submitted(second_algebraist, other, {**COMPLETE, "seen_before": True, "seen_where": "Lang"})
    say_out_of_field(reviewer=algebraist, assignment=take_next(reviewer=algebraist, campaign=opened))
    found = ways_out(opened)
    assert found["counts"] == {"unjudged": 1, "out_of_field": 1, "statement_wrong": 1, "seen_before": 1}
    assert found["reasons"] == {"The text cannot be read as it is shown": 1}
    row = next(row for row in found["items"] if row["grades"])
    assert (row["grades"], row["seen_where"]) == (2, ["Lang"])
    client.force_login(coordinator)
    page = client.get(reverse("ways-out", args=[opened.slug])).content.decode()
    assert "Half of the formulas are missing." in page
    assert client.get(reverse("api-ways-out", args=[opened.slug])).json() == found
    for text in (page, str(found)):
        assert algebraist.name not in text
        assert "first-system" not in text


def test_a_superseded_grade_takes_no_way_out(place, opened, algebraist, client):
    client.force_login(algebraist)
    address = reverse("api-assignment", args=[place.handle])

    def send(content, key):
        sent = {"content": content, "rubric_sha256": place.item.campaign.rubric.sha256}
        return client.post(address, sent, "application/json", headers={"Idempotency-Key": key})

    first = send(UNREADABLE, "one")
    assert first.json()["unjudged"] == {"reason": "unreadable", "note": UNREADABLE["unjudged"]["note"]}
    assert "cannot be judged" in client.get(reverse("grade", args=[place.handle])).content.decode()
    client.post(reverse("api-reopen", args=[place.handle]))
    assert send(COMPLETE, "two").json()["unjudged"] is None
    assert ways_out(opened)["items"] == []
    assert Answer.objects.filter(state="unavailable").count() == 2


def test_the_plain_form_takes_a_reason_too(place, algebraist, client):
    client.force_login(algebraist)
    page = reverse("grade", args=[place.handle])
    sent = {"rubric_sha256": place.item.campaign.rubric.sha256, "idempotency_key": "k", "unjudged": "other"}
    refused = client.post(page, sent)
    assert refused.status_code == 409
    assert "Say in a few words why" in refused.content.decode()
    client.post(page, sent | {"unjudged_note": "The pages are out of order.", "seen_before": "on"})
    assert Unjudged.objects.get().note == "The pages are out of order."
