"""Many reviewers at once: never over quota, never the same reviewer twice, no place left empty."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.utils import timezone

from accounts.refusal import Refused
from annotation.actions import submit_grade, take_next
from annotation.models import Assignment, Campaign, Grade, Item
from tests.annotation.samples import COMPLETE
from tests.conftest import member
from tests.factories import AssignmentFactory, CampaignFactory, ItemFactory, OutputFactory, RunFactory

pytestmark = pytest.mark.django_db(transaction=True)

ITEMS, PLACES, REVIEWERS = 20, 3, 30


@pytest.fixture
def campaign(rubric) -> Campaign:
    campaign = CampaignFactory(rubric=rubric)
    run = RunFactory(release=campaign.release)
    for _ in range(ITEMS):
        ItemFactory(campaign=campaign, output=OutputFactory(run=run), places=PLACES)
    return open_now(campaign)


def open_now(campaign: Campaign) -> Campaign:
    campaign.phase, campaign.opened_at = "open", timezone.now()
    campaign.save()
    return campaign


def takes_one(person, campaign) -> bool:
    try:
        take_next(reviewer=person, campaign=campaign)
    except Refused as refusal:
        if refusal.code != "nothing_left":
            raise
        return False
    return True


def in_threads(work, arguments: list) -> list:
    def run(argument):
        try:
            return work(argument)
        finally:
            connection.close()

    with ThreadPoolExecutor(max_workers=len(arguments)) as pool:
        return list(pool.map(run, arguments))


def test_every_place_is_filled_once_whoever_asks_first(campaign):
    people = [member(f"r{n}@study.test", f"R{n}", "reviewer", "algebra") for n in range(REVIEWERS)]

    def pull_until_nothing_is_left(person) -> int:
        for taken in range(ITEMS + 1):
            if not takes_one(person, campaign):
                return taken
        raise AssertionError("one reviewer took more items than there are")

    taken = in_threads(pull_until_nothing_is_left, people)
    assert sum(taken) == Assignment.objects.count() == ITEMS * PLACES
    assert set(Item.objects.values_list("places_taken", flat=True)) == {PLACES}
    pairs = Assignment.objects.values_list("item_id", "reviewer_id")
    assert max(Counter(pairs).values()) == 1


def test_two_tabs_of_one_reviewer_never_take_the_same_item(campaign):
    person = member("two@study.test", "Two Tabs", "reviewer", "algebra")

    def pull(_: int) -> int:
        return take_next(reviewer=person, campaign=campaign).item_id

    assert len(set(in_threads(pull, list(range(8))))) == 8


def test_parallel_submissions_with_one_key_make_one_grade(rubric):
    person = member("quick@study.test", "Quick", "reviewer", "algebra")
    place = AssignmentFactory(reviewer=person, item__campaign__rubric=rubric)
    open_now(place.item.campaign)

    def submit(_: int) -> int:
        return submit_grade(
            reviewer=person,
            assignment=place,
            content=COMPLETE,
            idempotency_key="one click",
            rubric_sha256=rubric.sha256,
        ).pk

    assert len(set(in_threads(submit, list(range(10))))) == 1
    assert Grade.objects.count() == 1
