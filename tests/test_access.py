"""Who may come in where: every address, every method, every kind of person."""

from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from tests.routes import ACCESS, PUBLIC, example, installed, is_refusal, may

METHODS = ["get", "post", "put", "patch", "delete"]


@pytest.fixture
def person(request: Any) -> tuple[str, User | None]:
    cast = {"anonymous": None, "reviewer": "algebraist"}
    fixture = cast.get(request.param, request.param)
    return request.param, request.getfixturevalue(fixture) if fixture else None


def outcomes(user: User | None, route: str) -> list[Any]:
    """The answers to every method, in one browser."""
    client = Client(raise_request_exception=False)
    if user is not None:
        client.force_login(user)
    return [getattr(client, method)(example(route)) for method in METHODS]


def is_wrong(answer: Any, allowed: bool) -> bool:
    """405 says nothing about anybody: the method is answered to nobody."""
    if answer.status_code == 405:
        return False
    return answer.status_code >= 500 or is_refusal(answer) == allowed


def test_every_address_says_who_may_come_in() -> None:
    assert set(installed()) == set(ACCESS)


@pytest.mark.django_db
@pytest.mark.parametrize("person", sorted(PUBLIC), indirect=True)
def test_everybody_gets_in_where_they_may_and_nowhere_else(person: tuple[str, User | None]) -> None:
    kind, user = person
    wrong = [
        (route, method, answer.status_code)
        for route in ACCESS
        for method, answer in zip(METHODS, outcomes(user, route), strict=True)
        if is_wrong(answer, may(kind, method, route))
    ]
    assert wrong == []


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("person", "landing"),
    [("stranger", "/profile/"), ("reviewer", "/grading/"), ("owner", "/grading/campaigns/")],
    indirect=["person"],
)
def test_everybody_lands_on_a_page_that_is_theirs(person: tuple[str, User | None], landing: str) -> None:
    client = Client()
    client.force_login(person[1])  # type: ignore[arg-type]
    answer = client.get("/", follow=True)
    assert (answer.redirect_chain[-1][0], answer.status_code) == (landing, 200)
