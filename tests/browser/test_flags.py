"""Flagging leaks in a real browser, by keyboard alone."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import Draft, Flag, FlagSpan, Grade
from tests.browser.accessibility import axe

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def item(sign_in, algebraist, place) -> Page:
    page = sign_in(algebraist)
    page.goto(reverse("grade", args=[place.handle]))
    return page


@pytest.mark.slow
def test_a_leak_is_flagged_by_keyboard_with_two_spans_and_a_public_solution_with_its_address(item):
    keys = item.keyboard
    item.locator("#add-flag").focus()
    keys.press("Enter")  # the kind has the focus: the context gives the step away
    keys.press("Tab")  # the passage
    keys.press("Tab")  # its source
    expect(item.locator('[name="flag-source"]')).to_be_focused()
    keys.type("no change")
    for _ in range(4):
        keys.press("Shift+ArrowRight")
    keys.press("Control+Enter")  # mark "Show"
    keys.press("ArrowRight")
    for _ in range(5):
        keys.press("Shift+ArrowRight")
    keys.press("Control+Enter")
    expect(item.locator(".flag-spans li")).to_have_count(2)
    expect(item.locator(".flag-spans li").first).to_contain_text("“Show”")
    item.locator('[name="flag-note"]').focus()
    keys.type("c j 1")
    assert axe(item) == []
    keys.press("Control+Enter")
    expect(item.locator("#flag-list li")).to_have_count(1)
    expect(item.locator("#add-flag")).to_be_focused()
    keys.press("Enter")
    item.locator('[name="flag-kind"]').select_option("public_solution")
    item.locator('[name="flag-link"]').fill("javascript:alert(1)")
    keys.press("Enter")
    expect(item.locator("#flag-problem")).to_contain_text("http or https")
    item.locator('[name="flag-link"]').fill("https://example.org/solution")
    keys.press("Enter")
    expect(item.locator("#flag-count")).to_have_text("2")
    item.locator('label.choice:has([name="answer-correctness"][value="incorrect"])').click()
    item.locator('label.choice:has([name="answer-rigour"][value="2"])').click()
    item.get_by_role("button", name="Submit").click()
    item.wait_for_url(re.compile(r"/grading/$"))
    grade = Grade.objects.get()
    assert list(grade.flags.order_by("pk").values_list("kind", "link", "note")) == [
        ("context", "", "c j 1"),
        ("public_solution", "https://example.org/solution", ""),
    ]
    spans = FlagSpan.objects.filter(flag=Flag.objects.earliest("pk")).order_by("pk")
    assert list(spans.values_list("start", "end", "text")) == [(0, 4, "Show"), (4, 9, " that")]


@pytest.mark.slow
def test_flags_come_back_with_the_draft(item):
    item.locator("#add-flag").click()
    item.get_by_role("button", name="Mark", exact=True).click()
    item.locator("#flag-editor").get_by_role("button", name="Keep").click()
    for _ in range(50):
        if Draft.objects.exists():
            break
        item.wait_for_timeout(200)
    assert Draft.objects.get().content["flags"][0]["kind"] == "context"
    expect(item.locator("#save-state")).to_have_attribute("data-state", re.compile("saved"))
    item.reload()
    expect(item.locator("#flag-list li")).to_contain_text("The context gives the step away")
    item.locator("#flag-list").get_by_role("button", name="Remove").click()
    expect(item.locator("#flag-count")).to_have_text("0")


@pytest.mark.slow
def test_a_flag_is_changed_where_it_stands_though_another_was_removed_meanwhile(item):
    for number in range(2):
        item.locator("#add-flag").click()
        item.locator('[data-do="mark"]').click()
        item.locator('[name="flag-note"]').fill(f"Flag {number}.")
        item.locator('#flag-editor [data-do="keep"]').click()
    lines = item.locator("#flag-list li")
    lines.nth(1).get_by_role("button", name="Edit").click()
    item.locator('[name="flag-note"]').fill("Changed.")
    lines.nth(0).get_by_role("button", name="Remove").click()
    item.locator('#flag-editor [data-do="keep"]').click()
    expect(lines).to_have_count(1)
    expect(lines).to_contain_text("Changed.")


@pytest.mark.slow
def test_a_flag_that_is_still_being_written_is_submitted_or_said_to_lack_something(item):
    item.locator('label.choice:has([name="answer-correctness"][value="incorrect"])').click()
    item.locator('label.choice:has([name="answer-rigour"][value="2"])').click()
    item.locator("#add-flag").click()
    item.locator('[name="flag-note"]').fill("The hint.")
    item.get_by_role("button", name="Submit").click()
    expect(item.locator("#flag-problem")).to_contain_text("Mark the text")
    assert not Grade.objects.exists()
    item.locator('[data-do="mark"]').click()
    item.get_by_role("button", name="Submit").click()
    item.wait_for_url(re.compile(r"/grading/$"))
    assert Flag.objects.get().note == "The hint."


@pytest.mark.slow
def test_what_is_written_is_taken_back_by_the_second_escape_not_by_the_first(item):
    item.locator("#add-flag").click()
    item.locator('[name="flag-note"]').fill("Says too much.")
    item.keyboard.press("Escape")
    expect(item.locator("#flag-problem")).to_contain_text("Escape again")
    expect(item.locator('[name="flag-note"]')).to_have_value("Says too much.")
    item.keyboard.press("Escape")
    expect(item.locator("#flag-editor")).to_be_hidden()
    item.locator("#add-flag").click()
    expect(item.locator("#flag-problem")).to_be_hidden()
    item.keyboard.press("Escape")
    expect(item.locator("#flag-editor")).to_be_hidden()
