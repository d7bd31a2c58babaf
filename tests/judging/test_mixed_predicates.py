"""A judge with predicates about outputs, pairs and instances asks what applies and says what it leaves out."""

import json

import pytest
from django.core.management import call_command
from django.urls import reverse

from accounts.refusal import Refused
from judging.models import JudgeRun, Verdict
from judging.runs.actions import ask, create_judge
from judging.runs.queries import left_out, verdict_counts
from tests.factories import (
    BenchmarkFactory,
    InstanceFactory,
    OutputFactory,
    ReleaseFactory,
    RunFactory,
    SystemFactory,
    VerdictFactory,
)

pytestmark = pytest.mark.django_db
PROBLEM = {"title": "Sums", "statement": "Show that $1+1=2$."}


@pytest.fixture(autouse=True)
def _quiet_bell(monkeypatch):
    monkeypatch.setattr("judging.runs.actions.ring", lambda: None)


@pytest.fixture
def proofs():
    """One problem with a proof by each of two systems, and one under another condition."""
    release = ReleaseFactory(benchmark=BenchmarkFactory(slug="proofs", protocol="proofs"))
    problem = InstanceFactory(release=release, payload=PROBLEM)
    alpha, zeta = (SystemFactory(slug=slug) for slug in ("alpha", "zeta"))
    for system, condition in ((alpha, ""), (zeta, ""), (zeta, "hinted")):
        run = RunFactory(release=release, system=system, condition=condition)
        OutputFactory(run=run, instance=problem, payload={}, text="Clear.")
    return release


@pytest.fixture
def referee(endpoint):
    return create_judge(actor=None, slug="referee", protocol="proofs", model="m", endpoint=endpoint)


def asked(run: JudgeRun) -> list[tuple[str, int]]:
    keys = list(run.tasks.values_list("predicate", flat=True))
    return sorted((key, keys.count(key)) for key in set(keys))


def test_single_outputs_and_pairs_are_asked_about_in_one_run(proofs, referee):
    run = ask(actor=None, judge=referee, release=proofs)
    assert asked(run) == [("correct", 3), ("prefer", 2)]  # a pair has one condition, and both orders
    assert left_out(run) == {}


def test_one_system_alone_is_judged_although_there_is_no_pair(proofs, referee):
    proofs.runs.filter(system__slug="alpha").update(track="other")
    assert asked(ask(actor=None, judge=referee, release=proofs)) == [("correct", 2)]


def test_what_is_about_another_subject_is_left_out_and_named(release_with, judge):
    run = ask(actor=None, judge=judge, release=release_with(1), predicates=["ground", "leak_free"])
    assert run.predicates == ["ground"]
    found = left_out(run)
    assert found["leak_free"] == "about instances"
    assert found["suff"] == "not chosen"
    assert found["anchor_match"] == "only asked where it is named"
    again = ask(
        actor=None, judge=judge, release=run.release, subject="instance", predicates=["ground", "leak_free"]
    )
    assert (again.predicates, left_out(again)["ground"]) == (["leak_free"], "about outputs")


def test_nothing_that_applies_and_a_word_that_is_no_predicate_are_refused(release_with, judge):
    release = release_with(1)
    with pytest.raises(Refused, match="no predicate leak_free about outputs"):
        ask(actor=None, judge=judge, release=release, predicates=["leak_free"])
    with pytest.raises(Refused, match="no predicate grund about outputs"):
        ask(actor=None, judge=judge, release=release, predicates=["ground", "grund"])
    assert not JudgeRun.objects.exists()


def test_after_another_judge_pairs_are_left_out(proofs, referee, endpoint):
    first = create_judge(actor=None, slug="first", protocol="proofs", model="a", endpoint=endpoint)
    for output in proofs.runs.get(system__slug="alpha").outputs.all():
        VerdictFactory(judge=first, output=output, predicate="correct", value="uncertain")
    for output in [run.outputs.get() for run in proofs.runs.filter(system__slug="zeta")]:
        VerdictFactory(judge=first, output=output, predicate="correct", value="yes")
    run = ask(actor=None, judge=referee, release=proofs, after=first)
    assert asked(run) == [("correct", 1)]
    assert left_out(run) == {"prefer": "compares two outputs, so it cannot follow another judge"}


@pytest.mark.parametrize(("condition", "outputs", "pairs"), [("usual", 2, 1), ("hinted", 1, 0), ("", 3, 1)])
def test_a_run_can_be_about_one_condition(proofs, referee, condition, outputs, pairs):
    run = ask(actor=None, judge=referee, release=proofs, condition=condition)
    assert asked(run) == [("correct", outputs), *([("prefer", 2 * pairs)] if pairs else [])]
    frozen = set(proofs.runs.exclude(frozen_at=None).values_list("condition", flat=True))
    assert frozen == {"usual": {""}, "hinted": {"hinted"}, "": {"", "hinted"}}[condition]


def test_a_condition_that_is_not_there_is_refused_with_those_that_are(proofs, referee):
    with pytest.raises(Refused, match="no runs under condition 'oracle'; there are: usual, hinted"):
        ask(actor=None, judge=referee, release=proofs, condition="oracle")


def test_page_and_rest_take_a_condition_and_say_what_is_left_out(client, coordinator, proofs, referee):
    client.force_login(coordinator)
    form = {
        "subject": "output",
        "target": f"{proofs.name} raw",
        "predicates": ["correct"],
        "condition": "hinted",
    }
    answer = client.post(reverse("judge", args=[referee.pk]), form)
    page = client.get(answer["Location"]).content.decode()
    assert "raw, condition hinted" in page
    assert "prefer (not chosen)" in page
    body = {"judge": referee.pk, "release": proofs.name, "condition": "usual", "predicates": ["correct"]}
    made = client.post(reverse("api-judge-runs"), body, content_type="application/json").json()
    assert (made["condition"], made["n_tasks"], made["left_out"]) == ("usual", 2, {"prefer": "not chosen"})


@pytest.mark.django_db(transaction=True)
def test_the_command_takes_a_condition_and_says_what_is_left_out(proofs, referee, capsys):
    call_command(
        "judge", judge="referee", release=proofs.name, condition="hinted", predicate=["correct"], json=True
    )
    said = json.loads(capsys.readouterr().out)
    assert (said["condition"], said["done"], said["left_out"]) == ("hinted", 1, {"prefer": "not chosen"})
    assert Verdict.objects.get().output.run.condition == "hinted"
    call_command("judge", judge="referee", release=proofs.name, predicate=["correct"], json=True)
    assert sum(row["n"] for row in json.loads(capsys.readouterr().out)["verdicts"]) == 3
    assert [sum(row["n"] for row in verdict_counts(run)) for run in JudgeRun.objects.order_by("pk")] == [1, 3]
