"""Nothing that a reviewer controls tells who wrote what: the same replies in every world, no guess above chance."""

import random
from statistics import NormalDist

import pytest
from django.conf import settings as site
from django.core.management import call_command
from django.db import connection

from accounts.database.sight import have_sight
from annotation.models import ConflictsFixed, GuessQuestion, Item
from tests.annotation.authorship import (
    INVENTED,
    SECRET,
    SYSTEMS,
    Reviewer,
    author_of,
    campaign_of,
    decide_honestly,
    other_authors,
    step,
)
from tests.conftest import member

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _steady_and_blind(settings, db):
    """Handles and orders are the same in every run; on PostgreSQL, requests act as the blind role."""
    settings.SECRET_KEY = SECRET
    if connection.vendor == "postgresql":
        settings.BLIND_ROLE = "touchstone_blind"
        call_command("grant_blind_role", verbosity=0)
    yield
    if site.BLIND_ROLE:
        have_sight()


@pytest.fixture
def ada(coordinator):
    return member("ada-blind@study.test", "Ada", "reviewer", "algebra")


def transcript(campaign, person, coordinator, seed, authors):
    """What a random sequence of requests brings, in the world whose authors `authors` exchanged."""
    lot = random.Random(seed)
    with other_authors(campaign, authors):
        reviewer = Reviewer(person)
        reviewer.rubric = campaign.rubric.sha256
        if lot.random() < 0.5:  # declared before the first place, and decided: none of the systems here
            reviewer.declare(INVENTED)
            decide_honestly(coordinator)
        reviewer.take()
        for _ in range(30):
            step(reviewer, lot)
            if lot.random() < 0.2:
                decide_honestly(coordinator)
        written = [author_of(handle) for handle in reviewer.handles]
    return reviewer.transcript, written


@pytest.mark.slow
@pytest.mark.parametrize(
    "seed", [*range(6), *(pytest.param(seed, marks=pytest.mark.night) for seed in range(6, 24))]
)
def test_a_random_sequence_of_requests_brings_the_same_whoever_wrote_what(seed, rubric, coordinator, ada):
    campaign = campaign_of(rubric, 6, seed=seed)
    GuessQuestion.objects.create(campaign=campaign, asked_by=coordinator)
    plain, by = transcript(campaign, ada, coordinator, seed, None)
    assert len(plain) > 30
    for world in (1000, 2000, 3000):  # authors may fall by chance as they were: then another world is tried
        exchanged, other = transcript(campaign, ada, coordinator, seed, seed + world)
        for mine, theirs in zip(plain, exchanged, strict=True):
            assert mine == theirs
        if by != other:
            break
    assert by != other or len(by) < 3  # the worlds do differ


def test_counts_and_words_do_not_depend_on_whether_a_declared_maker_takes_part(rubric, coordinator):
    """Everything up to the first item is the same, and afterwards every count that is shown."""
    campaign_of(rubric, 6, seed=1)
    seen = []
    for number, name in enumerate(("basalt", "zircon")):  # names of one length
        person = member(f"r{number}@study.test", "Rea", "reviewer", "algebra")
        reviewer = Reviewer(person)
        reviewer.free()
        reviewer.declare(name)
        reviewer.free()
        assert reviewer.take() is None  # not before it is decided
        reviewer.free()
        reviewer.ask("get", "/profile/")
        decide_honestly(coordinator)
        reviewer.free()
        reviewer.ask("get", "/profile/")
        seen.append([str(entry).replace(name, "NAME") for entry in reviewer.transcript])
        reviewer.withdraw(name)
    assert [entry.replace("r0@", "r1@") for entry in seen[0]] == seen[1]


def test_an_honest_conflict_leaves_three_possible_authors_and_tells_no_more(rubric, coordinator, ada):
    campaign_of(rubric, 6, seed=2)
    reviewer = Reviewer(ada)
    for name in ("basalt", "ember"):
        reviewer.declare(name)
    decide_honestly(coordinator)
    while reviewer.take():
        pass
    # 4 problems in algebra, 5 answers less 2
    assert len(reviewer.handles) == 4 * 3
    assert {author_of(handle) for handle in reviewer.handles} == {"aurora", "cobalt", "dolerite"}


def test_conflicts_that_leave_two_possible_authors_leave_nothing(rubric, coordinator, ada):
    campaign_of(rubric, 6, seed=3)
    reviewer = Reviewer(ada)
    for name in ("basalt", "ember", "aurora"):
        reviewer.declare(name)
    decide_honestly(coordinator)
    assert reviewer.take() is None
    assert reviewer.transcript[-1][1] == 409
    assert "no items left" in reviewer.transcript[-1][2]


# The attack of 2026-11-22 and its variants: each yields (handle, the author that it names).


def all_but_one(reviewer, coordinator, lot):
    """Declare all systems but one, have it decided, take an item, withdraw: the item would be by that one."""
    for number in range(400):
        one = SYSTEMS[number % 5]
        for name in SYSTEMS:
            if name != one:
                reviewer.declare(name)
        decide_honestly(coordinator)
        handle = reviewer.take()
        for name in SYSTEMS:
            if name != one:
                reviewer.withdraw(name)
        if handle is None:
            return
        yield handle, one


def falling_counts(reviewer, coordinator, lot):
    """Declare each system in turn and read the count of free items; name the one at which it falls."""
    fell = lot.choice(SYSTEMS)
    while True:
        handle = reviewer.take()
        if handle is None:
            return
        if len(reviewer.handles) % 10 == 2:
            before, name = reviewer.free(), lot.choice(SYSTEMS)
            reviewer.declare(name)
            decide_honestly(coordinator)
            fell = name if reviewer.free() != before else lot.choice(SYSTEMS)
            reviewer.withdraw(name)
        yield handle, fell


def giving_up(reviewer, coordinator, lot):
    """Toggle fields and absence, give up items under a conflict, and name the system whose declaration was in force."""
    while True:
        name = lot.choice(SYSTEMS)
        reviewer.declare(name)
        reviewer.send("/profile/expertise/remove/", domain="analysis")
        reviewer.send("/profile/expertise/", domain="analysis", confidence=lot.randint(1, 3))
        decide_honestly(coordinator)
        handle = reviewer.take()
        if handle is None:
            return
        others = [other for other in SYSTEMS if other != name]
        if lot.random() < 0.5:
            reply = reviewer.ask("post", f"/api/v1/assignments/{handle}/out-of-field/", {"note": name})
            others = others if reply.status_code == 204 else [name]
        reviewer.withdraw(name)
        yield handle, lot.choice(others)


@pytest.mark.slow
@pytest.mark.parametrize("problems", [30, pytest.param(60, marks=pytest.mark.night)])
@pytest.mark.parametrize("attack", [all_but_one, falling_counts, giving_up])
def test_an_attacker_with_a_reviewer_s_account_names_no_more_authors_than_chance(
    attack, problems, rubric, coordinator, record_property
):
    """150 items by 5 systems: by chance 30, and 99 of 100 times from 18 to 42 (binomial, normal approximation).

    Of 300 items 60, and from 43 to 77.
    """
    campaign_of(rubric, problems, seed=7)
    person = member("mallory@study.test", "Mallory", "reviewer", "algebra")
    person.expertise.create(domain="analysis", confidence=2)
    reviewer = Reviewer(person, keeps=False)
    reviewer.take()  # before anything is declared, nothing waits to be decided
    guesses = list(attack(reviewer, coordinator, random.Random(11)))
    right = sum(author_of(handle) == named for handle, named in guesses)
    record_property("named", f"{right} of {len(guesses)}")
    print(f"{attack.__name__}: {right} of {len(guesses)} authors named ({connection.vendor})")
    assert len(guesses) == Item.objects.count() - 1 == 5 * problems - 1
    spread = NormalDist().inv_cdf(0.995) * (len(guesses) * 0.2 * 0.8) ** 0.5
    assert abs(right - len(guesses) / 5) <= spread
    assert ConflictsFixed.objects.filter(reviewer=person).count() == 1


@pytest.mark.slow
def test_the_attack_that_declares_first_gets_nothing_to_name(rubric, coordinator):
    """Somebody who declares all systems but one before the first place is given nothing, then or later."""
    campaign_of(rubric, 60, seed=7)
    reviewer = Reviewer(member("mallory@study.test", "Mallory", "reviewer", "algebra"))
    assert list(all_but_one(reviewer, coordinator, random.Random(11))) == []
    assert reviewer.take() is None
