"""Many reviewers at once: never over quota, never the same reviewer twice, no place left empty."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from accounts.refusal import Refused
from annotation.assigning.taking import take_next
from annotation.models import Assignment, Campaign, Grade
from tests.annotation.grading import submit_grade
from tests.annotation.samples import COMPLETE
from tests.conftest import member
from tests.factories import (
    AssignmentFactory,
    CampaignFactory,
    ItemFactory,
    OutputFactory,
    RubricFactory,
    RunFactory,
)

pytestmark = pytest.mark.django_db(transaction=True)

ITEMS, PLACES = 20, 3
CLIENTS = 200


@pytest.fixture
def campaign(rubric) -> Campaign:
    return opened_campaign(rubric)


def opened_campaign(rubric) -> Campaign:
    campaign = CampaignFactory(rubric=rubric, reviewers_per_item=PLACES)
    run = RunFactory(release=campaign.release)
    for _ in range(ITEMS):
        ItemFactory(
            campaign=campaign,
            output=OutputFactory(run=run),
            places=PLACES,
            stratum_size=ITEMS,
            sample_size=ITEMS,
        )
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
    """All at the same moment, each in a thread with a connection of its own that is open already."""
    together = Barrier(len(arguments))

    def run(argument):
        try:
            connection.ensure_connection()
            together.wait()
            return work(argument)
        finally:
            connection.close()

    with ThreadPoolExecutor(max_workers=len(arguments)) as pool:
        return list(pool.map(run, arguments))


@pytest.mark.slow
@pytest.mark.parametrize("rounds", [2, pytest.param(4, marks=pytest.mark.night)])
def test_two_hundred_who_ask_at_once_fill_every_place_once(rounds, request, capsys):
    """In every other round 100 people ask in two tabs each, so that the same person asks twice at once too.

    `--rounds 20` asks 4,000 times.
    """
    rubric = RubricFactory()
    people = [member(f"r{n}@study.test", f"R{n}", "reviewer", "algebra") for n in range(CLIENTS)]
    for number in range(request.config.getoption("rounds") or rounds):
        campaign = opened_campaign(rubric)
        asking = people if number % 2 == 0 else people[: CLIENTS // 2] * 2
        granted = in_threads(partial(takes_one, campaign=campaign), asking)
        places = Assignment.objects.filter(item__campaign=campaign)
        assert sum(granted) == places.count() == ITEMS * PLACES
        assert set(campaign.items.values_list("places_taken", flat=True)) == {PLACES}
        assert max(Counter(places.values_list("item_id", "reviewer_id")).values()) == 1
    call_command("check_invariants")
    assert "rules hold" in capsys.readouterr().out


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
