"""Sessions and the way in: keys that change, sessions that end, guesses that run out, addresses that stay here."""

import pytest
from allauth.mfa.totp.internal.auth import TOTP, hotp_value, yield_hotp_counters_from_time
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.people.members import deactivate_user, reactivate_user
from tests.conftest import PASSWORD

pytestmark = pytest.mark.django_db
LOGIN = {"login": "ada@study.test", "password": PASSWORD}
NEW = "seven quiet lemmas asleep"
ELSEWHERE = (
    "https://evil.test/",
    "//evil.test/",
    "///evil.test/",
    "/\\evil.test/",
    "\\\\evil.test/",
    "https:evil.test",
    "\t//evil.test/",
    "javascript:alert(1)",
    "https://testserver@evil.test/",
    "https://testserver.evil.test/",
)


def test_a_session_that_was_there_before_signing_in_is_not_the_one_after_it(
    client: Client, algebraist: User
) -> None:
    """Session fixation: who knows or sets the cookie of a stranger is not signed in with them."""
    planted = client.session
    planted["planted"] = "yes"
    planted.save()
    client.cookies["sessionid"] = planted.session_key
    client.post(reverse("account_login"), LOGIN)
    assert client.session.session_key != planted.session_key
    attacker = Client()
    attacker.cookies["sessionid"] = planted.session_key
    assert attacker.get(reverse("profile")).status_code == 302


def test_a_new_password_ends_every_other_session(client: Client, algebraist: User) -> None:
    other = Client()
    for browser in (client, other):
        browser.post(reverse("account_login"), LOGIN)
    fields = {"oldpassword": PASSWORD, "password1": NEW, "password2": NEW}
    assert client.post(reverse("account_change_password"), fields).status_code == 302
    assert other.get(reverse("profile")).status_code == 302
    assert client.get(reverse("profile")).status_code == 200


def test_a_session_from_before_an_account_was_closed_is_not_live_again_once_it_is_reopened(
    client: Client, owner: User, algebraist: User
) -> None:
    client.force_login(algebraist)
    other = Client()
    other.force_login(owner)
    deactivate_user(actor=owner, member=algebraist)
    reactivate_user(actor=owner, member=algebraist)
    assert [one.get("/api/v1/me/").status_code for one in (client, other)] == [401, 200]


def test_signing_out_ends_the_session_on_the_server(client: Client, algebraist: User) -> None:
    client.post(reverse("account_login"), LOGIN)
    kept = client.cookies["sessionid"].value
    client.post(reverse("account_logout"))
    thief = Client()
    thief.cookies["sessionid"] = kept
    assert thief.get(reverse("profile")).status_code == 302


def right_code(secret: str) -> str:
    counter = next(iter(yield_hotp_counters_from_time()))
    return f"{hotp_value(secret, counter):06d}"


@pytest.mark.parametrize(("wrong", "signed_in"), [(0, True), (15, False)])
def test_guesses_of_the_second_factor_run_out(
    client: Client, owner: User, wrong: int, signed_in: bool
) -> None:
    """After too many wrong codes the right one does not help either."""
    secret = "JBSWY3DPEHPK3PXP"
    TOTP.activate(owner, secret)
    client.post(reverse("account_login"), {"login": owner.email, "password": PASSWORD})
    for _ in range(wrong):
        client.post(reverse("mfa_authenticate"), {"code": "000000"})
    client.post(reverse("mfa_authenticate"), {"code": right_code(secret)})
    assert (client.get(reverse("people")).status_code == 200) is signed_in


@pytest.mark.parametrize("target", ELSEWHERE)
def test_nobody_is_sent_to_another_site_after_signing_in_or_out(
    client: Client, algebraist: User, target: str
) -> None:
    onwards = client.post(reverse("account_login"), {**LOGIN, "next": target})
    assert onwards.url == reverse("home")
    cache.clear()
    again = client.post(reverse("account_reauthenticate"), {"password": PASSWORD, "next": target})
    out = client.post(reverse("account_logout"), {"next": target})
    assert "evil" not in again.url + out.url
    assert not (again.url + out.url).startswith("javascript")


@pytest.mark.parametrize("host", ["evil.test", "testserver@evil.test", "evil.test#testserver", "a\r\nX-Y: z"])
def test_a_host_that_is_not_ours_is_refused_and_no_mail_names_it(
    client: Client, algebraist: User, mailoutbox: list, host: str
) -> None:
    asked = client.post(
        reverse("account_reset_password"), {"email": algebraist.email}, headers={"Host": host}
    )
    assert asked.status_code == 400
    assert mailoutbox == []
    client.post(
        reverse("account_reset_password"),
        {"email": algebraist.email},
        headers={"X-Forwarded-Host": "evil.test", "Forwarded": "host=evil.test", "X-Host": "evil.test"},
    )
    assert "evil" not in mailoutbox[0].body


def test_the_limit_of_resets_is_one_for_an_address_however_it_is_written_and_sent(
    algebraist: User, mailoutbox: list
) -> None:
    for number in range(12):
        address = ["ada@study.test", "ADA@study.test", " ada@study.test"][number % 3]
        forged = {"X-Forwarded-For": f"203.0.113.{number}"}
        Client().post(reverse("account_reset_password"), {"email": address}, headers=forged)
    assert len(mailoutbox) == 5  # django-allauth's limit for one address in five minutes
