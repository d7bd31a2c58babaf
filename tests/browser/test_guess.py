"""Guessing the system after submitting, by keyboard alone."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotation.assigning.taking import take_next
from annotation.campaigns.actions import draw_items, open_campaign
from annotation.guessing.actions import ask_for_guesses
from annotation.models import Grade, SystemGuess
from tests.browser.accessibility import axe

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def place(drafted, coordinator, algebraist):
    ask_for_guesses(actor=coordinator, campaign=drafted)
    draw_items(actor=coordinator, campaign=drafted)
    return take_next(reviewer=algebraist, campaign=open_campaign(actor=coordinator, campaign=drafted))


@pytest.mark.slow
def test_a_system_is_guessed_by_keyboard_alone_and_the_grade_stays(sign_in, algebraist, place):
    page = sign_in(algebraist)
    page.goto(reverse("grade", args=[place.handle]))
    keys = page.keyboard
    keys.press("1")
    keys.press("ArrowDown")
    keys.press("4")
    keys.press("Control+Enter")
    page.wait_for_url(re.compile(r"/guess/$"))
    assert axe(page) == []
    name = page.get_by_label("Name of the system")
    for _ in range(40):
        if name.evaluate("field => field === document.activeElement"):
            break
        keys.press("Tab")
    expect(name).to_be_focused()
    keys.type("Second system")
    keys.press("Enter")
    page.wait_for_url(re.compile(r"/grading/$"))
    assert SystemGuess.objects.get().named == "Second system"
    assert Grade.objects.get().answers.count() == 2
