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
    """The answers to every method, each asked by a browser that has just signed in."""
    answers = []
    for method in METHODS:
        client = Client(raise_request_exception=False)
        if user is not None:
            client.force_login(user)
        answers.append(getattr(client, method)(example(route)))
    return answers


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
        if answer.status_code != 405
        and is_refusal(answer) == may(kind, method, route)
        or answer.status_code >= 500
    ]
    assert wrong == []


@pytest.mark.django_db
def test_a_refusal_does_not_tell_whether_the_thing_exists(algebraist: User, coordinator: User) -> None:
    client = Client()
    client.force_login(algebraist)
    for pk in (coordinator.pk, 999_999):
        assert client.get(f"/people/{pk}/").status_code == 403
