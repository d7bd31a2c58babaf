"""The menus of the list of studies and of a study's page: open, they fit a phone and have no fault."""

import pytest
from django.urls import reverse

from accounts.models import User
from annotation.models import Campaign
from tests.browser.accessibility import axe
from tests.factories import OutputFactory

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 390, 320])
def test_a_menu_opens_by_keyboard_fits_and_closes_with_escape(sign_in, coordinator, width):
    release = OutputFactory().run.release
    page = sign_in(coordinator)
    page.set_viewport_size({"width": width, "height": 844})
    for address in (reverse("studies"), reverse("study", args=[release.name])):
        page.goto(address)
        more = page.locator("details.menu > summary")
        more.focus()
        page.keyboard.press("Enter")
        assert page.locator("details.menu a").first.is_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert axe(page) == []
        page.keyboard.press("Tab")
        page.keyboard.press("Escape")
        assert not page.locator("details.menu a").first.is_visible()
        assert more.evaluate("summary => summary === document.activeElement")


def test_a_name_without_a_blank_makes_no_page_wider_than_a_phone(sign_in, coordinator):
    User.objects.filter(pk=coordinator.pk).update(name="W" * 80)
    page = sign_in(coordinator, viewport={"width": 390, "height": 844})
    page.goto(reverse("studies"))
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.set_viewport_size({"width": 320, "height": 256})
    for name in ("profile", "analyse"):
        page.goto(reverse(name))
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, name


def test_the_queue_fits_320_pixels(sign_in, algebraist, place):
    Campaign.objects.update(name="W" * 80)
    page = sign_in(algebraist, viewport={"width": 320, "height": 256})
    page.goto(reverse("queue"))
    page.evaluate("document.querySelectorAll('details').forEach((part) => (part.open = true))")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


@pytest.mark.slow
def test_bars_of_progress_are_seen_in_forced_colours(sign_in, coordinator, opened):
    page = sign_in(coordinator)
    page.emulate_media(forced_colors="active")
    page.goto(reverse("study", args=[opened.release.name]))
    edge = page.locator("progress").first.evaluate("bar => getComputedStyle(bar).borderTopWidth")
    assert edge == "1px"
