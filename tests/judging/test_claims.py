"""Leases: nothing is handed out twice, nothing is lost with the worker that held it."""

import datetime as dt

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from judging.asking.settlement import Outcome, settle
from judging.kind import JUDGING
from judging.models import JudgeTask
from judging.runs.actions import reconcile
from tests.factories import JudgeTaskFactory
from work.claims import _just_started as just_started
from work.claims import claim, keep_alive, lease, new_owner, release_all
from work.kinds import Failure
from work.models import TaskState

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _quiet_bell(monkeypatch):
    monkeypatch.setattr("judging.runs.actions.ring", lambda: None)


def outcome(task: JudgeTask, value: str = "yes") -> Outcome:
    return Outcome(
        task=task,
        prompt_sha256="0" * 64,
        request={},
        reply={},
        latency_seconds=0.1,
        state="answered",
        value=value,
    )


def failure(task: JudgeTask) -> Failure:
    return Failure(
        task=task,
        error="down",
        final=False,
        wait=dt.timedelta(0),
        prompt_sha256="0" * 64,
        request={"model": "m"},
    )


def test_two_workers_never_hold_the_same_task():
    JudgeTaskFactory.create_batch(3)
    mine, yours = claim(JUDGING, owner=new_owner(), limit=2), claim(JUDGING, owner=new_owner(), limit=2)
    assert len(mine) == 2
    assert len(yours) == 1
    assert not {task.pk for task in mine} & {task.pk for task in yours}


def test_a_task_is_not_handed_out_before_its_time():
    JudgeTaskFactory(available_at=timezone.now() + dt.timedelta(minutes=1))
    assert claim(JUDGING, owner=new_owner(), limit=1) == []


def test_the_tasks_of_a_dead_worker_return_when_their_lease_ends():
    JudgeTaskFactory()
    claim(JUDGING, owner=new_owner(), limit=1)
    assert reconcile()["returned"] == 0
    JudgeTask.objects.update(lease_until=timezone.now() - dt.timedelta(seconds=1))
    assert reconcile()["returned"] == 1
    assert len(claim(JUDGING, owner=new_owner(), limit=1)) == 1


def test_what_a_clock_that_was_ahead_has_stored_holds_no_task_for_longer_than_a_lease():
    year = timezone.now() + dt.timedelta(days=365)
    JudgeTaskFactory.create_batch(3)
    held, _ = claim(JUDGING, owner=new_owner(), limit=2)
    JudgeTask.objects.filter(state=TaskState.LEASED).update(lease_until=year)
    JudgeTask.objects.filter(state=TaskState.WAITING).update(available_at=year)
    assert reconcile()["returned"] == 0
    new = claim(JUDGING, owner=new_owner(), limit=3)
    assert len(new) == 1  # nothing is taken from a worker that may be alive
    held.refresh_from_db()
    assert held.lease_until <= timezone.now() + lease()


def test_a_task_that_failed_waits_no_longer_than_a_day_after_the_clock_was_set_back():
    soon, year = timezone.now() + dt.timedelta(hours=1), timezone.now() + dt.timedelta(days=365)
    waits, was_ahead = (JudgeTaskFactory(tries=1, available_at=at) for at in (soon, year))
    reconcile()
    assert claim(JUDGING, owner=new_owner(), limit=2) == [was_ahead]
    waits.refresh_from_db()
    assert waits.available_at == soon


@pytest.mark.parametrize("hours", [6, -6])
def test_a_worker_whose_clock_is_hours_off_claims_and_returns_like_any_other(monkeypatch, hours):
    if connection.vendor != "postgresql":
        hours = 0  # without a database server all processes share the one clock of their machine
    right, off = timezone.now, dt.timedelta(hours=hours)
    JudgeTaskFactory.create_batch(2)
    claim(JUDGING, owner=new_owner(), limit=1)
    monkeypatch.setattr(timezone, "now", lambda: right() + off)
    assert reconcile() == {"returned": 0, "finished": 0, "waiting": 1}
    assert len(claim(JUDGING, owner=new_owner(), limit=2)) == 1
    monkeypatch.setattr(timezone, "now", right)
    for task in JudgeTask.objects.all():
        assert right() < task.lease_until < right() + 2 * lease()


def test_a_heartbeat_keeps_the_lease():
    kept, forgotten = JudgeTaskFactory.create_batch(2)
    owner = new_owner()
    claim(JUDGING, owner=owner, limit=2)
    JudgeTask.objects.update(lease_until=timezone.now() - dt.timedelta(seconds=1))
    assert keep_alive(JudgeTask, owner=owner, task_ids=[kept.pk]) == 1
    assert reconcile()["returned"] == 1
    forgotten.refresh_from_db()
    assert forgotten.state == TaskState.WAITING


def test_a_stopping_worker_gives_everything_back_untried():
    JudgeTaskFactory()
    owner = new_owner()
    claim(JUDGING, owner=owner, limit=1)
    assert release_all(JudgeTask, owner=owner) == 1
    assert list(JudgeTask.objects.values_list("state", "tries")) == [(TaskState.WAITING, 0)]


def test_of_two_late_answers_the_first_counts_and_both_calls_are_kept():
    task = JudgeTaskFactory()
    assert settle(results=[outcome(task, "yes")], owner="one") == 1
    assert settle(results=[outcome(task, "no")], owner="other") == 0
    assert list(task.output.verdicts.values_list("value", flat=True)) == ["yes"]
    assert task.calls.count() == 2


def test_results_stored_twice_change_nothing():
    """A worker repeats a commit that was not answered, and the answer may have been lost after the commit."""
    JudgeTaskFactory.create_batch(2)
    owner = new_owner()
    answered, failed = claim(JUDGING, owner=owner, limit=2)
    results = [outcome(answered), failure(failed)]
    assert settle(results=results, owner=owner) == 1
    assert settle(results=results, owner=owner) == 0
    assert (answered.calls.count(), failed.calls.count(), answered.output.verdicts.count()) == (1, 1, 1)
    failed.refresh_from_db()
    assert (failed.state, failed.tries) == (TaskState.WAITING, 1)


def test_a_settled_task_is_done_and_free():
    task = JudgeTaskFactory()
    claim(JUDGING, owner=new_owner(), limit=1)
    settle(results=[outcome(task)], owner="one")
    task.refresh_from_db()
    assert (task.state, task.lease_owner, task.lease_until) == (TaskState.DONE, "", None)


@pytest.mark.parametrize(
    "broken",
    [
        {"state": "leased"},
        {"state": "waiting", "lease_owner": "somebody"},
        {"state": "done", "lease_until": timezone.now()},
    ],
)
def test_the_database_refuses_half_a_lease(broken):
    JudgeTaskFactory()
    with pytest.raises(IntegrityError), transaction.atomic():
        JudgeTask.objects.update(**broken)


def test_for_one_lease_after_the_database_has_started_no_lease_is_taken_back(monkeypatch):
    """While it was away no worker could renew, so an old lease says nothing about its worker."""
    JudgeTaskFactory()
    claim(JUDGING, owner=new_owner(), limit=1)
    JudgeTask.objects.update(lease_until=timezone.now() - dt.timedelta(seconds=1))
    monkeypatch.setattr("work.claims._just_started", lambda: True)
    assert reconcile()["returned"] == 0
    monkeypatch.setattr("work.claims._just_started", lambda: False)
    assert reconcile()["returned"] == 1


def test_the_age_of_the_database_is_that_of_its_server(settings):
    """The server of the tests has run for more than no time, and for less than a hundred years."""
    settings.JUDGE_LEASE_SECONDS = 0
    assert just_started() is False
    settings.JUDGE_LEASE_SECONDS = 100 * 365 * 24 * 3600
    assert just_started() is (connection.vendor == "postgresql")
