"""One transaction is in the middle of its work when another begins: it waits, and finds what the first one did."""

import datetime as dt
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models import F
from django.urls import reverse

from accounts.models import AuditEvent, User
from accounts.people import erasure, invitations, members
from accounts.people.erasure import erase_person
from accounts.profile import actions as profile
from accounts.profile import tokens
from accounts.profile.saved_comments import save_comment
from accounts.refusal import Refused
from annotation.assigning import actions as assigning
from annotation.assigning import by_hand, taking
from annotation.assigning.allocation import allocate
from annotation.calibration import actions as calibration
from annotation.campaigns import actions as campaigns
from annotation.campaigns import sampling
from annotation.conflicts.actions import fix_conflicts
from annotation.grading import actions as grading
from annotation.models import (
    Assignment,
    CalibrationItem,
    CalibrationRound,
    Campaign,
    ConflictsFixed,
    Grade,
    Item,
    ReleaseReason,
)
from annotation.quarantine.actions import decide_identity, withdraw_decision
from benchmark.abstaining.actions import mark_abstained
from benchmark.files.actions import attach
from benchmark.files.child import Cleaned
from benchmark.identities.actions import scan_identities
from benchmark.models import Output, OutputState
from judging.models import JudgeRun, JudgeTask
from judging.runs import actions as judging
from judging.runs.steering import retry_failed
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


@pytest.mark.parametrize("way", ["withdraw", "exclude", "abstain", "attach"])
def test_what_a_draw_takes_is_decided_about_before_it_or_not_at_all(carl, telling, monkeypatch, way):
    named = Output.objects.get(text=TELLING)
    plain = Output.objects.exclude(pk=named.pk).select_related("run__release", "instance").first()

    def decide() -> Any:
        if way == "withdraw":
            return withdraw_decision(actor=carl, output=named)
        if way == "exclude":
            return decide_identity(actor=carl, output=plain, verdict="excluded", reason="It tells.")
        if way == "attach":
            named_inside = Cleaned(
                b"%PDF-", "pdf", [(10, 10, 0, 0, 10, 10)], words=["As GPT-5, I reduce it."]
            )
            return attach(actor=carl, subject=plain, name="a.pdf", data=b"a", made=named_inside)
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


def test_a_run_that_is_asked_again_while_it_is_ended_is_not_ended(telling, monkeypatch):
    for module in ("judging.runs.actions", "judging.runs.steering"):
        monkeypatch.setattr(f"{module}.ring", lambda: None)
    judge = JudgeFactory(protocol="proofs", endpoint="local", prompts={"accepted": {"sha256": "0" * 64}})
    run = judging.ask(actor=None, judge=judge, release=telling.release)
    JudgeTask.objects.update(state="failed")
    other = Meanwhile(monkeypatch, judging.timezone, "now", lambda: retry_failed(actor=None, run=run))
    judging.finish_runs()
    assert other.end() == JudgeTask.objects.filter(state="waiting").count()
    assert JudgeRun.objects.get().state == "running"


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


# --- places: freed, given and taken at the same moment -------------------------------------------------------


def algebraist(name: str) -> Any:
    return member(f"{name.lower()}@study.test", name, "reviewer", "algebra")


def placed(item: Item, reviewer: Any, **terms: Any) -> Assignment:
    """A place that the counter of its item knows of, if it is held."""
    made = AssignmentFactory(item=item, reviewer=reviewer, **terms)
    if made.state != "released":
        Item.objects.filter(pk=item.pk).update(places_taken=F("places_taken") + 1)
    return made


@pytest.fixture
def at_work(rubric) -> Campaign:
    """An open campaign, whose work was due long ago, with one item of three places."""
    first = ItemFactory(campaign__rubric=rubric, places=3, instance__domain="algebra")
    Campaign.objects.update(phase="open", opened_at=first.campaign.created_at, due_on=dt.date(2020, 1, 1))
    return Campaign.objects.get()


@pytest.mark.parametrize("by", ["another", "the same person"])
def test_a_place_that_is_given_back_by_hand_while_it_is_taken_is_held_once(carl, at_work, monkeypatch, by):
    """The counter of the item is what keeps it to its places."""
    item, ada = at_work.items.get(), algebraist("Ada")
    for name in ("Cleo", "Dora"):
        placed(item, algebraist(name))
    why = ReleaseReason.WITHDRAWN if by == "another" else ReleaseReason.LATE
    placed(item, ada, state="released", release_reason=why)
    taker = algebraist("Bea") if by == "another" else ada
    fix_conflicts(campaign=at_work, reviewers=[taker.pk])  # who has begun waits for nobody here
    other = Meanwhile(
        monkeypatch,
        by_hand,
        "_require_within_rules",
        lambda: taking.take_next(reviewer=taker, campaign=at_work),
    )
    with pytest.raises(Refused, match="in the meantime"):
        by_hand.assign_by_hand(actor=carl, campaign=at_work, give={(item.pk, ada.pk)}, take=())
    assert other.end().reviewer == taker
    assert Assignment.objects.exclude(state="released").count() == Item.objects.get().places_taken == 3


def test_places_that_are_freed_one_by_one_and_all_at_once_are_freed_once(carl, at_work, monkeypatch):
    """Both free a place before they count it as free: who frees several waits for nobody who frees one."""
    places = [placed(at_work.items.get(), algebraist(name)) for name in ("Ada", "Bea")]

    def release() -> None:
        assigning.release_assignment(actor=carl, assignment=places[1], reason="She asked for it.")

    other = Meanwhile(monkeypatch, assigning, "release_waiting", release)
    assigning.release_late(actor=carl, campaign=at_work)
    assert isinstance(other.end(), Refused)
    assert other.waited
    assert Item.objects.get().places_taken == 0


def test_an_answer_that_is_being_submitted_is_not_late_and_keeps_no_other_place_from_being_released(
    carl, at_work, monkeypatch
):
    mine, late = [placed(at_work.items.get(), algebraist(name)) for name in ("Ada", "Bea")]
    other = Meanwhile(
        monkeypatch, grading, "write_flags", lambda: assigning.release_late(actor=carl, campaign=at_work)
    )
    rubric_sha256 = at_work.rubric.sha256
    submit_grade(
        reviewer=mine.reviewer,
        assignment=mine,
        content=COMPLETE,
        idempotency_key="k",
        rubric_sha256=rubric_sha256,
    )
    assert other.end()["released"] == 1
    assert other.waited
    assert dict(Assignment.objects.values_list("pk", "state")) == {mine.pk: "submitted", late.pk: "released"}


@pytest.mark.parametrize("way", ["given up", "released"])
def test_a_place_is_freed_before_the_campaign_closes_or_not_at_all(carl, at_work, monkeypatch, way):
    place = placed(at_work.items.get(), algebraist("Ada"))

    def free() -> Any:
        if way == "given up":
            return assigning.say_out_of_field(reviewer=place.reviewer, assignment=place)
        return assigning.release_assignment(actor=carl, assignment=place, reason="He is ill.")

    other = Meanwhile(monkeypatch, campaigns, "record", free)
    campaigns.close_campaign(actor=carl, campaign=at_work, reason="Time is over.")
    assert getattr(other.end(), "code", "") == "wrong_phase"
    assert other.waited
    assert Assignment.objects.get().state == "waiting"


def test_a_close_waits_for_a_place_that_goes_on_to_the_next_reviewer(carl, at_work, monkeypatch):
    """The next reviewer has their first place in the campaign, which names it."""
    place, bea = placed(at_work.items.get(), algebraist("Ada")), algebraist("Bea")
    other = Meanwhile(
        monkeypatch,
        assigning,
        "place_pairs",
        lambda: campaigns.close_campaign(actor=carl, campaign=at_work, reason="Time is over."),
    )
    assert assigning.say_out_of_field(reviewer=place.reviewer, assignment=place)
    closed = other.end()
    assert other.waited
    assert ConflictsFixed.objects.get().reviewer == bea
    assert Assignment.objects.get(reviewer=bea).assigned_at < closed.closed_at


@pytest.fixture
def in_a_round(carl, at_work) -> Item:
    item = at_work.items.get()
    made = CalibrationRound.objects.create(campaign=at_work, made_by=carl)
    CalibrationItem.objects.create(round=made, item=item)
    return item


def test_a_reveal_that_comes_too_early_keeps_nobody_from_submitting(carl, at_work, in_a_round, monkeypatch):
    place = placed(in_a_round, algebraist("Ada"))
    other = Meanwhile(
        monkeypatch,
        grading,
        "write_flags",
        lambda: calibration.reveal_calibration(actor=carl, campaign=at_work),
    )
    submit_grade(
        reviewer=place.reviewer,
        assignment=place,
        content=COMPLETE,
        idempotency_key="k",
        rubric_sha256=at_work.rubric.sha256,
    )
    assert other.end().code == "not_answered"
    assert other.waited
    assert Grade.objects.get().assignment == place


def test_a_place_that_was_late_does_not_come_back_once_its_item_is_shown(
    carl, at_work, in_a_round, monkeypatch
):
    for name in ("Bea", "Cleo"):
        place = placed(in_a_round, algebraist(name))
        submit_grade(
            reviewer=place.reviewer,
            assignment=place,
            content=COMPLETE,
            idempotency_key="k",
            rubric_sha256=at_work.rubric.sha256,
        )
    ada = algebraist("Ada")
    placed(in_a_round, ada, state="released", release_reason=ReleaseReason.LATE)
    other = Meanwhile(
        monkeypatch,
        taking,
        "_take_turns",
        lambda: calibration.reveal_calibration(actor=carl, campaign=at_work),
    )
    with pytest.raises(Refused, match="no items left"):
        taking.take_next(reviewer=ada, campaign=at_work)
    assert other.end().revealed_at
    assert Assignment.objects.get(reviewer=ada).state == "released"


def test_who_erases_their_account_while_an_owner_applies_a_plan_is_erased_and_the_plan_is_applied(
    at_work, monkeypatch
):
    """The plan holds the reviewer and is stored under the owner's name, and no owner goes while somebody is erased."""
    olga, ada = member("olga@study.test", "Olga", "owner"), algebraist("Ada")
    planned = assigning.plan_assignment(at_work)
    other = Meanwhile(monkeypatch, assigning, "place_pairs", lambda: erase_person(actor=ada, member=ada))
    assert len(assigning.apply_plan(actor=olga, campaign=at_work, sha256=planned.sha256)) == 1
    other.end()
    assert other.waited
    assert User.objects.get(pk=ada.pk).erased_at


def test_two_who_invite_the_same_people_in_another_order_do_not_wait_for_each_other(monkeypatch):
    """The second withdraws what the first has sent, as one who invites again later does."""
    olga, owen = (member(f"{name}@study.test", name, "owner") for name in ("olga", "owen"))
    people = ["ada@study.test", "bea@study.test"]
    invitations.invite_all(actor=olga, emails=people, role="reviewer")
    other = Meanwhile(
        monkeypatch,
        invitations,
        "_issue",
        lambda: invitations.invite_all(actor=owen, emails=people[::-1], role="reviewer"),
    )
    invitations.invite_all(actor=olga, emails=people, role="reviewer")
    assert getattr(other.end(), "code", "") == "invitation_gone"
    assert other.waited


def test_of_two_owners_who_close_each_other_s_account_one_remains(monkeypatch):
    olga, owen = (member(f"{name}@study.test", name, "owner") for name in ("olga", "owen"))
    other = Meanwhile(
        monkeypatch,
        members,
        "_check_may_dismiss",
        lambda: members.deactivate_user(actor=owen, member=olga),
    )
    members.deactivate_user(actor=olga, member=owen)
    assert isinstance(other.end(), Refused)
    assert other.waited
    assert User.objects.get(is_active=True) == olga


@pytest.mark.parametrize("had", [False, True], ids=["new", "late before"])
def test_who_waited_in_vain_for_an_item_holds_it_no_longer(at_work, monkeypatch, had):
    """Within the transaction of a request with an idempotency key they go on to wait for others."""
    item, ada, bea = at_work.items.get(), algebraist("Ada"), algebraist("Bea")
    for name in ("Cleo", "Dora"):
        placed(item, algebraist(name))
    if had:
        placed(item, ada, state="released", release_reason=ReleaseReason.LATE)
    fix_conflicts(campaign=at_work, reviewers=[ada.pk, bea.pk])

    @transaction.atomic
    def take_slowly() -> None:
        taking.take_next(reviewer=bea, campaign=at_work)
        time.sleep(2)

    def hold() -> None:
        try:
            with transaction.atomic():
                Item.objects.select_for_update(nowait=True).get()
        finally:
            connection.close()

    other = Meanwhile(monkeypatch, taking, "_take_turns" if had else "nearest", take_slowly)
    with transaction.atomic():
        with pytest.raises(Refused, match="no items left"):
            taking.take_next(reviewer=ada, campaign=at_work)
        other.end()
        with ThreadPoolExecutor(1) as pool:
            pool.submit(hold).result()
    assert other.waited


@pytest.mark.parametrize("what", ["name", "preferences", "expertise", "conflict", "comment", "token"])
def test_nothing_that_a_person_states_while_they_are_erased_outlives_the_account(monkeypatch, what):
    ada, olga = algebraist("Ada"), member("olga@study.test", "Olga", "owner")

    def state() -> Any:
        match what:
            case "name":
                return profile.rename(actor=ada, name="Ada Again")
            case "preferences":
                return profile.set_preferences(actor=ada, capacity=3, away_until=None, credit="named")
            case "expertise":
                return profile.state_expertise(actor=ada, domain="algebra", confidence=3)
            case "conflict":
                return profile.declare_conflict(actor=ada, kind="person", key="My brother Carl")
            case "comment":
                return save_comment(actor=ada, text="As I wrote in my thesis.")
        return tokens.create_token(actor=ada, label="notebook")

    other = Meanwhile(monkeypatch, erasure, "rows_of", state)
    erase_person(actor=olga, member=ada)
    assert getattr(other.end(), "code", "") == "erased"
    assert other.waited
    erased = User.objects.get(pk=ada.pk)
    kept = [erased.expertise, erased.conflicts, erased.saved_comments, erased.access_tokens]
    assert (erased.name, [rows.count() for rows in kept]) == ("", [0, 0, 0, 0])


def test_two_windows_of_a_person_make_no_token_too_many(monkeypatch):
    ada = algebraist("Ada")
    monkeypatch.setattr(tokens, "LIMIT", 1)
    other = Meanwhile(
        monkeypatch, tokens, "new_secret", lambda: tokens.create_token(actor=ada, label="second")
    )
    tokens.create_token(actor=ada, label="first")
    assert getattr(other.end(), "code", "") == "too_many_tokens"
