"""Frozen tuples: declared once, immutable, and never two of them in one table."""

import hashlib
import json
from datetime import date
from io import StringIO

import pytest
from django.core.files.base import ContentFile
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent
from accounts.refusal import Refused
from benchmark.models import FrozenTuple, TupledRun
from benchmark.releases.freezing import freeze_release
from benchmark.releases.queries import run_called
from benchmark.tuples.actions import declare_tuple
from reports.scores.inputs import Inputs, collect
from tests.documents import score_document
from tests.factories import RunFactory

CACHE = ContentFile(b"cache", name="cache.jsonl")
pytestmark = pytest.mark.django_db
ENTRIES = {
    "split": "Eval-200",
    "retrieval": "Scholar cache, sha256 0a1b",
    "materialisation": "log of 2026-10-01",
    "scoring": "judge-v1",
    "evaluated_on": date(2026, 10, 2),
}


def declared(release, name="october", arms=(), **changes):
    runs = [run_called(release, arm) for arm in arms]
    return declare_tuple(actor=None, release=release, name=name, runs=runs, **{**ENTRIES, **changes})


def arms_of(release):
    return sorted(release.runs.filter(track="raw", condition="").values_list("system__slug", flat=True))


@pytest.mark.slow
def test_a_tuple_that_all_runs_share_stands_in_the_score(gaps):
    declared(gaps, arms=arms_of(gaps))
    inputs = collect(release=gaps)
    assert score_document(inputs)["frozen_tuple"] == {
        "name": "october",
        **{key: str(value) for key, value in ENTRIES.items()},
    }
    assert Inputs.from_json(json.loads(json.dumps(inputs.as_json()))) == inputs


@pytest.mark.slow
def test_the_hashes_of_stored_files_are_in_the_score_and_on_its_page(gaps, coordinator):
    declared(gaps, arms=arms_of(gaps), files={"retrieval": CACHE})
    inputs = collect(release=gaps)
    entries = score_document(inputs)["frozen_tuple"]
    assert entries["retrieval_sha256"] == hashlib.sha256(b"cache").hexdigest()
    assert not {"materialisation_sha256", "scoring_sha256"} & set(
        entries
    )  # only named, as before there were files
    assert Inputs.from_json(json.loads(json.dumps(inputs.as_json()))) == inputs
    client = Client()
    client.force_login(coordinator)
    page = client.get(reverse("score-numbers", args=[gaps.name])).content.decode()
    assert page.count(entries["retrieval_sha256"]) == 1


@pytest.mark.slow
def test_verifying_an_artifact_compares_the_files_that_are_given(gaps, tmp_path, capsys):
    declared(
        gaps, arms=arms_of(gaps), files={"retrieval": CACHE, "scoring": ContentFile(b"judge", "judge.json")}
    )
    freeze_release(actor=None, release=gaps)
    call_command("artifact", release=gaps.name)
    (tmp_path / "artifact.json").write_text(capsys.readouterr().out, "utf-8")
    for name in ("cache", "judge", "other"):
        (tmp_path / name).write_bytes(name.encode())

    def verify(**files):
        paths = {entry: tmp_path / name for entry, name in files.items()}
        call_command("verify_artifact", str(tmp_path / "artifact.json"), **paths)
        return capsys.readouterr().out

    said = verify(retrieval="cache")
    assert "verified: every number follows" in said
    assert "the file of retrieval is the one that was frozen" in said
    assert f"the file of scoring (SHA-256 {hashlib.sha256(b'judge').hexdigest()}) was not given" in said
    with pytest.raises(CommandError, match=r"frozen_tuple\.scoring_sha256: expected") as refused:
        verify(retrieval="cache", scoring="other")
    assert hashlib.sha256(b"other").hexdigest() in str(refused.value)
    with pytest.raises(CommandError, match="only named or there is no tuple"):
        verify(materialisation="cache")
    with pytest.raises(CommandError, match="cannot be read: No such file"):
        verify(retrieval="gone")


def test_without_tuples_a_score_is_as_before(gaps):
    assert "frozen_tuple" not in score_document(collect(release=gaps))
    assert "frozen_tuple" not in collect(release=gaps).as_json()


@pytest.fixture
def mixed(gaps):
    """The first system under one tuple, the second under another, the others under none."""
    first, second, *_ = arms_of(gaps)
    declared(gaps, "october", [first])
    declared(gaps, "november", [second], retrieval="Scholar cache, sha256 9f8e")
    return gaps


def test_entries_of_different_tuples_stand_in_no_table_together(mixed):
    with pytest.raises(Refused, match=r"different frozen tuples.*Name one") as refusal:
        collect(release=mixed)
    assert (refusal.value.code, refusal.value.field) == ("mixed_tuples", "tuple")
    with pytest.raises(CommandError, match="different frozen tuples"):
        call_command("score", release=mixed.name)


def test_declared_runs_do_not_stand_beside_undeclared_ones(gaps):
    first, *others = arms_of(gaps)
    declared(gaps, arms=[first])
    with pytest.raises(Refused, match="none: "):
        collect(release=gaps)
    assert {row.system for row in collect(release=gaps, frozen_tuple="none").outputs} == set(others)


@pytest.mark.slow
def test_a_named_tuple_gives_the_score_of_its_runs_alone(mixed):
    first, *_ = arms_of(mixed)
    document = score_document(collect(release=mixed, frozen_tuple="october"))
    assert set(document["systems"]) == {first}
    assert set(document["judge"]["systems"]) == {first}
    assert document["frozen_tuple"]["retrieval"] == ENTRIES["retrieval"]
    call_command("score", "--json", release=mixed.name, tuple="november", stdout=(out := StringIO()))
    assert json.loads(out.getvalue())["frozen_tuple"]["name"] == "november"
    with pytest.raises(Refused, match=r"no runs in the tuple 'may'; there are: none, november, october"):
        collect(release=mixed, frozen_tuple="may")


@pytest.mark.slow
def test_the_score_page_and_rest_say_why_and_show_the_one_that_is_named(mixed, coordinator):
    client = Client()
    client.force_login(coordinator)
    page = client.get(reverse("score-numbers", args=[mixed.name]))
    assert page.status_code == 400
    assert "never share a table" in page.content.decode()
    named = client.get(reverse("score-numbers", args=[mixed.name]), {"tuple": "october"}).content.decode()
    assert "Frozen tuple october" in named
    assert client.get(reverse("api-score", args=[mixed.name])).status_code == 400
    reply = client.get(reverse("api-score", args=[mixed.name]), {"tuple": "october"})
    assert reply.json()["frozen_tuple"]["split"] == "Eval-200"


def test_runs_under_another_condition_are_no_part_of_the_table(gaps):
    oracle = RunFactory(release=gaps, system=gaps.runs.first().system, condition="oracle")
    declared(gaps, arms=[f"{oracle.system.slug}@raw+oracle"])
    assert collect(release=gaps).frozen_tuple is None


def test_the_same_tuple_again_only_adds_runs_and_another_entry_is_refused(gaps):
    first, second, *_ = arms_of(gaps)
    found = declared(gaps, arms=[first])
    assert declared(gaps, arms=[first, second]) == found
    assert found.runs.count() == 2
    assert AuditEvent.objects.filter(verb="declare_tuple").count() == 2
    with pytest.raises(Refused, match="has another scoring: judge-v1"):
        declared(gaps, scoring="judge-v2")
    with pytest.raises(Refused, match="is already in the tuple october"):
        declared(gaps, "later", [first])
    with pytest.raises(Refused, match="cannot be blank") as refusal:
        declared(gaps, "empty", split=" ")
    assert refusal.value.field == "split"
    with pytest.raises(Refused, match="belongs to another release"):
        declare_tuple(actor=None, release=gaps, name="october", runs=[RunFactory()], **ENTRIES)


def test_the_page_and_rest_declare_the_same(gaps, coordinator):
    first, second, *_ = arms_of(gaps)
    client = Client()
    client.force_login(coordinator)
    address = reverse("release-tuples", args=[gaps.name])
    assert "No tuple is declared" in client.get(address).content.decode()
    sent = {**ENTRIES, "name": "october", "runs": [run_called(gaps, first).pk]}
    assert client.post(address, sent).status_code == 302
    assert "Scholar cache, sha256 0a1b" in client.get(address).content.decode()
    assert "has another split" in client.post(address, {**sent, "split": "dev", "runs": []}).content.decode()
    rest = reverse("api-release-tuples", args=[gaps.name])
    body = {**ENTRIES, "evaluated_on": "2026-10-02", "name": "october", "runs": [second]}
    reply = client.post(rest, json.dumps(body), content_type="application/json")
    assert (reply.status_code, reply.json()["runs"]) == (200, [first, second])
    unknown = client.post(rest, json.dumps(body | {"runs": ["nobody"]}), content_type="application/json")
    assert unknown.status_code == 409
    assert "no run 'nobody'; there are: " in unknown.json()["reason"]
    assert [row["name"] for row in client.get(rest).json()] == ["october"]


def test_the_database_itself_keeps_tuples_and_their_runs(gaps):
    first, second, *_ = arms_of(gaps)
    found = declared(gaps, arms=[first])

    def refuses(change, words):
        with pytest.raises(IntegrityError, match=words), transaction.atomic():
            change()

    rows = FrozenTuple.objects.filter(pk=found.pk)
    refuses(lambda: rows.update(scoring="judge-v2"), "append-only")
    refuses(lambda: TupledRun.objects.all().delete(), "append-only")
    refuses(lambda: TupledRun.objects.create(run=RunFactory(), tuple=found), "tuple of its release")
    run = run_called(gaps, first)
    refuses(lambda: TupledRun.objects.create(run=run, tuple=found), "run_id")
    refuses(lambda: FrozenTuple.objects.create(release=gaps, name="october", **ENTRIES), r"tuple_once|UNIQUE")
    refuses(
        lambda: FrozenTuple.objects.create(release=gaps, name="x", **{**ENTRIES, "split": ""}),
        "says_everything",
    )
    assert run_called(gaps, second).pk != run.pk
