"""Two proofs of one problem on the page on which they are compared."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotation.assigning import taking
from benchmark.rendering.actions import render_waiting
from tests.annotation.test_pairs import comparison, opened

__all__ = ["comparison"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
TABLE = "| {} |\n|{}\n| {} |".format(
    " | ".join(f"column{n}" for n in range(14)), "---|" * 14, " | ".join("1" * 14)
)


@pytest.fixture
def address(comparison, coordinator, algebraist):
    for run in comparison.release.runs.all():
        text = f"{TABLE}\n\n" + "A long argument.\n\n" * 60
        run.outputs.update(text=text, text_format="markdown")
    place = taking.take_next(reviewer=algebraist, campaign=opened(comparison, coordinator))
    render_waiting()
    return reverse("grade", args=[place.handle])


@pytest.mark.slow
def test_on_a_phone_the_middle_of_a_proof_says_which_of_the_two_it_is(sign_in, algebraist, address):
    page = sign_in(algebraist, viewport={"width": 390, "height": 844})
    page.goto(address)
    second = page.get_by_role("region", name="Second proof")
    second.locator(".passage").nth(30).scroll_into_view_if_needed()
    heading = page.get_by_role("heading", name="Second proof")
    expect(heading).to_be_in_viewport(ratio=1)
    assert heading.bounding_box()["y"] == pytest.approx(page.locator(".paper").bounding_box()["y"], abs=1)


def test_a_comment_in_the_list_says_of_which_proof_it_is(sign_in, algebraist, address):
    page = sign_in(algebraist)
    page.goto(address)
    page.get_by_role("region", name="Second proof").locator(".passage").nth(2).focus()
    page.keyboard.press("c")
    page.keyboard.type("Why?")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#comment-list")).to_contain_text("minor, second proof Why?")


@pytest.mark.slow
def test_a_wide_table_scrolls_before_its_words_break(sign_in, algebraist, address):
    page = sign_in(algebraist, viewport={"width": 390, "height": 844})
    page.goto(address)
    head = page.locator("th").first
    assert head.evaluate("(cell) => cell.clientHeight / parseFloat(getComputedStyle(cell).lineHeight)") < 2
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
