"""Chromium against the live server. A page with a console error or a CSP violation fails its test."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from playwright.sync_api import Browser, Page, expect, sync_playwright
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from tests.annotation.campaigns import drafted, opened, place, rubric
from tests.browser.watching import Faults
from tools.debian import chromium_path

__all__ = ["drafted", "opened", "place", "rubric"]

QUIET = [
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--no-first-run",
    "--no-proxy-server",
]
DESKTOP = {"width": 1280, "height": 900}
HERE = Path(__file__).parent
# Not 5 seconds: a machine that is busy must not fail a test of what is right.
expect.set_options(timeout=30_000)


class NewPage(Protocol):
    """Opens a page in a browser context of its own (its own cookies); keywords go to the context."""

    def __call__(self, **context: Any) -> Page: ...


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="module")
def chromium(request: pytest.FixtureRequest) -> Iterator[Browser]:
    """One Chromium for each file; while it is open its event loop would block other tests.

    A file that measures how text is set says WITH_WINDOWS = True.
    """
    program = chromium_path(with_windows=getattr(request.module, "WITH_WINDOWS", False))
    if program is None:
        pytest.fail(
            "browser tests need Chromium: apt-get install chromium, or name it in TOUCHSTONE_CHROMIUM"
        )
    arguments = [*QUIET, "--no-sandbox"] if os.geteuid() == 0 else QUIET
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=arguments)
        yield browser
        browser.close()


@pytest.fixture(autouse=True, scope="module")
def _requests_share_connections() -> Iterator[None]:
    """As on PostgreSQL, a thread of the live server keeps its connection: SQLite takes 8 milliseconds to open one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(connection.settings_dict, "CONN_MAX_AGE", 60)
        yield


@pytest.fixture
def faults() -> Faults:
    """Errors of this test's pages; `faults.forgive("409")` for those that the test provokes."""
    return Faults()


@pytest.fixture
def new_page(chromium: Browser, live_server: LiveServer, faults: Faults) -> Iterator[NewPage]:
    """Opens pages whose addresses are relative to the live server."""
    contexts = []

    def open_page(**context: Any) -> Page:
        made = chromium.new_context(**{"base_url": live_server.url, "viewport": DESKTOP, **context})
        made.set_default_timeout(10_000)
        contexts.append(made)
        page = made.new_page()
        faults.watch(page)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert faults.unforgiven() == []


@pytest.fixture
def page(new_page: NewPage) -> Page:
    """A page of nobody in particular, 1280 wide."""
    return new_page()


@pytest.fixture
def sign_in(new_page: NewPage, live_server: LiveServer) -> Callable[..., Page]:
    """`sign_in(person, **context)` opens a page that has the session of `person`."""

    def open_page(person: User, **context: Any) -> Page:
        page = new_page(**context)
        page.context.add_cookies([session_cookie(person, live_server.url)])
        return page

    return open_page


def session_cookie(person: User, address: str) -> Any:
    """A cookie, as Playwright takes it, for a session of `person` on the site at `address`."""
    client = Client()
    client.force_login(person)
    value = client.cookies[settings.SESSION_COOKIE_NAME].value
    return {"name": settings.SESSION_COOKIE_NAME, "value": value, "url": address}
