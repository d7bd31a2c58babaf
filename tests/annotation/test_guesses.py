"""Which system wrote this? Asked after submitting, only where it was switched on, stored once."""

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from accounts.refusal import Refused
from annotation.assigning.taking import take_next
from annotation.campaigns.actions import close_campaign, draw_items, open_campaign
from annotation.core.own_data import own_data
from annotation.guessing.actions import ask_for_guesses, guess_system
from annotation.guessing.guesses import system_meant
from annotation.models import GuessQuestion, SystemGuess
from benchmark.models import System
from tests.annotation.grading import submit_grade
from tests.annotation.samples import COMPLETE
from tests.documents import blinding_document

pytestmark = pytest.mark.django_db


@pytest.fixture
def asking(drafted, coordinator):
    ask_for_guesses(actor=coordinator, campaign=drafted)
    draw_items(actor=coordinator, campaign=drafted)
    return open_campaign(actor=coordinator, campaign=drafted)


def graded(reviewer, campaign, key="k"):
    place = take_next(reviewer=reviewer, campaign=campaign)
    submit_grade(
        reviewer=reviewer,
        assignment=place,
        content=COMPLETE,
        idempotency_key=key,
        rubric_sha256=campaign.rubric.sha256,
    )
    place.refresh_from_db()
    return place


def test_after_submitting_the_reviewer_is_asked_once_and_goes_on(asking, client, algebraist):
    place = graded(algebraist, asking)
    client.force_login(algebraist)
    asked = client.get(reverse("submitted", args=[place.handle]))
    assert asked["Location"] == reverse("guess", args=[place.handle])
    page = client.get(asked["Location"]).content.decode()
    assert "No idea" in page
    assert page.count('name="system"') == 2  # the free name, and no idea
    assert "first-system" not in page
    client.post(asked["Location"], {"system": "first-system"})
    assert SystemGuess.objects.get().named == "first-system"
    again = client.post(asked["Location"], {"system": "second-system"}, follow=True)
    assert "You have already answered this question." in again.content.decode()
    assert SystemGuess.objects.get().named == "first-system"
    assert own_data(algebraist)["places"][0]["system_guess"]["system"] == "first-system"


def test_nobody_guesses_once_systems_may_be_public(asking, client, coordinator, algebraist):
    place = graded(algebraist, asking)
    closed = close_campaign(actor=coordinator, campaign=asking, reason="enough")
    client.force_login(algebraist)
    late = client.post(
        reverse("api-guess", args=[place.handle]), {"system": "first-system"}, "application/json"
    )
    assert (late.status_code, late.json()["code"]) == (409, "wrong_phase")
    assert client.get(reverse("guess", args=[place.handle])).headers.get("Location") == reverse("queue")
    assert client.get(reverse("api-guess", args=[place.handle])).json()["asked"] is False
    assert blinding_document(closed)["guesses"] == 0


def test_skipping_stores_nothing(asking, client, algebraist):
    place = graded(algebraist, asking)
    client.force_login(algebraist)
    client.post(reverse("guess-skip", args=[place.handle]))
    assert not SystemGuess.objects.exists()


def test_no_system_is_named_where_the_question_is_off(place, client, algebraist):
    client.force_login(algebraist)
    client.post(
        reverse("api-assignment", args=[place.handle]),
        {"content": COMPLETE, "rubric_sha256": place.item.campaign.rubric.sha256},
        "application/json",
        headers={"Idempotency-Key": "k"},
    )
    for address in (reverse("guess", args=[place.handle]), reverse("api-guess", args=[place.handle])):
        assert "first-system" not in client.get(address, follow=True).content.decode()
    with pytest.raises(Refused) as refusal:
        guess_system(reviewer=algebraist, assignment=place, system="first-system")
    assert refusal.value.code == "not_asked"


def test_no_system_is_named_before_the_grade(asking, client, algebraist):
    place = take_next(reviewer=algebraist, campaign=asking)
    client.force_login(algebraist)
    assert client.get(reverse("api-guess", args=[place.handle])).json() == {"asked": False, "systems": []}
    with pytest.raises(Refused) as refusal:
        guess_system(reviewer=algebraist, assignment=place, system="first-system")
    assert refusal.value.code == "not_submitted"


def test_every_name_is_accepted_alike_whether_or_not_it_takes_part(asking, client, algebraist):
    client.force_login(algebraist)
    replies = []
    for number, name in enumerate(("first-system", "nobody-s-system")):
        place = graded(algebraist, asking, key=str(number))
        address = reverse("api-guess", args=[place.handle])
        reply = client.post(address, {"system": name}, "application/json")
        replies.append((reply.status_code, reply.content))
    assert replies == [(204, b"")] * 2
    third = graded(algebraist, asking, key="third")
    asked = client.get(reverse("api-guess", args=[third.handle])).json()
    assert asked == {"asked": True, "systems": ["first-system", "nobody-s-system"]}  # own words, nothing else
    with pytest.raises(Refused) as refusal:
        guess_system(reviewer=algebraist, assignment=third, system="x" * 101)
    assert refusal.value.code == "too_long"


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("GPT-5 pro", "gpt-5-pro"),  # the slug but for case and signs
        ("Claude Opus 4.6", "opus"),  # the name
        ("Anthropic", "opus"),  # the only one of its family
        ("OpenAI", None),  # two of that family
        ("Opus", "opus"),
        ("the GPT 5 mini of last year", "mini"),  # holds one name
        ("gpt", None),  # is a part of two names
        ("Gemini", None),
        ("?", None),
    ],
)
def test_words_mean_a_system_when_they_fit_exactly_one(said, meant):
    systems = [
        System(slug="gpt-5-pro", name="GPT-5 Pro", family="OpenAI"),
        System(slug="mini", name="GPT-5 mini", family="OpenAI"),
        System(slug="opus", name="Claude Opus 4.6", family="Anthropic"),
    ]
    found = system_meant(said, systems)
    assert (found.slug if found else None) == meant


def test_the_question_is_switched_on_before_the_campaign_opens(opened, coordinator):
    with pytest.raises(Refused) as refusal:
        ask_for_guesses(actor=coordinator, campaign=opened)
    assert refusal.value.code == "wrong_phase"


def test_the_database_keeps_guesses_and_wants_the_grade_first(asking, algebraist):
    place = take_next(reviewer=algebraist, campaign=asking)
    with pytest.raises(IntegrityError, match="after the grade"), transaction.atomic():
        SystemGuess.objects.create(assignment=place)
    guess_system(reviewer=algebraist, assignment=graded(algebraist, asking), system="")
    for rows in (SystemGuess.objects.all(), GuessQuestion.objects.all()):
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            rows.update(created_at="2020-01-01T00:00Z")
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            rows._raw_delete(rows.db)


def test_owners_read_after_the_close_whether_blinding_held(asking, algebraist, coordinator, owner, client):
    places = [graded(algebraist, asking, key=str(number)) for number in range(3)]
    truth = [place.item.output.run.system.slug for place in places]
    wrong = "second-system" if truth[1] == "first-system" else "first-system"
    guess_system(reviewer=algebraist, assignment=places[0], system=truth[0])
    guess_system(reviewer=algebraist, assignment=places[1], system=wrong)
    guess_system(reviewer=algebraist, assignment=places[2], system="Somebody else's")  # counts as wrong
    with pytest.raises(Refused):
        blinding_document(asking)
    closed = close_campaign(actor=coordinator, campaign=asking, reason="enough")
    document = blinding_document(closed)
    assert (document["guesses"], document["skipped"]) == (3, 0)
    assert sum(row["right"] for row in document["systems"]) == 1
    assert sum(row["wrong"] for row in document["systems"]) == 2
    client.force_login(owner)
    assert "Bang" in client.get(reverse("blinding", args=[closed.slug])).content.decode()
    assert client.get(reverse("api-blinding", args=[closed.slug])).json() == document


def test_the_question_is_switched_on_and_its_answers_are_read_over_rest(
    drafted, coordinator, owner, algebraist, client
):
    client.force_login(coordinator)
    switch = reverse("api-guess-ask", args=[drafted.slug])
    assert client.post(switch).status_code == 204
    draw_items(actor=coordinator, campaign=drafted)
    opened = open_campaign(actor=coordinator, campaign=drafted)
    place = graded(algebraist, opened)
    true = place.item.output.run.system.slug
    guess_system(reviewer=algebraist, assignment=place, system=true)
    late = client.post(switch)
    assert late.status_code == 409
    assert "before the campaign opens" in late.json()["reason"]
    client.force_login(owner)
    results = reverse("api-blinding", args=[opened.slug])
    early = client.get(results)
    assert early.status_code == 400
    assert "after the campaign is closed" in early.json()["reason"]
    close_campaign(actor=coordinator, campaign=opened, reason="A rehearsal.")
    document = client.get(results).json()
    assert (document["guesses"], document["skipped"]) == (1, 0)
    assert [row["right"] for row in document["systems"] if row["system"] == true] == [1]
