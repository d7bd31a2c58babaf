"""Forms other than grading keep what is typed: saved while typing, found again, two windows side by side."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotation.models import LaterGrade, SideDraft, TrainingAnswer
from tests.annotation.campaigns import drafted, second_algebraist
from tests.annotation.test_calibration import place_of, revealed, round_of_one
from tests.annotation.test_training import training
from tests.browser.accessibility import axe
from tests.browser.conftest import session_cookie

__all__ = ["drafted", "revealed", "round_of_one", "second_algebraist", "training"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SAVED = re.compile("^Saved ")


def reason(page):
    return page.locator("#answers textarea[name=reason]")


def state(page):
    return page.locator("#save-state")


@pytest.fixture
def address(revealed, algebraist):
    return reverse("discussion", args=[place_of(algebraist).handle])


@pytest.mark.slow
def test_second_answers_survive_a_reload_and_are_kept_once(sign_in, algebraist, address):
    page = sign_in(algebraist)
    page.goto(address)
    page.get_by_text("Answer again after the discussion").click()
    page.locator("#answers input[name=answer-correctness]").first.check()
    reason(page).fill("The constant depends on the point.")
    expect(state(page)).to_have_text(SAVED, timeout=20_000)
    page.reload()
    expect(reason(page)).to_have_value("The constant depends on the point.")
    expect(page.locator("#answers input[name=answer-correctness]").first).to_be_checked()
    assert axe(page) == []
    page.locator("#answers input[name=answer-rigour]").first.check()
    page.get_by_role("button", name="Keep second answers").click()
    expect(page.get_by_text("You have given second answers.")).to_be_visible(timeout=20_000)
    assert LaterGrade.objects.get().reason == "The constant depends on the point."
    assert not SideDraft.objects.exists()


def test_a_remark_that_is_typed_stays_while_second_answers_are_kept(sign_in, algebraist, address):
    page = sign_in(algebraist)
    page.goto(address)
    page.get_by_label("Your remark").fill("Step 3 is the point.")
    page.get_by_text("Answer again after the discussion").click()
    for name in ("correctness", "rigour"):
        page.locator(f"#answers input[name=answer-{name}]").first.check()
    reason(page).fill("The constant depends on the point.")
    page.get_by_role("button", name="Keep second answers").click()
    expect(page.get_by_text("You have given second answers.")).to_be_visible(timeout=20_000)
    expect(page.get_by_label("Your remark")).to_have_value("Step 3 is the point.")


@pytest.mark.slow
def test_a_remark_that_is_typed_survives_a_reload_until_it_is_written(sign_in, algebraist, address):
    page = sign_in(algebraist)
    page.goto(address)
    page.get_by_label("Your remark").fill("Step 3 is the point.")
    expect(page.locator("#remark-state")).to_have_text("Not written yet: kept in this browser")
    page.reload()
    expect(page.get_by_label("Your remark")).to_have_value("Step 3 is the point.")
    page.goto("/grading/")
    page.goto(address)
    expect(page.get_by_label("Your remark")).to_have_value("Step 3 is the point.")
    page.get_by_role("button", name="Write").click()
    expect(page.locator(".thread")).to_contain_text("Step 3 is the point.")
    page.reload()
    expect(page.locator("#remark-state")).to_have_text("")
    expect(page.get_by_label("Your remark")).to_have_value("")


@pytest.mark.slow
def test_what_was_typed_into_a_training_item_is_not_shown_to_the_next_at_this_browser(
    sign_in, algebraist, second_algebraist, training, live_server, faults
):
    faults.forgive("ERR_FAILED")
    page = sign_in(algebraist)
    address = reverse("training-item", args=[training.campaign.slug, 1])
    page.goto(address)
    page.route("**/api/**", lambda route: route.abort())
    page.locator("#answers input[name=answer-correctness]").first.check()
    expect(state(page)).to_have_text(re.compile("^Server unreachable"), timeout=20_000)
    other = page.context.new_page()
    page.context.clear_cookies()  # signing in changes the token of forms, too
    page.context.add_cookies([session_cookie(second_algebraist, live_server.url)])
    other.goto(address)
    expect(other.locator("#answers input[name=answer-correctness]").first).not_to_be_checked()
    page.unroute_all()
    page.locator("#answers input[name=answer-rigour]").first.check()
    expect(state(page)).to_contain_text("Signed out", timeout=20_000)
    assert not SideDraft.objects.exists()


@pytest.mark.slow
def test_two_windows_are_shown_side_by_side_and_neither_is_overwritten(sign_in, algebraist, address):
    one, other = sign_in(algebraist), sign_in(algebraist)
    for page in (one, other):
        page.goto(address)
        page.get_by_text("Answer again after the discussion").click()
    reason(one).fill("First window.")
    expect(state(one)).to_have_text(SAVED, timeout=20_000)
    reason(other).fill("Second window.")
    expect(other.locator("#conflict")).to_be_visible(timeout=20_000)
    expect(other.locator("#conflict-theirs")).to_contain_text("First window.")
    assert SideDraft.objects.get().content["note"] == "First window."
    other.get_by_role("button", name="Continue with this window").click()
    expect(state(other)).to_have_text(SAVED, timeout=20_000)
    assert SideDraft.objects.get().content["note"] == "Second window."


@pytest.mark.slow
def test_a_training_item_answered_in_one_tab_shows_its_gold_in_the_other(
    sign_in, algebraist, training, faults
):
    faults.forgive("409")
    one, other = sign_in(algebraist), sign_in(algebraist)
    for page in (one, other):
        page.goto(reverse("training-item", args=[training.campaign.slug, 1]))
    for page, place in ((one, 0), (other, -1)):
        for name in ("correctness", "rigour"):
            page.locator(f"#answers input[name=answer-{name}]").nth(place).check()
        page.get_by_role("button", name="Answer and see the gold").click()
        expect(page.get_by_role("heading", name="Your answer and the gold")).to_be_visible(timeout=20_000)
    assert set(TrainingAnswer.objects.values_list("value", flat=True)) == {"correct", "0"}


def test_answers_that_are_refused_go_on_at_the_first_question_that_lacks_one(sign_in, algebraist, training):
    """And the sentence on top says once what all of them lack."""
    page = sign_in(algebraist)
    page.goto(reverse("training-item", args=[training.campaign.slug, 1]))
    page.get_by_role("button", name="Answer and see the gold").click()
    expect(page.locator("#question-correctness")).to_be_focused()
    expect(page.locator("#refusal")).to_have_text("This question still needs an answer.")
    page.locator("#answers input[name=answer-correctness]").first.check()
    expect(page.locator(".problem:visible")).to_have_count(1)
    page.locator("#answers input[name=answer-rigour]").first.check()
    expect(page.locator(".problem:visible")).to_have_count(0)
    expect(page.locator("#refusal")).to_be_hidden()


@pytest.mark.slow
def test_second_answers_without_a_reason_go_on_at_the_field_of_the_reason(sign_in, algebraist, address):
    page = sign_in(algebraist)
    page.goto(address)
    page.get_by_text("Answer again after the discussion").click()
    page.get_by_role("button", name="Keep second answers").click()
    expect(reason(page)).to_be_focused()
