"""One transaction is in the middle of its work when another begins: it waits, and finds what the first one did."""

from typing import Any

import pytest
from django.urls import reverse

from accounts.models import AuditEvent
from accounts.refusal import Refused
from annotation.assigning import actions as assigning
from annotation.assigning import by_hand, taking
from annotation.assigning.allocation import allocate
from annotation.campaigns import actions as campaigns
from annotation.campaigns import sampling
from annotation.grading import actions as grading
from annotation.models import Assignment, Campaign, Grade, Item
from annotation.quarantine.actions import decide_identity, withdraw_decision
from benchmark.abstaining.actions import mark_abstained
from benchmark.identities.actions import scan_identities
from benchmark.models import Output, OutputState
from judging.models import JudgeTask
from judging.runs import actions as judging
from tests.annotation.campaigns import rubric
from tests.annotation.grading import submit_grade
from tests.annotation.samples import COMPLETE
from tests.conftest import member
from tests.factories import AssignmentFactory, ItemFactory, JudgeFactory, OutputFactory, RunFactory
from tests.meanwhile import Meanwhile

__all__ = ["rubric"]
pytestmark = pytest.mark.django_db(transaction=True)
TELLING = r"As \textbf{G}PT-5, I reduce it."


@pytest.fixture
def carl(db):
    return member("carl@study.test", "Carl", "coordinator")


@pytest.fixture
def telling(carl) -> Campaign:
    """Three answers, one of which names its author; it was redacted."""
    run = RunFactory(release__benchmark__protocol="proofs", release__benchmark__slug="whole-proofs")
    for number in range(3):
        OutputFactory(run=run, instance__release=run.release, text=TELLING if number == 0 else "Two is two.")
    scan_identities(release=run.release)
    output = Output.objects.get(text=TELLING)
    decide_identity(actor=carl, output=output, verdict="redacted")
    return campaigns.create_campaign(actor=carl, name="Pilot", release=run.release, rubric="proofs-v1")


@pytest.mark.parametrize("way", ["withdraw", "exclude", "abstain"])
def test_what_a_draw_takes_is_decided_about_before_it_or_not_at_all(carl, telling, monkeypatch, way):
    named = Output.objects.get(text=TELLING)
    plain = Output.objects.exclude(pk=named.pk).first()

    def decide() -> Any:
        if way == "withdraw":
            return withdraw_decision(actor=carl, output=named)
        if way == "exclude":
            return decide_identity(actor=carl, output=plain, verdict="excluded", reason="It tells.")
        return mark_abstained(actor=carl, output=plain, reason="It says that it does not know.")

    other = Meanwhile(monkeypatch, sampling, "draw", decide)
    campaigns.draw_items(actor=carl, campaign=telling)
    assert isinstance(other.end(), Refused)
    assert other.waited
    assert Item.objects.count() == 3


def test_a_close_waits_for_a_grade_that_is_being_stored_and_counts_it(carl, monkeypatch, rubric):
    ada = member("ada@study.test", "Ada", "reviewer", "algebra")
    place = AssignmentFactory(reviewer=ada, item__campaign__rubric=rubric)
    campaign = place.item.campaign
    Campaign.objects.filter(pk=campaign.pk).update(phase="open", opened_at=campaign.created_at)

    def close() -> Campaign:
        return campaigns.close_campaign(actor=carl, campaign=campaign, reason="Time is over.")

    other = Meanwhile(monkeypatch, grading, "write_flags", close)
    submit_grade(
        reviewer=ada, assignment=place, content=COMPLETE, idempotency_key="k", rubric_sha256=rubric.sha256
    )
    closed = other.end()
    assert other.waited
    assert closed.closed_at > Grade.objects.get().created_at
    assert AuditEvent.objects.get(verb="close_campaign").details["submitted"] == 1


def test_an_answer_that_a_judge_is_being_asked_about_is_not_marked_as_abstained(carl, telling, monkeypatch):
    plain = Output.objects.exclude(text=TELLING).first()

    def mark() -> Any:
        return mark_abstained(actor=carl, output=plain, reason="It says that it does not know.")

    monkeypatch.setattr("judging.runs.actions.ring", lambda: None)
    judge = JudgeFactory(protocol="proofs", endpoint="local", prompts={"accepted": {"sha256": "0" * 64}})
    other = Meanwhile(monkeypatch, judging, "_write_tasks", mark)
    judging.ask(actor=None, judge=judge, release=telling.release)
    assert isinstance(other.end(), Refused)
    assert other.waited
    assert JudgeTask.objects.filter(output=plain).exists()
    assert Output.objects.get(pk=plain.pk).state == OutputState.ANSWERED


def test_a_first_item_that_is_taken_while_a_plan_is_written_waits_for_it(carl, rubric, monkeypatch):
    """Both fix the reviewer's conflicts, once."""
    ada = member("ada@study.test", "Ada", "reviewer", "algebra")
    first = ItemFactory(campaign__rubric=rubric, places=1, instance__domain="algebra")
    Campaign.objects.update(phase="open", opened_at=first.campaign.created_at)
    campaign = Campaign.objects.get()
    other = Meanwhile(
        monkeypatch, assigning, "allocate", lambda: taking.take_next(reviewer=ada, campaign=campaign)
    )
    assigning.apply_plan(actor=carl, campaign=campaign, sha256=_planned(campaign))
    assert isinstance(other.end(), Refused)
    assert other.waited
    assert Assignment.objects.get().item == first


def _planned(campaign: Campaign) -> str:
    """What the page shows; it was read before the other came."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(assigning, "allocate", allocate)
        return assigning.plan_assignment(campaign).sha256


@pytest.mark.parametrize("rule", ["most", "apart"])
@pytest.mark.parametrize("way", ["plan", "hand"])
def test_who_takes_an_item_while_a_plan_gives_them_one_does_not_get_more_than_the_rule_allows(
    carl, rubric, monkeypatch, rule, way
):
    ada = member("ada@study.test", "Ada", "reviewer", "algebra")
    first = ItemFactory(campaign__rubric=rubric, places=1, instance__domain="algebra")
    problem: dict[str, Any] = {"instance__domain": "algebra"}
    if rule == "apart":
        problem = {"instance": first.instance, "output": OutputFactory(instance=first.instance)}
    second = ItemFactory(campaign=first.campaign, places=1, **problem)
    terms = {"problem_rule": "apart"} if rule == "apart" else {"most_per_reviewer": 1}
    opened = {"phase": "open", "opened_at": first.campaign.created_at}
    Campaign.objects.filter(pk=first.campaign_id).update(**terms, **opened)
    campaign = Campaign.objects.get()

    def take() -> Any:
        return taking.take_next(reviewer=ada, campaign=campaign)

    if way == "plan":
        other = Meanwhile(monkeypatch, assigning, "allocate", take)
        assigning.apply_plan(actor=carl, campaign=campaign, sha256=_planned(campaign))
    else:
        other = Meanwhile(monkeypatch, by_hand, "_require_within_rules", take)
        by_hand.assign_by_hand(actor=carl, campaign=campaign, give={(second.pk, ada.pk)}, take=())
    assert isinstance(other.end(), Refused)
    assert other.waited
    assert Assignment.objects.filter(reviewer=ada).count() == 1


@pytest.mark.parametrize("way", ["page", "rest"])
def test_a_campaign_that_two_create_at_once_is_there_once_and_the_second_is_told_to_look(
    carl, client, telling, monkeypatch, way
):
    terms = {"name": "Twice", "rubric": "proofs-v1", "reviewers_per_item": 2, "seed": 1}
    client.force_login(carl)
    other = Meanwhile(
        monkeypatch,
        campaigns,
        "keep_rubric",
        lambda: campaigns.create_campaign(
            actor=carl, name="Twice", release=telling.release, rubric="proofs-v1"
        ),
    )
    if way == "rest":
        sent = {**terms, "release": telling.release.name}
        told = client.post("/api/v1/campaigns/", sent, content_type="application/json")
    else:
        told = client.post(reverse("campaign-new"), {**terms, "release": telling.release.pk, "track": "raw"})
    assert other.end() == Campaign.objects.get(slug="twice")
    assert told.status_code == 409
    assert "at the same moment" in told.content.decode()
    assert (told.json()["code"] if way == "rest" else told.templates[0].name) in ("meanwhile", "409.html")
