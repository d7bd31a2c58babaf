"""Labels of steps in a real browser: one click, the keyboard, and what a reload keeps."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import Answer
from tests.annotation.test_steps import stepwise
from tests.browser.accessibility import axe

__all__ = ["stepwise"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def item(sign_in, algebraist, stepwise) -> Page:
    page = sign_in(algebraist)
    page.goto(reverse("grade", args=[stepwise.handle]))
    return page


@pytest.mark.slow
def test_one_click_marks_the_first_wrong_step_and_later_ones_read_not_assessed(item):
    item.locator('[data-block="b3"]').hover()
    item.get_by_role("button", name="First error: step 2").click()
    expect(item.locator('[data-question="first"] input[value="b3"]')).to_be_checked()
    expect(item.locator('[data-block="b4"]')).to_contain_text("Step 3: not assessed")
    expect(item.locator('[data-block="b2"]')).to_contain_text("Step 1: correct")


def test_steps_are_labelled_by_keyboard_alone_and_stored_as_shown(item):
    keys = item.keyboard
    for key in ("j", "j", "j", "x"):  # the third passage is the second step
        keys.press(key)
    item.locator("#question-each").focus()  # what follows is about the other question
    for key in ("k", "v", "j", "x", "j", "u"):
        keys.press(key)
    expect(item.locator("#remaining")).to_have_text("Complete")
    keys.press("Control+Enter")
    item.wait_for_url(re.compile(r"/grading/$"))
    assert set(Answer.objects.values_list("question", "step", "value")) == {
        ("first", "b2", "correct"),
        ("first", "b3", "incorrect"),
        ("first", "b4", "not_assessed"),
        ("each", "b2", "correct"),
        ("each", "b3", "incorrect"),
        ("each", "b4", "not_assessed"),
    }


@pytest.mark.slow
def test_all_other_steps_are_called_correct_at_once_and_a_reload_keeps_them(item):
    item.locator('#question-each [data-step="b3"] input[value="incorrect"]').check()
    item.get_by_role("button", name="All others are correct").click()
    expect(item.locator("#save-state")).to_have_text(re.compile("^Saved"))
    item.reload()
    chosen = item.locator("#question-each input:checked")
    assert [chosen.nth(n).get_attribute("value") for n in range(3)] == ["correct", "incorrect", "correct"]


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_of_steps_is_accessible(sign_in, algebraist, stepwise, theme):
    page = sign_in(algebraist, color_scheme=theme)
    page.goto(reverse("grade", args=[stepwise.handle]))
    page.locator('#question-first input[value="b3"]').check()
    assert axe(page) == []


def test_on_a_phone_the_labels_of_steps_do_not_scroll_sideways(sign_in, algebraist, stepwise):
    page = sign_in(algebraist, viewport={"width": 360, "height": 740})
    page.goto(reverse("grade", args=[stepwise.handle]))
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_the_key_that_opens_the_outline_closes_it_and_the_passage_has_the_focus_again(item):
    item.set_viewport_size({"width": 1000, "height": 700})  # the outline is a drawer
    keys = item.keyboard
    keys.press("j")
    keys.press("o")
    expect(item.locator("#outline a").first).to_be_focused()
    keys.press("o")
    expect(item.locator("#outline")).to_be_hidden()
    expect(item.locator('[data-block="b1"]')).to_be_focused()


@pytest.mark.slow
def test_an_arrow_key_never_leads_to_an_answer_out_of_sight(item):
    item.set_viewport_size({"width": 1280, "height": 400})  # the second question is taller than this
    item.locator('#question-each [data-step="b2"] input[value="correct"]').check()
    item.locator("#answers textarea:visible, #answers select:visible").last.scroll_into_view_if_needed()
    item.locator("#question-each").focus()
    item.keyboard.press("ArrowDown")
    expect(item.locator('#question-each [data-step="b2"] input[value="correct"]')).to_be_in_viewport()
