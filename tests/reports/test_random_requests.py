"""Requests made at random from the interface's own description: nothing falls over, nothing is undocumented."""

import itertools
import json
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.db import transaction
from django.test import Client
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from accounts.models import User
from annotation.models import Assignment, Campaign
from benchmark.models import Output, Release
from judging.models import Judge
from reports.history.api import HistoryView
from tests.factories import AssignmentFactory, ItemFactory
from tests.foreign_texts import foreign_texts

TRIES = 3  # of each operation; derived from the operation's name, so that a failure comes back
REPEATABLE = settings(
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
PEOPLE = ("stranger", "algebraist", "coordinator", "owner")  # who may do least comes first


@pytest.fixture(scope="session")
def operations() -> list[Any]:
    """As `manage.py spectacular` describes them, which would look up the line of every serializer on the way."""
    written = OpenApiJsonRenderer().render(SchemaGenerator().get_schema(public=True), renderer_context={})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        schema = schemathesis.openapi.from_dict(json.loads(written))
        return [found.ok() for found in schema.get_all_operations()]


@pytest.fixture
def known(gaps: Release, algebraist: User, coordinator: User) -> dict[str, list[str]]:
    """Values of path parameters that name something, so that requests get further than 404."""
    campaign = Campaign.objects.first()
    item = ItemFactory(campaign__phase="open") if campaign is None else campaign.items.first()
    AssignmentFactory(item=item, reviewer=algebraist)
    return {
        "name": [release.name for release in Release.objects.all()],
        "slug": [campaign.slug for campaign in Campaign.objects.all()],
        "handle": list(Assignment.objects.filter(reviewer=algebraist).values_list("handle", flat=True)),
        "id": [str(Output.objects.first().pk), str(Judge.objects.first().pk), str(algebraist.pk)],
        "pk": [str(algebraist.pk), str(coordinator.pk), "1"],
        "question": ["ground", "correctness"],
        "protocol": ["re2math"],
    }


def cases(operation: Any, known: dict[str, list[str]]) -> st.SearchStrategy[Any]:
    """Of every two requests one is about something that exists."""
    names = [parameter.name for parameter in operation.path_parameters]
    named = {name: known[name] for name in names if name in known}
    if not named or len(named) < len(names):
        return operation.as_strategy()
    paths = [dict(zip(named, values, strict=True)) for values in itertools.product(*named.values())]
    return st.one_of(
        operation.as_strategy(),
        st.sampled_from(paths).flatmap(lambda path: operation.as_strategy(path_parameters=path)),
    )


def send(client: Client, case: Any) -> Any:
    body = case.body if isinstance(case.body, str | bytes) else json.dumps(_sendable(case.body), default=str)
    return client.generic(
        case.method,
        "/" + case.formatted_path.lstrip("/"),
        data=body,
        content_type="application/json",
        query_params={name: value for name, value in (case.query or {}).items() if value is not None},
        headers={"Idempotency-Key": "k"} if case.headers and "Idempotency-Key" in case.headers else {},
    )


def _sendable(body: Any) -> Any:
    return {} if type(body).__name__ == "NotSet" else body


def ask(
    clients: dict[str, Client], operation: Any, known: dict[str, list[str]]
) -> tuple[list[str], Counter[tuple[str, int]]]:
    """What went wrong, and how often each person was answered each hundred of status codes. All send the same."""
    documented = set(operation.definition.raw["responses"])
    faults: list[str] = []
    answered: Counter[tuple[str, int]] = Counter()

    @settings(REPEATABLE, max_examples=TRIES)
    @given(case=cases(operation, known))
    def one(case: Any) -> None:
        for person, client in clients.items():
            status = send(client, case).status_code
            answered[person, status // 100] += 1
            if status >= 500 or (status < 300 and str(status) not in documented):
                asked = f"{case.method} {case.formatted_path} {case.query} {case.body!r:.300}"
                faults.append(f"{person}: {asked}: {status}")

    one()
    return faults, answered


@pytest.mark.slow
@pytest.mark.django_db
def test_no_request_makes_the_interface_fall_over_or_say_what_is_not_described(
    request: pytest.FixtureRequest, operations: list[Any], known: dict[str, list[str]]
) -> None:
    clients = {person: Client(raise_request_exception=False) for person in PEOPLE}
    for person, client in clients.items():
        client.force_login(request.getfixturevalue(person))
    asked = [ask(clients, operation, known) for operation in operations]
    assert [fault for faults, _ in asked for fault in faults] == []
    answered = sum((counter for _, counter in asked), Counter())
    for person in PEOPLE:
        assert answered[person, 2] >= 5, f"{person} reached nothing"
        assert answered[person, 4] >= 50, f"{person} was refused nothing"


@pytest.mark.django_db
def test_an_address_that_falls_over_is_noticed(
    operations: list[Any], known: dict[str, list[str]], owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(HistoryView, "get", lambda *_: 1 / 0)
    client = Client(raise_request_exception=False)
    client.force_login(owner)
    (history,) = [operation for operation in operations if operation.path == "/api/v1/history/"]
    faults, _ = ask({"owner": client}, history, known)
    assert faults
    assert faults[0].endswith(": 500")


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.parametrize("person", ["coordinator", "algebraist", "owner"])
def test_every_text_of_every_json_body_takes_any_text(
    request: pytest.FixtureRequest, operations: list[Any], known: dict[str, list[str]], person: str
) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(request.getfixturevalue(person))
    answered = [
        answer
        for number, operation in enumerate(one for one in operations if one.body)
        for answer in answers_to(client, operation, known, foreign_texts()[number * 37])
    ]
    assert len(answered) > 50, "nothing was sent"
    assert [answer for answer in answered if answer[-1] >= 500] == []


def answers_to(
    client: Client, operation: Any, known: dict[str, list[str]], foreign: str
) -> list[tuple[str, str, int]]:
    """Method, path and status for each body with one hostile text."""
    answered = []

    @settings(REPEATABLE, max_examples=2)
    @given(case=cases(operation, known))
    def one(case: Any) -> None:
        for body in with_one_text_replaced(case.body, f"typed here \0 \ud83d {foreign}"):
            path = "/" + case.formatted_path.lstrip("/")
            with transaction.atomic():
                reply = client.generic(case.method, path, json.dumps(body), "application/json")
                transaction.set_rollback(True)
            answered.append((case.method, path, reply.status_code))

    one()
    return answered


def with_one_text_replaced(body: Any, text: str) -> Iterator[Any]:
    """The body as often as it has texts, each time with another one replaced."""
    if isinstance(body, str):
        yield text
    elif isinstance(body, dict):
        for key, value in body.items():
            yield from ({**body, key: other} for other in with_one_text_replaced(value, text))
    elif isinstance(body, list):
        for place, value in enumerate(body):
            yield from (
                [*body[:place], other, *body[place + 1 :]] for other in with_one_text_replaced(value, text)
            )
