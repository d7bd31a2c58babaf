"""Votes are asked for while they can change the majority, and what is left out is counted."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.urls import reverse

from benchmark.models import Output
from judging.kind import JUDGING
from judging.models import JudgeTask, Verdict
from judging.runs.actions import ask, create_judge, reconcile
from judging.runs.progress import steadiness
from judging.runs.steering import retry_failed
from tests.factories import VerdictFactory
from work.claims import claim, new_owner
from work.models import RunState, TaskState
from work.worker import drain

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _quiet_bell(monkeypatch):
    monkeypatch.setattr("judging.runs.actions.ring", lambda: None)
    monkeypatch.setattr("judging.runs.steering.ring", lambda: None)


@pytest.fixture
def judge_of(endpoint):
    def make(votes: int, **settings):
        return create_judge(
            actor=None,
            slug=f"of-{votes}",
            protocol="re2math",
            model="m",
            endpoint=endpoint,
            votes=votes,
            **{"early_stop": True, **settings},
        )

    return make


def says(server, *labels: str) -> None:
    """The server's next answers, in the order of the calls."""
    texts = [json.dumps({"label": label, "reason": "r", "confidence": None}) for label in labels]
    server.control({"script": [{"kind": "text", "text": text} for text in texts]})


@pytest.mark.parametrize(
    ("votes", "labels", "calls"),
    [
        (3, ["yes", "yes"], 2),
        (3, ["yes", "no", "yes"], 3),
        (5, ["no", "no", "no"], 3),
        (5, ["no", "yes", "no", "no"], 4),
        (5, ["no", "yes", "no", "yes", "no"], 5),
        (3, ["yes", "no", "uncertain"], 3),
        (4, ["yes", "no", "uncertain"], 3),
        (5, ["yes", "no", "uncertain", "uncertain", "no"], 5),
        (1, ["yes"], 1),
    ],
)
def test_no_more_votes_are_asked_for_than_the_majority_needs(
    judge_of, release_with, server, votes, labels, calls
):
    says(server, *labels)
    run = ask(actor=None, judge=judge_of(votes), release=release_with(1), predicates=["ground"])
    assert drain() == server.calls == calls
    assert run.tasks.filter(state=TaskState.NOT_NEEDED).count() == votes - calls
    reconcile()
    run.refresh_from_db()
    assert run.state == RunState.DONE


def test_without_early_stop_every_vote_is_asked_for(judge_of, release_with, server):
    run = ask(actor=None, judge=judge_of(5, early_stop=False), release=release_with(1), predicates=["ground"])
    assert drain() == 5
    assert not run.tasks.filter(state=TaskState.NOT_NEEDED).exists()


def test_a_vote_that_fails_for_good_makes_room_for_the_next(judge_of, release_with, server):
    server.control({"script": [{"kind": "error", "status": 400}]})
    run = ask(actor=None, judge=judge_of(3), release=release_with(1), predicates=["ground"])
    assert drain() == 2
    states = sorted(run.tasks.values_list("state", flat=True))
    assert states == ["done", "done", "failed"]
    assert retry_failed(actor=None, run=run) == 1


def test_failed_votes_that_are_asked_again_make_others_needed_that_were_not(judge_of, release_with, server):
    """One yes, two failures and another yes settle it; two noes instead of the failures do not."""
    refused = {"kind": "error", "status": 400}
    yes, no = [
        {"kind": "text", "text": json.dumps({"label": label, "reason": "r", "confidence": None})}
        for label in ("yes", "no")
    ]
    server.control({"script": [yes, refused, refused, yes, no, no, no]})
    run = ask(actor=None, judge=judge_of(5), release=release_with(1), predicates=["ground"])
    assert drain() == 2
    assert run.tasks.filter(state=TaskState.NOT_NEEDED).count() == 1
    assert retry_failed(actor=None, run=run) == 2
    assert drain() == 3
    assert list(Verdict.objects.order_by("vote").values_list("value", flat=True)).count("no") == 3


def test_what_is_settled_is_not_asked_again_and_what_is_open_gets_what_it_needs(judge_of, release_with):
    judge, release = judge_of(3), release_with(2)
    settled, open_ = Output.objects.order_by("attempt")
    for vote in (1, 2):
        VerdictFactory(judge=judge, output=settled, vote=vote, value="yes")
        VerdictFactory(judge=judge, output=open_, vote=vote, value=["yes", "no"][vote - 1])
    run = ask(actor=None, judge=judge, release=release, predicates=["ground"])
    assert list(run.tasks.values_list("output", "vote", "state")) == [(open_.pk, 3, "waiting")]


def test_workers_that_store_votes_of_one_question_together_release_or_end_the_rest(
    judge_of, release_with, server
):
    server.control({"latency": 0.01})
    run = ask(actor=None, judge=judge_of(5), release=release_with(20), predicates=["ground"])

    def work(_: int) -> int:
        try:
            return drain()
        finally:
            connection.close()

    with ThreadPoolExecutor(3) as pool:
        assert sum(pool.map(work, range(3))) == 60
    counts = [run.tasks.filter(state=state).count() for state in (TaskState.DONE, TaskState.NOT_NEEDED)]
    assert counts == [60, 40]


def test_held_votes_are_not_handed_out(judge_of, release_with):
    ask(actor=None, judge=judge_of(3), release=release_with(1), predicates=["ground"])
    assert len(claim(JUDGING, owner=new_owner(), limit=9)) == 2


def test_steadiness_uses_the_votes_that_every_question_gets(judge_of, release_with, client, coordinator):
    """Two outputs: yes, yes and yes, no, yes. The third vote exists because the first two differed."""
    judge, release = judge_of(3), release_with(3)
    run = ask(actor=None, judge=judge, release=release, predicates=["ground"])
    outputs = list(Output.objects.order_by("attempt"))
    said = {0: ["yes", "yes"], 1: ["yes", "no", "yes"], 2: ["no", "no"]}
    for place, values in said.items():
        for vote, value in enumerate(values, start=1):
            VerdictFactory(judge=judge, output=outputs[place], vote=vote, value=value)
    (found,) = steadiness(run)
    # k = 2, 1, 0 of 2 votes: E_within = mean k(2-k)/2 = (0 + 1/2 + 0)/3 = 1/6; pairs agree in 1 - 2/6 = 2/3;
    # between = var(1, 1/2, 0) - 1/12 = 1/4 - 1/12 = 1/6; votes >= (1/6)(0.9)/(0.1/6) = 9
    assert found.spread.within == pytest.approx(1 / 6)
    assert found.spread.pair_agreement == pytest.approx(2 / 3)
    assert found.needed == 9
    client.force_login(coordinator)
    assert "0.667" in client.get(reverse("judge-run", args=[run.pk])).content.decode()


def test_the_settings_make_another_version(judge_of):
    labels = {judge_of(3, **settings).label for settings in ({}, {"early_stop": False}, {"repair": True})}
    assert len(labels) == 3


def test_uniqueness_of_verdicts_stays(judge_of, release_with, server):
    ask(actor=None, judge=judge_of(3), release=release_with(1), predicates=["ground"])
    drain()
    assert sorted(Verdict.objects.values_list("vote", flat=True)) == [1, 2]
    assert JudgeTask.objects.get(state=TaskState.NOT_NEEDED).vote == 3
