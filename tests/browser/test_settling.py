"""Open cases are settled by keyboard and by mouse."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from benchmark.models import Settlement
from tests.benchmark.test_settling import NO_AUTHORS, study

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def release():
    """Three open cases of one instance."""
    return study(
        [{**NO_AUTHORS, "title": f"{NO_AUTHORS['title']}{more}"} for more in ("", " anew", " and sets")]
    )


@pytest.mark.slow
def test_cases_are_settled_and_taken_back_by_keyboard(sign_in, coordinator, release):
    page = sign_in(coordinator)
    page.goto(reverse("settling", args=["gaps"]))
    cases = page.locator(".settling-case")
    expect(cases).to_have_count(3)
    expect(cases.nth(0)).to_be_focused()
    second, third = (cases.nth(at).get_attribute("id") for at in (1, 2))
    page.keyboard.press("j")
    page.keyboard.press("n")
    page.keyboard.type("sad")  # no key acts while somebody types
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    page.keyboard.press("s")
    expect(page.get_by_text("1 of 3 settled")).to_be_visible()
    expect(page.locator(f"#{third}")).to_be_focused()
    row = Settlement.objects.get()
    assert (f"case-{row.pair}", row.verdict, row.note) == (second, "same", "sad")
    page.keyboard.press("u")
    expect(page.get_by_text("0 of 3 settled")).to_be_visible()
    expect(page.locator(f"#{second}")).to_be_focused()
    page.keyboard.press("d")
    expect(page.locator(f"#{third}")).to_be_focused()
    page.keyboard.press("k")
    expect(cases.nth(0)).to_be_focused()


def test_a_note_on_another_case_is_there_when_the_page_comes_back(sign_in, coordinator, release):
    page = sign_in(coordinator)
    page.goto(reverse("settling", args=["gaps"]))
    case = f"#{page.locator('.settling-case').nth(0).get_attribute('id')}"
    page.keyboard.press("n")
    page.keyboard.type("Ask the author.")
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("d")
    expect(page.get_by_text("1 of 3 settled")).to_be_visible()
    expect(page.locator(f"{case} textarea")).to_have_value("Ask the author.")
    assert Settlement.objects.get().note == ""


@pytest.mark.slow
def test_another_person_disagrees_under_settled(sign_in, coordinator, owner, release):
    page = sign_in(coordinator)
    page.goto(reverse("settling", args=["gaps"]))
    page.get_by_role("button", name="Same work").first.click()
    expect(page.get_by_text("1 of 3 settled")).to_be_visible()
    page = sign_in(owner)
    page.goto(reverse("settling", args=["gaps"]) + "?show=settled")
    page.get_by_role("button", name="Different works").click()
    expect(page.locator(".answers li")).to_have_count(2)
    expect(page.locator(".answers strong")).to_have_text("Different works")
