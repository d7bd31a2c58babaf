"""The REST interface of those who run the study: a campaign from its terms to its end."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent, User
from annotation.models import Assignment, Campaign, Item

pytestmark = pytest.mark.django_db
VERBS = ["api-draw", "api-assign", "api-open", "api-close"]


@pytest.fixture
def carl(client: Client, coordinator: User) -> Client:
    client.force_login(coordinator)
    return client


def send(client: Client, route: str, /, *args: Any, key: str = "", **body: Any) -> Any:
    headers = {"Idempotency-Key": key} if key else {}
    return client.post(reverse(route, args=args), body, content_type="application/json", headers=headers)


def terms(**changed: Any) -> dict[str, Any]:
    return {
        "release": "sheet",
        "rubric": "proofs-v1",
        "name": "Round two",
        "reviewers_per_item": 1,
        "least_authors": 1,
    } | changed


def test_a_campaign_goes_from_its_terms_to_its_end(carl, drafted, algebraist, analyst):
    made = send(carl, "api-campaigns", **terms())
    assert made.status_code == 201
    assert (made.json()["slug"], made.json()["phase"]) == ("round-two", "draft")
    drawn = send(carl, "api-draw", "round-two", per_stratum=2).json()
    # four outputs to algebra, two to analysis: two are drawn of each
    assert drawn["items"] == 4
    assert [(row["stratum"], row["inclusion_probability"]) for row in drawn["strata"]] == [
        ("algebra", 0.5),
        ("analysis", 1.0),
    ]
    plan = carl.get(reverse("api-plan", args=["round-two"])).json()
    assert (plan["wanted"], plan["missing"], plan["unmet"]) == (4, 0, [])
    assigned = send(carl, "api-assign", "round-two", sha256=plan["sha256"])
    assert (assigned.status_code, assigned.json()) == (200, {"campaign": "round-two", "placed": 4})
    assert send(carl, "api-open", "round-two").json()["phase"] == "open"
    closed = send(carl, "api-close", "round-two", reason="A rehearsal.")
    assert (closed.status_code, closed.json()["phase"]) == (200, "closed")
    assert list(
        AuditEvent.objects.exclude(verb="freeze_run").order_by("pk").values_list("verb", flat=True)
    ) == [
        "create_campaign",
        "set_least_authors",
        "draw_items",
        "assign",
        "open_campaign",
        "close_campaign",
    ]


def test_a_plan_names_the_places_that_nobody_can_take_and_why(carl, drafted, algebraist):
    send(carl, "api-draw", "round-1")
    plan = carl.get(reverse("api-plan", args=["round-1"])).json()
    # six items with two places each; the only reviewer takes one place of each of the four in algebra
    assert (plan["wanted"], plan["missing"]) == (12, 8)
    assert [(row["name"], row["new"], row["domains"]) for row in plan["reviewers"]] == [
        ("Ada Algebraist", 4, ["algebra"])
    ]
    assert plan["unmet"] == [
        {"domain": "algebra", "reason": "1 of 1 reviewers fit", "items": 4},
        {
            "domain": "analysis",
            "reason": "0 of 1 reviewers fit (1 without expertise in the domain)",
            "items": 2,
        },
    ]
    assert not Assignment.objects.exists()


@pytest.mark.parametrize(
    ("changed", "status", "field"),
    [
        ({"release": "nonesuch"}, 409, ""),
        ({"rubric": "nothing-v9"}, 409, "rubric"),
        ({"name": "Round one", "slug": "round-1"}, 409, "name"),
        ({"reviewers_per_item": 26}, 400, "reviewers_per_item"),
        ({"seed": -1}, 400, "seed"),
        ({"name": ""}, 400, "name"),
        ({"slug": "Not a slug!"}, 400, "slug"),
        ({"track": ""}, 400, "track"),
    ],
)
def test_terms_that_cannot_be_kept_are_refused_with_the_field(carl, drafted, changed, status, field):
    reply = send(carl, "api-campaigns", **terms(**changed))
    assert (reply.status_code, reply.json()["field"]) == (status, field)
    assert reply.json()["reason"]
    assert Campaign.objects.count() == 1


def test_a_verb_out_of_its_phase_says_which_phase_it_needs(carl, drafted):
    reply = send(carl, "api-close", "round-1")
    assert (reply.status_code, reply.json()["code"]) == (409, "wrong_phase")
    assert reply.json()["reason"] == "The campaign is draft; to close, it must be open."
    assert send(carl, "api-open", "round-1").json()["code"] == "nothing_drawn"


def test_a_round_is_not_closed_early_without_a_reason(carl, opened):
    reply = send(carl, "api-close", "round-1")
    assert (reply.status_code, reply.json()["code"], reply.json()["field"]) == (409, "unfinished", "reason")
    assert Campaign.objects.get().phase == "open"


def test_a_plan_that_is_not_the_one_looked_at_is_not_applied(carl, drafted, algebraist):
    send(carl, "api-draw", "round-1")
    reply = send(carl, "api-assign", "round-1", sha256="0" * 64)
    assert (reply.status_code, reply.json()["code"]) == (409, "plan_changed")
    assert not Assignment.objects.exists()


def test_a_draw_sent_again_with_its_key_gets_the_first_reply(carl, drafted):
    first = send(carl, "api-draw", "round-1", key="draw-1", per_stratum=1)
    again = send(carl, "api-draw", "round-1", key="draw-1", per_stratum=1)
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json()
    assert send(carl, "api-draw", "round-1", key="draw-1", per_stratum=2).status_code == 422
    assert send(carl, "api-draw", "round-1", per_stratum=1).json()["code"] == "already_drawn"
    assert Item.objects.count() == 2


def test_a_campaign_sent_again_with_its_key_is_created_once(carl, drafted):
    replies = [send(carl, "api-campaigns", key="new-1", **terms()) for _ in range(2)]
    assert [reply.status_code for reply in replies] == [201, 201]
    assert Campaign.objects.filter(name="Round two").count() == 1


def test_a_waiting_place_is_listed_and_taken_back_once(carl, place):
    (row,) = carl.get(reverse("api-waiting", args=["round-1"])).json()
    assert (row["id"], row["reviewer"], row["domain"]) == (place.pk, "ada@study.test", "algebra")
    reply = send(carl, "api-release-assignment", "round-1", place.pk, reason="On leave.")
    assert reply.status_code == 204
    assert carl.get(reverse("api-waiting", args=["round-1"])).json() == []
    again = send(carl, "api-release-assignment", "round-1", place.pk)
    assert (again.status_code, again.json()["code"]) == (409, "not_waiting")


def test_a_place_of_another_campaign_is_not_found(carl, place):
    assert send(carl, "api-release-assignment", "nonesuch", place.pk).status_code == 404


def test_a_parameter_that_is_not_listed_is_refused(carl, drafted):
    for name in [*VERBS, "api-plan", "api-waiting"]:
        address = reverse(name, args=["round-1"]) + "?system=first-system"
        call = carl.get if name in ("api-plan", "api-waiting") else carl.post
        assert call(address, content_type="application/json").status_code == 400
    assert carl.post(reverse("api-campaigns") + "?kind=grade", terms()).status_code == 400


@pytest.mark.parametrize(("person", "status"), [(None, 401), ("algebraist", 403), ("stranger", 403)])
def test_nobody_but_staff_runs_a_campaign(client, place, person, status, request):
    if person:
        client.force_login(request.getfixturevalue(person))
    before = AuditEvent.objects.count()
    replies = [send(client, name, "round-1") for name in VERBS]
    replies += [
        send(client, "api-campaigns", **terms()),
        send(client, "api-release-assignment", "round-1", place.pk),
        client.get(reverse("api-plan", args=["round-1"])),
        client.get(reverse("api-waiting", args=["round-1"])),
    ]
    assert {reply.status_code for reply in replies} == {status}
    assert AuditEvent.objects.count() == before
