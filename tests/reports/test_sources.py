"""Protocol flags and alternative sources: compared through the queue, counted without guessing."""

import json
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from accounts.refusal import Refused
from benchmark.models import Release
from judging.models import JudgeRun, Verdict
from judging.programs.sources import ask_about_sources
from reports.core.choosing import choose, judges_with_verdicts
from reports.sources.document import alternative_sources, newest_matcher, protocol_flags, tabulate
from tests.benchmark.files import gap
from tests.factories import (
    BenchmarkFactory,
    InstanceFactory,
    JudgeFactory,
    OutputFactory,
    ReleaseFactory,
    RunFactory,
    SystemFactory,
    VerdictFactory,
)

pytestmark = pytest.mark.django_db(transaction=True)
SOURCES = {  # instance -> the source that the output selected
    "cites": {"title": "On stable classes of maps", "authors": "John Harer", "year": 1986},
    "other": {"title": "Finite complexes and their symmetries", "authors": "A. Nother"},
    "doubt": {"title": "On stable classes of maps", "year": 1986},
    "own": {"title": "Gaps in proofs", "identifier": "arXiv:2001.00001v1"},
}


@pytest.fixture
def release() -> Release:
    row = ReleaseFactory(
        name="gaps", benchmark=BenchmarkFactory(slug="re2math", name="Re2Math", protocol="re2math")
    )
    run = RunFactory(release=row, system=SystemFactory(slug="solver", name="Solver"))
    judge = JudgeFactory(slug="model", protocol="re2math")
    for number, (key, source) in enumerate(SOURCES.items()):
        payload = gap(number)
        payload["paper"] = {
            "paper_id": "2001.00001v2",
            "title": "Gaps in proofs",
            "publication_date": "2020-01-01",
        }
        payload["z"] |= {
            "citation_content": "J. Harer. \\newblock On stable classes of maps. \\newblock 1986.",
            "doi": "",
            "arxiv_id": "",
        }
        instance = InstanceFactory(release=row, key=key, domain="algebra", payload=payload)
        output = OutputFactory(run=run, instance=instance, text="T", payload={"selected_source": source})
        for predicate in ("ground", "suff"):
            VerdictFactory(judge=judge, output=output, predicate=predicate, value="yes")
    return row


@pytest.mark.slow
def test_the_command_compares_once_and_lists_what_is_the_citing_paper(release: Release, capsys: Any) -> None:
    call_command("compare_sources", "--release", "gaps", "--json")
    first = json.loads(capsys.readouterr().out)
    assert [(flag["instance"], flag["value"]) for flag in first["flags"]] == [("own", "yes")]
    call_command("compare_sources", "--release", "gaps", "--json")
    assert json.loads(capsys.readouterr().out) == first
    assert JudgeRun.objects.count() == 1
    said = Verdict.objects.filter(predicate="cited_source_match").order_by("output__instance__key")
    assert [verdict.value for verdict in said] == ["yes", "uncertain", "no", "no"]  # cites doubt other own


@pytest.mark.slow
def test_a_source_to_be_asked_about_is_neither_the_cited_one_nor_another(
    release: Release, capsys: Any
) -> None:
    call_command("compare_sources", "--release", "gaps")
    (row,) = alternative_sources(choose(release, {}), newest_matcher(release))
    assert (row.successes, row.cited, row.alternative, row.ask, row.unknown) == (4, 1, 2, 1, 0)
    assert row.share.value == pytest.approx(2 / 3)  # of the three that are known
    assert row.share.bounds == (2 / 4, 3 / 4)  # the fourth resolved either way


def test_no_known_source_leaves_the_share_undefined() -> None:
    (row,) = tabulate([("solver", "uncertain"), ("solver", "")])
    assert (row.ask, row.unknown) == (1, 1)
    assert (row.share.value, row.share.reason) == (None, "ZERO_DENOM")


@pytest.mark.slow
def test_the_matcher_is_no_judge_to_score_by(release: Release, capsys: Any) -> None:
    call_command("compare_sources", "--release", "gaps")
    assert [judge.label for judge in judges_with_verdicts(release, "raw")] == ["model-v1"]


def test_before_the_matcher_has_spoken_there_is_nothing_to_show(release: Release) -> None:
    assert newest_matcher(release) is None
    assert protocol_flags(release, None) == []
    assert alternative_sources(choose(release, {}), None) == []


def test_a_protocol_without_sources_refuses() -> None:
    with pytest.raises(Refused, match="select no sources"):
        ask_about_sources(actor=None, release=ReleaseFactory())


@pytest.mark.slow
def test_page_and_rest_ask_and_show(
    release: Release, coordinator: Any, capsys: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr("judging.runs.actions.ring", lambda: None)
    client = Client()
    client.force_login(coordinator)
    page, rest = reverse("output-sources", args=["gaps"]), reverse("api-sources", args=["gaps"])
    assert b"have not been compared with the cited ones yet" in client.get(page).content
    assert client.get(rest).json()["matcher"] is None
    assert client.post(page).status_code == 302
    assert client.post(rest).json()["code"] == "being_compared"
    call_command("compare_sources", "--release", "gaps")  # works on the run that was asked for on the page
    assert JudgeRun.objects.get().state == "done"
    assert client.post(rest).json()["code"] == "nothing_to_ask"
    shown = client.get(page).content.decode()
    assert "Sources of the outputs" in shown
    assert ">own</a>" in shown
    document = client.get(rest).json()
    assert [flag["instance"] for flag in document["flags"]] == ["own"]
    assert document["systems"][0]["alternative"] == 2
    assert page in client.get(reverse("study", args=["gaps"])).content.decode()
    assert client.get(page, {"colour": "red"}).status_code == 400
