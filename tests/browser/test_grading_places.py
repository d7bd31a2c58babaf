"""Comments on what is selected in the rendered text: exact offsets in the source, whole formulas."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import Comment
from tests.annotation import test_steps
from tests.annotation.test_steps import stepwise

__all__ = ["stepwise"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
TEXT = "Let $x$ be odd. Then $x^2$ is odd,\nand $x^2 + 1$ is even. Let $x$ be odd again."
SELECT = """([first, last]) => {
  const block = document.querySelector(".passage .block");
  const walk = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const ends = [first, last].map(([words, nth, offset]) => {
    walk.currentNode = block;
    for (let left = nth, node; (node = walk.nextNode()); ) {
      if (node.data.includes(words) && left-- === 0) return [node, node.data.indexOf(words) + offset];
    }
  });
  range.setStart(...ends[0]);
  range.setEnd(...ends[1]);
  getSelection().removeAllRanges();
  getSelection().addRange(range);
}"""


@pytest.fixture
def item(sign_in, algebraist, stepwise_text, stepwise) -> Page:
    page = sign_in(algebraist)
    page.goto(reverse("grade", args=[stepwise.handle]))
    expect(page.locator(".passage .math[data-state=done]")).to_have_count(4)
    page.keyboard.press("j")
    return page


@pytest.fixture
def stepwise_text(monkeypatch):
    monkeypatch.setattr(test_steps, "PLAIN", TEXT)


def commented(page: Page, first: list, last: list) -> str:
    """The words of the source to which a comment made now belongs, once a reload has read them back."""
    page.evaluate(SELECT, [first, last])
    page.keyboard.press("c")
    page.locator('.comment-editor [name="text"]').fill("Why?")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#save-state")).to_have_text(re.compile("^Saved"))
    page.reload()
    card = page.locator(".passage-comments .comment")
    expect(card).to_contain_text("Why?")
    quote = card.locator("q")
    return quote.inner_text() if quote.count() else ""


@pytest.mark.slow
def test_selected_words_are_found_in_the_source(item):
    assert commented(item, ["is odd", 0, 0], ["is odd", 0, 7]) == "is odd,"


@pytest.mark.slow
def test_a_selection_that_touches_a_formula_takes_all_of_it(item):
    assert commented(item, ["2", 0, 0], [" is odd", 0, 7]) == "$x^2$ is odd"


@pytest.mark.slow
def test_the_second_of_two_equal_passages_is_told_from_the_first(item):
    assert commented(item, [" be odd", 1, 1], [" be odd", 1, 7]) == "be odd"
    page = item
    page.locator('[data-question="first"] input[value="none"]').check()
    page.locator('[data-question="each"] input[value="correct"]').check()
    page.keyboard.press("Control+Enter")
    page.wait_for_url(re.compile(r"/grading/$"))
    comment = Comment.objects.get()
    assert comment.start == TEXT.rindex("be odd")
    assert TEXT[comment.start : comment.end] == "be odd"


def test_the_button_keeps_what_is_selected(item):
    item.evaluate(SELECT, [["is odd", 0, 0], ["is odd", 0, 6]])
    item.locator(".passage").first.get_by_role("button", name="Comment").click()
    expect(item.locator(".comment-editor .quote")).to_have_text("On: is odd")


@pytest.mark.slow
def test_without_a_selection_the_whole_block_is_meant(item):
    item.evaluate("getSelection().removeAllRanges()")
    item.keyboard.press("c")
    expect(item.locator(".comment-editor .quote")).to_be_hidden()
