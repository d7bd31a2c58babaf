"""REST: what people state about themselves, and the members, roles and invitations of a study."""

import pytest
from django.core import mail
from django.test import Client

from accounts.models import AuditEvent, Conflict, Invitation, User
from tests.conftest import member

pytestmark = pytest.mark.django_db
API = "/api/v1"


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def send(client: Client, method: str, path: str, **body: object):
    return getattr(client, method)(API + path, body, content_type="application/json")


def test_people_state_restate_and_take_back_their_domains(algebraist):
    ada = signed_in(algebraist)
    assert send(ada, "put", "/me/expertise/", domain="math.NT", confidence=1).status_code == 200
    assert send(ada, "put", "/me/expertise/", domain="math.NT", confidence=3).json()["confidence"] == 3
    assert ada.delete(API + "/me/expertise/algebra/").status_code == 204
    assert ada.get(API + "/me/").json()["expertise"] == [{"domain": "math.NT", "confidence": 3}]


def test_people_declare_and_withdraw_conflicts_whatever_signs_the_paper_has(algebraist):
    ada = signed_in(algebraist)
    declared = send(ada, "put", "/me/conflicts/", kind="paper", key="math/0601001", reason="I wrote it.")
    assert declared.json() == {"kind": "paper", "key": "math/0601001", "reason": "I wrote it."}
    assert ada.delete(API + "/me/conflicts/paper/math/0601001/").status_code == 204
    assert not Conflict.objects.exists()


def test_people_rename_themselves_and_nothing_else(algebraist):
    ada = signed_in(algebraist)
    reply = send(ada, "patch", "/me/", name="A. Algebraist", email="eve@study.test", roles=["owner"])
    assert (reply.status_code, set(reply.json()["problems"])) == (400, {"email", "roles"})
    reply = send(ada, "patch", "/me/", name="A. Algebraist")
    assert (reply.json()["name"], reply.json()["email"]) == ("A. Algebraist", "ada@study.test")
    assert reply.json()["roles"] == ["reviewer"]


def test_a_coordinator_reads_members_with_their_domains_and_roles(coordinator, algebraist):
    rows = signed_in(coordinator).get(API + "/people/").json()["results"]
    (ada,) = [row for row in rows if row["email"] == "ada@study.test"]
    assert (ada["roles"], ada["expertise"]) == (["reviewer"], [{"domain": "algebra", "confidence": 2}])
    assert "password" not in ada


def test_an_invitation_is_mailed_and_its_secret_is_not_in_the_reply(coordinator):
    reply = send(signed_in(coordinator), "post", "/invitations/", email="new@study.test", role="reviewer")
    assert (reply.status_code, reply.json()["mailed"]) == (201, True)
    token = mail.outbox[0].body.split("/join/")[1].split("/")[0]
    assert token not in reply.content.decode()


def test_a_withdrawn_invitation_is_gone_from_the_list(coordinator):
    carl = signed_in(coordinator)
    made = send(carl, "post", "/invitations/", email="new@study.test", role="reviewer").json()
    assert carl.delete(f"{API}/invitations/{made['id']}/").status_code == 204
    assert carl.get(API + "/invitations/").json()["results"] == []
    assert Invitation.objects.get().withdrawn_at is not None


def test_a_coordinator_invites_reviewers_only(coordinator):
    reply = send(signed_in(coordinator), "post", "/invitations/", email="new@study.test", role="owner")
    assert (reply.status_code, reply.json()["code"]) == (403, "not_allowed")
    assert not Invitation.objects.exists()


def test_an_owner_gives_and_takes_roles_and_the_trail_says_why(owner, stranger):
    olga, path = signed_in(owner), f"/people/{stranger.pk}/roles/"
    assert send(olga, "post", path, role="reviewer", reason="joins round 2").json()["roles"] == ["reviewer"]
    assert send(olga, "post", path, role="coordinator").json()["code"] == "role_clash"
    assert olga.delete(f"{API}{path}reviewer/").status_code == 204
    rows = olga.get(API + "/audit-trail/", {"target_key": str(stranger.pk)}).json()["results"]
    assert [(row["verb"], row["actor"], row["reason"]) for row in rows] == [
        ("grant_role", "olga@study.test", "joins round 2"),
        ("revoke_role", "olga@study.test", ""),
    ]


def test_a_closed_account_is_shown_closed_and_can_be_reopened(owner, algebraist):
    olga, path = signed_in(owner), f"/people/{algebraist.pk}"
    assert send(olga, "post", f"{path}/deactivate/", reason="left").json()["is_active"] is False
    assert send(olga, "post", f"{path}/deactivate/").json()["code"] == "account_closed"
    assert send(olga, "post", f"{path}/reactivate/").json()["is_active"] is True


def test_an_audit_event_of_the_platform_itself_has_no_actor(owner):
    AuditEvent.objects.create(verb="reconcile", target_kind="judging.judgerun", target_key="1")
    (row,) = signed_in(owner).get(API + "/audit-trail/", {"verb": "reconcile"}).json()["results"]
    assert row["actor"] is None


@pytest.mark.parametrize("rows", [1, 6])
def test_the_list_of_members_takes_the_same_queries_whatever_its_size(
    coordinator, rows, django_assert_num_queries
):
    for number in range(rows):
        member(f"r{number}@study.test", f"R{number}", "reviewer", "algebra")
    carl = signed_in(coordinator)
    with django_assert_num_queries(6):  # session, caller with roles; members with three relations
        carl.get(API + "/people/")
