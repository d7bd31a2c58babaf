"""The page of slogans in a browser: estimate, begin, steer, on a wide and a narrow screen."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections
from playwright.sync_api import expect

from search.models import SloganRun
from search.slogans.actions import reconcile_slogans
from tests.browser.accessibility import axe
from tests.llm.server import serving
from tests.search.conftest import _indexes, corpus, write
from work.models import RunState
from work.worker import drain

__all__ = ["_indexes", "corpus", "write"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SAID = "Bounded closed sets of a finite dimensional space are those with the covering property."


@pytest.fixture
def server(settings):
    with serving(lambda request: "This theorem." if "primes" in str(request) else SAID) as running:
        settings.JUDGE_ENDPOINTS = json.dumps({"local": {"base_url": running.url, "private": True}})
        yield running


def drained() -> int:
    try:
        return drain()
    finally:
        connections.close_all()


@pytest.mark.slow
@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (390, "dark")])
def test_slogans_are_estimated_begun_and_steered(sign_in, corpus, server, owner, width, theme):
    page = sign_in(owner, color_scheme=theme, viewport={"width": width, "height": 844})
    page.goto("/search/corpora/library/slogans/")
    page.get_by_label("Model", exact=True).fill("writer")
    page.get_by_label("Price of a million tokens sent").fill("0.5")
    page.get_by_role("button", name="Estimate the price").click()
    expect(page.locator("#estimate-title")).to_contain_text("About 0.00 in money")
    page.get_by_label("Budget in money").fill("2")
    assert axe(page) == []
    page.get_by_role("button", name="Write 4 slogans").click()
    expect(page.get_by_text("4 statements wait for a slogan.")).to_be_visible()
    with ThreadPoolExecutor(1) as elsewhere:  # the browser has the event loop of this thread
        assert elsewhere.submit(drained).result() == 4
    page.reload()
    expect(page.get_by_role("region", name="Table of runs")).to_contain_text("3 of 4")
    expect(page.get_by_role("region", name="Table of runs")).to_contain_text(
        "1: It speaks about “this theorem”"
    )
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    assert SloganRun.objects.get().state == RunState.PAUSED
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    reconcile_slogans()
    page.reload()
    assert axe(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.goto("/search/?corpus=library&q=closed")
    expect(page.locator(".slogan").first).to_contain_text(f"{SAID} Written by a model (writer).")
    assert axe(page) == []
