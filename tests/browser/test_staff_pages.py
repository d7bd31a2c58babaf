"""Pages of releases and judges in a real browser: no serious fault, and they fit, light and dark, wide and narrow."""

import json

import pytest
from django.urls import reverse

from judging.actions import ask, create_judge
from judging.models import JudgeRun
from tests.browser.accessibility import axe
from tests.reports.conftest import gaps, proofs

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
__all__ = ["gaps", "proofs"]

FORMULAS_STAND = """() => ![...document.querySelectorAll(".math")].some((formula) =>
  !["done", "failed"].includes(formula.dataset.state) ||
  (formula.scrollWidth > formula.clientWidth + 1 && formula.dataset.display === "true" && formula.tabIndex < 0))"""
WIDTHS = {"desktop": {"width": 1280, "height": 900}, "phone": {"width": 390, "height": 844}}


@pytest.fixture
def addresses(gaps, proofs, settings, monkeypatch) -> list[str]:
    monkeypatch.setattr("judging.actions.ring", lambda: None)
    settings.JUDGE_ENDPOINTS = json.dumps({"local": {"base_url": "http://127.0.0.1:9/v1", "private": True}})
    judge = create_judge(actor=None, slug="strict", protocol="re2math", model="m", endpoint="local")
    run = ask(actor=None, judge=judge, release=gaps)
    instances = [release.instances.order_by("key").first() for release in (gaps, proofs)]
    return [
        reverse("releases"),
        reverse("release", args=[gaps.name]),
        *(reverse("instance", args=[row.release.name, row.key]) for row in instances),
        reverse("judges"),
        reverse("new-judge"),
        reverse("judge", args=[judge.pk]),
        reverse("judge-run", args=[run.pk]),
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_of_releases_and_judges_have_no_serious_fault_and_fit_their_width(
    sign_in, owner, addresses, scheme
):
    for size in WIDTHS.values():
        page = sign_in(owner, viewport=size, color_scheme=scheme)
        for address in addresses:
            page.goto(address)
            page.wait_for_function(FORMULAS_STAND)
            assert axe(page) == [], (address, size)
            assert page.evaluate("document.documentElement.scrollWidth") == size["width"], (address, size)


def test_a_runs_progress_moves_without_reloading_the_page(sign_in, owner, addresses):
    page = sign_in(owner)
    page.goto(addresses[-1])
    page.evaluate("window.sameDocument = true")
    JudgeRun.objects.update(state="paused")
    page.get_by_role("button", name="Resume").wait_for()
    assert page.evaluate("window.sameDocument")
