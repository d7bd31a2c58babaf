"""The search on the grading page: by keyboard at a desk and by touch on a telephone, up to the submitted grade."""

import re
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.assigning.taking import take_next
from annotation.campaigns.actions import draw_items, open_campaign
from annotation.models import Campaign, Comment, Grade
from search.models import Query
from tests.browser.accessibility import axe
from tests.search.conftest import _indexes, corpus, write

__all__ = ["_indexes", "corpus", "write"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
CITED = "[A. Author, B. Writer, Spaces, 1999, Theorem 3.1 (Heine and Borel)]"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


@pytest.fixture
def searched(drafted, corpus, coordinator, algebraist):
    """A place in a campaign with the search."""
    Campaign.objects.filter(pk=drafted.pk).update(with_search=True)
    draw_items(actor=coordinator, campaign=drafted)
    opened = open_campaign(actor=coordinator, campaign=Campaign.objects.get(pk=drafted.pk))
    return take_next(reviewer=algebraist, campaign=opened)


def open_item(page: Page, place) -> None:
    page.goto(reverse("grade", args=[place.handle]))
    expect(page.locator("#dock")).to_be_attached()
    expect(page.locator('[data-do="search"]:not([hidden])').first).to_be_attached()


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_statement_is_found_and_cited_by_keyboard(sign_in, searched, algebraist, theme):
    page = sign_in(algebraist, color_scheme=theme)
    open_item(page, searched)
    expect(page.locator(".search-panel")).to_be_hidden()
    page.keyboard.press("j")
    page.keyboard.press("c")
    page.keyboard.type("This is known: ")
    page.keyboard.press("Tab")  # leaves the text, so that keys act again
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("f")
    expect(page.locator("#panel-q")).to_be_focused()
    page.keyboard.type("closed and bounded")
    page.keyboard.press("Enter")
    expect(page.locator("#panel-results")).to_be_focused()
    expect(page.locator(".panel-results .card").first).to_contain_text("Theorem 3.1")
    assert axe(page) == []
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    text = page.locator('.comment-editor [name="text"]')
    expect(text).to_be_focused()
    expect(text).to_have_value(f"This is known: {CITED}")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#save-state")).to_have_text(re.compile("^Saved"))
    page.reload()
    expect(page.locator(".passage-comments .comment")).to_contain_text(CITED)
    answer_and_submit(page)
    grade = Grade.objects.get()
    assert (grade.searches, Query.objects.count()) == (1, 1)
    assert Comment.objects.get().text == f"This is known: {CITED}"


def answer_and_submit(page: Page) -> None:
    """Answer every question by its first choice, or by a 1, and submit."""
    for question in page.locator("[data-question]").all():
        choice = question.locator("input[type=radio]").first
        if choice.count():
            choice.check(force=True)
        else:
            question.locator("input, textarea").first.fill("1")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(re.compile("/grading/(items|$)(?!.*" + "#)"))
    expect(page.locator("text=Submitted").first).to_be_visible()


@pytest.mark.slow
def test_selected_words_are_searched_and_a_new_comment_is_begun_on_a_telephone(
    sign_in, searched, algebraist, tmp_path: Path
):
    page = sign_in(algebraist, **PHONE)
    open_item(page, searched)
    page.evaluate("""() => {
      const range = document.createRange();
      range.selectNodeContents(document.querySelector(".passage .block"));
      getSelection().addRange(range);
    }""")
    page.locator('#dock [data-do="search"]').click()
    box = page.locator("#panel-q")
    expect(box).to_have_value(re.compile("Proof of"))
    box.fill("compact")
    page.locator(".search-panel-form button").click()
    expect(page.locator(".panel-results .card").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert axe(page) == []
    page.locator("[data-insert]").first.click()
    expect(page.locator('.comment-editor [name="text"]')).to_be_visible()
    expect(page.locator('.comment-editor [name="text"]')).to_have_value(re.compile(r"^\[A\. Author"))
    expect(page.locator('[name="searches"]')).to_have_value("1")


@pytest.mark.slow
def test_a_search_that_does_not_answer_says_so_and_leaves_the_draft(sign_in, searched, algebraist):
    page = sign_in(algebraist)
    open_item(page, searched)
    page.locator('.reading-tools [data-do="search"]').click()
    expect(page.locator("#panel-q")).to_be_focused()
    page.route(
        "**/search/panel/**", lambda route: route.fulfill(status=200, content_type="text/plain", body="?")
    )
    page.locator("#panel-q").fill("compact")
    page.keyboard.press("Enter")
    expect(page.locator(".search-panel .problem")).to_contain_text("did not answer")
    expect(page.locator('[name="searches"]')).to_have_value("0")
