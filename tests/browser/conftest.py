"""Chromium against a live server. The path of the browser may be given by TOUCHSTONE_CHROMIUM."""

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from accounts.models import User
from tests.annotation.campaigns import drafted, opened, place, rubric

__all__ = ["drafted", "opened", "place", "rubric"]

ARGUMENTS = ["--no-sandbox", "--disable-dev-shm-usage"]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    path = (
        os.environ.get("TOUCHSTONE_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def sign_in(live_server: Any, chromium: Browser) -> Iterator[Callable[..., Page]]:
    """Opens a page as a person; whatever the browser complains about fails the test."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def open_page(person: User, **options: Any) -> Page:
        context = chromium.new_context(base_url=live_server.url, **options)
        contexts.append(context)
        context.add_cookies([session_cookie(person, live_server.url)])
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console", lambda line: complaints.append(line.text) if "Security Policy" in line.text else None
        )
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def session_cookie(person: User, address: str) -> Any:
    client = Client()
    client.force_login(person)
    value = client.cookies[settings.SESSION_COOKIE_NAME].value
    return {"name": settings.SESSION_COOKIE_NAME, "value": value, "url": address}
