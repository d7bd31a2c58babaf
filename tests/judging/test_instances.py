"""Models answer questions about instances through the same queue: once per question and vote, all replies kept."""

import csv
import json
from typing import Any

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from accounts.refusal import Refused
from benchmark.models import Release
from benchmark.protocols import get_protocol, protocol_names
from judging.asking.questions import question
from judging.models import Call, Judge, JudgeRun, JudgeTask, Verdict
from judging.runs.actions import ask, create_judge
from tests.benchmark.files import example_payload, gap
from tests.factories import (
    BenchmarkFactory,
    InstanceFactory,
    JudgeFactory,
    JudgeRunFactory,
    JudgeTaskFactory,
    OutputFactory,
    ReleaseFactory,
    VerdictFactory,
)
from tests.judging.test_unreadable import MALFORMED
from work.worker import drain

pytestmark = pytest.mark.django_db(transaction=True)
ASKED = [
    (name, predicate.key) for name in protocol_names() for predicate in get_protocol(name).instance_predicates
]
ITEMS = [key for name, key in ASKED if name == "re2math"]


@pytest.fixture(autouse=True)
def _quiet_bell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("judging.runs.actions.ring", lambda: None)


def release_of(protocol: str, count: int = 1) -> Release:
    """A release of so many instances, without outputs."""
    release = ReleaseFactory(
        name="gaps", benchmark=BenchmarkFactory(slug=protocol, name=protocol, protocol=protocol)
    )
    for number in range(count):
        payload = gap(number) if protocol == "re2math" else example_payload(protocol)
        InstanceFactory(release=release, key=f"gap-{number}", payload=payload)
    return release


@pytest.fixture
def gaps(db: None) -> Release:
    return release_of("re2math", 2)


def ask_about_instances(judge: Judge, release: Release, **given: Any) -> JudgeRun:
    return ask(actor=None, judge=judge, release=release, subject="instance", **given)


def test_every_instance_is_asked_every_item_once(judge, gaps, server):
    run = ask_about_instances(judge, gaps)
    assert (run.subject, run.track) == ("instance", "")
    assert drain() == server.calls == 2 * len(ITEMS) == 12
    assert set(Verdict.objects.values_list("instance__key", "predicate", "value")) == {
        (f"gap-{number}", item, "yes") for number in (0, 1) for item in ITEMS
    }
    with pytest.raises(Refused, match="every instance of gaps has its verdicts"):
        ask_about_instances(judge, gaps)


def test_every_prompt_and_reply_is_kept(judge, gaps, server):
    ask_about_instances(judge, gaps, predicates=["leak_free"])
    drain()
    for verdict in Verdict.objects.select_related("call", "instance"):
        sent = verdict.call.request["messages"][-1]["content"]
        assert verdict.instance.payload["x"]["anchor_hint"] in sent
        assert verdict.call.reply["choices"][0]["message"]["content"]
        assert verdict.call.prompt_sha256 == judge.prompts["leak_free"]["sha256"]


def test_without_more_words_a_run_is_about_outputs_and_asks_nothing_about_instances(judge, release_with):
    run = ask(actor=None, judge=judge, release=release_with(1))
    assert (run.subject, run.track) == ("output", "raw")
    assert not set(run.predicates) & set(ITEMS)
    assert not run.tasks.filter(instance__isnull=False).exists()


def test_votes_stop_early_question_by_question(endpoint, gaps, server):
    judge = create_judge(
        actor=None, slug="five", protocol="re2math", model="m", endpoint=endpoint, votes=5, early_stop=True
    )
    ask_about_instances(judge, gaps, predicates=["leak_free", "instrumental"])
    drain()
    assert server.calls == 2 * 2 * 3  # instances, items, and the three votes after which five are settled
    assert JudgeTask.objects.filter(state="not_needed").count() == 2 * 2 * 2


@pytest.mark.parametrize(("name", "predicate"), ASKED)
def test_each_item_is_answered_and_read(name, predicate, endpoint, server):
    judge = create_judge(actor=None, slug="reader", protocol=name, model="m", endpoint=endpoint)
    ask_about_instances(judge, release_of(name), predicates=[predicate])
    assert drain() == 1
    assert Verdict.objects.get().value == "yes"


@pytest.mark.parametrize(("name", "predicate"), ASKED)
def test_a_malformed_reply_is_kept_as_unparsed_and_counts_for_nothing(name, predicate, endpoint, server):
    judge = create_judge(actor=None, slug="reader", protocol=name, model="m", endpoint=endpoint)
    for text in MALFORMED[:3]:
        server.control({"text": text})
        Release.objects.filter(name="gaps").update(name=f"earlier-{Release.objects.count()}")
        ask_about_instances(judge, release_of(name), predicates=[predicate])
        drain()
    assert list(Verdict.objects.values_list("state", "value")) == [("unparsed", "")] * 3
    assert Call.objects.filter(error="", reply__isnull=False).count() == 3


@pytest.mark.parametrize(("name", "predicate"), ASKED)
def test_a_prompt_about_an_instance_names_neither_judge_nor_release(name, predicate, endpoint):
    judge = create_judge(actor=None, slug="canary-judge", protocol=name, model="canary", endpoint=endpoint)
    release = release_of(name)
    Release.objects.update(name="canary-release")
    run = ask_about_instances(judge, release, predicates=[predicate])
    assert "canary" not in json.dumps(question(run.tasks.get(), "0123456789abcdef").messages)


@pytest.mark.parametrize("factory", [JudgeTaskFactory, VerdictFactory])
@pytest.mark.parametrize(
    "spoil",
    [
        lambda one, other: {"instance": one.instance},  # an output and an instance
        lambda one, other: {"output": None},  # nothing
        lambda one, other: {"output": None, "second": other},  # half a pair
        lambda one, other: {"output": None, "second": other, "instance": one.instance},
        lambda one, other: {"output": None, "instance": one.instance, "order": 2},
    ],
)
def test_the_database_wants_exactly_one_kind_of_subject(factory, spoil):
    one = OutputFactory()
    other = OutputFactory(run=one.run, instance=one.instance, attempt=2)
    with pytest.raises(IntegrityError), transaction.atomic():
        factory(**{"output": one, **spoil(one, other)})


@pytest.mark.parametrize(
    ("factory", "owner", "made"),
    [(JudgeTaskFactory, "run", JudgeRunFactory), (VerdictFactory, "judge", JudgeFactory)],
)
def test_the_database_takes_one_row_per_instance_predicate_and_vote(factory, owner, made):
    row = {owner: made(), "output": None, "instance": InstanceFactory()}
    factory(**row)
    for other in ({"vote": 2}, {"predicate": "suff"}, {"instance": InstanceFactory()}, {owner: made()}):
        factory(**{**row, **other})
    with pytest.raises(IntegrityError), transaction.atomic():
        factory(**row)


@pytest.mark.parametrize(
    "spoil",
    [
        {"subject": "instance", "track": "raw"},
        {"subject": "output", "track": ""},
        {"subject": "pair", "track": ""},
        {"subject": "instance", "track": "", "after": True},
    ],
)
def test_the_database_wants_a_track_exactly_for_runs_on_outputs(spoil):
    given = {**spoil, **({"after": JudgeFactory()} if "after" in spoil else {})}
    with pytest.raises(IntegrityError), transaction.atomic():
        JudgeRunFactory(**given)


def test_a_run_on_instances_takes_no_track_and_follows_nobody(judge, gaps):
    for given in ({"track": "raw"}, {"after": JudgeFactory(protocol="re2math")}):
        with pytest.raises(Refused, match="has no track or condition and cannot follow another judge"):
            ask_about_instances(judge, gaps, **given)
    with pytest.raises(Refused, match="no predicate ground about instances; it has instrumental"):
        ask_about_instances(judge, gaps, predicates=["ground"])
    with pytest.raises(Refused, match="no predicate leak_free about outputs; it has ground"):
        ask(actor=None, judge=judge, release=gaps, predicates=["leak_free"])


def test_the_page_asks_shows_progress_and_the_replies(
    judge, gaps, server, client: Client, coordinator
) -> None:
    client.force_login(coordinator)
    page = client.get(reverse("judge", args=[judge.pk])).content.decode()
    assert "Ask this judge about instances" in page
    sent = {"subject": "instance", "release": "gaps", "predicates": ["leak_free"], "priority": 0}
    answer = client.post(reverse("judge", args=[judge.pk]), sent)
    run = JudgeRun.objects.get()
    assert answer.headers["Location"] == reverse("judge-run", args=[run.pk])
    drain()
    progress = client.get(reverse("judge-run", args=[run.pk])).content.decode()
    assert "2 of 2 answered" in progress
    assert "<dd>instances</dd>" in progress
    place = [judge.pk, Verdict.objects.earliest("pk").instance_id]
    replies = client.get(reverse("judge-about-instance", args=place)).content.decode()
    assert "About the instance" in replies
    assert "The prompt as it was sent" in replies
    again = client.post(reverse("judge", args=[judge.pk]), sent)
    assert again.status_code == 400
    assert "Nothing to ask: every instance of gaps" in again.content.decode()


def test_rest_asks_and_lists_the_verdicts(judge, gaps, server, client: Client, coordinator) -> None:
    client.force_login(coordinator)
    sent = {"judge": judge.pk, "release": "gaps", "subject": "instance", "predicates": ["leak_free"]}
    answer = client.post("/api/v1/judge-runs/", sent, content_type="application/json")
    assert (answer.status_code, answer.json()["subject"], answer.json()["n_tasks"]) == (201, "instance", 2)
    drain()
    listed = client.get("/api/v1/releases/gaps/verdicts/").json()["results"]
    assert {row["subject"] for row in listed} == {"gap-0/-/0", "gap-1/-/0"}
    assert [run["subject"] for run in client.get("/api/v1/judge-runs/?subject=instance").json()["results"]]


def test_the_command_asks_about_instances_and_works_until_they_are_answered(judge, gaps, server, capsys):
    call_command("judge", release="gaps", judge="strict", instances=True, predicate=["leak_free"], json=True)
    document = json.loads(capsys.readouterr().out)
    assert (document["subject"], document["track"], document["done"]) == ("instance", "", 2)
    assert document["verdicts"] == [{"predicate": "leak_free", "state": "answered", "value": "yes", "n": 2}]


def exported(capsys: pytest.CaptureFixture[str], *words: str) -> list[dict[str, str]]:
    capsys.readouterr()
    call_command("export_labels", "--release=gaps", *words)
    return list(csv.DictReader(capsys.readouterr().out.splitlines()))


def test_the_label_table_names_the_instance_and_no_system(judge, gaps, server, capsys):
    ask_about_instances(judge, gaps, predicates=["leak_free"])
    drain()
    call_command("check_invariants")
    rows = exported(capsys)
    assert [row["subject"] for row in rows] == ["gap-0/-/0", "gap-1/-/0"]
    assert {(row["system"], row["attempt"], row["value"], row["judge_version"]) for row in rows} == {
        ("", "", "yes", "strict-v1")
    }
