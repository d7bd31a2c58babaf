"""Caps of a run are hard: what is spent and reserved never exceeds them, no matter who asks and who dies."""

import datetime as dt
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from decimal import Decimal
from importlib import import_module

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, transaction
from django.urls import reverse
from django.utils import timezone

from accounts.models import AuditEvent
from accounts.refusal import Refused
from judging.asking.costs import completion_limit, most_of_one_call, use_of
from judging.asking.settlement import settle
from judging.kind import JUDGING
from judging.models import Call, Judge, JudgeRun, JudgeTask, Verdict
from judging.runs.actions import ask, create_judge, reconcile
from judging.runs.queries import run_cost
from judging.runs.steering import adjust_run, steer
from tests.factories import JudgeTaskFactory
from tests.judging.test_claims import outcome
from tests.meanwhile import Meanwhile
from work import claims
from work.budget import as_booked
from work.claims import claim, new_owner, release_all
from work.models import RunState, TaskState
from work.worker import drain

pytestmark = pytest.mark.django_db(transaction=True)

PRICES = {"prompt": "2", "completion": "10"}  # of a million tokens
REPLY = 9  # completion tokens that the local server reports


@pytest.fixture(autouse=True)
def _quiet_bell(monkeypatch):
    monkeypatch.setattr("judging.runs.actions.ring", lambda: None)
    monkeypatch.setattr("judging.runs.steering.ring", lambda: None)


@pytest.fixture
def judge(db, endpoint) -> Judge:
    return create_judge(
        actor=None,
        slug="capped",
        protocol="re2math",
        model="m",
        endpoint=endpoint,
        decoding={"max_tokens": 100},
        prices=PRICES,
    )


def one_call(judge, release) -> int:
    """The tokens that one question of the release reserves."""
    run = ask(actor=None, judge=judge, release=release, predicates=["suff"])
    tokens = most_of_one_call(run.tasks.select_related("run__judge", "output__instance").first()).tokens
    steer(actor=None, run=run, to=RunState.CANCELLED)
    return tokens


def test_a_use_costs_what_its_tokens_cost(judge):
    # 1,000 tokens at 2 and 500 at 10 for a million: 0.002 + 0.005
    assert use_of(judge, 1_000, 500).cost == Decimal("0.007")


def test_a_reservation_bounds_what_the_call_used(judge, release_with):
    run = ask(actor=None, judge=judge, release=release_with(1), predicates=["ground"], max_tokens=10**6)
    drain()
    call = JudgeTask.objects.get().calls.get()
    bound = most_of_one_call(JudgeTask.objects.select_related("run__judge").get())
    assert call.prompt_tokens + call.completion_tokens < bound.tokens
    run.refresh_from_db()
    assert run.tokens_spent == call.prompt_tokens + REPLY
    assert run.cost_spent == (2 * call.prompt_tokens + 10 * REPLY) / Decimal(1_000_000)


def test_a_run_stops_before_its_cap_and_goes_on_when_the_cap_is_raised(judge, release_with, server, owner):
    release = release_with(10)
    cap = one_call(judge, release) * 6 // 5
    run = ask(actor=None, judge=judge, release=release, predicates=["suff"], max_tokens=cap)
    drain()
    run.refresh_from_db()
    assert run.state == RunState.PAUSED
    assert "Raise the cap" in run.note
    assert 0 < Verdict.objects.count() < 10
    assert run.tokens_spent <= cap
    assert AuditEvent.objects.filter(verb="paused judge run at its cap").count() == 1

    adjust_run(actor=owner, run=run, max_tokens=10**7)
    steer(actor=owner, run=run, to=RunState.RUNNING)
    drain()
    assert Verdict.objects.count() == 10
    assert server.calls == 10


@pytest.mark.slow
def test_several_workers_together_keep_to_the_cap(judge, release_with, server):
    release = release_with(40)
    cap = one_call(judge, release) * 5
    server.control({"latency": 0.02})
    run = ask(actor=None, judge=judge, release=release, max_tokens=cap)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: _drain_in_thread(), range(4)))
    run.refresh_from_db()
    answered = sum(call.prompt_tokens + REPLY for task in run.tasks.all() for call in task.calls.all())
    assert run.tokens_spent == answered <= cap
    assert Verdict.objects.count() == server.calls > 0


def _drain_in_thread() -> None:
    try:
        drain()
    finally:
        connection.close()


@pytest.mark.slow
def test_a_cap_on_cost_holds_as_one_on_tokens_does(judge, release_with):
    run = ask(actor=None, judge=judge, release=release_with(20), max_cost=Decimal("0.05"))
    drain()
    run.refresh_from_db()
    assert run.state == RunState.PAUSED
    assert 0 < run.cost_spent <= Decimal("0.05")


def test_what_a_dead_worker_had_reserved_counts_as_spent(judge, release_with):
    run = ask(actor=None, judge=judge, release=release_with(1), predicates=["ground"], max_tokens=10**6)
    (task,) = claim(JUDGING, owner=new_owner(), limit=1)
    assert task.tokens_reserved > 0
    JudgeTask.objects.update(lease_until=timezone.now() - dt.timedelta(seconds=1))
    reconcile()
    run.refresh_from_db()
    assert run.tokens_spent == task.tokens_reserved
    assert run.tasks.get().tokens_reserved == 0


def test_what_a_dead_worker_may_have_used_counts_without_a_cap_too(judge, release_with):
    run = ask(actor=None, judge=judge, release=release_with(1), predicates=["ground"])
    (task,) = claim(JUDGING, owner=new_owner(), limit=1)
    most = JUDGING.most(task)
    JudgeTask.objects.update(lease_until=timezone.now() - dt.timedelta(seconds=1))
    reconcile()
    run.refresh_from_db()
    assert (run.tokens_spent, run.cost_spent) == (most.tokens, most.cost)


def test_a_call_counts_though_a_late_reply_to_the_same_question_was_stored_first(judge, release_with):
    """The worker that slept answers while the one that took over is still waiting for its own reply."""
    run = ask(actor=None, judge=judge, release=release_with(1), predicates=["ground"], max_tokens=10**6)
    (slept,) = claim(JUDGING, owner="slept", limit=1)
    JudgeTask.objects.update(lease_until=timezone.now() - dt.timedelta(seconds=1))
    reconcile()
    (took_over,) = claim(JUDGING, owner="took over", limit=1)
    for owner, task in (("slept", slept), ("took over", took_over)):
        settle(results=[replace(outcome(task), prompt_tokens=20, completion_tokens=9)], owner=owner)
    run.refresh_from_db()
    assert run.tokens_spent == slept.tokens_reserved + took_over.tokens_reserved


def test_a_call_that_was_never_answered_counts_with_all_it_could_have_used(judge, release_with, server):
    server.control({"mood": {"kind": "hang_up"}})
    run = ask(actor=None, judge=judge, release=release_with(1), predicates=["ground"], max_tokens=10**6)
    drain()
    bound = most_of_one_call(JudgeTask.objects.select_related("run__judge").get())
    run.refresh_from_db()
    assert run.tokens_spent == bound.tokens  # the endpoint of the tests makes one attempt


def test_a_refusal_by_the_server_costs_nothing(judge, release_with, server):
    server.control({"mood": {"kind": "error", "status": 429}})
    run = ask(actor=None, judge=judge, release=release_with(1), predicates=["ground"], max_tokens=10**6)
    drain()
    run.refresh_from_db()
    assert run.tokens_spent == 0


def test_caps_that_cannot_be_kept_are_refused(judge, release_with, endpoint):
    release = release_with(1)
    settings = {"actor": None, "protocol": "re2math", "model": "m", "endpoint": endpoint}
    endless = create_judge(slug="endless", prices=PRICES, **settings)
    with pytest.raises(Refused, match="max_tokens in its decoding"):
        ask(actor=None, judge=endless, release=release, max_tokens=10)
    unpriced = create_judge(slug="unpriced", decoding={"max_tokens": 5}, **settings)
    with pytest.raises(Refused, match="has none"):
        ask(actor=None, judge=unpriced, release=release, max_cost=Decimal(1))
    with pytest.raises(Refused, match="at most") as beyond:
        ask(actor=None, judge=judge, release=release, max_tokens=10**20)
    assert beyond.value.field == "max_tokens"
    run = ask(actor=None, judge=judge, release=release, max_tokens=10**6)
    JudgeRun.objects.update(tokens_spent=50)
    with pytest.raises(Refused, match="already spent"):
        adjust_run(actor=None, run=run, max_tokens=40)
    (task,) = claim(JUDGING, owner=new_owner(), limit=1)
    in_flight = JudgeTask.objects.get(pk=task.pk).tokens_reserved
    with pytest.raises(Refused, match=f"{in_flight + 50:,} tokens are already spent or in flight"):
        adjust_run(actor=None, run=run, max_tokens=in_flight + 49)
    adjust_run(actor=None, run=run, max_tokens=in_flight + 50)


def test_of_equal_requests_at_once_one_is_asked(judge, release_with):
    release = release_with(3)

    def request() -> str:
        try:
            ask(actor=None, judge=judge, release=release)
        except Refused as refusal:
            return refusal.code
        finally:
            connection.close()
        return "asked"

    with ThreadPoolExecutor(4) as threads:
        requests = [threads.submit(request) for _ in range(4)]
    assert sorted(one.result() for one in requests) == ["asked"] + 3 * ["nothing_to_ask"]
    assert JudgeTask.objects.count() == 3 * 2  # outputs, predicates


def test_of_two_limits_of_a_reply_the_larger_is_reserved_and_one_below_1_is_none(judge):
    """A judge cannot be made with such a limit now; older ones stay as they are, and must not stop the others."""
    for decoding, limit in (
        ({"max_tokens": 5, "max_completion_tokens": 9}, 9),
        ({"max_tokens": 5, "max_completion_tokens": None}, 5),
        ({"max_tokens": -100_000}, None),
        ({"max_tokens": "5"}, None),
    ):
        judge.decoding = decoding
        assert completion_limit(judge) == limit


def test_a_judges_budget_caps_each_of_its_runs(release_with, endpoint):
    judge = create_judge(
        actor=None,
        slug="frugal",
        protocol="re2math",
        model="m",
        endpoint=endpoint,
        decoding={"max_tokens": 5},
        budget={"tokens": 1234},
    )
    assert ask(actor=None, judge=judge, release=release_with(1)).max_tokens == 1234


def test_runs_of_higher_priority_are_asked_first(judge, release_with):
    release = release_with(2)
    ask(actor=None, judge=judge, release=release, predicates=["ground"])
    urgent = ask(actor=None, judge=judge, release=release, predicates=["suff"], priority=5)
    first = claim(JUDGING, owner=new_owner(), limit=3)
    assert [task.run_id == urgent.pk for task in first] == [True, True, False]


def test_the_database_refuses_a_reservation_without_a_lease():
    JudgeTaskFactory()
    with pytest.raises(IntegrityError), transaction.atomic():
        JudgeTask.objects.update(tokens_reserved=1)


@pytest.mark.parametrize("usage", [None, {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}])
def test_an_endpoint_that_reports_no_use_is_charged_the_bound(judge, release_with, server, usage):
    text = json.dumps({"label": "yes", "reason": "r", "confidence": None})
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    body = {"model": "m", "choices": [choice], "usage": usage}
    server.control({"mood": {"kind": "body", "body": json.dumps(body)}})
    run = ask(actor=None, judge=judge, release=release_with(1), predicates=["ground"], max_tokens=10**6)
    assert drain() == 1
    bound = most_of_one_call(JudgeTask.objects.select_related("run__judge").get())
    run.refresh_from_db()
    assert (run.tokens_spent, run.tasks.get().state) == (bound.tokens, TaskState.DONE)


def test_a_run_without_a_cap_counts_what_it_uses_so_that_one_can_be_given_later(
    judge, release_with, owner, server
):
    """What it had used was nothing to a cap that came afterwards."""
    run = ask(actor=None, judge=judge, release=release_with(23), predicates=["suff"])
    later = list(run.tasks.order_by("-id").values_list("id", flat=True)[:3])
    run.tasks.filter(id__in=later).update(available_at=timezone.now() + dt.timedelta(hours=1))
    drain()
    run.refresh_from_db()
    used = sum(call.prompt_tokens + call.completion_tokens for call in Call.objects.all())
    assert run.tokens_spent == used > 0
    with pytest.raises(Refused) as refusal:
        adjust_run(actor=owner, run=run, max_tokens=used - 1)
    assert refusal.value.code == "cap_below_spent"
    adjust_run(actor=owner, run=run, max_tokens=used + 1)
    run.tasks.update(available_at=timezone.now())
    drain()
    run.refresh_from_db()
    assert (run.state, run.tokens_spent) == (RunState.PAUSED, used)


def test_the_first_cap_waits_for_calls_in_flight(judge, release_with, owner):
    run = ask(actor=None, judge=judge, release=release_with(3), predicates=["suff"])
    claim(JUDGING, owner="worker", limit=2)
    with pytest.raises(Refused, match=r"in flight \(2\)") as refusal:
        adjust_run(actor=owner, run=run, max_tokens=10**6)
    assert refusal.value.code == "calls_in_flight"
    release_all(JudgeTask, owner="worker")
    adjust_run(actor=owner, run=run, max_tokens=10**6)


def test_a_cost_below_the_last_place_of_its_column_is_not_booked_as_nothing():
    """A call of 539 tokens at 0.0008 for a million costs 0.00000043."""
    assert as_booked(Decimal("0.00000043")) == Decimal("0.000001")
    assert as_booked(Decimal("0.000002")) == Decimal("0.000002")
    assert as_booked(Decimal(0)) == 0


def test_a_cap_has_room_for_costs_as_they_are_booked(release_with, endpoint):
    """Thirty calls for less than the last place would fit, but each is booked with that place."""
    settings = {"protocol": "re2math", "model": "m", "endpoint": endpoint, "decoding": {"max_tokens": 5}}
    cheap = create_judge(
        actor=None, slug="cheap", prices={"prompt": "0.00001", "completion": "0"}, **settings
    )
    run = ask(actor=None, judge=cheap, release=release_with(30), max_cost=Decimal("0.000005"))
    assert len(claim(JUDGING, owner="worker", limit=30)) == 5
    assert sum(run.tasks.values_list("cost_reserved", flat=True)) == run.max_cost


def test_a_first_cap_waits_for_a_claim_that_is_not_stored_yet(judge, release_with, owner, monkeypatch):
    """Nobody else sees its leases before: 30 calls went out next to a cap of a few."""
    run = ask(actor=None, judge=judge, release=release_with(30), predicates=["suff"])
    other = Meanwhile(
        monkeypatch, claims, "reserve", lambda: adjust_run(actor=owner, run=run, max_tokens=9_000)
    )
    assert len(claims.claim(JUDGING, owner="worker", limit=30)) == 30
    assert other.end().code == "calls_in_flight"
    assert other.waited
    run.refresh_from_db()
    assert run.max_tokens is None


def test_what_runs_without_a_cap_used_before_they_counted_is_counted_from_their_calls(
    judge, release_with, server
):
    run = ask(actor=None, judge=judge, release=release_with(3), predicates=["suff"])
    drain()
    run.refresh_from_db()
    counted = run.tokens_spent, run.cost_spent
    assert min(counted) > 0
    JudgeRun.objects.update(tokens_spent=0, cost_spent=0)
    import_module("judging.migrations.0016_tokens_of_every_run").count(apps, None)
    run.refresh_from_db()
    assert (run.tokens_spent, run.cost_spent) == counted


def test_calls_without_a_count_of_tokens_are_booked_as_the_most_with_and_without_a_cap(
    judge, release_with, server, client, coordinator
):
    """A cap that is given later would start from nothing, and the page said that they cost 0."""
    message = {"content": json.dumps({"label": "yes", "reason": "So.", "confidence": 0.9, "evidence": None})}
    reply = {"choices": [{"message": message, "finish_reason": "stop"}]}
    server.mood = {"kind": "body", "body": json.dumps(reply)}
    spent = set()
    for caps in ({}, {"max_tokens": 10**6}):
        run = ask(actor=None, judge=judge, release=release_with(2), predicates=["suff"], **caps)
        drain()
        run.refresh_from_db()
        spent.add((run.tokens_spent, run.cost_spent))
        found = run_cost(run)
        assert (found["calls"], found["prompt_tokens"], found["cost"]) == (2, None, "")
        client.force_login(coordinator)
        page = client.get(reverse("judge-run", args=[run.pk])).content.decode()
        assert f"<dt>Tokens booked</dt><dd>{run.tokens_spent}" in page
        assert f"<dt>Cost booked</dt><dd>{run.cost_spent.normalize():f}" in page
    (both,) = spent
    assert min(both) > 0
