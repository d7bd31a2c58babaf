"""axe-core on the pages of grading, light and dark; what it finds serious fails."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests.annotation.grading import submit_grade
from tests.annotation.samples import COMPLETE
from tests.browser.accessibility import axe

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
THEMES = pytest.mark.parametrize("theme", ["light", "dark"])


@pytest.mark.slow
@THEMES
def test_the_reviewers_pages_have_no_serious_fault(sign_in, algebraist, place, theme):
    page = sign_in(algebraist, color_scheme=theme)
    for address in (reverse("queue"), reverse("finished"), reverse("grade", args=[place.handle])):
        page.goto(address)
        assert axe(page) == [], address


@pytest.mark.slow
@THEMES
def test_the_form_has_no_serious_fault_while_it_is_used(sign_in, algebraist, place, theme):
    page = sign_in(algebraist, color_scheme=theme)
    page.goto(reverse("grade", args=[place.handle]))
    page.keyboard.press("1")
    page.keyboard.press("j")
    page.keyboard.press("c")
    page.keyboard.type("Why?")
    assert axe(page) == []
    page.keyboard.press("Control+Enter")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#refusal")).to_be_visible()
    assert axe(page) == []
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    assert axe(page) == []


@pytest.mark.slow
@THEMES
def test_an_own_grade_and_the_coordinators_pages_have_no_serious_fault(
    sign_in, algebraist, coordinator, opened, place, rubric, theme
):
    submit_grade(
        reviewer=algebraist,
        assignment=place,
        content=COMPLETE,
        idempotency_key="k",
        rubric_sha256=rubric.sha256,
    )
    page = sign_in(algebraist, color_scheme=theme)
    for address in (reverse("grade", args=[place.handle]), reverse("finished")):
        page.goto(address)
        assert axe(page) == [], address
    page = sign_in(coordinator, color_scheme=theme)
    for name, arguments in (
        ("campaigns", []),
        ("campaign-new", []),
        ("campaign", [opened.slug]),
        ("campaign-assign", [opened.slug]),
    ):
        page.goto(reverse(name, args=arguments))
        page.evaluate("document.querySelectorAll('details').forEach((part) => (part.open = true))")
        assert axe(page) == [], name


@pytest.mark.slow
@pytest.mark.parametrize("height", [500, 600, 700, 800])
def test_what_is_reached_by_tab_is_not_under_the_bar_with_submit(sign_in, algebraist, place, height):
    page = sign_in(algebraist, viewport={"width": 1000, "height": height})
    page.goto(reverse("grade", args=[place.handle]))
    for _ in range(60):
        page.keyboard.press("Tab")
        hidden = page.evaluate(
            """() => {
              const [field, bar] = [document.activeElement, document.querySelector(".submit-bar")];
              const inForm = field.closest("#answers") && !bar.contains(field);
              const { top, height } = field.getBoundingClientRect();
              return inForm && top + Math.min(height, 24) > bar.getBoundingClientRect().top && field.outerHTML;
            }"""
        )
        assert not hidden, hidden
