"""The search page: filters as chips at a desk and in a drawer on a telephone, the keyboard, and similar statements."""

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import axe
from tests.search.conftest import _indexes, corpus, write

__all__ = ["_indexes", "corpus", "write"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
ADDRESS = "/search/?q=compact+set&corpus=library"


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_at_a_desk_all_filters_are_in_sight_and_one_in_use_is_removed_by_keyboard(
    sign_in, corpus, algebraist, theme
):
    page = sign_in(algebraist, color_scheme=theme, viewport={"width": 1280, "height": 900})
    page.goto(ADDRESS)
    expect(page.locator(".filters > summary")).to_be_hidden()
    page.get_by_label("Kind").fill("lemma")
    page.keyboard.press("Enter")
    expect(page.locator(".result")).to_have_count(1)
    assert axe(page) == []
    page.get_by_role("link", name="Remove Kind: lemma").press("Enter")
    expect(page.locator(".result")).to_have_count(2)
    expect(page.locator(".result mark").first).to_have_text("compact")
    expect(page.locator(".result .math mark")).to_have_count(0)
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280


def test_on_a_telephone_the_filters_are_in_a_drawer(sign_in, corpus, algebraist):
    page = sign_in(algebraist, viewport={"width": 390, "height": 844}, has_touch=True)
    page.goto(f"{ADDRESS}&kinds=lemma")
    expect(page.get_by_label("Author")).to_be_hidden()
    expect(page.get_by_role("link", name="Remove Kind: lemma")).to_be_visible()
    page.get_by_text("Filters and ranking").tap()
    expect(page.get_by_label("Author")).to_be_visible()
    assert axe(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.slow
def test_the_keyboard_goes_to_the_box_from_result_to_result_and_to_what_is_similar(
    sign_in, corpus, algebraist
):
    page = sign_in(algebraist)
    page.goto(ADDRESS)
    page.keyboard.press("j")
    expect(page.locator(".result").first).to_be_focused()
    page.keyboard.press("j")
    expect(page.locator(".result").nth(1)).to_be_focused()
    page.keyboard.press("k")
    expect(page.locator(".result").first).to_be_focused()
    page.keyboard.press("/")
    expect(page.locator("#id_q")).to_be_focused()
    page.get_by_role("link", name="Similar to Theorem 3.1").click()
    expect(page.get_by_role("heading", level=2)).to_contain_text("like Theorem 3.1 (Heine and Borel)")
    expect(page.locator("#id_q")).to_have_value("")
