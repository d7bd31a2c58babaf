"""The comment bank while commenting, by keyboard alone, and while the server is away."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from accounts.models import SavedComment
from accounts.profile.saved_comments import save_comment
from annotation.comments.actions import share_comment
from annotation.models import Comment
from tests.browser.accessibility import axe

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
GAP = "The step from $x>0$ to $x\\ge1$ needs integers."


@pytest.fixture
def item(sign_in, algebraist, coordinator, place) -> Page:
    save_comment(actor=algebraist, text=GAP)
    save_comment(actor=algebraist, text="Say where this is proved.")
    share_comment(actor=coordinator, campaign=place.item.campaign, text="The case $n=0$ is missing.")
    page = sign_in(algebraist)
    page.goto(reverse("grade", args=[place.handle]))
    return page


def saved_texts(page: Page, many: int) -> set[str]:
    for _ in range(50):
        if SavedComment.objects.count() == many:
            break
        page.wait_for_timeout(200)
    return set(SavedComment.objects.values_list("text", flat=True))


@pytest.mark.slow
def test_a_comment_is_found_inserted_and_submitted_by_keyboard_alone(item):
    keys = item.keyboard
    keys.press("1")
    keys.press("ArrowDown")
    keys.press("4")
    keys.press("j")
    keys.press("c")
    keys.press("/")
    expect(item.get_by_role("combobox", name="Search the bank")).to_be_focused()
    expect(item.locator(".bank [role=option]")).to_have_count(3)
    expect(item.locator("[role=option] .katex").first).to_be_attached()
    assert axe(item) == []
    keys.type("N=0")
    expect(item.locator(".bank [role=option]")).to_have_count(1)
    keys.press("Enter")
    text = item.locator('.comment-editor [name="text"]')
    expect(text).to_be_focused()
    expect(text).to_have_value("The case $n=0$ is missing.")
    keys.press("Enter")
    keys.press("/")
    keys.press("ArrowDown")  # own comments come first, by their words
    keys.press("Enter")
    expect(text).to_have_value(f"The case $n=0$ is missing.\n{GAP}")
    keys.type(" 1/2")  # within a line a slash is a slash
    keys.press("Control+Enter")
    expect(item.locator(".passage-comments .katex")).to_have_count(3)
    keys.press("Control+Enter")
    item.wait_for_url(re.compile(r"/grading/$"))
    assert Comment.objects.get().text == f"The case $n=0$ is missing.\n{GAP} 1/2"


@pytest.mark.slow
def test_escape_leaves_the_bank_and_keeps_the_comment(item):
    keys = item.keyboard
    keys.press("j")
    keys.press("c")
    keys.press("/")
    keys.type("nothing like it")
    expect(item.locator(".bank-status")).to_have_text("No comment contains these words.")
    keys.press("Escape")
    expect(item.locator('.comment-editor [name="text"]')).to_be_focused()
    expect(item.locator(".bank")).to_be_hidden()


@pytest.mark.slow
def test_a_comment_is_saved_while_commenting_and_offered_at_once(item):
    keys = item.keyboard
    keys.press("j")
    keys.press("c")
    keys.type("Why is $f$ continuous?")
    item.get_by_role("button", name="Save to bank").click()
    expect(item.locator(".bank-status")).to_have_text("Saved to your bank.")
    assert "Why is $f$ continuous?" in saved_texts(item, 3)
    item.get_by_role("button", name="Save to bank").click()
    expect(item.locator(".bank-status")).to_have_text("This is in your bank already.")
    item.get_by_role("button", name="From the bank").click()
    expect(item.locator(".bank [role=option]")).to_have_count(4)


@pytest.mark.slow
def test_what_is_saved_while_the_server_is_away_reaches_it_later_even_after_a_reload(item, place, faults):
    faults.forgive("ERR_INTERNET_DISCONNECTED")
    faults.forgive("Failed to load resource")
    item.keyboard.press("j")
    item.keyboard.press("c")
    item.keyboard.type("Kept for later.")
    item.context.set_offline(True)
    item.get_by_role("button", name="Save to bank").click()
    expect(item.locator(".bank-status")).to_contain_text("Kept in this browser")
    item.get_by_role("button", name="From the bank").click()
    expect(item.locator(".bank [role=option]")).to_have_count(4)
    assert SavedComment.objects.count() == 2
    item.context.route("**/api/v1/comment-bank/", lambda route: route.abort())
    item.context.set_offline(False)
    item.context.unroute("**/api/v1/comment-bank/")
    item.reload()
    assert "Kept for later." in saved_texts(item, 3)
