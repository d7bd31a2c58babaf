"""Signing in: who may, what a stranger sees, and how often one may try."""

import base64
import os
import re
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from django.conf import settings
from django.core import signing
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.signing_in.devices import _SALT as SALT
from config.checks import check_forwarding
from config.secrets import is_guessable
from tests.conftest import PASSWORD

pytestmark = pytest.mark.django_db
LOGIN = {"login": "ada@study.test", "password": PASSWORD}
OUTSIDE_THE_DEMO = {
    "TOUCHSTONE_DEMO": "0",
    "TOUCHSTONE_SECRET_KEY": "an-example-of-a-key-that-is-long-enough-0123456789",
}


def in_a_new_process(code: str, tmp_path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python with the settings of another way to run."""
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "TOUCHSTONE_RUNTIME_DIR": str(tmp_path), **environment},
        cwd=settings.BASE_DIR,
        capture_output=True,
        text=True,
    )


def test_a_member_signs_in_by_email_whatever_its_case(client: Client, algebraist: User) -> None:
    answer = client.post(reverse("account_login"), {**LOGIN, "login": "ADA@study.test"})
    assert answer.status_code == 302
    assert client.get(reverse("profile")).status_code == 200


def test_signing_out_takes_a_post(client: Client, algebraist: User) -> None:
    client.force_login(algebraist)
    client.get(reverse("account_logout"))
    assert client.get(reverse("profile")).status_code == 200
    client.post(reverse("account_logout"))
    assert client.get(reverse("profile")).status_code == 302


def test_a_closed_account_does_not_sign_in(client: Client, algebraist: User) -> None:
    User.objects.update(is_active=False)
    client.post(reverse("account_login"), LOGIN)
    assert client.get(reverse("profile")).status_code == 302


@pytest.mark.parametrize("method", ["get", "post"])
def test_nobody_signs_up(client: Client, method: str) -> None:
    fields = {"email": "eve@study.test", "password1": PASSWORD, "password2": PASSWORD}
    assert getattr(client, method)("/accounts/signup/", fields).status_code == 404
    assert not User.objects.filter(email="eve@study.test").exists()


@pytest.mark.parametrize("path", ["email/", "confirm-email/", "3rdparty/", "password/set/", "2fa/webauthn/"])
def test_what_django_allauth_has_and_we_do_not_want_is_absent(
    client: Client, algebraist: User, path: str
) -> None:
    client.force_login(algebraist)
    assert client.get(f"/accounts/{path}").status_code == 404


def test_the_demo_offers_its_accounts(client: Client) -> None:
    page = client.get(reverse("account_login")).content.decode()
    assert 'data-fill="coordinator@demo.test"' in page
    assert settings.DEMO_PASSWORD in page


def test_outside_the_demo_the_page_names_no_account(client: Client, settings: object) -> None:
    settings.DEMO = False  # type: ignore[attr-defined]
    page = client.get(reverse("account_login")).content.decode()
    assert (
        "demo" not in re.sub(r'(csrfmiddlewaretoken" value|nonce)="[^"]*"', "", page).lower()
    )  # they are random
    assert "by invitation only" in page


def test_outside_the_demo_the_settings_hold_no_account(tmp_path: Path) -> None:
    code = (
        "import os; os.environ['DJANGO_SETTINGS_MODULE'] = 'config.settings'\n"
        "from django.conf import settings as s\n"
        "print(s.DEMO_ACCOUNTS, repr(s.DEMO_PASSWORD), s.REQUIRE_MFA, s.SESSION_COOKIE_SECURE)"
    )
    ran = in_a_new_process(code, tmp_path, **OUTSIDE_THE_DEMO)
    assert ran.stdout.split() == ["[]", "''", "True", "True"], ran.stderr


@pytest.mark.parametrize(
    "key",
    [
        *("", "short", "x" * 60, "abcdefghij" * 4, "password" * 8, "django-insecure-" + "k3Jf9sQ1zX" * 5),
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJ",
    ],
)
def test_outside_the_demo_a_missing_or_weak_secret_key_stops_the_start(tmp_path: Path, key: str) -> None:
    code = "import config.settings"
    ran = in_a_new_process(code, tmp_path, TOUCHSTONE_DEMO="0", TOUCHSTONE_SECRET_KEY=key)
    assert ran.returncode != 0
    assert "TOUCHSTONE_SECRET_KEY must be set" in ran.stderr


def test_no_random_key_is_taken_for_a_weak_one() -> None:
    random = Random(1)
    for _ in range(2000):
        assert not is_guessable(random.randbytes(20).hex())
        assert not is_guessable(base64.urlsafe_b64encode(random.randbytes(50)).decode())


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("TOUCHSTONE_DEBUG", "1"),
        ("TOUCHSTONE_ALLOWED_HOSTS", "*"),
        ("TOUCHSTONE_ALLOWED_HOSTS", "study.test,*"),
        ("TOUCHSTONE_ALLOWED_HOSTS", "."),
    ],
)
def test_outside_the_demo_what_opens_the_site_to_everybody_stops_the_start(
    tmp_path: Path, variable: str, value: str
) -> None:
    ran = in_a_new_process("import config.settings", tmp_path, **OUTSIDE_THE_DEMO, **{variable: value})
    assert ran.returncode != 0
    assert f"ImproperlyConfigured: {variable}" in ran.stderr


def test_failures_are_limited_and_a_forged_forwarded_for_does_not_help(
    client: Client, algebraist: User
) -> None:
    # ACCOUNT_RATE_LIMITS: 5 failures in 5 minutes for one account.
    variants = ["ada@study.test", "ADA@study.test", "ada@STUDY.test", "Ada@study.test", "adA@study.test"]
    for number, login in enumerate(variants):
        answer = client.post(
            reverse("account_login"),
            {"login": login, "password": "wrong"},
            headers={"X-Forwarded-For": f"203.0.113.{number}"},
        )
        assert answer.status_code == 200
    answer = client.post(reverse("account_login"), LOGIN, headers={"X-Forwarded-For": "198.51.100.7"})
    assert answer.status_code == 429
    assert client.get(reverse("profile")).status_code == 302


def test_an_accented_variant_of_an_address_shares_the_limit(client: Client, algebraist: User) -> None:
    for login in ["ada@study.test", "ada@stüdy.test", "ada@stúdy.test", "ada@ştudy.test", "ada@studÿ.test"]:
        client.post(reverse("account_login"), {"login": login, "password": "wrong"})
    assert client.post(reverse("account_login"), LOGIN).status_code == 429


def sign_in(client: Client, login: str, password: str) -> int:
    return client.post(reverse("account_login"), {"login": login, "password": password}).status_code


@pytest.mark.slow
def test_sixty_wrong_passwords_of_one_person_lock_out_nobody_else_of_the_institute(
    algebraist: User, analyst: User
) -> None:
    assert [sign_in(Client(), "eve@study.test", "wrong") for _ in range(60)] == [200] * 5 + [429] * 55
    assert sign_in(Client(), analyst.email, PASSWORD) == 302


@pytest.mark.slow
def test_guessing_at_many_accounts_ends_at_a_hundred_and_known_browsers_go_on(
    algebraist: User, analyst: User
) -> None:
    known = Client()
    assert sign_in(known, algebraist.email, PASSWORD) == 302
    known.post(reverse("account_logout"))
    guesses = [sign_in(Client(), f"person{number}@study.test", "wrong") for number in range(101)]
    assert guesses == [200] * 100 + [429]
    assert sign_in(Client(), analyst.email, PASSWORD) == 429, "from a browser that nobody has signed in on"
    assert sign_in(known, algebraist.email, PASSWORD) == 302


def test_nobody_is_locked_out_of_a_known_browser_by_who_guesses_at_their_account(algebraist: User) -> None:
    known = Client()
    sign_in(known, algebraist.email, PASSWORD)
    known.post(reverse("account_logout"))
    assert [sign_in(Client(), algebraist.email, "wrong") for _ in range(6)] == [200] * 5 + [429]
    assert sign_in(known, algebraist.email, PASSWORD) == 302


def test_a_known_browser_is_no_way_to_guess_either(algebraist: User, analyst: User) -> None:
    known = Client()
    sign_in(known, algebraist.email, PASSWORD)
    known.post(reverse("account_logout"))
    assert [sign_in(known, algebraist.email, "wrong") for _ in range(21)] == [200] * 20 + [429]
    stolen = Client()
    stolen.cookies["known-device"] = known.cookies["known-device"].value
    assert [sign_in(stolen, analyst.email, "wrong") for _ in range(6)] == [200] * 5 + [429], "another account"
    forged = Client()
    forged.cookies["known-device"] = "eyJhY2NvdW50IjoiYSIsImRldmljZSI6ImIifQ:1abcde:xyz"
    assert sign_in(forged, analyst.email, PASSWORD) == 429
    assert algebraist.email not in str(signing.loads(known.cookies["known-device"].value, salt=SALT))


@pytest.mark.parametrize(
    ("trusted", "headers", "fault"),
    [
        (0, [""], ""),
        (1, ["203.0.113.5"], ""),
        (1, ["198.51.100.7, 203.0.113.5", "203.0.113.6"], ""),
        (0, ["203.0.113.5"], "shares the limits of one address"),
        (1, ["10.0.0.2, 203.0.113.5"], "shares the limits of one address"),
        (1, [""], "can be forged"),
    ],
)
def test_the_deployment_check_compares_the_number_of_proxies_with_what_arrived(
    algebraist: User, settings: object, trusted: int, headers: list[str], fault: str
) -> None:
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = trusted  # type: ignore[attr-defined]
    cache.clear()
    assert check_forwarding() == [], "nobody has signed in yet"
    for addresses in headers:
        forwarded = {"X-Forwarded-For": addresses} if addresses else {}
        Client().post(reverse("account_login"), LOGIN, headers=forwarded)
    found = check_forwarding()
    assert fault in found[0].msg if fault else found == []


def test_a_reset_answers_alike_for_known_and_unknown_addresses(
    client: Client, algebraist: User, mailoutbox: list
) -> None:
    for address in ("ada@study.test", "nobody@study.test"):
        answer = client.post(reverse("account_reset_password"), {"email": address})
        assert answer.url == reverse("account_reset_password_done")
    assert [mail.to for mail in mailoutbox] == [["ada@study.test"]]


def test_a_stranger_does_not_choose_where_a_mail_leads(
    client: Client, algebraist: User, mailoutbox: list, settings: object
) -> None:
    settings.SITE_URL = "https://touchstone.study.test"  # type: ignore[attr-defined]
    client.post(
        reverse("account_reset_password"), {"email": "ada@study.test"}, headers={"host": "testserver:9999"}
    )
    assert "9999" not in mailoutbox[0].body
    assert "https://touchstone.study.test/accounts/password/reset/key/" in mailoutbox[0].body


def test_a_mailed_link_sets_a_new_password_once(client: Client, algebraist: User, mailoutbox: list) -> None:
    client.post(reverse("account_reset_password"), {"email": "ada@study.test"})
    link = next(line for line in mailoutbox[0].body.splitlines() if line.startswith("http"))
    form = client.get(link, follow=True)
    new = "seven quiet lemmas asleep"
    client.post(form.redirect_chain[-1][0], {"password1": new, "password2": new})
    assert client.post(reverse("account_login"), {**LOGIN, "password": new}).status_code == 302
    assert "no longer valid" in Client().get(link, follow=True).content.decode()


@pytest.fixture
def no_mail_server(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise ConnectionRefusedError("no mail server")

    monkeypatch.setattr("django.core.mail.backends.locmem.EmailBackend.send_messages", refuse)


def test_without_a_mail_server_a_reset_answers_alike_for_known_and_unknown_addresses(
    client: Client, algebraist: User, no_mail_server: None
) -> None:
    replies = [
        client.post("/accounts/password/reset/", {"email": address})
        for address in (algebraist.email, "nobody@study.test")
    ]
    assert {(reply.status_code, reply.headers["Location"]) for reply in replies} == {
        (302, "/accounts/password/reset/done/")
    }


def test_without_a_mail_server_a_password_is_changed_and_its_person_stays_signed_in(
    client: Client, algebraist: User, no_mail_server: None
) -> None:
    client.force_login(algebraist)
    new = "another password that is long"
    sent = {"oldpassword": PASSWORD, "password1": new, "password2": new}
    assert client.post("/accounts/password/change/", sent).status_code == 302
    algebraist.refresh_from_db()
    assert algebraist.check_password(new)
    assert client.get("/profile/").status_code == 200
