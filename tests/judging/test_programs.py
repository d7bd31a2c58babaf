"""Programs as judges: asked through the same queue, stopped from outside, stored once."""

import hashlib

import pytest
from django.core.management import call_command
from django.db import IntegrityError
from django.urls import reverse

from accounts.refusal import Refused
from benchmark.models import Output
from benchmark.protocol import ProgramReply
from judging.models import Call, JudgeTask, Verdict
from judging.runs.actions import ask, create_judge, reconcile
from tests.factories import JudgeFactory
from tests.judging.programs import protocol_with_programs
from work.models import RunState, TaskState
from work.worker import drain

pytestmark = pytest.mark.django_db(transaction=True)
PLACES = ("judging.runs.actions", "judging.programs.programs", "judging.runs.forms")


@pytest.fixture(autouse=True)
def _mirror(monkeypatch):
    monkeypatch.setattr("judging.runs.actions.ring", lambda: None)
    monkeypatch.setattr("judging.programs.pool.CHILD", "tests.judging.programs")
    for place in PLACES:
        monkeypatch.setattr(f"{place}.get_protocol", protocol_with_programs)


@pytest.fixture
def mirror(db):
    return create_judge(actor=None, slug="mirror", protocol="re2math", program="mirror")


def judged(mirror, release_with, *texts):
    """The verdicts on outputs with these texts, by text."""
    release = release_with(len(texts))
    for attempt, text in enumerate(texts, start=1):
        Output.objects.filter(attempt=attempt).update(text=text)
    run = ask(actor=None, judge=mirror, release=release)
    drain()
    reconcile()
    run.refresh_from_db()
    assert run.state == RunState.DONE
    return {verdict.output.text: verdict for verdict in Verdict.objects.select_related("output", "call")}


@pytest.mark.slow
def test_a_verdict_is_stored_once_with_the_programs_whole_reply(mirror, release_with):
    verdict = judged(mirror, release_with, "plain")["plain"]
    assert (verdict.value, verdict.state, verdict.reason) == ("no", "answered", "ground of instance_id")
    assert verdict.call.reply["evidence"] == {"spans": [[0, 3]]}
    assert verdict.call.request == {"program": "mirror-v1", "predicate": "ground", "seconds": 2.0}
    assert verdict.call.prompt_sha256 == hashlib.sha256(b"mirror-v1").hexdigest()
    assert (verdict.call.prompt_tokens, verdict.call.completion_tokens) == (None, None)
    with pytest.raises(Refused, match="Nothing to ask"):
        ask(actor=None, judge=mirror, release=verdict.output.run.release)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("hang", "stopped after 2 seconds"),
        ("hang in C", "stopped after 2 seconds"),
        ("die", "process ended"),
        ("eat memory", "failed: MemoryError"),
        ("raise", "failed: ValueError"),
        ("long", "more than 200000 characters"),
        ("cannot", "there is nothing to compare"),
    ],
)
def test_a_program_that_fails_is_unavailable_with_the_reason_and_the_others_are_answered(
    mirror, release_with, text, words
):
    verdicts = judged(mirror, release_with, "before", text, "after")
    assert (verdicts[text].value, verdicts[text].state) == ("", "unavailable")
    assert words in verdicts[text].reason
    assert "words of the text" not in verdicts[text].reason
    assert (verdicts["before"].value, verdicts["after"].value) == ("no", "no")
    assert Call.objects.count() == 3


def test_what_a_program_prints_is_not_its_reply(mirror, release_with):
    assert judged(mirror, release_with, "print")["print"].value == "no"


def test_a_program_sees_no_setting_of_the_deployment(mirror, release_with, monkeypatch):
    monkeypatch.setenv("TOUCHSTONE_SECRET_KEY", "very-secret")
    seen = judged(mirror, release_with, "keys")["keys"].reason.split()
    assert "PATH" in seen
    assert not [name for name in seen if "TOUCHSTONE" in name or "URL" in name]


def test_a_new_version_of_the_program_is_a_new_judge_and_the_old_one_is_not_asked(
    mirror, release_with, monkeypatch
):
    assert create_judge(actor=None, slug="mirror", protocol="re2math", program="mirror-v1") == mirror
    release = release_with(1)
    ask(actor=None, judge=mirror, release=release)
    for place in PLACES:
        monkeypatch.setattr(f"{place}.get_protocol", lambda name: protocol_with_programs(name, version=2))
    drain()
    task = JudgeTask.objects.get()
    assert task.state == TaskState.FAILED
    assert "another version" in task.last_error
    with pytest.raises(Refused, match="another version"):
        ask(actor=None, judge=mirror, release=release)
    assert create_judge(actor=None, slug="mirror", protocol="re2math", program="mirror").label == "mirror-v2"


def test_a_child_that_cannot_start_costs_nothing_and_is_tried_again(mirror, release_with, monkeypatch):
    monkeypatch.setattr("judging.programs.pool.CHILD", "tests.judging.nonesuch")
    ask(actor=None, judge=mirror, release=release_with(1))
    drain()
    task = JudgeTask.objects.get()
    assert (task.state, task.tries, Verdict.objects.count()) == (TaskState.WAITING, 1, 0)
    assert "before it was ready" in task.last_error


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"program": "nonesuch"}, "has no program 'nonesuch'; it has mirror-v1"),
        ({"program": "mirror", "model": "m"}, "has no model"),
        ({"program": "mirror", "votes": 3}, "has no model"),
        ({}, "needs an endpoint and a model, or a program"),
    ],
)
def test_settings_that_do_not_fit_are_refused(db, settings, words):
    with pytest.raises(Refused, match=words):
        create_judge(actor=None, slug="x", protocol="re2math", **settings)


def test_the_database_refuses_a_program_with_an_endpoint_or_several_votes(db):
    for wrong in ({"endpoint": "local", "model": ""}, {"model": "m"}, {"model": "", "votes": 3}):
        with pytest.raises(IntegrityError, match="judge_program_has_no_model_and_one_vote"):
            JudgeFactory(program="mirror-v1", **wrong)


@pytest.mark.parametrize(("value", "state"), [("maybe", "answered"), ("yes", "unavailable"), ("", "failed")])
def test_a_reply_outside_the_values_cannot_be_made(value, state):
    with pytest.raises(ValueError, match="cannot reply"):
        ProgramReply(value, "because", state=state)


def test_an_owner_makes_one_in_the_browser_without_any_endpoint(client, owner, release_with):
    release = release_with(1)
    client.force_login(owner)
    page = client.get(reverse("new-judge")).content.decode()
    assert "Mirror (re2math, mirror-v1)" in page
    sent = {"slug": "by-page", "program": "re2math mirror-v1"}
    made = client.post(reverse("new-judge"), sent, follow=True).content.decode()
    assert "mirror-v1" in made
    assert f"{release.name} (raw)" in made  # it can be asked at once
    assert "<td>program</td>" in client.get(reverse("judges")).content.decode()
    assert client.post(reverse("new-judge"), sent | {"slug": "a b"}).status_code == 400


@pytest.mark.slow
def test_rest_creates_it_and_the_command_asks_it(client, owner, release_with, capsys):
    release = release_with(2)
    client.force_login(owner)
    sent = {"slug": "by-rest", "protocol": "re2math", "program": "mirror"}
    address = reverse("api-judges")
    assert client.post(address, sent, content_type="application/json").status_code == 201
    call_command("judge", "--judge", "by-rest", "--release", release.name)
    assert Verdict.objects.filter(value="no").count() == 2
    for wrong, reason in (({"model": "m"}, "has no model"), ({"protocol": "nonesuch"}, "'nonesuch'")):
        refused = client.post(address, sent | wrong | {"slug": "x"}, content_type="application/json")
        assert refused.status_code == 400
        assert reason in refused.json()["reason"]
