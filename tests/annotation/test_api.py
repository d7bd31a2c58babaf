"""The REST interface of reviewers and coordinators."""

import pytest
from django.urls import reverse

from annotation.assigning.taking import take_next
from annotation.grading.actions import save_draft
from annotation.models import Draft, Grade
from tests.annotation.samples import COMPLETE
from tests.conftest import member

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada(client, algebraist):
    client.force_login(algebraist)
    return client


@pytest.fixture
def address(place) -> str:
    return reverse("api-assignment", args=[place.handle])


@pytest.fixture
def submit(ada, address, rubric):
    def run(content=COMPLETE, key="key-1", **fields):
        body = {"content": content, "rubric_sha256": rubric.sha256} | fields
        headers = {"Idempotency-Key": key} if key else {}
        return ada.post(address, body, content_type="application/json", headers=headers)

    return run


@pytest.fixture
def save(ada, address):
    def run(version, content):
        body = {"version": version, "content": content}
        return ada.put(address, body, content_type="application/json")

    return run


def test_the_queue_lists_what_waits(ada, place):
    (row,) = ada.get(reverse("api-queue")).json()
    assert row == {
        "handle": place.handle,
        "campaign": "round-1",
        "title": f"Problem {place.item.instance.key}",
        "domain": "algebra",
        "state": "waiting",
    }


def test_what_is_taken_comes_with_its_texts_as_when_it_is_read_later(ada, opened):
    taken = ada.post(reverse("api-queue"), {"campaign": "round-1"}, content_type="application/json").json()
    assert taken == ada.get(reverse("api-assignment", args=[taken["handle"]])).json()
    assert taken["parts"]


def test_taking_gives_items_until_nothing_is_left(ada, opened):
    take = lambda: ada.post(  # noqa: E731
        reverse("api-queue"), {"campaign": "round-1"}, content_type="application/json"
    )
    handles = {take().json()["handle"] for _ in range(4)}
    assert len(handles) == 4
    assert (take().status_code, take().json()["code"]) == (409, "nothing_left")


def test_an_assignment_shows_texts_questions_and_own_work(ada, address, place):
    shown = ada.get(address).json()
    assert shown["parts"][0]["title"] == "Statement"
    assert shown["parts"][-1]["text"] == place.item.output.text
    assert [question["key"] for question in shown["rubric"]["questions"]] == [
        "correctness",
        "rigour",
        "remarks",
    ]
    assert shown["blocks"][0]["id"]
    assert (shown["draft"], shown["grade"]) == (None, None)


def test_a_draft_is_saved_and_read_back(ada, address, save):
    assert save(0, {"note": "so far"}).json()["version"] == 1
    assert ada.get(address).json()["draft"]["content"] == {"note": "so far"}


def test_a_stale_save_answers_409_with_the_stored_text(save):
    save(0, {"note": "first"})
    reply = save(0, {"note": "second"})
    assert reply.status_code == 409
    assert reply.json()["code"] == "draft_conflict"
    assert reply.json()["stored"]["content"] == {"note": "first"}
    assert Draft.objects.get().content == {"note": "first"}


def test_a_submission_is_created_once_per_key(submit):
    first, again = submit(), submit()
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json()
    assert Grade.objects.count() == 1


def test_the_same_key_with_another_body_answers_422(submit):
    submit()
    reply = submit(COMPLETE | {"note": "other"})
    assert (reply.status_code, reply.json()["code"]) == (422, "idempotency_mismatch")


def test_a_submission_without_a_key_is_refused(submit):
    reply = submit(key="")
    assert (reply.status_code, reply.json()["code"]) == (409, "no_key")


def test_an_incomplete_submission_names_the_questions(submit):
    reply = submit({"answers": {}})
    assert reply.status_code == 409
    assert set(reply.json()["problems"]) == {"correctness", "rigour"}


def test_a_submission_to_an_old_rubric_is_refused(submit):
    reply = submit(rubric_sha256="old")
    assert (reply.status_code, reply.json()["code"]) == (409, "stale_rubric")


def test_a_reopened_item_is_revised(ada, place, submit):
    submit()
    assert submit(COMPLETE | {"note": "x"}, key="key-2").json()["code"] == "already_submitted"
    assert ada.post(reverse("api-reopen", args=[place.handle])).status_code == 200
    reply = submit({"answers": {"correctness": "correct", "rigour": "4"}}, key="key-3")
    assert reply.status_code == 201
    assert Grade.objects.get(supersedes__isnull=False).answers.count() == 2


def test_out_of_field_gives_the_place_up(ada, place, address):
    reply = ada.post(reverse("api-out-of-field", args=[place.handle]), {}, content_type="application/json")
    assert reply.status_code == 204
    assert ada.get(address).status_code == 404


@pytest.mark.parametrize("person", ["analyst", "stranger", "coordinator", "owner"])
@pytest.mark.parametrize("method", ["get", "put", "post"])
def test_the_place_of_another_is_not_found_like_one_that_does_not_exist(
    client, place, person, method, request
):
    client.force_login(request.getfixturevalue(person))
    call = getattr(client, method)
    replies = [
        call(reverse("api-assignment", args=[handle]), content_type="application/json")
        for handle in (place.handle, "B" * 24)
    ]
    assert {reply.status_code for reply in replies} == {404}
    assert replies[0].content == replies[1].content


def test_strangers_to_the_site_get_401(client, address):
    assert client.get(address).status_code == 401


@pytest.mark.parametrize("name", ["api-campaigns", "api-campaign", "api-progress"])
def test_campaigns_and_progress_are_for_staff_of_the_study(client, opened, algebraist, coordinator, name):
    address = reverse(name, args=[] if name == "api-campaigns" else [opened.slug])
    client.force_login(algebraist)
    assert client.get(address).status_code == 403
    client.force_login(coordinator)
    assert client.get(address).status_code == 200


def test_progress_counts_by_domain_and_reviewer(client, place, coordinator, algebraist):
    client.force_login(coordinator)
    shown = client.get(reverse("api-progress", args=["round-1"])).json()
    assert shown["domains"] == [
        {"domain": "algebra", "items": 4, "wanted": 8, "taken": 1, "submitted": 0},
        {"domain": "analysis", "items": 2, "wanted": 4, "taken": 0, "submitted": 0},
    ]
    assert [(row["name"], row["held"], row["submitted"]) for row in shown["reviewers"]] == [
        ("Ada Algebraist", 1, 0)
    ]


def test_others_labels_are_never_in_ones_own_item(client, opened, algebraist, coordinator):
    nora = member("nora@study.test", "Nora Ring", "reviewer", "algebra")
    mine = take_next(reviewer=algebraist, campaign=opened)
    theirs = next(
        place
        for place in (take_next(reviewer=nora, campaign=opened) for _ in range(4))
        if place.item_id == mine.item_id
    )
    save_draft(reviewer=nora, assignment=theirs, version=0, content={"note": "CANARY-OF-NORA"})
    client.force_login(nora)
    client.post(
        reverse("api-assignment", args=[theirs.handle]),
        {"content": COMPLETE | {"note": "CANARY-OF-NORA"}, "rubric_sha256": opened.rubric.sha256},
        content_type="application/json",
        headers={"Idempotency-Key": "k"},
    )
    client.force_login(algebraist)
    for address in (
        reverse("api-assignment", args=[mine.handle]),
        reverse("grade", args=[mine.handle]),
        reverse("queue"),
        reverse("api-queue"),
    ):
        assert b"CANARY-OF-NORA" not in client.get(address).content


HALF, NUL = "Half of an emoji: \ud83d, and on.", "A NUL: \0, and on."


def with_text(value, text: str):
    """The value with `text` behind every string in it, and in a comment and a note where there are none."""
    if isinstance(value, str):
        return f"{value} {text}"
    if isinstance(value, dict):
        return {name: with_text(inner, text) for name, inner in value.items()}
    return [with_text(inner, text) for inner in value] if isinstance(value, list) else value


def test_half_a_surrogate_pair_in_any_field_of_a_draft_is_saved(save):
    content = {**COMPLETE, "comments": [{"block": "b1", "severity": "minor", "kind": "error", "text": HALF}]}
    for spoilt in (with_text(content, HALF), {**content, "note": HALF}, {**content, HALF: HALF}):
        answer = save(0, spoilt)
        assert answer.status_code < 500, answer.content
        if answer.status_code == 200:
            assert "\ud83d" not in str(Draft.objects.get().content)
            assert "\ufffd" in str(Draft.objects.get().content)
            Draft.objects.all().delete()


@pytest.mark.parametrize("text", [HALF, NUL])
def test_no_text_in_a_submission_is_a_fault_of_the_server(submit, text):
    for name in COMPLETE:
        answer = submit({**COMPLETE, name: with_text(COMPLETE[name], text)}, key=f"key-{name}")
        assert answer.status_code < 500, (name, answer.content)


@pytest.mark.parametrize("text", [HALF, NUL])
@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("post", "queue/", {"campaign": "TEXT"}),
        ("post", "assignments/HANDLE/out-of-field/", {"note": "TEXT"}),
        ("post", "assignments/HANDLE/guess/", {"system": "TEXT", "confidence": 1}),
        ("post", "comment-bank/", {"text": "TEXT"}),
        ("put", "me/conflicts/", {"kind": "person", "key": "TEXT", "reason": "TEXT"}),
        ("put", "me/expertise/", {"domain": "TEXT", "confidence": 1}),
        ("patch", "me/", {"name": "TEXT"}),
        (
            "put",
            "me/preferences/",
            {"capacity": None, "away_until": None, "credit": "pseudonym", "pseudonym": "TEXT"},
        ),
        ("post", "tokens/", {"label": "TEXT", "password": "TEXT"}),
    ],
)
def test_no_text_of_a_reviewer_is_a_fault_of_the_server(ada, place, method, path, body, text):
    address = f"/api/v1/{path.replace('HANDLE', place.handle)}"
    spoilt = {name: text if value == "TEXT" else value for name, value in body.items()}
    answer = getattr(ada, method)(address, spoilt, content_type="application/json")
    assert answer.status_code < 500, answer.content
    assert "\\u0000" not in answer.content.decode()  # replaced, as in forms
