"""A model is asked only where the algebra program left the question open; the combination is a judge of its own."""

from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError
from django.urls import reverse
from django.utils import timezone

from accounts.refusal import Refused
from benchmark.models import Output
from benchmark.protocols import get_protocol
from judging.models import Judge, JudgeRun, JudgeTask, Verdict
from judging.runs.actions import ask, create_judge, reconcile
from judging.runs.combining import RULE
from judging.runs.steering import retry_failed
from tests.factories import (
    BenchmarkFactory,
    InstanceFactory,
    JudgeRunFactory,
    OutputFactory,
    ReleaseFactory,
    RunFactory,
    VerdictFactory,
)
from tests.judging.conftest import SAMPLE
from work.models import RunState, TaskState
from work.worker import drain

pytestmark = pytest.mark.django_db(transaction=True)
MASKED = SAMPLE.parent / "masked_steps" / "release.jsonl"
# The mask is 1 - x^{n+1}: equal, different, and (with a letter of its own) open.
ANSWERS = ["$-(x^{n+1}-1)$", "$1-x^n$", "$1-y$"]


@pytest.fixture(autouse=True)
def _quiet_bell(monkeypatch):
    monkeypatch.setattr("judging.runs.actions.ring", lambda: None)
    monkeypatch.setattr("judging.runs.steering.ring", lambda: None)


@pytest.fixture
def release(db):
    """Three answers to the third mask of the sample."""
    mask = next(record for record in get_protocol("masked_steps").read_release(MASKED) if record.key == "3")
    benchmark = BenchmarkFactory(slug="masked", name="Masked", protocol="masked_steps")
    run = RunFactory(release=ReleaseFactory(benchmark=benchmark))
    instance = InstanceFactory(release=run.release, payload=mask.payload)
    for attempt, text in enumerate(ANSWERS, start=1):
        OutputFactory(run=run, instance=instance, attempt=attempt, payload={}, text=text)
    return run.release


@pytest.fixture
def algebra(release):
    judge = create_judge(actor=None, slug="algebra", protocol="masked_steps", program="algebra")
    ask(actor=None, judge=judge, release=release)
    drain()
    reconcile()
    return judge


@pytest.fixture
def model(endpoint):
    return create_judge(
        actor=None, slug="reader", protocol="masked_steps", model="m", endpoint=endpoint, votes=3
    )


def combined():
    rows = Verdict.objects.filter(judge__slug="algebra-then-reader").order_by("output__attempt")
    return [(verdict.value, verdict.state, verdict.reason) for verdict in rows]


@pytest.mark.slow
def test_only_open_questions_reach_the_model_and_each_verdict_says_who_decided(
    algebra, model, release, server
):
    run = ask(actor=None, judge=model, release=release, after=algebra)
    assert run.after == algebra
    assert set(run.tasks.values_list("output__attempt", flat=True)) == {3}
    drain()
    reconcile()
    assert server.calls == 3  # three votes on one answer
    assert combined() == [
        ("yes", "answered", "decided by algebra-v1"),
        ("no", "answered", "decided by algebra-v1"),
        ("yes", "answered", "decided by reader-v1"),
    ]
    judge = Judge.objects.get(slug="algebra-then-reader")
    assert judge.prompts == {"equivalent": {"first": "algebra-v1", "then": "reader-v1", "rule": RULE}}
    assert Verdict.objects.filter(judge=model).count() == 3


@pytest.mark.slow
def test_a_vote_that_failed_is_not_combined_until_it_is_tried_again(algebra, model, release, server, owner):
    server.control({"mood": {"kind": "error", "status": 400}})
    run = ask(actor=None, judge=model, release=release, after=algebra)
    drain()
    reconcile()
    assert len(combined()) == 2
    assert set(run.tasks.values_list("state", flat=True)) == {TaskState.FAILED}
    server.control({"mood": None})
    retry_failed(actor=owner, run=run)
    JudgeTask.objects.update(available_at=run.created_at)
    drain()
    reconcile()
    reconcile()
    assert [value for value, _, _ in combined()] == ["yes", "no", "yes"]


def test_the_first_judge_must_have_spoken_about_every_answer(model, release):
    algebra = create_judge(actor=None, slug="algebra", protocol="masked_steps", program="algebra")
    with pytest.raises(Refused, match="has no verdicts on 3 answers"):
        ask(actor=None, judge=model, release=release, after=algebra)
    assert JudgeRun.objects.count() == 0


@pytest.mark.slow
def test_a_judge_cannot_follow_itself_or_one_with_other_questions(algebra, model, judge, release):
    for other in (model, judge):
        with pytest.raises(Refused, match="cannot follow"):
            ask(actor=None, judge=model, release=release, after=other)
    with pytest.raises(IntegrityError, match="judge_run_not_after_itself"):
        JudgeRunFactory(judge=model, after=model)


@pytest.mark.slow
def test_nothing_is_asked_where_everything_was_decided(algebra, model, release):
    open_one = Output.objects.get(attempt=3)
    for vote in (2, 3):  # two of three votes make a majority
        VerdictFactory(judge=algebra, output=open_one, predicate="equivalent", vote=vote, value="no")
    with pytest.raises(Refused, match="Nothing to ask"):
        ask(actor=None, judge=model, release=release, after=algebra)


@pytest.mark.slow
def test_the_command_the_page_and_rest_ask_the_same_way(algebra, model, release, client, coordinator):
    with pytest.raises(CommandError, match="no judge 'nonesuch'"):
        call_command("judge", "--judge", "reader", "--release", release.name, "--after", "nonesuch")
    call_command("judge", "--judge", "reader", "--release", release.name, "--after", "algebra")
    assert len(combined()) == 3

    client.force_login(coordinator)
    other = create_judge(
        actor=None, slug="other", protocol="masked_steps", model="m2", endpoint=model.endpoint
    )
    target = {"target": f"{release.name} raw", "predicates": ["equivalent"], "after": algebra.pk}
    shown = client.post(reverse("judge", args=[other.pk]), target, follow=True).content.decode()
    assert "Asked only what was left undecided by" in shown
    third = create_judge(
        actor=None, slug="third", protocol="masked_steps", model="m3", endpoint=model.endpoint
    )
    sent = {"judge": third.pk, "release": release.name, "after": algebra.pk}
    made = client.post(reverse("api-judge-runs"), sent, content_type="application/json")
    assert made.status_code == 201
    assert (made.json()["after"], made.json()["n_tasks"]) == (algebra.pk, 1)

    page = client.get(reverse("judge", args=[Judge.objects.get(slug="algebra-then-reader").pk]))
    assert "is combined from algebra-v1 and then reader-v1" in page.content.decode()


@pytest.mark.slow
def test_a_judge_whose_votes_are_not_all_in_is_not_followed(algebra, model, release, endpoint, server):
    """What it says so far may be the opposite of what it will say, and combined verdicts stay."""
    asked = ask(actor=None, judge=model, release=release)
    JudgeTask.objects.filter(vote__gt=1).update(available_at=timezone.now() + timedelta(hours=1))
    drain()
    assert Verdict.objects.filter(judge=model).count() == len(ANSWERS)  # one vote of three each
    last = create_judge(actor=None, slug="last", protocol="masked_steps", model="m", endpoint=endpoint)
    for state in (RunState.RUNNING, RunState.PAUSED):
        JudgeRun.objects.filter(pk=asked.pk).update(state=state)
        with pytest.raises(Refused, match="6 to come"):
            ask(actor=None, judge=last, release=release, after=model)
    JudgeRun.objects.filter(pk=asked.pk).update(state=RunState.RUNNING)
    JudgeTask.objects.update(available_at=timezone.now())
    drain()
    reconcile()
    with pytest.raises(Refused, match="Nothing to ask"):  # its votes are all in, and all say yes
        ask(actor=None, judge=last, release=release, after=model)
