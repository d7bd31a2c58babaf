"""Conflicts of interest: declared, decided by a coordinator, fixed before the first place, applied later on purpose."""

import datetime as dt
import re
from importlib import import_module

import pytest
from django.apps import apps
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from accounts.models import AuditEvent, Conflict
from accounts.profile.actions import declare_conflict, withdraw_conflict
from accounts.refusal import NotAllowed, Refused
from annotation.assigning.actions import apply_plan, plan_assignment, release_late
from annotation.assigning.plans import plan_in_words
from annotation.assigning.taking import take_next
from annotation.campaigns.actions import create_campaign, draw_items, open_campaign, set_least_authors
from annotation.conflicts import resolving as conflicts
from annotation.conflicts.actions import apply_conflicts, decide_conflict, enter_conflict
from annotation.conflicts.possible_authors import Targets, exclusions
from annotation.models import (
    Assignment,
    ConflictsFixed,
    ConflictTarget,
    Exclusion,
    Item,
    LeastAuthors,
    SystemGuess,
)
from benchmark.models import IdentityDecision
from tests.annotation.campaigns import decided
from tests.factories import (
    AssignmentFactory,
    CampaignFactory,
    InstanceFactory,
    ItemFactory,
    OutputFactory,
    RunFactory,
)

pytestmark = pytest.mark.django_db


def code_of(refusal):
    return refusal.value.code


def all_of(reviewer, campaign):
    """Everything that a reviewer can take, as (problem, system)."""
    found = []
    while True:
        try:
            item = take_next(reviewer=reviewer, campaign=campaign).item
        except Refused as refusal:
            if refusal.code != "nothing_left":
                raise
            return found
        found.append((item.instance.key, item.output.run.system.slug))


def again(opened, coordinator, slug="round-2"):
    """Another open campaign over the same outputs."""
    second = CampaignFactory(slug=slug, release=opened.release, rubric=opened.rubric, reviewers_per_item=2)
    draw_items(actor=coordinator, campaign=second)
    return open_campaign(actor=coordinator, campaign=second)


def test_nobody_begins_while_a_declaration_waits(opened, algebraist, coordinator, client):
    declared = declare_conflict(actor=algebraist, kind="person", key="My sister")
    with pytest.raises(Refused) as refusal:
        take_next(reviewer=algebraist, campaign=opened)
    assert code_of(refusal) == "conflicts_undecided"
    client.force_login(algebraist)
    assert "A coordinator has to decide" in client.post(reverse("grade-next"), follow=True).content.decode()
    assert "waiting for a coordinator" in client.get(reverse("profile")).content.decode()
    plan = plan_assignment(opened)
    assert plan.pairs == ()
    (row,) = {row["reason"] for row in plan_in_words(opened, plan)["unmet"] if row["domain"] == "algebra"}
    assert "1 waiting for a decision about a conflict of interest" in row
    decide_conflict(actor=coordinator, conflict=declared, targets=[])
    assert take_next(reviewer=algebraist, campaign=opened)
    assert "waiting for a coordinator" not in client.get(reverse("profile")).content.decode()


def test_who_has_begun_goes_on_while_a_later_declaration_waits(opened, algebraist):
    take_next(reviewer=algebraist, campaign=opened)
    declare_conflict(actor=algebraist, kind="system", key="first-system")
    assert len(all_of(algebraist, opened)) == 3


def test_a_problem_named_as_a_paper_is_kept_from_who_wrote_it_once_decided(opened, algebraist, coordinator):
    declared = declare_conflict(actor=algebraist, kind="paper", key="Problem a1, I am the author")
    (found,) = [one for one in conflicts.search("a1") if one.kind == "problem"]
    assert found.exact
    assert found.key == f"{opened.release.benchmark.slug}/a1"
    decide_conflict(actor=coordinator, conflict=declared, targets=[(found.kind, found.key)])
    assert {problem for problem, _ in all_of(algebraist, opened)} == {"a2"}


def test_later_conflicts_change_nothing_in_the_benchmark_until_they_are_applied(
    opened, algebraist, coordinator
):
    first = take_next(reviewer=algebraist, campaign=opened).item
    decided(algebraist, coordinator, ("system", "first-system"))
    second = again(opened, coordinator)
    assert len(all_of(algebraist, opened)) == 3
    assert len(all_of(algebraist, second)) == 4
    third = again(opened, coordinator, "round-3")
    benchmark = opened.release.benchmark
    apply_conflicts(actor=coordinator, member=algebraist, benchmark=benchmark)
    # every algebra problem was had while nothing was excluded: one missing answer would name its author
    assert all_of(algebraist, third) == []
    assert Assignment.objects.filter(reviewer=algebraist, item=first).exists()
    with pytest.raises(Refused) as refusal:
        apply_conflicts(actor=coordinator, member=algebraist, benchmark=benchmark)
    assert code_of(refusal) == "nothing_new"


def test_conflicts_that_were_applied_count_though_the_clock_was_set_back_before(
    opened, algebraist, coordinator, monkeypatch
):
    right = timezone.now
    with monkeypatch.context() as ahead:
        ahead.setattr(timezone, "now", lambda: right() + dt.timedelta(hours=2))
        take_next(reviewer=algebraist, campaign=opened)
    decided(algebraist, coordinator, ("system", "first-system"))
    benchmark = opened.release.benchmark
    apply_conflicts(actor=coordinator, member=algebraist, benchmark=benchmark)
    with pytest.raises(Refused) as refusal:
        apply_conflicts(actor=coordinator, member=algebraist, benchmark=benchmark)
    assert code_of(refusal) == "nothing_new"


def test_applied_conflicts_leave_out_whole_problems_that_were_had_and_single_answers_of_others(
    opened, algebraist, coordinator
):
    had = take_next(reviewer=algebraist, campaign=opened).item.instance.key
    (other,) = {"a1", "a2"} - {had}
    decided(algebraist, coordinator, ("system", "first-system"))
    apply_conflicts(actor=coordinator, member=algebraist, benchmark=opened.release.benchmark)
    assert all_of(algebraist, opened) == [(other, "second-system")]
    assert all_of(algebraist, again(opened, coordinator)) == [(other, "second-system")]


def test_withdrawing_brings_nothing_back_where_the_reviewer_has_begun(opened, algebraist, coordinator):
    declared = decided(algebraist, coordinator, ("system", "first-system"))
    assert {system for _, system in all_of(algebraist, opened)} == {"second-system"}
    withdraw_conflict(actor=algebraist, kind=declared.kind, key=declared.key)
    assert all_of(algebraist, opened) == []
    # in another campaign over the same outputs, what is new would all be by the system that was in conflict
    assert {system for _, system in all_of(algebraist, again(opened, coordinator))} == {"second-system"}
    with pytest.raises(Refused):
        apply_conflicts(actor=coordinator, member=algebraist, benchmark=opened.release.benchmark)


def test_who_never_had_a_place_is_forgiven_a_withdrawn_conflict(opened, algebraist, coordinator):
    both = ("system", "first-system"), ("system", "second-system")
    declared = decided(algebraist, coordinator, *both)
    assert all_of(algebraist, opened) == []
    withdraw_conflict(actor=algebraist, kind=declared.kind, key=declared.key)
    assert all_of(algebraist, opened) == []  # fixed with the first try, not with the first success
    apply_conflicts(actor=coordinator, member=algebraist, benchmark=opened.release.benchmark)
    assert len(all_of(algebraist, opened)) == 4


def test_a_late_place_comes_back_whatever_was_decided_since(opened, algebraist, coordinator, settings):
    mine = take_next(reviewer=algebraist, campaign=opened)
    opened.due_on = opened.opened_at.date().replace(year=2020)
    opened.save()
    release_late(actor=coordinator, campaign=opened)
    decided(algebraist, coordinator, ("system", mine.item.output.run.system.slug))
    apply_conflicts(actor=coordinator, member=algebraist, benchmark=opened.release.benchmark)
    assert take_next(reviewer=algebraist, campaign=opened).pk == mine.pk


def test_a_plan_fixes_conflicts_and_says_which_places_stay_empty(opened, algebraist, coordinator):
    decided(algebraist, coordinator, ("system", "first-system"))
    plan = plan_assignment(opened)
    unmet = {row["reason"] for row in plan_in_words(opened, plan)["unmet"] if row["domain"] == "algebra"}
    assert "0 of 1 reviewers fit (1 with a conflict of interest)" in unmet
    apply_plan(actor=coordinator, campaign=opened, sha256=plan.sha256)
    assert ConflictsFixed.objects.get(reviewer=algebraist).targets == [["system", "first-system"]]
    assert Exclusion.objects.filter(reviewer=algebraist).count() == 3  # its three answers, analysis included


def test_too_few_possible_authors_give_nothing_to_anybody_and_the_campaign_does_not_open(
    drafted, coordinator, algebraist
):
    LeastAuthors.objects.all().delete()
    draw_items(actor=coordinator, campaign=drafted)
    with pytest.raises(Refused) as refusal:
        open_campaign(actor=coordinator, campaign=drafted)
    assert code_of(refusal) == "too_few_authors"
    assert "no problem was answered by more than 2" in str(refusal.value.reason)
    reasons = {row["reason"] for row in plan_in_words(drafted, plan_assignment(drafted))["unmet"]}
    assert any("for whom too few authors would be possible" in reason for reason in reasons)
    set_least_authors(actor=coordinator, campaign=drafted, least=2)
    event = AuditEvent.objects.get(verb="set_least_authors")
    assert (event.actor, event.details) == (coordinator, {"before": 3, "least": 2})
    opened = open_campaign(actor=coordinator, campaign=drafted)
    with pytest.raises(Refused) as refusal:
        set_least_authors(actor=coordinator, campaign=opened, least=1)
    assert code_of(refusal) == "wrong_phase"
    # an honest conflict with one of two systems: no answer at all, instead of those of the other one
    decided(algebraist, coordinator, ("system", "first-system"))
    assert all_of(algebraist, opened) == []


def test_the_least_number_is_part_of_a_new_campaign_s_terms(drafted, coordinator):
    terms = {"actor": coordinator, "release": drafted.release, "rubric": "proofs-v1"}
    made = create_campaign(name="Two will do", least_authors=2, **terms)
    assert conflicts.least_authors(made) == 2
    assert conflicts.least_authors(create_campaign(name="As usual", **terms)) == 3
    with pytest.raises(Refused, match="Between 1 and 100"):
        create_campaign(name="Nobody", least_authors=0, **terms)


def test_only_those_who_run_the_study_decide_and_only_about_what_exists(opened, algebraist, coordinator):
    declared = declare_conflict(actor=algebraist, kind="system", key="whatever")
    for verb in (
        lambda: decide_conflict(actor=algebraist, conflict=declared, targets=[]),
        lambda: enter_conflict(actor=algebraist, member=algebraist, kind="person", key="x"),
        lambda: set_least_authors(actor=algebraist, campaign=opened, least=1),
        lambda: apply_conflicts(actor=algebraist, member=algebraist, benchmark=opened.release.benchmark),
    ):
        with pytest.raises(NotAllowed):
            verb()
    for target in (
        ("system", "nobody"),
        ("paper", "none"),
        ("problem", "a1"),
        ("problem", "x/a1"),
        ("x", "y"),
    ):
        with pytest.raises(Refused, match="There is no"):
            decide_conflict(actor=coordinator, conflict=declared, targets=[target])
    with pytest.raises(Refused) as refusal:
        enter_conflict(actor=coordinator, member=coordinator, kind="person", key="x")
    assert code_of(refusal) == "no_reviewer"
    with pytest.raises(Refused) as refusal:
        apply_conflicts(actor=coordinator, member=algebraist, benchmark=opened.release.benchmark)
    assert code_of(refusal) == "not_begun"


def test_a_decision_that_is_refused_keeps_what_was_typed_and_ticked(opened, algebraist, coordinator, client):
    client.force_login(coordinator)
    form = {"member": algebraist.pk, "kind": "system", "key": "nobody-knows", "reason": ""}
    client.post(reverse("conflicts"), form)
    address = reverse("conflict", args=[Conflict.objects.get().pk])
    nothing = client.post(address, {"verb": "decide", "reason": "She said so."}, follow=True).content.decode()
    assert "Choose what the conflict excludes" in nothing
    assert "She said so." in nothing
    gone = {"verb": "decide", "reason": "She said so.", "target": ["paper:paper-a", "system:withdrawn"]}
    reply = client.post(address, gone, follow=True).content.decode()
    assert 'value="paper:paper-a" checked' in reply
    assert "She said so." in reply
    assert not Conflict.objects.get().decided_at


def test_the_pages_of_a_coordinator_enter_search_decide_and_apply(opened, algebraist, coordinator, client):
    client.force_login(coordinator)
    form = {"member": algebraist.pk, "kind": "system", "key": "second-system", "reason": "Told by mail."}
    page = client.post(reverse("conflicts"), form, follow=True)
    conflict = Conflict.objects.get()
    shown = page.content.decode()
    assert 'value="system:second-system" checked' in shown
    assert "paper-a" in client.get(reverse("conflict", args=[conflict.pk]), {"q": "paper-a"}).content.decode()
    nothing = client.post(reverse("conflict", args=[conflict.pk]), {"verb": "decide"}, follow=True)
    assert "Choose what the conflict excludes" in nothing.content.decode()
    sent = {"verb": "decide", "target": ["system:second-system", "paper:paper-a"]}
    page = client.post(reverse("conflict", args=[conflict.pk]), sent, follow=True).content.decode()
    # three answers of the system, and one more of the paper's problem
    assert '<td class="number">4</td>' in page
    assert "to decide" not in client.get(reverse("people")).content.decode()
    take_next(reviewer=algebraist, campaign=opened)
    decide_conflict(actor=coordinator, conflict=conflict, targets=[("problem", _key(opened, "a2"))])
    page = client.get(reverse("conflict", args=[conflict.pk])).content.decode()
    assert "Apply all decisions" in page
    sent = {"verb": "apply", "benchmark": opened.release.benchmark.slug}
    page = client.post(reverse("conflict", args=[conflict.pk]), sent, follow=True).content.decode()
    assert "apply in" in page
    assert all_of(algebraist, opened) == []


def test_of_two_coordinators_who_decide_at_once_the_second_sees_the_first_decision(
    opened, algebraist, coordinator, client
):
    client.force_login(coordinator)
    conflict = enter_conflict(actor=coordinator, member=algebraist, kind="person", key="My sister")
    address = reverse("conflict", args=[conflict.pk])

    def seen():
        return re.search(r'name="seen" value="([^"]*)"', client.get(address).content.decode())[1]

    stale = seen()
    decide_conflict(actor=coordinator, conflict=conflict, targets=[("system", "second-system")], seen=stale)
    for sent in ({"verb": "dismiss"}, {"verb": "decide", "target": ["paper:paper-a"]}):
        page = client.post(address, {**sent, "seen": stale, "reason": "He told me."}).content.decode()
        assert "Someone has decided about this conflict in the meantime" in page
        assert 'value="system:second-system" checked' in page
        assert "paper-a" not in page
        assert "He told me." in page
    assert list(conflict.targets.values_list("key", flat=True)) == ["second-system"]
    client.post(address, {"verb": "dismiss", "seen": seen()})
    assert not conflict.targets.exists()


def _key(campaign, problem):
    return f"{campaign.release.benchmark.slug}/{problem}"


def test_rest_enters_lists_decides_and_applies(opened, algebraist, coordinator, client):
    client.force_login(coordinator)
    body = {"reviewer": algebraist.email, "kind": "system", "key": "First System"}
    made = client.post(reverse("api-conflicts"), body, "application/json")
    assert made.status_code == 201
    assert made.json()["decided_at"] is None
    address = reverse("api-conflict-decide", args=[made.json()["id"]])
    wrong = client.post(address, {"targets": [{"kind": "system", "key": "x"}]}, "application/json")
    assert wrong.status_code == 409
    right = {"targets": [{"kind": "system", "key": "first-system"}]}
    assert client.post(address, right, "application/json").json()["targets"] == right["targets"]
    (row,) = client.get(reverse("api-conflicts")).json()
    assert row["reviewer"] == algebraist.email
    address = reverse("api-conflict-apply", args=[row["id"]])
    benchmark = {"benchmark": opened.release.benchmark.slug}
    assert client.post(address, benchmark, "application/json").json()["code"] == "not_begun"
    client.force_login(algebraist)
    assert client.get(reverse("api-conflicts")).status_code == 403


def test_an_upgrade_keeps_what_people_declared(drafted, coordinator, algebraist, geometer):
    LeastAuthors.objects.all().delete()
    draw_items(actor=coordinator, campaign=drafted)
    drafted.phase, drafted.opened_at = "open", drafted.created_at
    drafted.save()
    for person, kind, key in (
        (algebraist, "system", "first-system"),
        (algebraist, "paper", "a2"),
        (algebraist, "paper", "a1, I am the author"),
        (geometer, "person", "A friend"),
    ):
        Conflict.objects.create(user=person, kind=kind, key=key)
    of_second = Item.objects.get(output__run__system__slug="second-system", instance__key="a1")
    AssignmentFactory(item=of_second, reviewer=algebraist)
    import_module("annotation.migrations.0022_conflicts_kept").keep(apps, None)
    kept = {(row.conflict.key, row.kind, row.key) for row in ConflictTarget.objects.all()}
    assert kept == {("first-system", "system", "first-system"), ("a2", "problem", _key(drafted, "a2"))}
    assert Conflict.objects.filter(decided_at=None).count() == 4  # all wait alike
    excluded = Exclusion.objects.filter(reviewer=algebraist).values_list(
        "item__instance__key", "item__output__run__system__slug"
    )
    assert set(excluded) == {
        *((problem, "first-system") for problem in ("a1", "a2", "c1")),
        ("a2", "second-system"),
    }
    assert LeastAuthors.objects.get().least == 1
    assert all_of(algebraist, drafted) == []  # has begun; the rest is excluded
    with pytest.raises(Refused):
        take_next(reviewer=geometer, campaign=drafted)


def test_the_database_refuses_what_must_not_be(opened, algebraist, coordinator):
    conflict = decided(algebraist, coordinator, ("system", "first-system"))
    item = opened.items.first()
    Exclusion.objects.create(item=item, reviewer=algebraist)
    for bad in (
        lambda: ConflictTarget.objects.create(conflict=conflict, kind="system", key="first-system"),
        lambda: ConflictTarget.objects.create(conflict=conflict, kind="maker", key="x"),
        lambda: ConflictTarget.objects.create(conflict=conflict, kind="paper", key=""),
        lambda: Exclusion.objects.create(item=item, reviewer=algebraist),
        lambda: LeastAuthors.objects.update(least=0),
        lambda: LeastAuthors.objects.update(least=101),
        lambda: Conflict.objects.update(decided_at=None),  # decided by somebody, at no time
        lambda: AssignmentFactory(item=item, reviewer=algebraist),
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            bad()
    AssignmentFactory(item=ItemFactory(campaign=opened), reviewer=algebraist)  # any other item
    fixed = ConflictsFixed.objects.create(campaign=opened, reviewer=algebraist)
    for change in (
        lambda: ConflictsFixed.objects.update(targets=[]),
        lambda: ConflictsFixed.objects.filter(pk=fixed.pk)._raw_delete("default"),
    ):
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            change()
    place = AssignmentFactory(state="submitted", submitted_at=opened.opened_at)
    with pytest.raises(IntegrityError), transaction.atomic():
        SystemGuess.objects.create(assignment=place, named="x", system=item.output.run.system)


@pytest.mark.parametrize("kind", ["grade", "compare"])
@pytest.mark.parametrize("least", [1, 2, 3])
def test_who_has_no_conflict_is_kept_from_what_the_rule_excludes_when_it_reads_everything(
    kind, least, algebraist, coordinator
):
    campaign = CampaignFactory(kind=kind, least__least=least)
    release = campaign.release
    runs = RunFactory.create_batch(4, release=release)
    for states in (["abstained"], ["answered"], ["answered", "failed"], ["answered"] * 3, ["answered"] * 4):
        problem = InstanceFactory(release=release)
        made = [
            OutputFactory(
                run=run, instance=problem, state=state, text="Proof." if state == "answered" else ""
            )
            for run, state in zip(runs, states, strict=False)
        ]
        for output in made if kind == "grade" else made[:-1]:
            second = made[-1] if kind == "compare" else None
            ItemFactory(campaign=campaign, output=output, second=second)
    IdentityDecision.objects.create(
        output=made[0], verdict="excluded", reason="It names its author.", decided_by=coordinator
    )
    ground = conflicts.ground_of(campaign)
    expected = exclusions(ground, Targets(), {})
    # Authors of the five problems: 0, 1, 1, 3, and 3 without the output that was excluded.
    assert len(ground.items) == {"grade": 11, "compare": 6}[kind]
    assert len(expected) == {"grade": {1: 1, 2: 4, 3: 4}, "compare": {1: 0, 2: 1, 3: 1}}[kind][least]
    assert conflicts.excluded_by(campaign, [algebraist.pk]) == {algebraist.pk: expected}
