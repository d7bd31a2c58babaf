"""Faults while somebody types, in a real browser against a server process of its own that is really killed.

What was typed must come back whole once the server is there again; on another device at most five seconds of
typing may be missing; and nothing is ever there twice.
"""

import json
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Error, Page, expect

from tests.browser.conftest import DESKTOP
from tests.conftest import PASSWORD
from tests.deployment import ROOT, Deployment, deployed
from tools.demo import free_port

pytestmark = pytest.mark.browser
FIRST_PORT = 18200
SECONDS_THAT_MAY_BE_MISSING = 5
REPLY_SECONDS = 3  # what a save may take on a busy machine once it was sent
WORDS = [
    "the",
    "fourth",
    "claim",
    "does",
    "not",
    "follow",
    "from",
    "the",
    "third",
    "because",
    "its",
    "constant",
    "depends",
    "on",
    "the",
    "point",
]


class Site:
    """A deployment with a place for each test, behind a server that can be killed and started again."""

    def __init__(self, deployment: Deployment, browser: Any, tests: list[str]) -> None:
        self.deployment, self.browser = deployment, browser
        self.port = free_port(FIRST_PORT)
        self.url = f"http://127.0.0.1:{self.port}"
        command = [sys.executable, "-m", "tests.browser.seeding", *tests]
        seeded = subprocess.run(
            command, cwd=ROOT, env=deployment.environment, capture_output=True, text=True, check=True
        )
        self.seeds = json.loads(seeded.stdout)
        self.contexts: list[BrowserContext] = []
        self.start()

    def begin(self, test: str) -> None:
        """The place is that of the test; a server that the test before has killed for good is started."""
        self.seed = self.seeds[test]
        if self.server.poll() is not None:
            self.start()

    def start(self) -> None:
        self.server = self.deployment.start(
            "gunicorn", "config.wsgi", "--bind", f"127.0.0.1:{self.port}", "--threads", "4"
        )
        for _ in range(300):
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                urllib.request.urlopen(f"{self.url}/accounts/login/", timeout=20).close()
                return
            except OSError:
                time.sleep(0.1)
        raise AssertionError(self.deployment.logs())

    def kill(self) -> None:
        self.deployment.kill(self.server)

    def device(self) -> BrowserContext:
        """A browser of its own, signed in, with nothing stored."""
        context = self.browser.new_context(base_url=self.url, viewport=DESKTOP)
        context.set_default_timeout(20_000)
        context.add_cookies([{"name": "sessionid", "value": self.seed["session"], "url": self.url}])
        self.contexts.append(context)
        return context

    def open(self, context: BrowserContext) -> Page:
        page = context.new_page()
        page.goto(f"/grading/items/{self.seed['handle']}/")
        expect(page.locator("#clock")).not_to_be_empty()
        return page

    def draft(self) -> str:
        rows = self._rows("annotation_draft", "row.content")
        content = rows[0][0] if rows else "{}"
        return (json.loads(content) if isinstance(content, str) else content).get("note", "")

    def count(self, table: str) -> int:
        """How many rows of this test's place."""
        return len(self._rows(table, "row.id"))

    def _rows(self, table: str, column: str) -> list[tuple[Any, ...]]:
        grades = ["JOIN annotation_grade grade ON row.grade_id = grade.id"] * (table == "annotation_answer")
        of_it = "grade" if grades else "row"
        return self.deployment.query(
            f"SELECT {column} FROM {table} row {' '.join(grades)}"
            f" JOIN annotation_assignment place ON {of_it}.assignment_id = place.id"
            f" WHERE place.handle = '{self.seed['handle']}'"
        )


@pytest.fixture(scope="module")
def _site(request: pytest.FixtureRequest, tmp_path_factory: Any, chromium: Any) -> Iterator[Site]:
    tests = [item.name for item in request.session.items if item.path == request.path]
    with deployed(tmp_path_factory.mktemp("faults")) as deployment:
        yield Site(deployment, chromium, tests)


@pytest.fixture
def site(_site: Site, request: pytest.FixtureRequest) -> Iterator[Site]:
    """The server is that of the file, which takes seconds to set up; reviewer and place are the test's own."""
    _site.begin(request.node.name)
    yield _site
    while _site.contexts:
        _site.contexts.pop().close()


def type_for(page: Page, seconds: float, before: str = "") -> list[tuple[float, str]]:
    """Type words for so long without a pause: the moments, and the whole text then."""
    typed, text, began = [], before, time.monotonic()
    note = page.locator('[name="note"]')
    note.focus()
    while time.monotonic() - began < seconds:
        word = WORDS[len(typed) % len(WORDS)] + " "
        note.press_sequentially(word, delay=30)
        text += word
        typed.append((time.monotonic(), text))
    return typed


def eventually(said: Callable[[], str], expected: str) -> None:
    """Wait until the server has this text."""
    for _ in range(200):
        if said() == expected:
            return
        time.sleep(0.2)
    assert said() == expected


@pytest.mark.slow
def test_a_server_killed_while_somebody_types_loses_nothing(site):
    page = site.open(site.device())
    text = type_for(page, 3)[-1][1]
    site.kill()
    text = type_for(page, 4, text)[-1][1]
    expect(page.locator("#save-state")).to_have_attribute("data-state", "away", timeout=30_000)
    site.start()
    eventually(site.draft, text)
    assert site.count("annotation_draft") == 1


@pytest.mark.slow
def test_server_and_tab_killed_together_lose_nothing_in_this_browser(site):
    context = site.device()
    page = site.open(context)
    text = type_for(page, 2)[-1][1]
    site.kill()
    text = type_for(page, 2, text)[-1][1]
    kill_tab(page)
    site.start()
    again = site.open(context)
    expect(again.locator('[name="note"]')).to_have_value(text)
    eventually(site.draft, text)


def kill_tab(page: Page) -> None:
    """The renderer process dies; nothing of the page gets to run any more."""
    with page.expect_event("crash"), pytest.raises(Error):
        page.goto("chrome://kill")


@pytest.mark.slow
def test_a_device_lost_while_typing_lacks_at_most_five_seconds_on_another(site):
    device = site.device()
    page = site.open(device)
    typed = type_for(page, 14)
    lost_at = time.monotonic()
    stored = site.draft()
    device.close()
    text = typed[-1][1]
    assert text.startswith(stored)
    sure = [words for at, words in typed if at < lost_at - SECONDS_THAT_MAY_BE_MISSING - REPLY_SECONDS]
    assert len(stored) >= len(sure[-1])
    other = site.open(site.device())
    expect(other.locator('[name="note"]')).to_have_value(site.draft())


@pytest.mark.slow
def test_a_session_that_ends_while_somebody_types_is_opened_again_in_place(site):
    context = site.device()
    page = site.open(context)
    text = type_for(page, 2)[-1][1]
    context.clear_cookies()
    text = type_for(page, 2, text)[-1][1]
    again = page.get_by_role("button", name="Sign in again")
    with page.expect_popup() as opened:
        again.click()
    window = opened.value
    window.get_by_label("Email").fill(site.seed["email"])
    window.get_by_label("Password").fill(PASSWORD)
    with window.expect_event("close", timeout=60_000):
        window.get_by_role("button", name="Sign in", exact=True).click()
    eventually(site.draft, text)
    expect(page.locator('[name="note"]')).to_have_value(text)
    expect(page.locator("#save-state")).to_have_attribute("data-state", "saved")


@pytest.mark.slow
def test_two_devices_are_shown_side_by_side_and_neither_is_overwritten(site):
    laptop, tablet = site.open(site.device()), site.open(site.device())
    laptop.locator('[name="note"]').fill("From the laptop.")
    eventually(site.draft, "From the laptop.")
    tablet.locator('[name="note"]').fill("From the tablet.")
    expect(tablet.locator("#conflict-mine")).to_contain_text("From the tablet.")
    expect(tablet.locator("#conflict-theirs")).to_contain_text("From the laptop.")
    assert site.draft() == "From the laptop."


@pytest.mark.slow
def test_a_submit_whose_reply_was_lost_makes_one_grade_when_it_is_sent_again(site):
    page = site.open(site.device())
    page.keyboard.press("1")
    lost: list[bool] = []

    def lose_the_reply(route: Any) -> None:
        if route.request.method == "POST" and not lost:
            lost.append(True)
            route.fetch()
            route.abort()
        else:
            route.continue_()

    page.route("**/api/v1/assignments/**", lose_the_reply)
    page.keyboard.press("Control+Enter")
    expect(page.locator("#refusal")).to_contain_text("the server did not answer")
    assert site.count("annotation_grade") == 1
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/grading/")
    assert site.count("annotation_grade") == 1
    assert site.count("annotation_answer") == 1
