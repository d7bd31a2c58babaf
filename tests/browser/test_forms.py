"""Forms of ordinary pages, by people who press twice, or whose session is no longer the one of the page."""

import re
from collections.abc import Callable
from datetime import date

import pytest
from django.contrib.sessions.models import Session
from django.urls import reverse
from playwright.sync_api import Page, Route, expect

from accounts.models import SavedComment, User
from annotation.core.item_names import item_name
from annotation.models import Assignment, Campaign
from benchmark.models import ImportUpload
from tests.annotation.campaigns import second_algebraist, split  # noqa: F401  # fixtures
from tests.browser.conftest import session_cookie
from tests.factories import AssignmentFactory

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
TYPED = "Twenty minutes of careful words: the bound $x\\ge1$ is not shown."
NEW_TOKEN = {"name": "csrftoken", "value": "n" * 32}


@pytest.fixture
def bank(sign_in: Callable[..., Page], algebraist: User) -> Page:
    page = sign_in(algebraist)
    page.goto(reverse("comment-bank"))
    page.locator("[name=text]").fill(TYPED)
    return page


def sign_in_elsewhere(page: Page, person: User, address: str) -> None:
    """As signing in in another tab does: another session, another token."""
    page.context.add_cookies([session_cookie(person, address), {**NEW_TOKEN, "url": address}])


def save(page: Page) -> None:
    page.get_by_role("button", name="Save", exact=True).click()


@pytest.mark.slow
def test_a_form_is_sent_after_signing_in_again_in_another_tab(bank, algebraist, live_server):
    sign_in_elsewhere(bank, algebraist, live_server.url)
    save(bank)
    expect(bank.get_by_text("Saved.")).to_be_visible()
    assert SavedComment.objects.get().text == TYPED


def test_a_form_waits_while_nobody_is_signed_in(bank, algebraist, live_server):
    Session.objects.all().delete()
    bank.context.add_cookies([{**NEW_TOKEN, "url": live_server.url}])
    save(bank)
    expect(bank.get_by_role("alert")).to_have_text(
        "Not sent: you are signed out. Sign in in another tab, then send this again."
    )
    expect(bank.locator("[name=text]")).to_have_value(TYPED)
    sign_in_elsewhere(bank, algebraist, live_server.url)
    save(bank)
    expect(bank.get_by_text("Saved.")).to_be_visible()
    assert SavedComment.objects.get().text == TYPED


def test_a_form_waits_after_signing_out_in_another_tab(bank, live_server):
    other = bank.context.new_page()
    other.goto(live_server.url + reverse("account_logout"))
    other.get_by_role("main").get_by_role("button", name="Sign out").click()
    expect(other).not_to_have_url(live_server.url + reverse("account_logout"))
    save(bank)
    expect(bank.get_by_role("alert")).to_contain_text("Not sent: you are signed out.")
    expect(bank.locator("[name=text]")).to_have_value(TYPED)


def test_an_old_page_asks_whether_its_person_is_still_signed_in(sign_in, algebraist):
    page = sign_in(algebraist)
    page.clock.install()
    page.goto(reverse("comment-bank"))
    page.locator("[name=text]").fill(TYPED)
    Session.objects.all().delete()
    page.clock.fast_forward("11:00")
    save(page)
    expect(page.get_by_role("alert")).to_contain_text("Not sent: you are signed out.")
    expect(page.locator("[name=text]")).to_have_value(TYPED)


def test_a_form_is_not_sent_as_somebody_else(bank, coordinator, live_server):
    sign_in_elsewhere(bank, coordinator, live_server.url)
    save(bank)
    expect(bank.get_by_role("alert")).to_contain_text("somebody else has signed in")
    expect(bank.locator("[name=text]")).to_have_value(TYPED)
    assert not SavedComment.objects.exists()


def test_a_button_pressed_twice_makes_one_thing(sign_in, coordinator, tmp_path):
    page = sign_in(coordinator)
    sent = []

    def slowly(route: Route) -> None:
        if route.request.method == "POST":
            sent.append(route.request.url)
            page.wait_for_timeout(500)
        route.continue_()

    table = tmp_path / "table.csv"
    table.write_text("problem,statement\n1,One is odd.\n")
    page.goto(reverse("import-files"))
    page.locator('input[name="file"]').set_input_files(table)
    page.locator('[name="name"]').fill("pressed-twice")
    page.route("**/imports/**", slowly)
    page.get_by_role("button", name="Continue").dblclick(delay=20)
    expect(page.get_by_role("heading", name="table.csv")).to_be_visible()
    assert len(sent) == 1
    assert ImportUpload.objects.count() == 1


def test_a_form_that_comes_back_refused_goes_on_at_the_field(page):
    page.goto(reverse("account_login"))
    page.locator("[name=login]").fill("ada@example.org")
    page.locator("[name=password]").fill("not this one")
    page.keyboard.press("Enter")
    expect(page.locator("main .errorlist")).to_be_focused()
    page.goto(reverse("account_reset_password"))
    page.locator("[name=email]").fill("ada@example")
    page.keyboard.press("Enter")
    expect(page.locator("[name=email]")).to_be_focused()


def test_nor_does_the_fragment_of_an_address_take_the_focus_from_the_field(sign_in, algebraist):
    page = sign_in(algebraist)
    page.goto(reverse("profile"))
    tokens = page.locator("form[action$='#tokens']").first
    tokens.locator("[name=label]").fill("for scripts")
    tokens.locator("[name=password]").fill("not this one")
    page.keyboard.press("Enter")
    expect(page.locator("main [aria-invalid=true]")).to_be_focused()


@pytest.mark.slow
def test_late_places_are_released_only_by_those_who_say_so_when_asked(
    sign_in, coordinator, opened, algebraist
):
    """And the question does not count as the first of two presses of the same button."""
    AssignmentFactory(item=opened.items.first(), reviewer=algebraist)
    Campaign.objects.filter(pk=opened.pk).update(due_on=date(2020, 1, 1))
    page = sign_in(coordinator)
    page.goto(reverse("campaign", args=[opened.slug]))
    release = page.get_by_role("button", name="Release late work to others")
    asked = []
    page.once("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))
    release.click()
    assert asked == [
        "Release every waiting place (1)? Reviewers who have none waiting get them at once, however few they are, up "
        "to the most that each takes on. Drafts are kept, but no plan gives a place back to the reviewer who had it."
    ]
    assert Assignment.objects.get().state == "waiting"
    page.once("dialog", lambda dialog: dialog.accept())
    release.click()
    expect(page.get_by_text("1 late places released")).to_be_visible()


@pytest.mark.slow
def test_a_decision_that_is_refused_goes_on_at_its_reason_and_one_that_is_kept_at_its_question(
    sign_in,
    coordinator,
    split,  # noqa: F811
):
    """The questions are far down a column; the page used to begin at its top each time."""
    page = sign_in(coordinator)
    page.goto(reverse("adjudicate", args=[split.campaign.slug, item_name(split.pk)]))
    question = page.locator("section.disputed").first
    question.get_by_label("inconclusive").check()
    question.get_by_role("button", name="Decide").click()
    expect(question.get_by_role("alert")).to_be_focused()
    question.get_by_label("incorrect").check()
    question.get_by_role("button", name="Decide").click()
    expect(page).to_have_url(re.compile("#q-correctness$"))
    expect(page.locator("#q-correctness")).to_be_in_viewport()
