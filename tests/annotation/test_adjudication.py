"""Adjudication: blind to names, after the round, immutable, with reasons where everybody is overruled."""

import json

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent, User
from accounts.refusal import NotAllowed, Refused
from annotation.adjudication import actions
from annotation.adjudication.reading import primary_decisions, queue
from annotation.adjudication.settling import State, item_state, letter, overrules_everyone, question_state
from annotation.campaigns.pairing import upright
from annotation.core.item_names import item_name
from annotation.models import Adjudication
from tests.annotation.grading import graded_by

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("values", "state"),
    [
        (["correct", "correct"], State.AGREED),
        (["correct", "incorrect"], State.SPLIT),
        (["correct", ""], State.AGREED),
        (["", ""], State.OPEN),
        (["correct", "abstain"], State.SPLIT),
        (["correct", "correct", "abstain", ""], State.SPLIT),
        (["abstain", "abstain"], State.OPEN),
        (["abstain", ""], State.OPEN),
        (["correct", "not_assessed"], State.AGREED),
        (["not_assessed", "not_assessed"], State.AGREED),
    ],
)
def test_a_question_is_split_where_those_who_judged_it_differ(values, state):
    assert question_state(values) is state


def test_an_item_is_as_far_as_its_worst_question_and_incomplete_before_all_else():
    answers = {("a", ""): ["yes", "yes"], ("b", ""): ["yes", "no"]}
    assert item_state(answers, missing=1, decided=[]) is State.INCOMPLETE
    assert item_state(answers, missing=0, decided=[]) is State.SPLIT
    assert item_state(answers, missing=0, decided=[("b", "")]) is State.SETTLED
    assert item_state({("a", ""): ["yes", "yes"]}, missing=0, decided=[]) is State.AGREED


def test_everyone_is_overruled_only_by_a_value_that_nobody_gave():
    assert overrules_everyone("inconclusive", ["correct", "incorrect"])
    assert not overrules_everyone("correct", ["correct", "incorrect"])
    assert not overrules_everyone("correct", ["", "abstain"])  # nobody is overruled where nobody judged


def test_preferences_are_read_in_the_order_of_the_item():
    assert [upright(value, swapped=True) for value in ("first", "second", "tie")] == [
        "second",
        "first",
        "tie",
    ]
    assert upright("first", swapped=False) == "first"


def test_letters_go_on_after_z():
    assert [letter(index) for index in (0, 25, 26, 27)] == ["A", "Z", "AA", "AB"]


def decide(actor, item, value="incorrect", **terms):
    return actions.adjudicate(actor=actor, item=item, question="correctness", value=value, **terms)


def test_the_queue_tells_split_from_incomplete_items(split, opened):
    states = {row.item.pk: row for row in queue(opened)}
    assert states[split.pk].state is State.SPLIT
    assert states[split.pk].split == ("correctness",)
    assert {row.state for pk, row in states.items() if pk != split.pk} == {State.INCOMPLETE}


def test_a_decision_settles_the_item_and_is_on_the_trail(split, opened, coordinator):
    made = decide(coordinator, split, cause="gap_overlooked")
    assert (made.value, made.overrules, made.amendment, made.informed) == ("incorrect", False, False, False)
    assert next(row for row in queue(opened) if row.item == split).state is State.SETTLED
    event = AuditEvent.objects.get(verb="adjudicate")
    assert (event.actor, event.details["value"]) == (coordinator, "incorrect")


def test_nothing_is_decided_while_graders_may_still_change_their_answers(opened, algebraist, coordinator):
    item = graded_by(algebraist, opened, correctness="correct", rigour="3")
    with pytest.raises(Refused, match="must be closed"):
        decide(coordinator, item)


@pytest.mark.parametrize(
    "given", [{}, {"cause": "slip"}, {"note": "Neither."}, {"cause": "slip", "note": "  "}]
)
def test_overruling_everyone_needs_a_cause_and_a_note(split, coordinator, given):
    with pytest.raises(Refused) as refusal:
        decide(coordinator, split, "inconclusive", **given)
    assert refusal.value.code == "reasons_needed"
    assert not Adjudication.objects.exists()


def test_overruling_everyone_with_its_reasons_is_marked(split, coordinator):
    made = decide(coordinator, split, "inconclusive", cause="statement_wrong", note="The claim is void.")
    assert made.overrules


@pytest.mark.parametrize(
    ("terms", "code"),
    [
        ({"question": "remarks", "value": "x"}, "no_question"),
        ({"question": "nonsense", "value": "x"}, "no_question"),
        ({"question": "rigour", "value": "9"}, "bad_value"),
        ({"question": "rigour", "value": " "}, "no_value"),
        ({"question": "rigour", "value": "3", "step": "s1"}, "no_step"),
    ],
)
def test_what_cannot_be_decided_is_refused_with_its_reason(split, coordinator, terms, code):
    with pytest.raises(Refused) as refusal:
        actions.adjudicate(actor=coordinator, item=split, **terms)
    assert refusal.value.code == code


def test_a_later_decision_supersedes_the_one_that_was_looked_at(split, coordinator):
    first = decide(coordinator, split)
    with pytest.raises(Refused) as refusal:
        decide(coordinator, split, "correct")
    assert refusal.value.code == "decided_meanwhile"
    second = decide(coordinator, split, "correct", supersedes=first.pk)
    assert list(primary_decisions()) == [second]
    assert Adjudication.objects.count() == 2


def test_reviewers_decide_nothing(split, algebraist):
    with pytest.raises(NotAllowed):
        decide(algebraist, split)


def test_who_graded_an_item_before_they_ran_the_study_does_not_decide_about_it(split, algebraist):
    algebraist.roles.update(name="coordinator")
    algebraist = User.objects.get(pk=algebraist.pk)  # whose roles are read again
    with pytest.raises(Refused, match="You graded this item") as refusal:
        decide(algebraist, split)
    assert refusal.value.code == "graded_it"
    client = Client()
    client.force_login(algebraist)
    page = client.get(f"/grading/campaigns/round-1/adjudication/{item_name(split.pk)}/").content.decode()
    assert "Somebody else has to decide about it." in page
    assert 'class="decision"' not in page


def test_the_database_keeps_decisions_as_they_were_made(split, coordinator):
    made = decide(coordinator, split)
    for change in (lambda: Adjudication.objects.update(value="correct"), made.delete):
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            change()


def stored(item, coordinator, **changes):
    terms = {"question": "rigour", "value": "1", "decided_by": coordinator, **changes}
    return Adjudication.objects.create(item=item, **terms)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"value": ""}, "adjudication_has_a_value"),
        ({"cause": "whim"}, "adjudication_cause_is_known"),
        ({"overrules": True}, "adjudication_overruling_has_cause_and_note"),
        ({"amendment": True}, "belongs to a closed campaign"),
    ],
)
def test_the_database_refuses_a_decision_that_cannot_be(split, coordinator, changes, words):
    with pytest.raises(IntegrityError, match=words), transaction.atomic():
        stored(split, coordinator, **changes)


def test_a_number_of_a_decision_that_cannot_be_one_is_none(split, coordinator, client):
    first = decide(coordinator, split, "incorrect")
    client.force_login(coordinator)
    address = reverse("adjudicate", args=[split.campaign.slug, item_name(split.pk)])
    sent = {"question": "correctness", "value": "correct", "supersedes": "9" * 5000}
    assert client.post(address, sent).status_code == 409
    assert client.post(address, {**sent, "supersedes": str(first.pk)}).status_code == 302


def test_the_database_refuses_a_second_first_decision_and_one_that_supersedes_another_question(
    split, coordinator
):
    first = stored(split, coordinator)
    with pytest.raises(IntegrityError), transaction.atomic():
        stored(split, coordinator)
    with pytest.raises(IntegrityError, match="question it supersedes"), transaction.atomic():
        stored(split, coordinator, question="correctness", value="correct", supersedes=first)


def test_the_database_refuses_a_decision_in_an_open_campaign(opened, coordinator):
    with pytest.raises(IntegrityError, match="belongs to a closed campaign"), transaction.atomic():
        stored(opened.items.first(), coordinator)


def test_pages_show_letters_and_neither_names_nor_systems_and_fill_nothing_in(
    split, opened, coordinator, algebraist, second_algebraist
):
    client = Client()
    client.force_login(coordinator)
    listed = client.get("/grading/campaigns/round-1/adjudication/").content.decode()
    page = client.get(f"/grading/campaigns/round-1/adjudication/{item_name(split.pk)}/").content.decode()
    assert "Reviewer A" in page
    assert "Reviewer B" in page
    for person in (algebraist, second_algebraist):
        assert person.name not in listed + page
        assert person.email not in listed + page
    assert "-system" not in listed + page
    assert "checked" not in page
    assert "selected" not in page


def test_the_page_decides_and_keeps_what_was_typed_when_it_is_refused(split, opened, coordinator):
    client = Client()
    client.force_login(coordinator)
    address = f"/grading/campaigns/round-1/adjudication/{item_name(split.pk)}/"
    sent = {"question": "correctness", "value": "inconclusive", "note": "Neither of them."}
    refused = client.post(address, sent)
    assert refused.status_code == 409
    assert "Neither of them." in refused.content.decode()
    assert "choose the cause" in refused.content.decode()
    decided = client.post(address, {**sent, "cause": "other"})
    assert (decided.status_code, decided.url) == (302, f"{address}#q-correctness")  # not at the top again
    assert Adjudication.objects.get().note == "Neither of them."


def test_rest_shows_and_decides_what_the_page_does(split, opened, coordinator):
    client = Client()
    client.force_login(coordinator)
    address = "/api/v1/campaigns/round-1/adjudication/"
    listed = client.get(address).json()
    assert listed["counts"]["split"] == 1
    name = listed["items"][0]["item"]
    item = client.get(f"{address}{name}/").json()
    assert {answer["letter"] for answer in item["questions"][0]["answers"]} == {"A", "B"}
    sent = {"question": "correctness", "value": "incorrect"}
    made = client.post(f"{address}{name}/", json.dumps(sent), content_type="application/json")
    assert (made.status_code, made.json()["value"]) == (201, "incorrect")
    again = {"question": "correctness", "value": "correct", "supersedes": made.json()["id"]}
    replaced = client.post(f"{address}{name}/", json.dumps(again), content_type="application/json")
    assert (replaced.status_code, replaced.json()["value"]) == (201, "correct")
    missing = client.get(f"{address}0123456789abcdef/")
    assert missing.status_code in (404, 409)


def test_the_queue_costs_the_same_number_of_queries_for_more_items(
    split, opened, django_assert_max_num_queries, algebraist
):
    with django_assert_max_num_queries(4):
        queue(opened)
