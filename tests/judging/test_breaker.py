"""An endpoint that is down is left alone, and one worker finds out when it is back."""

import datetime as dt
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.utils import timezone

from judging.models import JudgeTask, Verdict
from judging.runs.actions import ask
from work.breaker import THRESHOLD, BreakerState, allowed, breaker_state, note_results
from work.models import EndpointState
from work.pace import take_turns
from work.worker import drain

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _quiet_bell(monkeypatch):
    monkeypatch.setattr("judging.runs.actions.ring", lambda: None)


def state() -> BreakerState:
    return breaker_state(EndpointState.objects.filter(name="local").first(), timezone.now())


def fail(times: int) -> None:
    note_results(endpoint="local", errors=["down"] * times)


def pause_over() -> None:
    EndpointState.objects.update(open_until=timezone.now() - dt.timedelta(seconds=1))


def test_failures_in_a_row_open_it_and_others_do_not():
    fail(THRESHOLD - 1)
    note_results(endpoint="local", errors=["down", None])
    fail(THRESHOLD - 1)
    assert state() == BreakerState.CLOSED
    fail(1)
    assert state() == BreakerState.OPEN
    assert allowed(endpoint="local", wanted=9) == 0


def test_after_the_pause_exactly_one_call_goes():
    fail(THRESHOLD)
    pause_over()
    assert state() == BreakerState.HALF_OPEN
    assert [allowed(endpoint="local", wanted=9) for _ in range(3)] == [1, 0, 0]


def test_a_pause_that_began_before_the_clock_was_set_back_is_over_and_one_call_goes():
    fail(THRESHOLD)
    EndpointState.objects.update(open_until=timezone.now() + dt.timedelta(hours=1))
    assert state() == BreakerState.HALF_OPEN
    assert [allowed(endpoint="local", wanted=9) for _ in range(3)] == [1, 0, 0]


def test_a_probe_that_fails_doubles_the_pause_and_one_that_succeeds_closes():
    fail(THRESHOLD)
    first = EndpointState.objects.get()
    fail(3)  # calls that were in flight when it opened
    assert EndpointState.objects.get().open_until == first.open_until
    pause_over()
    allowed(endpoint="local", wanted=1)
    fail(1)
    again = EndpointState.objects.get()
    assert 29 < (again.open_until - timezone.now()).total_seconds() <= 30
    pause_over()
    allowed(endpoint="local", wanted=1)
    note_results(endpoint="local", errors=[None])
    assert state() == BreakerState.CLOSED
    assert allowed(endpoint="local", wanted=9) == 9


@pytest.mark.slow
def test_a_server_that_is_down_is_asked_a_few_times_and_not_by_every_task(judge, release_with, server):
    server.control({"mood": {"kind": "error", "status": 503}})
    ask(actor=None, judge=judge, release=release_with(100))  # 200 tasks; the endpoint takes 50 at once
    drain()
    assert server.calls <= 50 + 26  # in flight, and at hand when it opened
    assert state() == BreakerState.OPEN
    assert JudgeTask.objects.filter(tries=0).count() >= 200 - 76

    server.control({"mood": None})
    pause_over()
    JudgeTask.objects.update(available_at=timezone.now())
    drain()
    assert Verdict.objects.count() == 200
    assert state() == BreakerState.CLOSED


def test_a_request_that_the_server_refuses_says_nothing_about_its_health(judge, release_with, server):
    server.control({"mood": {"kind": "error", "status": 400}})
    ask(actor=None, judge=judge, release=release_with(10))
    drain()
    assert state() == BreakerState.CLOSED


def test_workers_share_the_turns_of_an_endpoint():
    def worker(_: int) -> list[float]:
        try:
            return [take_turns(endpoint="local", number=2, gap=10.0) for _ in range(5)]
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        waits = sorted(wait for waits in pool.map(worker, range(4)) for wait in waits)
    # 20 times two turns of 10 s: they start 20 s apart, less the time that passed meanwhile
    assert [round(wait / 20) for wait in waits] == list(range(20))


def test_turns_that_were_given_before_the_clock_was_set_back_hold_up_nobody():
    take_turns(endpoint="local", number=1, gap=10.0)
    EndpointState.objects.update(next_turn_at=timezone.now() + dt.timedelta(days=2))
    assert [round(take_turns(endpoint="local", number=1, gap=10.0)) for _ in range(2)] == [0, 10]


def test_turns_of_an_endpoint_that_takes_one_request_a_minute_may_be_hours_away():
    began = time.monotonic()
    turns = [take_turns(endpoint="local", number=1, gap=60.0) for _ in range(200)]
    # each is counted from the moment of asking, so on a busy machine the last is that much nearer
    assert 199 * 60 - (time.monotonic() - began) - 1 <= turns[-1] - turns[0] <= 199 * 60


def test_a_bound_on_requests_per_minute_holds_over_two_workers(judge, release_with, server, settings):
    settings.JUDGE_ENDPOINTS = settings.JUDGE_ENDPOINTS.replace(
        '"max_attempts": 1', '"max_attempts": 1, "requests_per_minute": 1200'
    )
    ask(actor=None, judge=judge, release=release_with(10))
    began = time.monotonic()
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: drain(), range(2)))
    assert Verdict.objects.count() == 20
    assert time.monotonic() - began >= 19 * 60 / 1200  # a turn each 50 ms: the bound, not a measurement


def test_replies_that_are_too_large_say_nothing_against_the_endpoint(judge, release_with, server):
    """One question whose replies are too large kept every other run at its endpoint waiting."""
    server.control({"mood": {"kind": "body", "body": "x" * (5 << 20)}})
    ask(actor=None, judge=judge, release=release_with(THRESHOLD + 1), predicates=["suff"])
    drain()
    assert set(JudgeTask.objects.values_list("tries", flat=True)) == {1}
    assert "larger than" in JudgeTask.objects.values_list("last_error", flat=True)[0]
    assert state() == BreakerState.CLOSED
