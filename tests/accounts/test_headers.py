"""Headers of every answer."""

import re

import pytest
from django.test import Client

from accounts.models import User
from tests.conftest import PASSWORD

pytestmark = pytest.mark.django_db
PATHS = ["/accounts/login/", "/profile/", "/people/", "/api/v1/me/", "/nowhere/", "/health/"]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("signed_in", [False, True])
def test_pages_forbid_framing_sniffing_inline_code_and_foreign_origins(
    client: Client, owner: User, path: str, signed_in: bool
) -> None:
    if signed_in:
        client.force_login(owner)
    headers = client.get(path).headers
    policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["form-action"] == "'self'"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert "Access-Control-Allow-Origin" not in headers


@pytest.mark.parametrize(
    "path", ["/profile/", "/people/", "/api/v1/me/", "/accounts/second-factor/", "/nowhere/"]
)
def test_what_signed_in_people_read_is_in_no_cache(client: Client, owner: User, path: str) -> None:
    client.force_login(owner)
    answer = client.get(path)
    assert "no-store" in answer["Cache-Control"]
    assert "Cookie" in answer["Vary"]


def test_the_session_cookie_is_out_of_reach_of_scripts_and_of_other_sites(
    client: Client, owner: User
) -> None:
    answer = client.post("/accounts/login/", {"login": owner.email, "password": PASSWORD})
    cookie = answer.cookies["sessionid"]
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")


def test_a_page_that_is_not_there_looks_alike_whether_the_person_exists_or_not(
    client: Client, algebraist: User, owner: User
) -> None:
    client.force_login(algebraist)
    answers = [client.get(f"/people/{pk}/") for pk in (owner.pk, 999999)]
    assert [answer.status_code for answer in answers] == [403, 403]
    existing, missing = [re.sub(rb'value="\w{64}"', b"", answer.content) for answer in answers]  # CSRF tokens
    assert existing == missing
