"""Running a campaign from the console, on behalf of a coordinator."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from accounts.models import AuditEvent
from annotation.models import Assignment, Campaign, Item
from tests.conftest import member
from tests.factories import CampaignFactory

pytestmark = pytest.mark.django_db
CARL = "--actor=carl@study.test"
TERMS = ["--release=sheet", "--rubric=proofs-v1", "--name=Round two", "--reviewers=1", "--least-authors=1"]


def said(*words: str) -> str:
    out = StringIO()
    call_command(*words, stdout=out)
    return out.getvalue()


def document(*words: str) -> Any:
    return json.loads(said(*words, "--json"))


def test_a_campaign_goes_from_its_terms_to_its_end(drafted, coordinator, algebraist, analyst):
    made = document("create_campaign", *TERMS, CARL)
    assert (made["slug"], made["phase"], made["reviewers_per_item"]) == ("round-two", "draft", 1)
    # four outputs to algebra, two to analysis: two are drawn of each
    assert document("draw_campaign", "round-two", "--per-stratum=2", CARL)["items"] == 4
    assert document("assign_campaign", "round-two", CARL)["placed"] == 4
    assert document("open_campaign", "round-two", CARL)["phase"] == "open"
    progress = document("campaign_progress", "round-two")
    assert [(row["domain"], row["wanted"], row["taken"]) for row in progress["domains"]] == [
        ("algebra", 2, 2),
        ("analysis", 2, 2),
    ]
    assert document("close_campaign", "round-two", "--reason=A rehearsal.", CARL)["phase"] == "closed"
    events = AuditEvent.objects.exclude(verb="freeze_run").order_by("pk")
    assert [(event.verb, event.actor) for event in events] == [
        (verb, coordinator)
        for verb in (
            "create_campaign",
            "set_least_authors",
            "draw_items",
            "assign",
            "open_campaign",
            "close_campaign",
        )
    ]


def test_a_dry_run_says_who_would_get_what_and_assigns_nothing(drafted, coordinator, algebraist):
    assert "6 items drawn." in said("draw_campaign", "round-1", CARL)
    words = said("assign_campaign", "round-1", "--dry-run", CARL)
    # six items with two places each; the only reviewer fits one place of each of the four in algebra
    assert "0 of 12 free places assigned." in words
    assert "Ada Algebraist: 4 new, 4 in all" in words
    assert "unmet: 2 in analysis: 0 of 1 reviewers fit" in words
    assert not Assignment.objects.exists()


def test_progress_reads_as_words(place):
    words = said("campaign_progress", "round-1")
    assert "round-1 is open." in words
    assert "algebra: 0 submitted, 1 taken of 8 places" in words
    assert "Ada Algebraist: 0 of 1 submitted" in words


def test_a_waiting_place_is_listed_and_taken_back_once(place):
    words = f"{place.pk}: ada@study.test, {place.item.instance.key} (algebra)"
    assert words in said("campaign_waiting", "round-1")
    call_command(
        "release_assignment", "round-1", str(place.pk), "--reason=On leave.", CARL, stdout=StringIO()
    )
    assert "Nothing is waiting." in said("campaign_waiting", "round-1")
    event = AuditEvent.objects.get(verb="release_assignment")
    assert (event.actor.email, event.reason) == ("carl@study.test", "On leave.")
    with pytest.raises(CommandError, match="Only a place that is still waiting"):
        call_command("release_assignment", "round-1", str(place.pk), CARL)


def test_a_place_of_another_campaign_is_not_taken_back(place):
    CampaignFactory(slug="another")
    with pytest.raises(CommandError, match="Campaign another has no assignment"):
        call_command("release_assignment", "another", str(place.pk), CARL)
    place.refresh_from_db()
    assert place.state == "waiting"


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (["create_campaign", *TERMS, "--release=nonesuch"], "no release 'nonesuch'; there are: sheet"),
        (["create_campaign", *TERMS, "--rubric=nothing-v9"], "no rubric 'nothing-v9'"),
        (["create_campaign", *TERMS, "--slug=round-1"], "already a campaign 'round-1'"),
        (["create_campaign", *TERMS, "--slug=Not a slug!"], "field slug: Enter a valid"),
        (["create_campaign", *TERMS, "--reviewers=26"], "between 1 and 25"),
        (["create_campaign", *TERMS, "--seed=-1"], "field seed"),
        (["create_campaign", *TERMS, "--track="], "field track"),
        (["draw_campaign", "nonesuch"], "no campaign 'nonesuch'; there are: round-1"),
        (["draw_campaign", "round-1", "--per-stratum=0"], "at least one item of each stratum"),
        (["open_campaign", "round-1"], "Draw the items before opening"),
        (["close_campaign", "round-1"], "it must be open"),
    ],
)
def test_what_cannot_be_done_is_refused_with_the_reason(drafted, coordinator, command, reason):
    with pytest.raises(CommandError, match=reason):
        call_command(*command, CARL)
    assert (Campaign.objects.get().phase, Item.objects.count()) == ("draft", 0)


def test_a_round_is_not_closed_early_without_a_reason(opened):
    with pytest.raises(CommandError, match="12 of 12 places are unfinished"):
        call_command("close_campaign", "round-1", CARL)
    assert Campaign.objects.get().phase == "open"


@pytest.mark.parametrize(
    "command",
    [
        ["create_campaign", *TERMS],
        ["draw_campaign", "round-1"],
        ["assign_campaign", "round-1"],
        ["assign_campaign", "round-1", "--dry-run"],
        ["open_campaign", "round-1"],
        ["close_campaign", "round-1"],
    ],
)
def test_the_roles_of_the_member_named_decide(drafted, algebraist, command):
    with pytest.raises(CommandError, match="Only coordinators and owners can run campaigns"):
        call_command(*command, "--actor=ada@study.test")
    with pytest.raises(CommandError, match=r"open account has the address nobody@study\.test"):
        call_command(*command, "--actor=nobody@study.test")
    assert not AuditEvent.objects.exists()


def test_a_closed_account_acts_for_nobody(drafted):
    former = member("fred@study.test", "Fred Former", "coordinator")
    former.is_active = False
    former.save(update_fields=["is_active"])
    with pytest.raises(CommandError, match="open account"):
        call_command("draw_campaign", "round-1", "--actor=fred@study.test")
    assert not Item.objects.exists()
