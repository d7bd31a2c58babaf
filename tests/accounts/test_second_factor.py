"""Coordinators and owners need a second factor where the site asks for one; nobody else does."""

import time

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import (
    TOTP,
    format_hotp_value,
    generate_totp_secret,
    hotp_value,
    yield_hotp_counters_from_time,
)
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from accounts.models import AuditEvent, User
from accounts.people import members
from accounts.profile import tokens
from accounts.profile.personal_data import personal_data
from accounts.refusal import NotAllowed, Refused
from accounts.site.middleware import REACHABLE_WITHOUT_FACTOR
from tests.conftest import PASSWORD

pytestmark = pytest.mark.django_db
ARGUMENTS = {"int": "1", "str": "x", "slug": "x", "path": "x"}


@pytest.fixture(autouse=True)
def _asked_for(settings: object) -> None:
    settings.REQUIRE_MFA = True  # type: ignore[attr-defined]


def code_of(secret: str, lasting: float = 5) -> str:
    """The code of this half minute; of the next one if this does not last so many seconds: a code of the half minute
    before is refused."""
    left = 30 - time.time() % 30
    if left < lasting:
        time.sleep(left)
    return format_hotp_value(hotp_value(secret, next(iter(yield_hotp_counters_from_time()))))


def addresses(resolver: URLResolver, prefix: str = "/") -> list[tuple[str, str]]:
    """(address, name) of every route, with made-up arguments."""
    found = []
    for entry in resolver.url_patterns:
        route = str(entry.pattern)
        if isinstance(entry, URLResolver):
            found += addresses(entry, prefix + route)
        elif isinstance(entry, URLPattern) and not route.startswith("^"):
            path = prefix + route
            for converter, example in ARGUMENTS.items():
                while f"<{converter}:" in path:
                    start = path.index(f"<{converter}:")
                    path = path[:start] + example + path[path.index(">", start) + 1 :]
            found.append((path, entry.name or ""))
    return found


@pytest.mark.slow
def test_without_a_factor_a_coordinator_reaches_nothing_but_its_setting_up(
    client: Client, coordinator: User
) -> None:
    client.force_login(coordinator)
    routes = [pair for pair in addresses(get_resolver()) if pair[1] not in REACHABLE_WITHOUT_FACTOR]
    assert len(routes) > 60
    for path, _ in routes:
        answer = client.get(path)
        if path.startswith("/api/"):
            assert (answer.status_code, answer.json()["code"]) == (403, "second_factor_required"), path
        else:
            assert (answer.status_code, answer["Location"]) == (302, reverse("mfa_activate_totp")), path


def test_what_a_coordinator_without_a_factor_reaches_shows_no_data(client: Client, coordinator: User) -> None:
    assert {
        "account_login",
        "account_logout",
        "account_reauthenticate",
        "mfa_activate_totp",
        "health",
        "ready",
        "metrics",
    } == REACHABLE_WITHOUT_FACTOR


def test_with_a_factor_a_coordinator_reaches_the_people_page(client: Client, coordinator: User) -> None:
    TOTP.activate(coordinator, generate_totp_secret())
    client.force_login(coordinator)
    assert client.get(reverse("people")).status_code == 200


def test_a_reviewer_needs_no_factor(client: Client, algebraist: User) -> None:
    client.force_login(algebraist)
    assert client.get(reverse("profile")).status_code == 200


def test_a_token_of_a_coordinator_without_a_factor_is_refused(client: Client, coordinator: User) -> None:
    made = tokens.create_token(actor=coordinator, label="notebook", scope="manage")
    bearer = {"Authorization": f"Bearer {made.secret}"}
    assert client.get("/api/v1/campaigns/", headers=bearer).status_code == 401
    TOTP.activate(coordinator, generate_totp_secret())
    assert client.get("/api/v1/campaigns/", headers=bearer).status_code == 200


def test_an_owner_sets_the_factor_up_and_then_signs_in_with_it(client: Client, owner: User) -> None:
    signing_in = {"login": owner.email, "password": PASSWORD}
    client.post(reverse("account_login"), signing_in)
    confirming = client.get(reverse("mfa_activate_totp"))
    page = client.post(confirming["Location"], {"password": PASSWORD}, follow=True)
    secret = page.context["form"].secret
    client.post(reverse("mfa_activate_totp"), {"code": code_of(secret)})
    assert Authenticator.objects.filter(user=owner, type="totp").exists()
    assert client.get(reverse("people")).status_code == 200

    elsewhere = Client()
    answer = elsewhere.post(reverse("account_login"), signing_in)
    assert answer["Location"] == reverse("mfa_authenticate")
    assert elsewhere.get(reverse("people")).status_code == 302
    codes = Authenticator.objects.get(user=owner, type="recovery_codes").wrap().get_unused_codes()
    elsewhere.post(reverse("mfa_authenticate"), {"code": codes[0]})
    assert elsewhere.get(reverse("people")).status_code == 200


def test_a_wrong_code_does_not_sign_in(client: Client, owner: User) -> None:
    TOTP.activate(owner, generate_totp_secret())
    client.post(reverse("account_login"), {"login": owner.email, "password": PASSWORD})
    assert client.post(reverse("mfa_authenticate"), {"code": "abcdef"}).status_code == 200
    assert client.get(reverse("people")).status_code == 302


def test_the_second_factor_is_among_ones_own_data_without_its_secret(owner):
    secret = "JBSWY3DPEHPK3PXP"
    Authenticator.objects.filter(user=owner).delete()
    Authenticator.objects.create(user=owner, type="totp", data={"secret": secret})
    own = personal_data(owner)
    assert [row["type"] for row in own["second_factors"]] == ["totp"]
    assert secret not in str(own)


def test_a_factor_that_was_lost_is_removed_by_an_owner(
    client: Client, owner: User, coordinator: User, algebraist: User
) -> None:
    for one in (owner, coordinator):
        TOTP.activate(one, generate_totp_secret())
    client.force_login(owner)
    assert "Remove the second factor" in client.get(reverse("person", args=[coordinator.pk])).content.decode()
    client.post(reverse("second-factor-remove", args=[coordinator.pk]), {"reason": "phone lost"})
    assert not Authenticator.objects.filter(user=coordinator).exists()
    event = AuditEvent.objects.get(verb="remove_second_factor")
    assert (event.actor, event.target_key, event.reason) == (owner, str(coordinator.pk), "phone lost")
    page = client.get(reverse("person", args=[coordinator.pk])).content.decode()
    assert "Remove the second factor" not in page
    with pytest.raises(Refused, match="has no second factor"):
        members.remove_second_factor(actor=owner, member=coordinator)
    with pytest.raises(Refused, match="in your profile"):
        members.remove_second_factor(actor=owner, member=owner)
    elsewhere = Client()
    elsewhere.post(reverse("account_login"), {"login": coordinator.email, "password": PASSWORD})
    assert elsewhere.get(reverse("people"))["Location"] == reverse("mfa_activate_totp")


def test_a_coordinator_removes_no_factor_of_an_owner(
    owner: User, coordinator: User, algebraist: User
) -> None:
    for one in (owner, algebraist):
        TOTP.activate(one, generate_totp_secret())
    members.remove_second_factor(actor=coordinator, member=algebraist)
    with pytest.raises(NotAllowed):
        members.remove_second_factor(actor=coordinator, member=owner)
    assert Authenticator.objects.get().user == owner
