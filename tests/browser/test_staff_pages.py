"""Pages of staff in a real browser. tests/browser/test_every_page.py looks for faults of every page."""

import json

import pytest
from django.urls import reverse

from annotation.campaigns.actions import draw_items
from judging.models import JudgeRun
from judging.runs.actions import ask, create_judge
from tests.browser.conftest import session_cookie
from tests.conftest import member
from tests.reports.conftest import load_gaps

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def gaps(db):
    return load_gaps()


@pytest.fixture
def run_address(gaps, settings, monkeypatch) -> str:
    monkeypatch.setattr("judging.runs.actions.ring", lambda: None)
    settings.JUDGE_ENDPOINTS = json.dumps({"local": {"base_url": "http://127.0.0.1:9/v1", "private": True}})
    judge = create_judge(actor=None, slug="strict", protocol="re2math", model="m", endpoint="local")
    return reverse("judge-run", args=[ask(actor=None, judge=judge, release=gaps).pk])


@pytest.mark.slow
def test_a_runs_progress_moves_without_reloading_the_page(sign_in, owner, run_address):
    page = sign_in(owner)
    page.goto(run_address)
    page.evaluate("window.sameDocument = true")
    JudgeRun.objects.update(state="paused")
    page.get_by_role("button", name="Resume").wait_for()
    assert page.evaluate("window.sameDocument")


@pytest.mark.slow
def test_who_is_signed_out_meanwhile_is_told_so_and_the_progress_goes_on_with_a_new_session(
    sign_in, owner, run_address, live_server
):
    """The sign-in page, which answers then, is not a part of this page."""
    page = sign_in(owner)
    page.goto(run_address)
    before = page.locator("#progress").inner_text()
    page.context.clear_cookies()
    told = page.get_by_role("alert").filter(has_text="You are signed out")
    told.wait_for()
    assert page.locator("#progress").inner_text().removesuffix(told.inner_text()).strip() == before.strip()
    page.context.add_cookies([session_cookie(owner, live_server.url)])
    JudgeRun.objects.update(state="paused")
    page.get_by_role("button", name="Resume").wait_for()


# Whether something else lies over the middle of what has the focus.
COVERED = """() => {
    const {left, top, width, height} = document.activeElement.getBoundingClientRect();
    return document.elementFromPoint(left + width / 2, top + height / 2) !== document.activeElement;
}"""


@pytest.mark.slow
def test_on_a_phone_no_box_that_takes_the_focus_lies_under_the_column_of_problems(
    sign_in, coordinator, drafted
):
    for number in range(5):
        member(f"r{number}@study.test", f"Reviewer Number {number}", "reviewer", "algebra")
    draw_items(actor=coordinator, campaign=drafted)
    drafted.release.instances.update(domain="analysis of partial differential equations")
    page = sign_in(coordinator, viewport={"width": 390, "height": 780})
    page.goto(reverse("campaign-by-hand", args=[drafted.slug]))
    boxes = page.locator('[name="place"]')
    boxes.last.focus()
    for _ in range(boxes.count() - 1):
        assert not page.evaluate(COVERED)
        page.keyboard.press("Shift+Tab")
