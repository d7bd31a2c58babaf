"""Access tokens: made with the password, bounded by a scope and a date, ended with the password or a role."""

import datetime as dt

import pytest
import time_machine
from allauth.account.forms import default_token_generator
from allauth.account.utils import user_pk_to_url_str
from django.core.cache import cache
from django.test import Client
from django.urls import resolve, reverse
from django.utils import timezone

from accounts.models import AccessToken, TokenScope, User
from accounts.people import members
from accounts.profile import tokens
from tests.conftest import PASSWORD
from tests.routes import example, installed

pytestmark = pytest.mark.django_db
OTHER_PASSWORD = "seven unrelated green lamps"
UNSAFE = ("post", "put", "patch", "delete")
# What each scope below `manage` may do besides reading, by the name of the address. A new address is closed to both.
MAY_READ = {
    "api-audit-plan",
    "api-plan-strata",
    "api-plan-agreement",
    "api-plan-comparison",
    "api-plan-proportion",
    "api-analyses",
    "api-stored-analyses",
    "api-search",
    "api-search-similar",
}
MAY_GRADE = MAY_READ | {
    "api-search-feedback",
    "api-queue",
    "api-assignment",
    "api-reopen",
    "api-out-of-field",
    "api-guess",
    "api-comment-bank",
    "api-saved-comment",
    "api-propose-comment",
    "api-verdict",
    "api-verdict-amend",
    "api-discussion",
    "api-answer-again",
    "api-training-skip",
    "api-training-item",
}


@pytest.fixture(autouse=True)
def _no_attempts_yet() -> None:
    cache.clear()


def bearer(person: User, scope: str = "manage", **terms: int) -> dict[str, str]:
    made = tokens.create_token(actor=person, label="script", scope=scope, **terms)
    return {"Authorization": f"Bearer {made.secret}"}


def works(headers: dict[str, str]) -> bool:
    return Client().get("/api/v1/me/", headers=headers).status_code == 200


def test_neither_a_session_nor_a_token_makes_a_token_without_the_password(client, algebraist):
    client.force_login(algebraist)
    script = bearer(algebraist)
    for body in [
        {"label": "mine"},
        {"label": "mine", "password": ""},
        {"label": "mine", "password": "wrong"},
    ]:
        for answer in [
            client.post("/api/v1/tokens/", body, content_type="application/json"),
            Client().post("/api/v1/tokens/", body, content_type="application/json", headers=script),
            client.post("/profile/tokens/", {**body, "scope": "read", "days": "7"}),
        ]:
            assert answer.status_code in (400, 403, 422)
    assert AccessToken.objects.count() == 1


def test_the_question_for_the_password_is_no_way_to_guess_it(client, algebraist):
    client.force_login(algebraist)
    guess = {"label": "mine", "scope": "read", "days": "7", "password": "wrong"}
    for _ in range(5):
        assert client.post("/profile/tokens/", guess).status_code == 403
        client.post("/profile/erase/", {"password": "wrong"})
    right = client.post("/profile/tokens/", {**guess, "password": PASSWORD})
    assert right.status_code == 429
    assert "Too many attempts" in right.content.decode()
    assert client.post("/profile/erase/", {"password": PASSWORD}).status_code == 422
    assert not AccessToken.objects.exists()
    assert User.objects.filter(pk=algebraist.pk, erased_at=None).exists()


def test_the_page_lists_scope_expiry_and_last_use(client, algebraist):
    client.force_login(algebraist)
    form = {"label": "notebook", "scope": "grade", "days": "30", "password": PASSWORD}
    page = client.post("/profile/tokens/", form)
    secret = page.context["new_token"].secret
    assert "never" in client.get("/profile/").content.decode()
    with time_machine.travel(timezone.now() + dt.timedelta(hours=3), tick=False):
        now = timezone.now()
        assert works({"Authorization": f"Bearer {secret}"})
    (listed,) = Client().get("/api/v1/tokens/", headers=bearer(algebraist, "read")).json()["results"][:1]
    row = AccessToken.objects.get(label="notebook")
    assert (row.scope, row.last_used_at) == ("grade", now)
    assert (row.expires_at - row.created_at).days == 30
    assert set(listed) == {"id", "label", "scope", "created_at", "expires_at", "last_used_at"}
    assert f"{now:%H:%M}" in client.get("/profile/").content.decode()


def test_last_use_is_written_at_most_every_ten_minutes(algebraist):
    headers = bearer(algebraist)
    works(headers)
    first = AccessToken.objects.get().last_used_at
    works(headers)
    assert AccessToken.objects.get().last_used_at == first


def test_a_token_ends_on_its_expiry_date(algebraist):
    headers = bearer(algebraist, days=7)
    with time_machine.travel(timezone.now() + dt.timedelta(days=6, hours=23)):
        assert works(headers)
    with time_machine.travel(timezone.now() + dt.timedelta(days=7, seconds=1)):
        assert not works(headers)


@pytest.mark.parametrize("days", [0, 366, -1, 10**30])
def test_a_token_for_longer_than_a_year_or_no_day_is_refused(client, algebraist, days):
    client.force_login(algebraist)
    body = {"label": "mine", "days": days, "password": PASSWORD}
    answer = client.post("/api/v1/tokens/", body, content_type="application/json")
    assert (answer.status_code, answer.json()["field"]) == (400, "days")


def change_password(client: Client, person: User) -> None:
    client.force_login(person)
    form = {"oldpassword": PASSWORD, "password1": OTHER_PASSWORD, "password2": OTHER_PASSWORD}
    assert client.post(reverse("account_change_password"), form).status_code == 302


def reset_password(client: Client, person: User) -> None:
    key = f"{user_pk_to_url_str(person)}-{default_token_generator.make_token(person)}"
    page = client.get(f"/accounts/password/reset/key/{key}/")
    form = {"password1": OTHER_PASSWORD, "password2": OTHER_PASSWORD}
    assert client.post(page["Location"], form).status_code == 302


def set_password_at_the_console(client: Client, person: User) -> None:
    person.set_password(OTHER_PASSWORD)
    person.save(update_fields=["password"])


@pytest.mark.parametrize("change", [change_password, reset_password, set_password_at_the_console])
def test_another_password_ends_every_token_however_it_was_set(client, algebraist, change):
    headers = [bearer(algebraist, scope) for scope in TokenScope.values]
    change(client, algebraist)
    assert not any(works(header) for header in headers)
    algebraist.refresh_from_db()
    assert algebraist.check_password(OTHER_PASSWORD)
    assert works(bearer(algebraist)), "a new one works under the new password"


def test_who_loses_a_role_loses_every_token(owner, coordinator):
    headers = bearer(coordinator)
    members.revoke_role(actor=owner, member=coordinator, role="coordinator")
    assert not works(headers)
    members.grant_role(actor=owner, member=coordinator, role="coordinator")
    assert not works(headers), "the role coming back does not bring the token back"


def test_a_closed_account_has_no_tokens_even_after_it_is_open_again(owner, algebraist):
    headers = bearer(algebraist)
    members.deactivate_user(actor=owner, member=algebraist)
    members.reactivate_user(actor=owner, member=algebraist)
    assert not works(headers)


@pytest.mark.slow
def test_a_scope_bounds_every_writing_address_of_rest(algebraist):
    """Asked of a reviewer alone: the scope is checked before anything else that the address asks."""
    headers = {scope: bearer(algebraist, scope) for scope in ("read", "grade")}
    tried = 0
    for route in installed():
        if not route.startswith("api/v1/"):
            continue
        name = resolve(example(route)).url_name
        for method in UNSAFE:
            for scope, allowed in [("read", MAY_READ), ("grade", MAY_GRADE)]:
                answer = getattr(Client(), method)(
                    example(route), "{}", content_type="application/json", headers=headers[scope]
                )
                refused = answer.status_code == 403 and answer.json()["code"] == "token_scope"
                assert refused != (name in allowed), (name, method, scope, answer.status_code)
                tried += 1
    assert tried > 400
