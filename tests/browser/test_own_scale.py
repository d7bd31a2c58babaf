"""A scale in the coordinator's own words is graded in the browser, with mouse and keyboard."""

import re

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from annotation.models import Campaign, Grade
from annotation.rubrics.actions import import_rubrics
from tests.factories import (
    AssignmentFactory,
    CampaignFactory,
    InstanceFactory,
    ItemFactory,
    OutputFactory,
    RunFactory,
)
from tests.own_scale import LEVELS

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def places(coordinator, algebraist):
    """Two items of an open campaign with the four levels, with the algebraist."""
    [rubric] = import_rubrics(actor=coordinator, protocol="proofs", content=LEVELS.encode())
    campaign = CampaignFactory(slug="refereeing", rubric=rubric)
    run = RunFactory(release=campaign.release)
    found = []
    for key in ("p1", "p2"):
        output = OutputFactory(run=run, instance=InstanceFactory(release=campaign.release, key=key))
        item = ItemFactory(campaign=campaign, output=output, places=1, places_taken=1)
        found.append(AssignmentFactory(item=item, reviewer=algebraist))
    Campaign.objects.filter(pk=campaign.pk).update(phase="open", opened_at=timezone.now())
    return found


@pytest.mark.slow
def test_four_levels_are_chosen_by_mouse_and_by_number(sign_in, algebraist, places):
    page = sign_in(algebraist)
    page.goto(reverse("grade", args=[places[0].handle]))
    levels = page.locator("#question-recommendation .choice")
    expect(levels).to_have_count(4)
    expect(levels.nth(1)).to_contain_text("typographical changes only")
    levels.nth(3).click()
    page.get_by_role("button", name="Submit").click()
    page.wait_for_url(f"**{reverse('grade', args=[places[1].handle])}")
    page.keyboard.press("2")
    expect(page.locator('[name="answer-recommendation"][value="minor"]')).to_be_checked()
    page.keyboard.press("Control+Enter")
    page.wait_for_url(re.compile(r"/grading/$"))
    given = Grade.objects.order_by("pk").values_list("answers__question", "answers__value")
    assert list(given) == [("recommendation", "reject"), ("recommendation", "minor")]


@pytest.mark.slow
def test_a_success_beside_a_fatal_comment_is_told_before_it_is_stored(sign_in, algebraist, places):
    page = sign_in(algebraist)
    page.goto(reverse("grade", args=[places[1].handle]))
    page.keyboard.press("1")
    page.locator(".passage").first.hover()
    page.locator(".passage").first.get_by_role("button", name="Comment").click()
    page.locator(".comment-editor").get_by_text("fatal").click()
    page.locator('.comment-editor [name="text"]').fill("This does not follow.")
    page.locator(".comment-editor").get_by_role("button", name="Keep").click()
    page.get_by_role("button", name="Submit").click()
    expect(page.locator("#problem-recommendation")).to_contain_text("You answered “flawless”")
    assert not Grade.objects.exists()
