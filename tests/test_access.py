"""Who may come in where: every address, every method, every kind of person."""

from collections.abc import Iterator
from http.cookies import SimpleCookie
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.http import HttpResponse
from django.test import Client
from django.urls import get_resolver, path

from accounts.models import AuditEvent, User
from tests.routes import ACCESS, PUBLIC, example, installed, is_refusal, may

METHODS = ["get", "post", "put", "patch", "delete"]


@pytest.fixture(autouse=True)
def _refusals_are_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    """pytest would format thousands of tracebacks of what is rightly refused."""
    caplog.set_level("ERROR", "django.request")


@pytest.fixture
def person(request: Any) -> tuple[str, User | None]:
    cast = {"anonymous": None, "reviewer": "algebraist"}
    fixture = cast.get(request.param, request.param)
    return request.param, request.getfixturevalue(fixture) if fixture else None


def outcomes(user: User | None) -> Iterator[tuple[str, list[Any]]]:
    """Each route with the answers to every method, in a browser that has only just been signed in."""
    client = Client(raise_request_exception=False)
    session = None
    if user is not None:
        client.force_login(user)
        session = Session.objects.get()
    signed_in = client.cookies.output()
    for route in ACCESS:
        yield route, [getattr(client, method)(example(route)) for method in METHODS]
        client.cookies = SimpleCookie()
        if session is not None:  # signing out deletes it, other requests write to it
            session.save()
            client.cookies.load(signed_in.replace("Set-Cookie: ", ""))


def is_wrong(answer: Any, allowed: bool) -> bool:
    """405 says nothing about anybody: the method is answered to nobody."""
    if answer.status_code == 405:
        return False
    return answer.status_code >= 500 or is_refusal(answer) == allowed


def header_faults(answer: Any, signed_in: bool) -> list[str]:
    """What is wrong with the headers of an answer, whatever it says: also refusals and errors are read."""
    headers = answer.headers
    policy = headers.get("Content-Security-Policy", "")
    faults = [] if "default-src 'none'" in policy and "unsafe" not in policy else [f"policy {policy!r}"]
    faults += [name for name in ("ETag", "Last-Modified", "Server-Timing", "Server") if name in headers]
    faults += [name for name in headers if name.startswith("Access-Control-")]
    if headers.get("X-Content-Type-Options") != "nosniff" or headers.get("X-Frame-Options") != "DENY":
        faults.append("sniffing or framing")
    if signed_in:
        if "no-store" not in headers.get("Cache-Control", ""):
            faults.append("may be stored")
        if "Cookie" not in headers.get("Vary", ""):
            faults.append("one answer for all cookies")
    return faults


def test_every_address_says_who_may_come_in() -> None:
    assert set(installed()) == set(ACCESS)


def test_an_address_that_says_nothing_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: a page and an interface that somebody adds and forgets."""
    for prefix in ("grading/", "api/v1/"):
        (below,) = [entry for entry in get_resolver().url_patterns if str(entry.pattern) == prefix][:1]
        monkeypatch.setattr(
            below, "url_patterns", [*below.url_patterns, path("forgotten/", lambda request: HttpResponse())]
        )
    assert set(installed()) - set(ACCESS) == {"grading/forgotten/", "api/v1/forgotten/"}


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.parametrize("person", sorted(PUBLIC), indirect=True)
def test_everybody_gets_in_where_they_may_and_nowhere_else(person: tuple[str, User | None]) -> None:
    """The headers of every answer are looked at as well: it is the one place that asks all there is."""
    kind, user = person
    wrong, faults = [], []
    for route, answers in outcomes(user):
        for method, answer in zip(METHODS, answers, strict=True):
            if is_wrong(answer, may(kind, method, route)):
                wrong.append((route, method, answer.status_code))
            signed_in = user is not None and route != "accounts/logout/"
            faults += [(route, method, fault) for fault in header_faults(answer, signed_in)]
    assert wrong == []
    assert faults == []


@pytest.mark.slow
@pytest.mark.django_db
def test_nothing_that_writes_is_done_with_a_session_alone(owner: User) -> None:
    """Every route, as a form and as JSON of another site would send it: refused before anything is looked up."""
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    client.force_login(owner)
    before = AuditEvent.objects.count()
    done = {}
    for route in sorted(set(ACCESS) - {"mcp"}):  # there a session says nothing: search/test_mcp.py
        body = {"content_type": "application/json"} if route.startswith("api/") else {}
        for method in ("post", "delete"):
            answer = getattr(client, method)(example(route), **body)
            if answer.status_code == 415:  # it reads no JSON but files
                answer = client.post(example(route))
            if answer.status_code not in (403, 405):
                done[method, route] = answer.status_code
    assert done == {}
    assert AuditEvent.objects.count() == before
    assert client.get("/profile/").status_code == 200  # still signed in


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("person", "landing"),
    [("stranger", "/profile/"), ("reviewer", "/grading/"), ("owner", "/studies/")],
    indirect=["person"],
)
def test_everybody_lands_on_a_page_that_is_theirs(person: tuple[str, User | None], landing: str) -> None:
    client = Client()
    client.force_login(person[1])  # type: ignore[arg-type]
    answer = client.get("/", follow=True)
    assert (answer.redirect_chain[-1][0], answer.status_code) == (landing, 200)
