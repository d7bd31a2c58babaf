"""Unblinding: a closed campaign, two people with a second factor, a reason, and what it changes."""

import datetime as dt

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import AuditEvent
from accounts.people.members import deactivate_user, grant_role, revoke_role
from accounts.refusal import NotAllowed, Refused
from accounts.trail import record
from annotation.adjudication import actions as adjudication_actions
from annotation.adjudication import unblinding
from annotation.adjudication.reading import primary_decisions
from annotation.assigning import taking
from annotation.campaigns import actions as campaigns_actions
from annotation.core.identities import informed_people, sees_identities
from annotation.core.item_names import item_name
from annotation.core.queries import candidates
from annotation.models import Adjudication, Unblinding
from tests.conftest import member
from tests.factories import CampaignFactory, ItemFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def other_coordinator(db):
    return member("cora@study.test", "Cora Coordinator", "coordinator")


@pytest.fixture
def closed(split, opened):
    return opened


def unblind(campaign, first, second):
    unblinding.request_unblinding(actor=first, campaign=campaign, reason="The decisions are made.")
    return unblinding.confirm_unblinding(actor=second, campaign=campaign)


def test_one_asks_another_confirms_and_both_are_on_the_trail(closed, coordinator, owner):
    begun = timezone.now()
    unblind(closed, coordinator, owner)
    events = AuditEvent.objects.filter(verb__contains="unblinding").order_by("pk")
    assert begun < events[0].at < events[1].at < timezone.now()
    assert [(event.verb, event.actor, event.reason) for event in events] == [
        ("request_unblinding", coordinator, "The decisions are made."),
        ("confirm_unblinding", owner, "The decisions are made."),
    ]


def test_who_asks_reads_in_which_campaigns_the_same_answers_would_be_shown(
    closed, split, client, coordinator, owner
):
    others = [
        CampaignFactory(release=closed.release, name=name, slug=name.lower()) for name in ("Again", "Apart")
    ]
    ItemFactory(campaign=others[0], output=split.output)
    ItemFactory(campaign=others[1], output__run__release=closed.release)
    client.force_login(coordinator)
    address = reverse("campaign", args=[closed.slug])
    told = "Unblinding this campaign also shows the systems of answers in other campaigns"
    page = client.get(address).content.decode()
    assert told in page
    assert "Again" in page
    assert "Apart" not in page
    unblind(closed, coordinator, owner)
    assert told not in client.get(address).content.decode()


def test_nobody_confirms_their_own_request(closed, owner):
    with pytest.raises(NotAllowed, match="two people"):
        unblind(closed, owner, owner)
    assert not Unblinding.objects.filter(confirmed_at__isnull=False).exists()


def test_an_open_assignment_stands_in_the_way(opened, place, coordinator):
    with pytest.raises(Refused, match="it is open with 1 open assignments") as refusal:
        unblinding.request_unblinding(actor=coordinator, campaign=opened, reason="Curiosity.")
    assert refusal.value.code == "wrong_phase"


def test_rest_answers_409_while_an_assignment_is_open(opened, place, coordinator):
    client = Client()
    client.force_login(coordinator)
    body = {"verb": "request", "reason": "Curiosity."}
    answer = client.post("/api/v1/campaigns/round-1/unblinding/", body, content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (409, "wrong_phase")


@pytest.mark.parametrize("reason", ["", "  ", "x" * 1001])
def test_a_request_needs_a_reason_of_a_sentence(closed, coordinator, reason):
    with pytest.raises(Refused):
        unblinding.request_unblinding(actor=coordinator, campaign=closed, reason=reason)


def test_people_without_the_role_or_the_second_factor_neither_ask_nor_confirm(
    closed, coordinator, owner, algebraist, settings
):
    with pytest.raises(NotAllowed):
        unblinding.request_unblinding(actor=algebraist, campaign=closed, reason="Please.")
    unblinding.request_unblinding(actor=coordinator, campaign=closed, reason="Done.")
    settings.REQUIRE_MFA = True
    with pytest.raises(NotAllowed, match="second factor"):
        unblinding.confirm_unblinding(actor=owner, campaign=closed)


def test_a_request_can_be_withdrawn_and_made_again_but_not_twice(closed, coordinator, owner):
    unblinding.request_unblinding(actor=coordinator, campaign=closed, reason="Done.")
    with pytest.raises(Refused, match="already"):
        unblinding.request_unblinding(actor=owner, campaign=closed, reason="Done.")
    unblinding.withdraw_unblinding(actor=owner, campaign=closed)
    with pytest.raises(Refused, match="Nobody has requested"):
        unblinding.confirm_unblinding(actor=owner, campaign=closed)
    unblind(closed, coordinator, owner)
    with pytest.raises(Refused, match="already unblinded"):
        unblinding.withdraw_unblinding(actor=owner, campaign=closed)


@pytest.mark.parametrize("ended", ["account", "role"])
def test_a_request_of_somebody_whose_account_or_role_ended_is_not_confirmed(
    closed, coordinator, owner, ended
):
    """One person alone would unblind, who can end either as well."""
    unblinding.request_unblinding(actor=coordinator, campaign=closed, reason="Done.")
    if ended == "account":
        deactivate_user(actor=owner, member=coordinator)
    else:
        revoke_role(actor=owner, member=coordinator, role="coordinator")
    with pytest.raises(Refused, match="has been closed, or they no longer run studies"):
        unblinding.confirm_unblinding(actor=owner, campaign=closed)
    unblinding.withdraw_unblinding(actor=owner, campaign=closed)
    assert unblinding.request_unblinding(actor=owner, campaign=closed, reason="Done.").requested_by == owner


def test_coordinators_are_blind_until_then_owners_and_importers_are_not(
    closed, coordinator, other_coordinator, owner
):
    run = closed.release.runs.first()
    record(actor=other_coordinator, verb="import_outputs", target=run)
    seen = [sees_identities(person, closed) for person in (owner, other_coordinator, coordinator)]
    assert seen == [True, True, False]
    unblind(closed, coordinator, owner)
    assert sees_identities(coordinator, closed)


def test_the_item_s_page_names_its_system_only_after_the_unblinding(closed, split, coordinator, owner):
    client = Client()
    address = reverse("adjudicate", args=[closed.slug, item_name(split.pk)])
    system = split.output.run.system.name
    for person in (owner, coordinator):
        client.force_login(person)
        assert system not in client.get(address).content.decode()
    unblind(closed, coordinator, owner)
    assert system in client.get(address).content.decode()


def test_a_decision_after_the_unblinding_is_an_amendment_outside_the_primary_scores(
    closed, split, coordinator, owner
):
    terms = {"item": split, "question": "correctness"}
    primary = adjudication_actions.adjudicate(actor=coordinator, value="incorrect", **terms)
    unblind(closed, coordinator, owner)
    late = adjudication_actions.adjudicate(actor=coordinator, value="correct", supersedes=primary.pk, **terms)
    assert (late.amendment, late.informed) == (True, True)
    assert list(primary_decisions()) == [primary]


def test_a_decision_says_that_another_campaign_had_shown_who_wrote_the_output(
    closed, split, coordinator, owner
):
    times = {"opened_at": closed.opened_at, "closed_at": timezone.now()}
    other = CampaignFactory(release=closed.release, rubric=closed.rubric, phase="closed", **times)
    ItemFactory(campaign=other, output=split.output, instance=split.instance)

    def decide(**terms):
        return adjudication_actions.adjudicate(
            actor=coordinator, item=split, question="correctness", value="correct", **terms
        )

    before = decide()
    unblind(other, coordinator, owner)
    after = decide(supersedes=before.pk)
    assert (before.informed, after.informed, after.amendment) == (False, True, False)


def test_who_saw_identities_gets_no_work_in_open_rounds_of_the_release(
    closed, coordinator, owner, algebraist, rubric
):
    unblind(closed, coordinator, owner)
    revoke_role(actor=owner, member=coordinator, role="coordinator")
    grant_role(actor=owner, member=coordinator, role="reviewer")
    coordinator = type(coordinator).objects.get(pk=coordinator.pk)
    coordinator.expertise.create(domain="algebra")
    again = CampaignFactory(slug="round-2", release=closed.release, rubric=rubric, created_by=owner)
    campaigns_actions.draw_items(actor=owner, campaign=again)
    campaigns_actions.open_campaign(actor=owner, campaign=again)
    assert coordinator.pk in informed_people(closed.release)
    with pytest.raises(NotAllowed, match="have seen which systems"):
        taking.take_next(reviewer=coordinator, campaign=again)
    assert {row.reviewer for row in candidates(again)} >= {algebraist.pk}
    assert coordinator.pk not in {row.reviewer for row in candidates(again)}


def test_who_was_staff_when_outputs_came_stays_out_though_the_clock_was_set_back_since(
    closed, algebraist, owner
):
    record(actor=owner, verb="import_outputs", target=closed.release.runs.first())
    AuditEvent.objects.create(
        verb="revoke_role",
        target_kind="accounts.user",
        target_key=str(algebraist.pk),
        details={"role": "coordinator"},
        at=timezone.now() - dt.timedelta(hours=2),
    )
    assert algebraist.pk in informed_people(closed.release)


def request(campaign, person, **changes):
    return Unblinding.objects.create(
        **{"campaign": campaign, "reason": "Why not.", "requested_by": person, **changes}
    )


def test_the_database_refuses_an_unblinding_that_cannot_be(closed, coordinator, owner):
    now = timezone.now()
    for changes, words in (
        ({"reason": ""}, "unblinding_has_a_reason"),
        ({"confirmed_by": coordinator, "confirmed_at": now}, "unblinding_takes_two_people"),
        ({"confirmed_by": owner}, "unblinding_is_confirmed_or_withdrawn"),
    ):
        with pytest.raises(IntegrityError, match=words), transaction.atomic():
            request(closed, coordinator, **changes)
    request(closed, coordinator)
    with pytest.raises(IntegrityError), transaction.atomic():
        request(closed, owner)


def test_the_database_refuses_to_unblind_an_open_campaign(opened, coordinator):
    with pytest.raises(IntegrityError, match="only a closed campaign"), transaction.atomic():
        request(opened, coordinator)


def test_the_database_keeps_an_unblinding_that_took_place(closed, coordinator, owner):
    unblind(closed, coordinator, owner)
    for change in (
        lambda: Unblinding.objects.update(confirmed_by=None, confirmed_at=None),
        lambda: Unblinding.objects.update(reason="Another."),
        lambda: Unblinding.objects.get().delete(),
    ):
        with pytest.raises(IntegrityError, match="an unblinding"), transaction.atomic():
            change()


def test_the_database_refuses_a_decision_that_hides_that_it_is_an_amendment(
    closed, split, coordinator, owner
):
    unblind(closed, coordinator, owner)
    with pytest.raises(IntegrityError, match="belongs to a closed campaign"), transaction.atomic():
        Adjudication.objects.create(item=split, question="rigour", value="1", decided_by=coordinator)


def test_the_page_and_rest_take_the_two_steps(closed, coordinator, owner):
    client = Client()
    client.force_login(coordinator)
    client.post("/grading/campaigns/round-1/unblinding/", {"verb": "request", "reason": "Done."})
    shown = client.get("/grading/campaigns/round-1/").content.decode()
    assert "Someone else has to confirm" in shown
    assert "Confirm and show" not in shown
    alone = client.post(
        "/api/v1/campaigns/round-1/unblinding/", {"verb": "confirm"}, content_type="application/json"
    )
    assert alone.status_code in (403, 409)
    assert "two people" in alone.json()["reason"]
    client.force_login(owner)
    client.post("/grading/campaigns/round-1/unblinding/", {"verb": "confirm"})
    assert "confirmed by Olga Owner" in client.get("/grading/campaigns/round-1/").content.decode()
    assert client.get("/api/v1/campaigns/round-1/unblinding/").json()["unblinded"] is True
