"""Every field of every page takes any text: nothing falls over, and what was typed comes back with the error."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote_plus
from xml.etree.ElementTree import Element

import pytest
import tinyhtml5
from django.db import transaction
from django.test import Client
from hypothesis import HealthCheck, Phase, given, settings

from tests.browser.every_page import addresses
from tests.browser.world import World, furnish_elsewhere
from tests.foreign_texts import foreign_texts
from tests.reports.conftest import load_gaps
from tests.reports.test_random_requests import cases, known, operations

__all__ = ["known", "operations"]  # fixtures

MARK = "typed here"
HALF_A_PAIR = b"\xed\xa0\x80"  # what is left of U+D800 in UTF-8
TYPED = ("text", "search", "email", "url", "number", "date", "datetime-local", "textarea", "hidden")
NOT_SHOWN_AGAIN = ("csrfmiddlewaretoken",)


@pytest.fixture
def gaps(db):
    return load_gaps()


@dataclass(frozen=True)
class Form:
    """A form of a page as a browser would send it."""

    page: str
    person: str | None
    action: str
    fields: tuple[tuple[str, str, str], ...]  # name, kind, value

    def body(self, field: str, typed: bytes) -> bytes:
        parts = [
            quote_plus(name) + "=" + quote_plus(typed if name == field else value)
            for name, kind, value in self.fields
        ]
        return "&".join(parts).encode()


def forms_of(html: str, page: str, person: str | None) -> Iterator[Form]:
    root = tinyhtml5.parse(html, namespace_html_elements=False)
    for form in root.iter("form"):
        if form.get("method", "get").lower() == "post" and "multipart" not in form.get("enctype", ""):
            fields = tuple(_fields(form))
            action = (form.get("action") or page).split("#")[0]
            yield Form(page, person, action, fields)


def _fields(form: Element) -> Iterator[tuple[str, str, str]]:
    """Name, kind and value; of radio buttons the first, of boxes those that are ticked."""
    seen = set()
    for element in form.iter():
        name, kind = element.get("name", ""), element.get("type", "text")
        if not name or element.tag not in ("input", "select", "textarea", "button"):
            continue
        if element.tag == "select":
            options = list(element.iter("option"))
            chosen = [one for one in options if one.get("selected") is not None] or options[:1]
            yield from ((name, "select", one.get("value", one.text or "")) for one in chosen)
        elif element.tag == "textarea":
            yield name, "textarea", "".join(element.itertext())
        elif kind == "radio" and name in seen:
            continue
        elif kind != "checkbox" or element.get("checked") is not None:
            yield name, kind, element.get("value", "")
        seen.add(name)


def hostile(number: int) -> bytes:
    """A text for one field: NUL, half a surrogate pair, and one of those that nobody here wrote."""
    texts = foreign_texts()
    return MARK.encode() + b" \x00 " + HALF_A_PAIR + b" " + texts[number * 37 % len(texts)].encode()


@pytest.fixture
def world(transactional_db, settings, tmp_path) -> World:
    settings.UPLOAD_DIR, settings.REPORT_DIR = tmp_path, tmp_path / "reports"
    return furnish_elsewhere()


def test_every_field_of_every_page_takes_any_text(world: World) -> None:
    clients = {None: Client(raise_request_exception=False)}
    for name, person in world.people.items():
        clients[name] = Client(raise_request_exception=False)
        clients[name].force_login(person)
    forms: dict[object, Form] = {}
    for address in addresses(world):
        reply = clients[address.person].get(address.path, follow=True)
        if reply.status_code == 200 and reply.headers.get("Content-Type", "").startswith("text/html"):
            shown_at = reply.request["PATH_INFO"]
            for form in forms_of(reply.content.decode(), shown_at, address.person):
                key = (
                    re.sub(r"[0-9a-f]{8,}|\d+", "N", form.action),
                    tuple(sorted({f[0] for f in form.fields})),
                )
                forms.setdefault(key, form)
    tried, faults, lost = 0, [], []
    for form in forms.values():
        for name, kind, _value in form.fields:
            if kind not in TYPED or name in NOT_SHOWN_AGAIN:
                continue
            tried += 1
            with transaction.atomic():
                reply = clients[form.person].post(
                    form.action,
                    form.body(name, hostile(tried)),
                    content_type="application/x-www-form-urlencoded",
                )
                transaction.set_rollback(True)
            if reply.status_code >= 500:
                faults.append((form.page, form.action, name, reply.status_code))
            elif (
                reply.status_code in (200, 400, 409)
                and kind != "hidden"
                and MARK not in reply.content.decode()
            ):
                lost.append((form.page, form.action, name, reply.status_code))
    assert tried > 100, "the pages have more fields than that"
    assert faults == []
    assert "\n".join(map(str, lost)) == ""


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

    @settings(
        max_examples=2,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases(operation, known))
    def one(case: Any) -> None:
        for body in with_one_text_replaced(case.body, f"{MARK} \0 \ud83d {foreign}"):
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
