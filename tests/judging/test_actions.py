"""What is asked, of whom, and what is refused."""

import pytest

from accounts.models import AuditEvent
from accounts.refusal import Refused
from benchmark.files.actions import attach
from benchmark.models import Output, Run
from judging.kind import JUDGING
from judging.models import Judge, JudgeTask
from judging.runs.actions import (
    PublishedVerdict,
    ask,
    create_judge,
    imported_judge,
    reconcile,
    store_published,
)
from judging.runs.steering import retry_failed, steer
from tests.benchmark.pdfs import png
from tests.factories import VerdictFactory
from work.claims import claim, give_back, new_owner
from work.kinds import Failure
from work.models import RunState, TaskState

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _quiet_bell(monkeypatch):
    monkeypatch.setattr("judging.runs.actions.ring", lambda: None)
    monkeypatch.setattr("judging.runs.steering.ring", lambda: None)


def test_the_same_settings_are_the_same_judge_version(judge, endpoint):
    again = create_judge(actor=None, slug="strict", protocol="re2math", model="some-model", endpoint=endpoint)
    assert again == judge


@pytest.mark.parametrize("change", [{"model": "other"}, {"votes": 3}, {"decoding": {"temperature": 1}}])
def test_any_other_setting_makes_the_next_version(judge, endpoint, change):
    settings = {"slug": "strict", "protocol": "re2math", "model": "some-model", "endpoint": endpoint}
    assert create_judge(actor=None, **{**settings, **change}).label == "strict-v2"


def test_asking_queues_one_task_per_output_predicate_and_vote(release_with, endpoint):
    judge = create_judge(actor=None, slug="three", protocol="re2math", model="m", endpoint=endpoint, votes=3)
    run = ask(actor=None, judge=judge, release=release_with(2))
    assert run.tasks.count() == 2 * 2 * 3  # outputs, predicates, votes


def test_asking_freezes_the_runs_and_writes_the_audit_trail(judge, release_with, owner):
    release = release_with(1)
    ask(actor=owner, judge=judge, release=release)
    assert Run.objects.get(release=release).frozen_at is not None
    assert AuditEvent.objects.filter(actor=owner, verb="ask judge").count() == 1


def test_an_output_that_is_a_pdf_alone_is_left_to_people(judge, release_with):
    release = release_with(2)
    alone, with_text = Output.objects.order_by("pk")
    Output.objects.filter(pk=alone.pk).update(text="")
    for output in (alone, with_text):
        attach(actor=None, subject=output, name="p.png", data=png("x"))
    run = ask(actor=None, judge=judge, release=release)
    assert set(run.tasks.values_list("output_id", flat=True)) == {with_text.pk}


def test_abstentions_and_failures_are_never_judged(judge, release_with):
    release = release_with(3)
    Output.objects.filter(attempt=2).update(state="abstained")
    Output.objects.filter(attempt=3).update(state="failed")
    run = ask(actor=None, judge=judge, release=release)
    assert set(run.tasks.values_list("output__attempt", flat=True)) == {1}


def test_what_has_a_verdict_is_not_asked_again(judge, release_with):
    release = release_with(2)
    first = Output.objects.get(attempt=1)
    VerdictFactory(judge=judge, output=first, predicate="ground")
    run = ask(actor=None, judge=judge, release=release, predicates=["ground"])
    assert [task.output.attempt for task in run.tasks.all()] == [2]


def test_asking_when_everything_is_answered_is_refused_and_leaves_no_run(judge, release_with):
    release = release_with(1)
    VerdictFactory(judge=judge, output=Output.objects.get(), predicate="ground")
    with pytest.raises(Refused, match="Nothing to ask"):
        ask(actor=None, judge=judge, release=release, predicates=["ground"])
    assert judge.runs.count() == 0


def test_what_another_run_is_still_to_ask_is_left_to_it(judge, release_with, owner):
    """A double click, or two owners at once: the calls are paid for once. A paused run keeps its questions too."""
    release = release_with(2)
    first = ask(actor=owner, judge=judge, release=release, predicates=["ground"])
    steer(actor=owner, run=first, to=RunState.PAUSED)
    with pytest.raises(Refused, match=f"or waits for them in run {first.pk}"):
        ask(actor=owner, judge=judge, release=release, predicates=["ground"])
    rest = ask(actor=owner, judge=judge, release=release)
    assert set(rest.tasks.values_list("predicate", flat=True)) == {"suff"}
    steer(actor=owner, run=first, to=RunState.CANCELLED)
    again = ask(actor=owner, judge=judge, release=release, predicates=["ground"])
    assert again.tasks.count() == 2


@pytest.mark.parametrize("priority", [-101, 101, 2**31])
def test_a_run_is_asked_for_with_a_priority_that_it_could_be_given_later(
    client, owner, judge, release_with, priority
):
    client.force_login(owner)
    sent = {"judge": judge.pk, "release": release_with(1).name, "priority": priority}
    answer = client.post("/api/v1/judge-runs/", sent, content_type="application/json")
    assert (answer.status_code, answer.json()["field"]) == (400, "priority")


def test_an_unknown_predicate_is_refused_by_name(judge, release_with):
    with pytest.raises(Refused, match="no predicate novelty about outputs; it has ground, suff"):
        ask(actor=None, judge=judge, release=release_with(1), predicates=["novelty"])


def test_a_judge_of_imported_verdicts_cannot_be_asked(release_with):
    judge = imported_judge(actor=None, slug="published", protocol="re2math", published_as="gpt-x/2026")
    with pytest.raises(Refused, match="imported verdicts"):
        ask(actor=None, judge=judge, release=release_with(1))
    assert judge.label == "gpt-x/2026"


def test_published_verdicts_are_stored_once(release_with):
    release_with(2)
    judge = imported_judge(actor=None, slug="published", protocol="re2math", published_as="")
    verdicts = [PublishedVerdict(output, "ground", "yes", "answered") for output in Output.objects.all()]
    assert store_published(judge=judge, verdicts=verdicts) == 2
    assert store_published(judge=judge, verdicts=verdicts) == 0


def test_a_paused_run_hands_out_no_work_until_it_is_resumed(judge, release_with, owner):
    run = ask(actor=None, judge=judge, release=release_with(1))
    steer(actor=owner, run=run, to=RunState.PAUSED)
    assert claim(JUDGING, owner=new_owner(), limit=10) == []
    steer(actor=owner, run=run, to=RunState.RUNNING)
    assert len(claim(JUDGING, owner=new_owner(), limit=10)) == 2


def test_a_cancelled_run_cannot_be_resumed(judge, release_with, owner):
    run = ask(actor=None, judge=judge, release=release_with(1))
    steer(actor=owner, run=run, to=RunState.CANCELLED)
    with pytest.raises(Refused, match="The run is cancelled, so it cannot be resumed"):
        steer(actor=owner, run=run, to=RunState.RUNNING)


def test_failed_tasks_can_be_queued_again(judge, release_with, owner):
    run = ask(actor=None, judge=judge, release=release_with(1))
    JudgeTask.objects.update(state=TaskState.FAILED, tries=6)
    assert reconcile()["finished"] == 1
    assert retry_failed(actor=owner, run=run) == 2
    run.refresh_from_db()
    assert run.state == RunState.RUNNING
    assert set(run.tasks.values_list("state", "tries")) == {(TaskState.WAITING, 0)}


def test_failed_tasks_of_a_cancelled_run_are_not_said_to_be_back(judge, release_with, owner):
    run = ask(actor=None, judge=judge, release=release_with(2))
    JudgeTask.objects.filter(pk__in=run.tasks.values("pk")[:1]).update(state=TaskState.FAILED, tries=6)
    steer(actor=owner, run=run, to=RunState.CANCELLED)
    with pytest.raises(Refused, match="The run was cancelled"):
        retry_failed(actor=owner, run=run)
    assert run.tasks.filter(state=TaskState.FAILED).count() == 1


def test_what_another_run_has_asked_for_since_is_not_asked_again(judge, release_with, owner):
    """Of two outputs that failed in a first run, a second run has the verdict on one, and is still to ask the other."""
    release = release_with(2)
    first = ask(actor=None, judge=judge, release=release, predicates=["ground"])
    JudgeTask.objects.update(state=TaskState.FAILED, tries=6)
    reconcile()
    second = ask(actor=None, judge=judge, release=release, predicates=["ground"])
    one, other = second.tasks.order_by("id")
    VerdictFactory(judge=judge, output=one.output, predicate="ground", vote=1)
    JudgeTask.objects.filter(pk=one.pk).update(state=TaskState.DONE)
    with pytest.raises(Refused, match="Other runs have asked for these verdicts since"):
        retry_failed(actor=owner, run=first)
    steer(actor=owner, run=second, to=RunState.CANCELLED)  # with what it was still to ask
    assert retry_failed(actor=owner, run=first) == 1
    assert first.tasks.get(state=TaskState.WAITING).output == other.output


def test_asking_survives_a_broker_that_is_away_and_the_next_pass_rings_again(
    judge, release_with, monkeypatch, django_capture_on_commit_callbacks
):
    from kombu.exceptions import OperationalError

    from work.signal import ring

    def away(*args, **kwargs):
        raise OperationalError("connection refused")

    monkeypatch.setattr("judging.runs.actions.ring", ring)
    monkeypatch.setattr("work.signal.current_app.send_task", away)
    with django_capture_on_commit_callbacks(execute=True):
        run = ask(actor=None, judge=judge, release=release_with(1))
    assert run.tasks.count() == 2
    rings = []
    monkeypatch.setattr("work.claims.ring", lambda: rings.append("ring"))
    assert reconcile()["waiting"] == 2
    assert rings == ["ring"]


def test_a_task_given_back_too_often_is_failed_for_good(judge, release_with):
    import datetime as dt

    run = ask(actor=None, judge=judge, release=release_with(1), predicates=["ground"])
    for _ in range(6):  # work.backoff.MAX_TRIES
        JudgeTask.objects.update(available_at=run.created_at)
        owner = new_owner()
        (task,) = claim(JUDGING, owner=owner, limit=1)
        down = Failure(task=task, error="down", wait=dt.timedelta(hours=1), final=False)
        assert give_back(JudgeTask, owner=owner, failures=[down]) == 1
    assert run.tasks.get().state == TaskState.FAILED


def test_an_owner_makes_a_judge_through_rest_and_the_same_settings_give_the_same_version(
    endpoint, client, owner, coordinator
):
    sent = {
        "slug": "by-rest",
        "protocol": "re2math",
        "model": "m",
        "endpoint": endpoint,
        "votes": 3,
        "decoding": {"temperature": 0, "max_tokens": 500},
        "budget_tokens": 90_000,
    }
    client.force_login(coordinator)
    refused = client.post("/api/v1/judges/", sent, content_type="application/json")
    assert refused.status_code == 403
    client.force_login(owner)
    made = client.post("/api/v1/judges/", sent, content_type="application/json")
    again = client.post("/api/v1/judges/", sent, content_type="application/json")
    assert (made.status_code, made.json()["label"], again.json()["id"]) == (
        201,
        "by-rest-v1",
        made.json()["id"],
    )
    assert (made.json()["votes"], made.json()["budget"]) == (3, {"tokens": 90_000})
    assert Judge.objects.count() == 1


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"endpoint": "nowhere"}, "endpoint"),
        ({"votes": 0}, "votes"),
        *(
            ({"decoding": decoding}, "decoding")
            for decoding in (
                {"heat": 1},
                {"max_tokens": -1},  # no limit, say many servers
                {"max_tokens": 0},
                {"max_completion_tokens": True},
                {"max_tokens": "5"},
                {"max_tokens": 2**31},
                {"temperature": "hot"},
                {"stop": [1]},
            )
        ),
    ],
)
def test_a_judge_that_does_not_fit_is_refused_with_its_field(endpoint, client, owner, changed, field):
    client.force_login(owner)
    sent = {"slug": "j", "protocol": "re2math", "model": "m", "endpoint": endpoint, **changed}
    answer = client.post("/api/v1/judges/", sent, content_type="application/json")
    assert (answer.status_code, answer.json()["field"]) == (400, field)
    assert not Judge.objects.exists()


def test_a_program_is_made_a_judge_through_rest(client, owner):
    client.force_login(owner)
    sent = {"slug": "algebra", "protocol": "masked_steps", "program": "algebra"}
    answer = client.post("/api/v1/judges/", sent, content_type="application/json")
    assert (answer.status_code, answer.json()["model"]) == (201, "")
    assert answer.json()["program"].startswith("algebra-v")
