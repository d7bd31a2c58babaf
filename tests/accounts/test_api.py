"""REST: one's own account, access tokens, and the one shape of every refusal."""

import pytest
from django.test import Client
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.views import APIView

from accounts.models import AccessToken, AuditEvent, Conflict, User
from accounts.profile import tokens
from accounts.refusal import NotAllowed, Refused
from accounts.rest.errors import explain
from tests.conftest import PASSWORD

pytestmark = pytest.mark.django_db
SHAPE = {"code", "reason", "line", "field"}


@pytest.fixture
def ada(client: Client, algebraist: User) -> Client:
    client.force_login(algebraist)
    return client


def bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


def test_me_says_who_is_asking_and_nothing_about_others(ada, algebraist, analyst):
    Conflict.objects.create(user=algebraist, kind="system", key="aurora", reason="I built it.")
    assert ada.get("/api/v1/me/").json() == {
        "email": "ada@study.test",
        "name": "Ada Algebraist",
        "roles": ["reviewer"],
        "expertise": [{"domain": "algebra", "confidence": 2}],
        "conflicts": [{"kind": "system", "key": "aurora", "reason": "I built it."}],
        "capacity": None,
        "away_until": None,
        "credit": "anonymous",
        "pseudonym": "",
        "reminders": True,
    }


def test_a_new_token_is_shown_once_and_signs_in_without_a_cookie(ada, algebraist):
    asked = {"label": "notebook", "password": PASSWORD}
    made = ada.post("/api/v1/tokens/", asked, content_type="application/json")
    assert made.status_code == 201
    secret = made.json()["secret"]
    assert Client().get("/api/v1/me/", headers=bearer(secret)).json()["email"] == algebraist.email
    assert secret not in ada.get("/api/v1/tokens/").content.decode()
    assert secret not in str(list(AccessToken.objects.values()) + list(AuditEvent.objects.values()))


def test_a_revoked_token_stops_and_leaves_the_list(ada, algebraist):
    made = tokens.create_token(actor=algebraist, label="notebook", scope="manage")
    address = f"/api/v1/tokens/{made.row.pk}/"
    assert ada.delete(address).status_code == 204
    assert Client().get("/api/v1/me/", headers=bearer(made.secret)).status_code == 401
    assert ada.get("/api/v1/tokens/").json()["results"] == []
    assert ada.delete(address).status_code == 404


def test_nobody_sees_or_revokes_the_token_of_another(ada, analyst):
    theirs = tokens.create_token(actor=analyst, label="theirs", scope="manage")
    assert ada.get("/api/v1/tokens/").json()["results"] == []
    assert ada.delete(f"/api/v1/tokens/{theirs.row.pk}/").status_code == 404
    assert AccessToken.objects.get().revoked_at is None


def test_the_twenty_first_token_is_refused_with_its_reason(ada, algebraist):
    for number in range(20):
        tokens.create_token(actor=algebraist, label=f"token {number}", scope="manage")
    asked = {"label": "one more", "password": PASSWORD}
    reply = ada.post("/api/v1/tokens/", asked, content_type="application/json")
    assert (reply.status_code, reply.json()["code"]) == (409, "too_many_tokens")


def test_the_token_of_a_closed_account_is_refused(algebraist):
    made = tokens.create_token(actor=algebraist, label="notebook", scope="manage")
    User.objects.filter(pk=algebraist.pk).update(is_active=False)
    assert Client().get("/api/v1/me/", headers=bearer(made.secret)).status_code == 401


@pytest.mark.parametrize("header", ["Bearer", "Bearer a b", "Bearer wrong", "Bearer \xff"])
def test_a_bad_bearer_header_is_refused_even_beside_a_good_cookie(ada, header):
    reply = ada.get("/api/v1/me/", headers={"Authorization": header})
    assert reply.status_code == 401
    assert reply.json()["code"] == "authentication_failed"
    assert reply.headers["WWW-Authenticate"] == "Bearer"


def test_a_session_cannot_write_without_the_csrf_token_but_a_bearer_can(algebraist):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(algebraist)
    body = {"label": "notebook", "password": PASSWORD}
    refused = strict.post("/api/v1/tokens/", body, content_type="application/json")
    assert (refused.status_code, refused.json()["code"]) == (403, "permission_denied")
    made = tokens.create_token(actor=algebraist, label="script", scope="manage")
    headers = bearer(made.secret)
    allowed = strict.post("/api/v1/tokens/", body, content_type="application/json", headers=headers)
    assert allowed.status_code == 201


def test_strangers_to_the_site_are_asked_to_sign_in(client):
    for address in ["/api/v1/me/", "/api/v1/tokens/", "/api/v1/tokens/1/"]:
        reply = client.get(address)
        assert (reply.status_code, reply.json()["code"]) == (401, "not_authenticated")


def test_what_a_signed_in_person_reads_is_never_cached(ada, algebraist):
    made = tokens.create_token(actor=algebraist, label="script", scope="manage")
    for reply in [ada.get("/api/v1/me/"), Client().get("/api/v1/me/", headers=bearer(made.secret))]:
        assert reply.headers["Cache-Control"] == "private, no-store"
        assert "Access-Control-Allow-Origin" not in reply.headers


@pytest.mark.parametrize(
    ("method", "address", "body", "status", "code"),
    [
        ("get", "/api/v1/tokens/?order=id", None, 400, "invalid"),
        ("post", "/api/v1/tokens/", "{}", 400, "invalid"),
        ("post", "/api/v1/tokens/", "{", 400, "parse_error"),
        ("delete", "/api/v1/tokens/999/", None, 404, "not_found"),
        ("put", "/api/v1/me/", "{}", 405, "method_not_allowed"),
    ],
)
def test_every_refusal_has_the_one_shape(ada, method, address, body, status, code):
    reply = getattr(ada, method)(
        address, **({"data": body, "content_type": "application/json"} if body else {})
    )
    assert (reply.status_code, reply.json()["code"]) == (status, code)
    assert set(reply.json()) >= SHAPE
    assert set(reply.json()) <= SHAPE | {"problems"}


def test_a_missing_field_is_named(ada):
    reply = ada.post("/api/v1/tokens/", {}, content_type="application/json").json()
    assert (reply["field"], reply["reason"]) == ("label", "This field is required.")
    assert reply["problems"] == dict.fromkeys(["label", "password"], "This field is required.")


def test_nested_problems_are_named_by_their_path():
    error = ValidationError(
        {"rows": [{}, {"value": [ErrorDetail("Too long.")]}], "non_field_errors": ["No."]}
    )
    body = explain(error, {"view": APIView()}).data
    assert body["problems"] == {"rows.value": "Too long.", "": "No."}
    assert body["field"] == "rows.value"


@pytest.mark.parametrize(
    ("refusal", "status"),
    [
        (Refused("Closed.", code="closed", line=3, field="value"), 409),
        (NotAllowed("Not yours."), 403),
        (Refused("Another request.", code="idempotency_mismatch"), 422),
    ],
)
def test_a_refusal_of_an_action_keeps_its_code_line_and_field(refusal, status):
    reply = explain(refusal, {})
    assert reply.status_code == status
    assert reply.data == {
        "code": refusal.code,
        "reason": refusal.reason,
        "line": refusal.line,
        "field": refusal.field,
    }


def test_an_unforeseen_error_is_not_dressed_up_as_a_refusal():
    assert explain(RuntimeError("a bug"), {"view": APIView()}) is None
