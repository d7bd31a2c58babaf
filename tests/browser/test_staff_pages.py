"""Pages of judges in a real browser. tests/browser/test_every_page.py looks for faults of every page."""

import json

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from judging.models import JudgeRun
from judging.runs.actions import ask, create_judge
from tests.browser.conftest import session_cookie
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


def test_a_runs_progress_moves_without_reloading_the_page(sign_in, owner, run_address):
    page = sign_in(owner)
    page.goto(run_address)
    page.evaluate("window.sameDocument = true")
    JudgeRun.objects.update(state="paused")
    page.get_by_role("button", name="Resume").wait_for()
    assert page.evaluate("window.sameDocument")


def test_a_session_that_ends_meanwhile_is_said_below_the_progress_as_it_was_and_a_new_one_goes_on(
    sign_in, owner, run_address, live_server
):
    """The sign-in page, which answers then, is no part of this page."""
    page = sign_in(owner)
    page.goto(run_address)
    before = page.locator("#progress").inner_text()
    page.context.clear_cookies()
    expect(page.get_by_role("alert")).to_contain_text("You are signed out")
    assert page.locator("#progress").inner_text().startswith(before)
    page.context.add_cookies([session_cookie(owner, live_server.url)])
    JudgeRun.objects.update(state="paused")
    page.get_by_role("button", name="Resume").wait_for()
