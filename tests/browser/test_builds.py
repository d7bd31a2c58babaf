"""From sources to a release in the browser: a plan, a worker, the funnel, a repair, a drop and its undoing."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections
from playwright.sync_api import Page, expect

from benchmark.models import Release
from construction.models import Build
from tests.browser.accessibility import axe
from tests.construction import test_pipelines as made_up
from tests.construction.building import _quiet, run, server, source

__all__ = ["_quiet", "server"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def worked() -> None:
    try:
        run(Build.objects.get())
    finally:
        connections.close_all()


def check(page: Page) -> None:
    assert axe(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.slow
@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (390, "dark")])
def test_sources_come_to_a_release(sign_in, server, owner, width, theme):
    source("2601.00001", made_up.TEXT)
    source("2601.00002", made_up.TEXT + "%")
    page = sign_in(owner, color_scheme=theme, viewport={"width": width, "height": 844})
    page.goto("/construction/builds/")
    expect(page.get_by_text("No build has been started yet")).to_be_visible()
    page.get_by_role("link", name="New build").click()
    page.get_by_role("link", name="lemmas").click()
    page.get_by_label("Name", exact=True).fill("october")
    page.get_by_label("Model", exact=True).fill("writer")
    page.get_by_role("button", name="Estimate").click()
    expect(page.locator("#estimate-title")).to_contain_text("2 papers, 2 to 2 questions")
    check(page)
    page.get_by_label("Budget in tokens").fill("1000000")
    page.get_by_role("button", name="Begin the build").click()
    expect(page.get_by_text("2 papers wait to be read.")).to_be_visible()
    check(page)
    with ThreadPoolExecutor(1) as elsewhere:  # the browser has the event loop of this thread
        elsewhere.submit(worked).result()
    expect(page.locator("#progress .badge").first).to_have_text("Done")  # without a reload
    expect(page.locator('tr[data-stage="read"] td').nth(2)).to_have_text("2")
    page.get_by_role("link", name="Candidates").click()
    check(page)
    page.get_by_role("region", name="Table of candidates").get_by_role("link").first.click()
    check(page)
    page.get_by_text("Repair texts").click()
    text = page.get_by_label("statement", exact=True)
    before = text.input_value()
    text.fill(before + r" $\frac{1}$")
    page.locator("#repair-reason").fill("It lacks a bound.")
    page.get_by_role("button", name="Repair", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("cannot be set")
    text.fill(before + " Here $1 = 1$.")
    page.get_by_role("button", name="Repair", exact=True).click()
    expect(page.get_by_label("Decision")).to_contain_text("It lacks a bound.")
    check(page)
    page.locator("body").press("j")
    expect(page.get_by_role("heading", level=1)).to_contain_text("2601.00002")
    page.get_by_label("Reason to drop it").fill("It is trivial.")
    page.get_by_role("button", name="Drop", exact=True).click()
    expect(page.get_by_label("Decision")).to_contain_text("It is trivial.")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("The decision is withdrawn.")).to_be_visible()
    page.goto("/construction/builds/october/release/")
    check(page)
    page.get_by_label("Name of the release").fill("made")
    page.get_by_role("button", name="Make the release").click()
    expect(page.get_by_text("The release made has 2 instances.")).to_be_visible()
    check(page)
    texts = [str(payload) for payload in Release.objects.get().instances.values_list("payload", flat=True)]
    assert sum("Here $1 = 1$" in text for text in texts) == 1
