"""Every field of every page takes any text: nothing falls over, and what was typed comes back with the error.

Texts of JSON bodies are in tests/reports/test_random_requests.py.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote_plus, urljoin
from xml.etree.ElementTree import Element

import pytest
import tinyhtml5
from django.db import transaction
from django.test import Client

from tests.browser.every_page import addresses
from tests.browser.world import World, furnish_elsewhere
from tests.foreign_texts import foreign_texts

MARK = "typed here"
HALF_A_PAIR = b"\xed\xa0\x80"  # what is left of U+D800 in UTF-8
TYPED = ("text", "search", "email", "url", "number", "date", "datetime-local", "textarea", "hidden")
FORM = re.compile("<form\\b.*?</form>", re.DOTALL)
NOT_SHOWN_AGAIN = ("csrfmiddlewaretoken",)


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
    for written in FORM.findall(html):  # a whole page takes ten times as long to parse
        (form,) = tinyhtml5.parse(written, namespace_html_elements=False).iter("form")
        if form.get("method", "get").lower() == "post" and "multipart" not in form.get("enctype", ""):
            fields = tuple(_fields(form))
            action = urljoin(page, form.get("action") or "").split("#")[0]
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


@pytest.mark.slow
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
