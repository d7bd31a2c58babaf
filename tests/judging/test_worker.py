"""A shift at the queue, against a local server that answers, fails, stalls and lies."""

import json
from dataclasses import replace

import pytest
from django.db import DatabaseError, OperationalError

from judging.asking import questions
from judging.asking.settlement import settle
from judging.kind import JUDGING
from judging.models import Call, JudgeRun, JudgeTask, Verdict
from judging.runs.actions import ask, create_judge, reconcile
from work.models import RunState, TaskState
from work.worker import drain

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _quiet_bell(monkeypatch):
    monkeypatch.setattr("judging.runs.actions.ring", lambda: None)


def test_every_question_gets_one_verdict_and_its_raw_call(judge, release_with, server):
    run = ask(actor=None, judge=judge, release=release_with(20))
    assert drain() == 40
    assert Verdict.objects.filter(value="yes", confidence=0.9).count() == 40
    assert Call.objects.filter(reply__object="chat.completion").count() == 40
    assert server.calls == 40
    reconcile()
    run.refresh_from_db()
    assert run.state == RunState.DONE


def test_votes_are_asked_independently(release_with, endpoint, server):
    judge = create_judge(actor=None, slug="five", protocol="re2math", model="m", endpoint=endpoint, votes=5)
    ask(actor=None, judge=judge, release=release_with(1), predicates=["suff"])
    drain()
    assert sorted(Verdict.objects.values_list("vote", flat=True)) == [1, 2, 3, 4, 5]
    assert server.calls == 5


def test_a_reply_that_does_not_parse_is_stored_as_unparsed_and_never_as_a_value(judge, release_with, server):
    server.control({"text": "The proof is correct. Verdict: yes"})
    ask(actor=None, judge=judge, release=release_with(2))
    drain()
    assert set(Verdict.objects.values_list("state", "value")) == {("unparsed", "")}
    assert all(
        call.reply["choices"][0]["message"]["content"].startswith("The proof") for call in Call.objects.all()
    )


def test_a_reply_without_words_is_unparsed_and_asked_again_only_as_a_repair(
    judge, release_with, endpoint, server
):
    server.control({"mood": {"kind": "text", "text": None}})
    release = release_with(1)
    ask(actor=None, judge=judge, release=release, predicates=["ground"])
    assert drain() == 1
    verdict = Verdict.objects.get()
    assert (verdict.state, verdict.value, verdict.call.completion_tokens) == ("unparsed", "", 9)
    repairing = create_judge(
        actor=None, slug="mends", protocol="re2math", model="m", endpoint=endpoint, repair=True
    )
    server.reset()
    server.control({"mood": {"kind": "text", "text": None}})
    ask(actor=None, judge=repairing, release=release, predicates=["ground"])
    drain()
    assert (server.calls, Verdict.objects.filter(state="unparsed").count()) == (2, 2)
    assert not JudgeTask.objects.exclude(state=TaskState.DONE).exists()


def test_a_failing_server_costs_no_verdict_and_the_task_waits_for_another_try(judge, release_with, server):
    server.control({"mood": {"kind": "error", "status": 500}})
    ask(actor=None, judge=judge, release=release_with(1), predicates=["ground"])
    drain()
    task = JudgeTask.objects.get()
    assert (task.state, task.tries, Verdict.objects.count()) == (TaskState.WAITING, 1, 0)
    assert "500" in task.last_error
    assert Call.objects.get().error

    server.control({"mood": None})
    JudgeTask.objects.update(available_at=task.run.created_at)
    assert drain() == 1


def test_a_request_that_the_server_refuses_fails_for_good(judge, release_with, server):
    server.control({"mood": {"kind": "error", "status": 400}})
    ask(actor=None, judge=judge, release=release_with(1), predicates=["ground"])
    drain()
    assert JudgeTask.objects.get().state == TaskState.FAILED


def test_an_endpoint_that_is_not_declared_is_not_called(judge, release_with, settings, server):
    ask(actor=None, judge=judge, release=release_with(1), predicates=["ground"])
    settings.JUDGE_ENDPOINTS = ""
    drain()
    assert server.calls == 0
    assert "not configured" in JudgeTask.objects.get().last_error


def test_the_proof_stands_in_the_prompt_only_as_data_and_nothing_names_the_system(
    judge, release_with, server
):
    release = release_with(1)
    ask(actor=None, judge=judge, release=release, predicates=["ground"])
    drain()
    sent = json.dumps(server.requests[0])
    assert "Statement 1:" in sent
    system = release.runs.get().system
    assert system.slug not in sent
    assert system.name not in sent


def test_two_workers_share_a_queue_without_doubling(judge, release_with, server):
    from concurrent.futures import ThreadPoolExecutor

    server.control({"latency": 0.02})
    ask(actor=None, judge=judge, release=release_with(60))
    with ThreadPoolExecutor(2) as pool:
        stored = list(pool.map(lambda _: drain(), range(2)))
    assert sum(stored) == Verdict.objects.count() == 120
    assert server.calls == 120


@pytest.mark.parametrize("after_the_commit", [False, True])
def test_replies_outlast_a_database_that_is_away_and_are_not_asked_for_again(
    judge, release_with, server, monkeypatch, after_the_commit
):
    """Cut off before the commit, or after it but before its answer: each call and verdict is stored once."""
    cut_off = iter([True, True, False])

    def flaky(**batch):
        stored = settle(**batch) if after_the_commit else 0
        if next(cut_off, False):
            raise OperationalError("server closed the connection unexpectedly")
        return stored or settle(**batch)

    monkeypatch.setattr("work.worker.kinds", lambda: [replace(JUDGING, settle=flaky)])
    ask(actor=None, judge=judge, release=release_with(10))
    drain()
    assert (server.calls, Call.objects.count(), Verdict.objects.count()) == (20, 20, 20)


@pytest.mark.parametrize("broken", [True, False])
def test_a_plain_database_error_is_an_outage_only_if_the_connection_is_gone(
    judge, release_with, server, monkeypatch, broken
):
    """psycopg2 raises it when the server hangs up within a statement; anything else is a fault and is raised."""
    monkeypatch.setattr("work.database_thread._connection_is_broken", lambda: broken)
    faults = iter([True])

    def flaky(**batch):
        if next(faults, False):
            raise DatabaseError("server closed the connection unexpectedly")
        return settle(**batch)

    monkeypatch.setattr("work.worker.kinds", lambda: [replace(JUDGING, settle=flaky)])
    ask(actor=None, judge=judge, release=release_with(5))
    if broken:
        assert drain() == server.calls == 10
    else:
        with pytest.raises(DatabaseError, match="server closed"):
            drain()
        assert Verdict.objects.count() == 0


def test_a_question_that_cannot_be_put_together_fails_alone(judge, release_with, server, monkeypatch):
    release = release_with(2)
    ask(actor=None, judge=judge, release=release, predicates=["ground"])
    broken = release.runs.get().outputs.get(attempt=1).pk
    fields = questions.fields_of
    monkeypatch.setattr(questions, "fields_of", lambda task: {} if task.output_id == broken else fields(task))
    assert drain() == 1
    failed = JudgeTask.objects.get(state=TaskState.FAILED)
    assert (failed.output_id, failed.last_error[:11]) == (broken, "PromptError")


def test_a_lie_about_the_prompt_is_found_out(judge, release_with, server, monkeypatch):
    run = ask(actor=None, judge=judge, release=release_with(1), predicates=["ground"])
    monkeypatch.setitem(judge.prompts["ground"], "sha256", "f" * 64)
    monkeypatch.setattr("work.worker.claim", lambda kind, **kw: _claimed_with(judge, kind, **kw))
    drain()
    assert server.calls == 0
    assert "has changed" in JudgeRun.objects.get(pk=run.pk).tasks.get().last_error


def _claimed_with(judge, kind, **kwargs):
    from work.claims import claim

    tasks = claim(kind, **kwargs)
    for task in tasks:
        task.run.judge = judge
    return tasks
