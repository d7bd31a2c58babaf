"""Kept replies read again: no call, no stored row changed, and every difference listed."""

import json

import pytest
from django.core.management import call_command
from django.urls import reverse

from accounts.models import AuditEvent
from accounts.refusal import Refused
from judging.models import Call, Judge, Verdict
from judging.reading.reparsing import reparse
from judging.runs.actions import ask
from llm import Reply
from reports.invariants.of_records import verdicts_come_from_calls_of_their_judge
from work.worker import drain

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _quiet_bell(monkeypatch):
    monkeypatch.setattr("judging.runs.actions.ring", lambda: None)


@pytest.fixture
def run(judge, release_with, server):
    """Three votes: one reply in JSON, two that say "Verdict: no" in prose."""
    prose = {"kind": "text", "text": "Verdict: no"}
    server.control({"script": [{"kind": "answer"}, prose, prose]})
    made = ask(actor=None, judge=judge, release=release_with(3), predicates=["ground"])
    drain()
    assert sorted(Verdict.objects.values_list("state", flat=True)) == ["answered", "unparsed", "unparsed"]
    return made


@pytest.fixture
def lenient(monkeypatch):
    """A later parser that reads the prose as well."""
    from llm import parse_reply

    def parse(text, labels, steps):
        if text == "Verdict: no":
            return Reply(label="no", reason="In prose.", confidence=None, evidence=None)
        return parse_reply(text, labels, steps=steps)

    monkeypatch.setattr("llm.prompts.parse_reply", parse)
    monkeypatch.setattr("judging.reading.reparsing.PARSER", "2")


def rows(judge: Judge) -> list[tuple[str, str]]:
    return sorted(judge.verdicts.values_list("state", "value"))


def test_the_parser_that_read_the_replies_changes_nothing(run):
    before = Judge.objects.count()
    again = reparse(actor=None, run=run)
    assert (len(again.votes), again.changed, again.judge) == (3, (), None)
    assert Judge.objects.count() == before


def test_a_later_parser_makes_a_version_of_its_own_and_the_old_one_stays(run, server, lenient, coordinator):
    before, calls = rows(run.judge), server.calls
    again = reparse(actor=coordinator, run=run)
    assert rows(run.judge) == before
    assert rows(again.judge) == [("answered", "no"), ("answered", "no"), ("answered", "yes")]
    assert [(row.before, row.after) for row in again.changed] == [("unparsed", "no")] * 2
    assert again.judge.prompts["ground"]["replies_of"] == run.judge.label
    assert (server.calls, Call.objects.count()) == (calls, 3)
    assert AuditEvent.objects.filter(verb="read judge replies again", actor=coordinator).count() == 1


def test_each_new_vote_points_to_the_reply_that_it_was_read_from(run, lenient):
    again = reparse(actor=None, run=run)
    for verdict in again.judge.verdicts.all():
        assert verdict.call == Verdict.objects.get(judge=run.judge, output=verdict.output).call
    assert not list(verdicts_come_from_calls_of_their_judge())


def test_reading_again_twice_makes_one_version(run, lenient):
    assert reparse(actor=None, run=run).judge == reparse(actor=None, run=run).judge
    assert Verdict.objects.count() == 6


def test_a_version_of_replies_read_again_cannot_be_asked(run, lenient):
    again = reparse(actor=None, run=run)
    with pytest.raises(Refused):
        ask(actor=None, judge=again.judge, release=run.release)


def test_a_repaired_reply_counts_only_where_the_first_still_cannot_be_read(
    release_with, endpoint, server, lenient
):
    from judging.runs.actions import create_judge

    judge = create_judge(
        actor=None, slug="mending", protocol="re2math", model="m", endpoint=endpoint, repair=True
    )
    server.control({"script": [{"kind": "text", "text": "Well, yes."}, {"kind": "answer"}]})
    run = ask(actor=None, judge=judge, release=release_with(1), predicates=["ground"])
    drain()
    assert Call.objects.count() == 2
    again = reparse(actor=None, run=run)
    assert again.changed == ()
    assert again.votes[0].value == "yes"


def test_page_and_rest_list_the_same_changes(run, lenient, client, coordinator, capsys):
    client.force_login(coordinator)
    page = client.get(reverse("reparse-run", args=[run.pk])).content.decode()
    assert "2 of 3 votes are read differently." in page
    assert not Judge.objects.filter(slug__endswith="-reread").exists()
    call_command("api", "POST", f"judge-runs/{run.pk}/reparse/", "--as", coordinator.email)
    printed = json.loads(capsys.readouterr().out)
    answer = client.post(reverse("api-reparse-judge-run", args=[run.pk]))
    assert answer.json() == printed
    assert len(printed["changed"]) == 2
    assert client.post(reverse("reparse-run", args=[run.pk])).status_code == 302


def test_a_run_without_replies_is_refused_in_words(judge, release_with, client, coordinator):
    run = ask(actor=None, judge=judge, release=release_with(1))
    client.force_login(coordinator)
    assert client.post(reverse("api-reparse-judge-run", args=[run.pk])).status_code == 409
    assert "nothing to read again" in client.get(reverse("reparse-run", args=[run.pk])).content.decode()
    assert client.post(reverse("api-reparse-judge-run", args=[999])).status_code == 404
