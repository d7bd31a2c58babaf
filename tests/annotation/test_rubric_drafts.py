"""Forms that are written in the browser: drafts that lose nothing, and versions that never change."""

import json
from html import unescape

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from accounts.models import AuditEvent
from accounts.refusal import NotAllowed, Refused
from annotation.models import Rubric, RubricDraft
from annotation.rubrics import drafting
from annotation.rubrics.available import known_rubrics, rubric_called
from annotation.rubrics.checking import checked_form
from annotation.rubrics.starts import STARTS
from benchmark.protocols import get_protocol

pytestmark = pytest.mark.django_db


@pytest.fixture
def draft(coordinator) -> RubricDraft:
    return drafting.start_draft(actor=coordinator, protocol="proofs", start="four-levels")


@pytest.mark.parametrize("start", [name for name in STARTS if name != "blank"])
def test_every_start_can_be_used_as_it_is(coordinator, start):
    draft = drafting.start_draft(actor=coordinator, protocol="proofs", start=start)
    form = drafting.check_of(draft)
    assert form.faults == ()
    row = drafting.publish_draft(actor=coordinator, draft=draft, saves=draft.saves)
    assert row.label in [rubric.label for rubric in known_rubrics("proofs")]
    assert not RubricDraft.objects.exists()
    assert AuditEvent.objects.get(verb="publish_rubric").details["sha256"] == row.sha256


def test_a_blank_form_says_what_it_lacks(coordinator):
    draft = drafting.start_draft(actor=coordinator, protocol="proofs", start="blank")
    assert [fault.reason for fault in drafting.check_of(draft).faults] == [
        "Add a question: the form has none."
    ]
    with pytest.raises(Refused, match="Add a question"):
        drafting.publish_draft(actor=coordinator, draft=draft, saves=1)
    assert RubricDraft.objects.get() == draft


def test_a_changed_form_becomes_the_next_version(coordinator, draft):
    first = drafting.publish_draft(actor=coordinator, draft=draft, saves=1)
    again = drafting.start_draft(actor=coordinator, protocol="proofs", start=first.label)
    again.content["questions"][0]["scale"]["values"].append("withdrawn")
    again = drafting.save_draft(actor=coordinator, draft=again, saves=1, content=again.content)
    assert "“Level” had other values in version 1" in " ".join(
        check.words for check in drafting.check_of(again).checks if not check.good
    )
    second = drafting.publish_draft(actor=coordinator, draft=again, saves=2)
    assert (first.version, second.version) == (1, 2)
    assert Rubric.objects.get(pk=first.pk).content == first.content


def test_a_form_of_the_protocol_is_changed_under_another_name(coordinator):
    draft = drafting.start_draft(actor=coordinator, protocol="proofs", start="proofs-v1")
    assert draft.content["name"] == "proofs-own"
    assert drafting.check_of(draft).faults == ()


def test_two_windows_never_overwrite_each_other(coordinator, draft):
    drafting.save_draft(actor=coordinator, draft=draft, saves=1, content={**draft.content, "title": "One"})
    with pytest.raises(drafting.DraftConflict) as conflict:
        drafting.save_draft(actor=coordinator, draft=draft, saves=1, content={"title": "Two"})
    assert conflict.value.further()["stored"]["content"]["title"] == "One"
    with pytest.raises(drafting.DraftConflict):
        drafting.publish_draft(actor=coordinator, draft=draft, saves=1)
    assert RubricDraft.objects.get().content["title"] == "One"


HOSTILE = [
    {},
    {"questions": "all of them"},
    {"questions": [None, 7, "x", {}, {"key": "a"}]},
    {"name": {"a": 1}, "questions": []},
    {"name": "x", "title": "<script>alert(1)</script>", "kind": "grade", "questions": [{"scale": []}]},
    {"questions": [{"key": "a", "text": "\\input{x} $", "scale": {"level": "ordinal", "values": [1, None]}}]},
    {"questions": [{"key": "a", "text": "A", "scale": "text"}] * 2},
    {"questions": [{"key": "a", "text": "A", "scale": "text", "anchors": {"x": 3}}]},
    {"questions": [], "rules": [{"question": "nobody"}]},
    {"questions": [], "rules": {"a": 1}},
    {"version": "three", "questions": []},
    {"surprise": True, "questions": []},
    {"questions": [{"key": "a", "text": "x" * 100_000, "scale": "text"}]},
    {"questions": [{"key": "a", "text": "A", "scale": "text"}] * 200},
]


@pytest.mark.parametrize("content", HOSTILE)
def test_anything_can_be_saved_and_is_never_used(client, coordinator, draft, content):
    drafting.save_draft(actor=coordinator, draft=draft, saves=1, content=content)
    draft.refresh_from_db()
    assert drafting.check_of(draft).faults
    with pytest.raises(Refused):
        drafting.publish_draft(actor=coordinator, draft=draft, saves=2)
    client.force_login(coordinator)
    page = client.get(reverse("form-editor", args=[draft.pk]))
    assert page.status_code == 200
    assert b"<script>alert" not in page.content
    assert client.post(reverse("form-preview", args=[draft.pk])).status_code == 200
    assert client.get(reverse("form-compare", args=[draft.pk, "proofs-v1"])).status_code == 200
    assert client.get(reverse("rubrics")).status_code == 200
    assert RubricDraft.objects.get().content == content


def test_a_draft_longer_than_allowed_is_refused_and_the_last_one_stays(coordinator, draft):
    with pytest.raises(Refused, match="at most 200 kB"):
        drafting.save_draft(actor=coordinator, draft=draft, saves=1, content={"title": "x" * 300_000})
    assert RubricDraft.objects.get().content == STARTS["four-levels"][1]


def test_only_staff_write_forms(algebraist, draft):
    for act in (
        lambda: drafting.start_draft(actor=algebraist, protocol="proofs", start="blank"),
        lambda: drafting.save_draft(actor=algebraist, draft=draft, saves=1, content={}),
        lambda: drafting.publish_draft(actor=algebraist, draft=draft, saves=1),
        lambda: drafting.discard_draft(actor=algebraist, draft=draft),
    ):
        with pytest.raises(NotAllowed):
            act()


def test_the_preview_shows_the_rule_that_an_answer_breaks(client, coordinator, draft):
    client.force_login(coordinator)
    tried = {"answer-level": "reject", "answer-accept": "yes"}
    page = client.post(reverse("form-preview", args=[draft.pk]), tried).content.decode()
    assert "You answered “reject”. Then this must be “no”." in page
    assert "Please mark at least one passage as “fatal” or “major”." in page
    assert 'value="reject" checked' in page


def test_a_form_is_written_by_rest(client, coordinator):
    client.force_login(coordinator)
    address = reverse("api-rubric-drafts", args=["proofs"])
    begun = client.post(address, {"start": "points"}, content_type="application/json")
    assert begun.status_code == 201
    own = reverse("api-rubric-draft", args=[begun.json()["id"]])
    content = {**begun.json()["content"], "title": "Points of the jury"}
    sent = json.dumps({"content": content, "saves": 1})
    assert client.put(own, sent, content_type="application/json").json()["saves"] == 2
    late = client.put(own, sent, content_type="application/json")
    assert (late.status_code, late.json()["code"]) == (409, "draft_conflict")
    made = client.post(own + "publish/", {"saves": 2}, content_type="application/json")
    assert (made.status_code, made.json()["label"]) == (201, "points-v1")
    assert rubric_called("proofs", "points-v1").title == "Points of the jury"
    assert client.get(address).json() == []


def test_a_discarded_draft_is_in_the_trail(client, coordinator, draft):
    client.force_login(coordinator)
    assert client.delete(reverse("api-rubric-draft", args=[draft.pk])).status_code == 204
    assert not RubricDraft.objects.exists()
    assert (
        AuditEvent.objects.get(verb="discard_rubric_draft").details["content"]["title"] == "Referee's report"
    )


def test_a_draft_was_saved_at_least_once(draft):
    with pytest.raises(IntegrityError, match="rubric_draft_was_saved"), transaction.atomic():
        RubricDraft.objects.filter(pk=draft.pk).update(saves=0)


def test_a_draft_is_compared_with_an_earlier_version_question_by_question(client, coordinator, draft):
    first = drafting.publish_draft(actor=coordinator, draft=draft, saves=1)
    again = drafting.start_draft(actor=coordinator, protocol="proofs", start=first.label)
    address = reverse("form-compare", args=[again.pk, first.label])
    client.force_login(coordinator)
    assert "referees are asked the same" in client.get(address).content.decode()
    content = again.content
    level, *others = content["questions"]
    values = level["scale"]["values"]
    best, worst = values[0], values[-1]
    level["text"] = "How good is it?"
    level["required"] = False
    level["scale"]["values"] = [*values[:-1], "withdrawn"]
    level["scale"]["success"] = [best]
    level["anchors"] = {best: "Nothing to change."}
    new = {"key": "novel", "text": "Is the idea new?", "scale": "predicate"}
    content["questions"] = [*others[1:], new, level]
    content["rules"] = [{"question": "novel", "values": ["yes"], "comments_at_least": "minor"}]
    content["title"] = "Another title"
    again = drafting.save_draft(actor=coordinator, draft=again, saves=1, content=content)
    page = " ".join(unescape(client.get(address).content.decode()).split())
    for sentence in (
        f"The title was “{first.content['title']}”, now “Another title”.",
        "It was “",
        "An answer is now optional.",
        "New answer: withdrawn.",
        f"No longer answer: {worst}.",
        f"Counts as solved: {best}, before",
        f"“{best}” meant ",
        ", now “Nothing to change.”.",
        "New rule: if “Is the idea new?” is yes, then some comment must be minor or worse.",
        'Is the idea new? <span class="badge warn">new</span>',
    ):
        assert sentence in page, sentence
    assert page.count(">gone</span>") == len(others[:1])
    editor = client.get(reverse("form-editor", args=[again.pk])).content.decode()
    assert f'{address}">Compare with version 1</a>' in editor


def test_a_question_that_is_half_written_is_neither_gone_nor_compared(client, coordinator, draft):
    first = drafting.publish_draft(actor=coordinator, draft=draft, saves=1)
    again = drafting.start_draft(actor=coordinator, protocol="proofs", start=first.label)
    again.content["questions"][0]["scale"]["values"] = []
    drafting.save_draft(actor=coordinator, draft=again, saves=1, content=again.content)
    client.force_login(coordinator)
    page = client.get(reverse("form-compare", args=[again.pk, first.label])).content.decode()
    assert ">unfinished</span>" in page
    assert ">gone</span>" not in page
    assert "its rules are not compared" in page
    assert client.get(reverse("form-compare", args=[again.pk, "nothing-v1"])).status_code == 404


@pytest.mark.parametrize(
    ("scale", "anchors", "said"),
    [
        ({"level": "ordinal", "values": ["bad", "good"], "success": ["good"]}, {}, "Say"),
        (
            {"level": "ordinal", "values": ["bad", "good"], "success": ["good"]},
            {"bad": "no", "good": "yes"},
            "Every",
        ),
        ({"level": "interval", "values": ["0", "1", "2"], "success": ["2"]}, {}, None),
    ],
)
def test_words_are_asked_for_levels_and_not_for_points(scale, anchors, said):
    """The editor has no place for the meanings of points."""
    question = {"key": "q", "text": "How good?", "scale": scale, "anchors": anchors}
    content = {"name": "f", "version": 1, "kind": "grade", "title": "F", "questions": [question]}
    words = [check.words for check in checked_form(content, get_protocol("proofs")).checks]
    assert [one.split()[0] for one in words if "level" in one] == ([said] if said else [])
