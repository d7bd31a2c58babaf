"""Who gets what from every address of accounts. A new address without a row here fails."""

from dataclasses import dataclass

import pytest
from django.test import Client
from django.urls import URLPattern

from accounts import api_urls, urls
from accounts.models import AccessToken, Invitation, Role, User
from accounts.people import invitations
from accounts.profile import tokens
from accounts.signing_in import urls as sign_in_urls

pytestmark = pytest.mark.django_db
IN = 302  # to the sign-in page, or onwards after a form


@dataclass(frozen=True)
class Row:
    """Answers to nobody, a member without a role, a reviewer, a coordinator and an owner."""

    method: str
    path: str
    anonymous: int
    stranger: int
    reviewer: int
    coordinator: int
    owner: int


# {member} is a reviewer who is not the caller, {token} and {invitation} belong to others.
PAGES = {
    "profile/": Row("get", "/profile/", IN, 200, 200, 200, 200),
    "profile/name/": Row("post", "/profile/name/", IN, 422, 422, 422, 422),
    "profile/preferences/": Row("post", "/profile/preferences/", IN, 422, 422, 422, 422),
    "profile/erase/": Row("get", "/profile/erase/", IN, 200, 200, 200, 200),
    "erased/": Row("get", "/erased/", 200, 200, 200, 200, 200),
    "privacy/": Row("get", "/privacy/", 200, 200, 200, 200, 200),
    "people/<int:pk>/erase/": Row("post", "/people/{member}/erase/", IN, 403, 403, 403, IN),
    "profile/expertise/": Row("post", "/profile/expertise/", IN, 422, 422, 422, 422),
    "profile/expertise/remove/": Row("post", "/profile/expertise/remove/", IN, IN, IN, IN, IN),
    "profile/conflicts/": Row("post", "/profile/conflicts/", IN, 422, 422, 422, 422),
    "profile/conflicts/withdraw/": Row("post", "/profile/conflicts/withdraw/", IN, IN, IN, IN, IN),
    "profile/tokens/": Row("post", "/profile/tokens/", IN, 422, 422, 422, 422),
    "profile/tokens/<int:pk>/revoke/": Row("post", "/profile/tokens/{token}/revoke/", IN, 404, 404, 404, 404),
    "people/": Row("get", "/people/", IN, 403, 403, 200, 200),
    "people/invite/": Row("post", "/people/invite/", IN, 403, 403, 422, 422),
    "people/invitations/<int:pk>/withdraw/": Row(
        "post", "/people/invitations/{invitation}/withdraw/", IN, 403, 403, IN, IN
    ),
    "people/audit-trail/": Row("get", "/people/audit-trail/", IN, 403, 403, 403, 200),
    "people/<int:pk>/": Row("get", "/people/{member}/", IN, 403, 403, 200, 200),
    "people/<int:pk>/roles/grant/": Row("post", "/people/{member}/roles/grant/", IN, 403, 403, IN, IN),
    "people/<int:pk>/roles/revoke/": Row("post", "/people/{member}/roles/revoke/", IN, 403, 403, IN, IN),
    "people/<int:pk>/second-factor/remove/": Row(
        "post", "/people/{member}/second-factor/remove/", IN, 403, 403, IN, IN
    ),
    "people/<int:pk>/deactivate/": Row("post", "/people/{member}/deactivate/", IN, 403, 403, IN, IN),
    "people/<int:pk>/reactivate/": Row("post", "/people/{member}/reactivate/", IN, 403, 403, IN, IN),
    "join/<str:token>/": Row("get", "/join/made-up/", 404, 404, 404, 404, 404),
}
REST = {
    "me/": Row("get", "/api/v1/me/", 401, 200, 200, 200, 200),
    "me/preferences/": Row("put", "/api/v1/me/preferences/", 401, 400, 400, 400, 400),
    "people/<int:pk>/erase/": Row("post", "/api/v1/people/{member}/erase/", 401, 403, 403, 403, 204),
    "me/expertise/": Row("put", "/api/v1/me/expertise/", 401, 400, 400, 400, 400),
    "me/expertise/<str:domain>/": Row("delete", "/api/v1/me/expertise/x/", 401, 409, 409, 409, 409),
    "me/conflicts/": Row("put", "/api/v1/me/conflicts/", 401, 400, 400, 400, 400),
    "me/conflicts/<slug:kind>/<path:key>/": Row(
        "delete", "/api/v1/me/conflicts/system/x/", 401, 409, 409, 409, 409
    ),
    "people/": Row("get", "/api/v1/people/", 401, 403, 403, 200, 200),
    "people/<int:pk>/": Row("get", "/api/v1/people/{member}/", 401, 403, 403, 200, 200),
    "people/<int:pk>/roles/": Row("post", "/api/v1/people/{member}/roles/", 401, 403, 403, 400, 400),
    "people/<int:pk>/roles/<slug:role>/": Row(
        "delete", "/api/v1/people/{member}/roles/owner/", 401, 403, 403, 403, 409
    ),
    "people/<int:pk>/second-factor/": Row(
        "delete", "/api/v1/people/{member}/second-factor/", 401, 403, 403, 409, 409
    ),
    "people/<int:pk>/deactivate/": Row(
        "post", "/api/v1/people/{member}/deactivate/", 401, 403, 403, 200, 200
    ),
    "people/<int:pk>/reactivate/": Row(
        "post", "/api/v1/people/{member}/reactivate/", 401, 403, 403, 409, 409
    ),
    "invitations/": Row("post", "/api/v1/invitations/", 401, 403, 403, 400, 400),
    "invitations/<int:pk>/": Row("delete", "/api/v1/invitations/{invitation}/", 401, 403, 403, 403, 204),
    "audit-trail/": Row("get", "/api/v1/audit-trail/", 401, 403, 403, 403, 200),
    "tokens/": Row("get", "/api/v1/tokens/", 401, 200, 200, 200, 200),
    "tokens/<int:pk>/": Row("delete", "/api/v1/tokens/{token}/", 401, 404, 404, 404, 404),
}
SIGN_IN = {
    "login/": Row("get", "/accounts/login/", 200, IN, IN, IN, IN),
    "logout/": Row("get", "/accounts/logout/", IN, 200, 200, 200, 200),
    "inactive/": Row("get", "/accounts/inactive/", 200, 200, 200, 200, 200),
    "signup/": Row("get", "/accounts/signup/", 404, 404, 404, 404, 404),
    "reauthenticate/": Row("get", "/accounts/reauthenticate/", IN, 200, 200, 200, 200),
    "password/change/": Row("get", "/accounts/password/change/", IN, 200, 200, 200, 200),
    "password/reset/": Row("get", "/accounts/password/reset/", 200, 200, 200, 200, 200),
    "password/reset/done/": Row("get", "/accounts/password/reset/done/", 200, 200, 200, 200, 200),
    r"^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$": Row(
        "get", "/accounts/password/reset/key/1-made-up/", 200, 200, 200, 200, 200
    ),
    "password/reset/key/done/": Row("get", "/accounts/password/reset/key/done/", 200, 200, 200, 200, 200),
    "second-factor/": Row("get", "/accounts/second-factor/", IN, 200, 200, 200, 200),
    "second-factor/authenticate/": Row("get", "/accounts/second-factor/authenticate/", IN, IN, IN, IN, IN),
    "second-factor/reauthenticate/": Row(
        "get", "/accounts/second-factor/reauthenticate/", IN, IN, IN, IN, IN
    ),
    "second-factor/app/activate/": Row("get", "/accounts/second-factor/app/activate/", IN, IN, IN, IN, IN),
    "second-factor/app/deactivate/": Row(
        "get", "/accounts/second-factor/app/deactivate/", IN, 404, 404, 404, 404
    ),
    "second-factor/codes/": Row("get", "/accounts/second-factor/codes/", IN, 404, 404, 404, 404),
    "second-factor/codes/new/": Row("get", "/accounts/second-factor/codes/new/", IN, IN, IN, IN, IN),
    "second-factor/codes/download/": Row(
        "get", "/accounts/second-factor/codes/download/", IN, 404, 404, 404, 404
    ),
}
ROWS = [*PAGES.values(), *REST.values(), *SIGN_IN.values()]


def routes(patterns: list[URLPattern]) -> set[str]:
    return {str(pattern.pattern) for pattern in patterns}


def test_every_address_has_a_row() -> None:
    assert routes(urls.urlpatterns) == set(PAGES)
    assert routes(api_urls.urlpatterns) == set(REST)
    assert routes(sign_in_urls.urlpatterns) == set(SIGN_IN)


@pytest.fixture
def things(owner: User, geometer: User) -> dict[str, int]:
    return {
        "member": geometer.pk,
        "token": tokens.create_token(actor=geometer, label="theirs", scope="manage").row.pk,
        "invitation": invitations.invite(actor=owner, email="x@study.test", role="owner").invitation.pk,
    }


@pytest.mark.parametrize("who", ["anonymous", "stranger", "reviewer", "coordinator", "owner"])
@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.method} {row.path}")
def test_everybody_gets_what_the_table_says(
    who: str, row: Row, things: dict[str, int], request: pytest.FixtureRequest
) -> None:
    client = Client()
    if who != "anonymous":
        client.force_login(request.getfixturevalue("algebraist" if who == "reviewer" else who))
    as_json = {"content_type": "application/json"} if row.path.startswith("/api/") else {}
    answer = getattr(client, row.method)(row.path.format(**things), **as_json)
    assert answer.status_code == getattr(row, who)
    if who == "anonymous" and answer.status_code == IN:
        assert answer["Location"].startswith("/accounts/login/")


def test_what_is_refused_changes_nothing(things: dict[str, int], algebraist: User, geometer: User) -> None:
    client = Client()
    client.force_login(algebraist)
    for row in (row for row in PAGES.values() if row.method == "post" and row.reviewer in (403, 404)):
        client.post(row.path.format(**things), {"role": "reviewer", "email": "y@study.test"})
    geometer.refresh_from_db()
    assert geometer.is_active
    assert Role.objects.filter(user=geometer).count() == 1
    assert AccessToken.objects.get().revoked_at is None
    assert Invitation.objects.get().withdrawn_at is None


def test_a_coordinators_page_shows_no_control_over_staff_and_the_verb_refuses_too(
    coordinator: User, owner: User, things: dict[str, int]
) -> None:
    client = Client()
    client.force_login(coordinator)
    page = client.get(f"/people/{owner.pk}/").content.decode()
    assert "Take away" not in page
    assert "Close the account" not in page
    answer = client.post(f"/people/invitations/{things['invitation']}/withdraw/", follow=True)
    assert "may not withdraw" in answer.content.decode()
    assert Invitation.objects.get().withdrawn_at is None


@pytest.mark.parametrize("path", [row.path for row in PAGES.values() if row.method == "post"])
def test_what_writes_takes_no_get_and_no_forged_post(path: str, things: dict[str, int], owner: User) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(owner)
    assert strict.get(path.format(**things)).status_code == 405
    assert strict.post(path.format(**things)).status_code == 403
