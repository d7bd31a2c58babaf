"""Five thousand texts written to break pages, in every column that holds words: no page of the site runs any.

Chromium opens every page as the owner, as reviewers and as nobody. The content security policy reports every breach
and prevents none, so whatever escaped into the markup would also run.
"""

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from annotation.models import Assignment, Campaign
from annotation.quarantine import actions
from benchmark.models import Release
from tests.browser.every_page import addresses as furnished_addresses
from tests.browser.every_page import is_a_page, opened
from tests.browser.hostile_rows import fill, words
from tests.browser.test_every_page import FORMULAS_STAND, OPEN_ALL, world
from tests.browser.world import World
from tests.foreign_texts import foreign_texts
from tests.test_canaries import addresses as study_addresses
from tests.test_canaries import own_study as study

__all__ = ["study", "world"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

Visit = tuple[User | None, str]
COMPUTES_THE_PAPERS_FIGURES = (
    "/reports/published/"  # from files of this project; no row of anybody's is on it
)
A_FILE = r"/files/\d+/"  # Chromium shows a PDF by an extension of its own, which is not a page of ours
# Its measures read statements again by their schema, and refuse texts longer than any import lets in.
READS_STATEMENTS = "/reports/releases/sample-theorem-search/"
# Proofs are texts: the protocol keeps nothing else.
NEVER_FILLED = {"annotation.TrainingItem.answer", "benchmark.RedactedOutput.payload"}

# What neither our templates have nor the renderers of mathematics: found in the document as Chromium parsed it.
ESCAPED = """(origin) => {
  const found = [];
  const ours = (address) => { try { return new URL(address, origin).origin === origin; } catch { return false; } };
  for (const element of document.querySelectorAll("*")) {
    const name = element.localName;
    if (["iframe", "frame", "object", "embed", "base", "applet", "audio", "video", "style"].includes(name))
      found.push(`<${name}>`);
    if (name === "script" && element.type !== "application/json"  // data blocks, which no browser runs
        && !(element.src && new URL(element.src).pathname.startsWith("/static/")))
      found.push(element.outerHTML.slice(0, 200));
    for (const { name: attribute, value } of element.attributes) {
      if (attribute.startsWith("on") || attribute === "srcdoc" || attribute === "srcset")
        found.push(`${name} ${attribute}=${value.slice(0, 100)}`);
      if (["href", "xlink:href", "action", "formaction", "src"].includes(attribute)
          && /^[\\s\\0-\\x20]*(javascript|vbscript|data):/i.test(value) && !value.startsWith("data:,"))
        found.push(`${name} ${attribute}=${value.slice(0, 100)}`);
      if (["src", "action", "formaction", "poster", "background"].includes(attribute) && !ours(value))
        found.push(`${name} ${attribute}=${value.slice(0, 100)}`);
    }
  }
  return found;
}"""


BREACHES = """document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sample }) =>
  console.error(`breach of ${violatedDirective}: ${blockedURI} ${sample}`))"""


class Watch:
    """What pages did that only an escaped text makes them do."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.seen: list[str] = []

    def over(self, page: Page) -> Page:
        page.on("dialog", self._on_dialog)
        page.on("request", self._on_request)
        page.on("popup", lambda other: self.seen.append(f"popup {other.url}"))
        page.on("console", lambda said: self.seen.extend([said.text] if "breach of " in said.text else []))
        page.add_init_script(BREACHES)
        return page

    def _on_dialog(self, dialog: Any) -> None:
        self.seen.append(f"{dialog.type}: {dialog.message}")
        dialog.dismiss()

    def _on_request(self, request: Any) -> None:
        if not request.url.startswith((self.origin, "data:", "blob:")):
            self.seen.append(f"request to {request.url[:200]}")


@pytest.fixture
def reporting(settings: Any) -> None:
    """The content security policy as it is, but only reported."""
    settings.CONTENT_SECURITY_POLICY_REPORT_ONLY = settings.CONTENT_SECURITY_POLICY
    settings.CONTENT_SECURITY_POLICY = {}


@pytest.fixture
def hostile(study: Campaign, world: World, coordinator: User) -> World:
    """The furnished demo and the study of the canaries, with hostile words in both."""

    def redacted_and_filled() -> None:
        try:
            release = Release.objects.get(name="sample-proofs")
            actions.redact_release(actor=coordinator, release=release, seconds=60)
            filled = fill()
            assert {column for column in words() if not filled[column]} == NEVER_FILLED
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as away_from_the_browsers_loop:
        away_from_the_browsers_loop.submit(redacted_and_filled).result()
    return world


def wanted(world: World, owner: User, reviewers: list[User]) -> Iterator[Visit]:
    """Every page of the furnished demo, and those of the study: its rows fill what the demo leaves empty."""
    for address in furnished_addresses(world):
        name = "owner" if address.person == "coordinator" else address.person
        yield (world.people[name] if name else None), address.path
    for path in study_addresses([]):
        if not re.search(r"/\d+/", path):
            yield owner, path
    for reviewer in reviewers:
        handles = list(Assignment.objects.filter(reviewer=reviewer).values_list("handle", flat=True))
        for path in study_addresses(handles):
            if any(handle in path for handle in handles):
                yield reviewer, path
        yield reviewer, "/grading/"
        yield reviewer, "/profile/"


@pytest.mark.slow
def test_no_page_runs_any_of_five_thousand_foreign_texts(
    hostile: World,
    reporting: None,
    owner: User,
    algebraist: User,
    live_server: LiveServer,
    sign_in: Callable[..., Page],
    new_page: Callable[..., Page],
) -> None:
    graded = User.objects.filter(assignments__item__campaign__slug="talked").order_by("pk")
    people: dict[User | None, list[str]] = {}
    for person, path in dict.fromkeys(wanted(hostile, owner, [algebraist, *graded.distinct()])):
        if path.startswith(("/api/", "/accounts/logout/", COMPUTES_THE_PAPERS_FIGURES, READS_STATEMENTS)):
            continue
        if not re.search(A_FILE, path):
            people.setdefault(person, []).append(path)
    watch, escaped, shown = Watch(live_server.url), {}, 0
    for person, paths in people.items():
        page = watch.over(sign_in(person) if person else new_page())
        page.set_default_timeout(60_000)
        for path in paths:
            reply = opened(page, path)
            assert reply.status < 500, path
            if not is_a_page(reply):
                continue
            shown += 1
            page.wait_for_function(FORMULAS_STAND)
            page.evaluate(OPEN_ALL)
            if found := page.evaluate(ESCAPED, live_server.url):
                escaped[path] = found
            assert page.url.startswith(live_server.url)
    assert shown > 120
    assert escaped == {}
    assert watch.seen == []


@pytest.mark.slow
def test_the_same_texts_do_run_where_they_are_not_escaped(
    reporting: None, live_server: LiveServer, new_page: Callable[..., Page], faults: Any
) -> None:
    """The control: the texts are alive, and all signs that the test above looks for are noticed."""
    faults.forgive("")
    watch = Watch("https://none.test")
    page = watch.over(new_page())
    page.goto(f"{live_server.url}/accounts/login/")
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=1>')")
    page.wait_for_timeout(200)
    page.evaluate("(text) => document.write(text)", "\n".join(foreign_texts()[:600]))
    signs = ("alert: ", "request to ", "breach of script-src")
    for _ in range(60):  # seconds at most: a busy machine runs the texts late
        page.wait_for_timeout(1_000)
        noticed = [sign for sign in signs if any(one.startswith(sign) for one in watch.seen)]
        if len(noticed) == len(signs):
            break
    assert noticed == list(signs)
    found = page.evaluate(ESCAPED, live_server.url)
    assert any(" on" in sign for sign in found)
    assert any("javascript:" in sign for sign in found)


@pytest.mark.slow
def test_the_texts_are_many_and_each_is_there_once() -> None:
    texts = foreign_texts()
    assert len(texts) == len(set(texts)) == 4939
    assert sum("<script" in text.lower() for text in texts) > 500
    assert sum(" on" in text.lower() and "=" in text for text in texts) > 1000
