"""Importing a release: complete or not at all, and only once."""

import io
import json
from dataclasses import asdict
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from accounts.models import AuditEvent
from accounts.refusal import Refused
from benchmark.canonical import instance_content
from benchmark.importing.survey import BadFile
from benchmark.models import Benchmark, Instance, Paper, Release
from benchmark.protocols import get_protocol
from benchmark.releases.actions import import_release
from benchmark.releases.integrity import instance_record, release_sha256
from tests.benchmark.files import GAP, PROBLEM, gap, write_lines
from tests.stats.real_data import real_file

pytestmark = pytest.mark.django_db


def nothing_was_left() -> bool:
    return not any(model.objects.exists() for model in (Benchmark, Release, Paper, Instance, AuditEvent))


def imported(path: Path, **options):
    return import_release(**{"actor": None, "protocol": "re2math", "path": path, "name": "r1", **options})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Two gaps of one paper and one of another."""
    other = gap(2, paper__paper_id="2402.00002", strata__domain="algebra_number_theory")
    return write_lines(tmp_path / "release.jsonl", gap(0), gap(1), other)


def test_a_release_is_stored_with_papers_payloads_and_hashes(path, coordinator):
    report = imported(path, actor=coordinator)
    release = Release.objects.get(name="r1")
    assert asdict(report) == {
        "release": "r1",
        "protocol": "re2math",
        "sha256": release.sha256,
        "instances": 3,
        "papers": 2,
        "domains": {"algebra_number_theory": 1, "geometry_topology": 2},
        "changed": True,
        "dry_run": False,
        "overlaps": {
            "papers": 2,
            "clusters": 2,
            "merged": {},
            # gap(0) and gap(1) differ in their names only
            "duplicates": {"2401.00001_gap_0": ["2401.00001_gap_1"]},
            "merged_count": 0,
            "duplicate_count": 1,
        },
    }
    row = release.instances.get(key=GAP["instance_id"])
    assert (row.payload, row.paper.key, row.paper.year) == (GAP, "2401.00001", 2024)
    assert release_sha256(release) == release.sha256
    event = AuditEvent.objects.get()
    assert (event.verb, event.actor) == ("import_release", coordinator)


def test_the_same_content_again_changes_nothing(path):
    imported(path)
    before = Release.objects.values().get()
    report = imported(path)
    assert not report.changed
    assert Release.objects.values().get() == before
    assert AuditEvent.objects.count() == 1


def test_the_hash_is_of_the_content_not_of_the_file(tmp_path, path):
    imported(path)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    shuffled = [dict(reversed(line.items())) for line in reversed(lines)]
    text = "\n\n".join(json.dumps(line, ensure_ascii=True, indent=None) for line in shuffled)
    other = tmp_path / "other.jsonl"
    other.write_text(text.replace('": ', '" :  '))
    assert not imported(other).changed


def test_other_content_under_the_same_name_is_refused_with_what_differs(tmp_path, path):
    imported(path)
    other = write_lines(tmp_path / "other.jsonl", gap(0), gap(1, x__anchor_hint="other"), gap(3))
    with pytest.raises(Refused) as refusal:
        imported(other)
    assert "1 changed (2401.00001_gap_1)" in str(refusal.value)
    assert "1 missing from the file (2401.00001_gap_2)" in str(refusal.value)
    assert "1 only in the file" in str(refusal.value)
    assert Instance.objects.count() == 3


def test_a_name_of_another_protocol_is_refused(tmp_path, path):
    imported(path)
    with pytest.raises(Refused, match="belongs to protocol re2math"):
        imported(write_lines(tmp_path / "p.jsonl", PROBLEM), protocol="proofs")


def test_a_dry_run_checks_everything_and_writes_nothing(path):
    report = imported(path, dry_run=True)
    assert (report.instances, report.changed, report.dry_run) == (3, True, True)
    assert nothing_was_left()


def test_all_bad_lines_are_named_and_nothing_is_left(tmp_path):
    bad = write_lines(
        tmp_path / "bad.jsonl",
        gap(0),
        gap(1, x__anchor_hint=7, strata__domain=""),
        b"{",
        gap(0),
        gap(4, paper__title="Another title"),
    )
    with pytest.raises(BadFile) as refusal:
        imported(bad)
    assert [(error.line, error.field) for error in refusal.value.errors] == [
        (2, "x.anchor_hint"),
        (2, "strata.domain"),
        (3, ""),
        (4, "instance_id"),
        (5, "paper"),
    ]
    assert (refusal.value.line, refusal.value.field) == (2, "x.anchor_hint")
    assert "described differently on line 1" in str(refusal.value)
    assert nothing_was_left()


def test_after_twenty_errors_it_stops(tmp_path):
    with pytest.raises(BadFile, match="there are more") as refusal:
        imported(write_lines(tmp_path / "bad.jsonl", *[b"["] * 50))
    assert len(refusal.value.errors) == 20


def test_an_error_in_the_middle_of_writing_leaves_nothing(path, monkeypatch):
    def crash_after_the_first_batch(phase, done, total):
        if phase == "writing":
            assert (done, Instance.objects.count()) == (1, 1)
            raise RuntimeError("pulled the plug")

    monkeypatch.setattr("benchmark.importing.batches.BATCH", 1)
    with pytest.raises(RuntimeError):
        imported(path, progress=crash_after_the_first_batch)
    assert nothing_was_left()


def test_a_file_that_changes_between_the_passes_is_refused(path, monkeypatch):
    def lose_a_line(phase: str, done: int, total: int) -> None:
        path.write_bytes(path.read_bytes().split(b"\n", 1)[1])

    monkeypatch.setattr("benchmark.importing.survey.REPORT_EVERY", 3)
    with pytest.raises(Refused, match="the file changed"):
        imported(path, progress=lose_a_line)
    assert nothing_was_left()


@pytest.mark.parametrize("name", ["a b", "", "ä", "x" * 101, "a/b"])
def test_a_name_that_cannot_stand_in_an_address_is_refused(path, name):
    with pytest.raises(Refused, match="release"):
        imported(path, name=name)


def test_an_empty_file_and_a_missing_one_are_refused(tmp_path):
    with pytest.raises(Refused, match="no records"):
        imported(write_lines(tmp_path / "empty.jsonl"))
    with pytest.raises(Refused, match="does not exist"):
        imported(tmp_path / "missing.jsonl")


def test_progress_is_told_in_both_passes(path, monkeypatch):
    monkeypatch.setattr("benchmark.importing.survey.REPORT_EVERY", 2)
    told = []
    imported(path, progress=lambda *step: told.append(step))
    assert told == [("checking", 2, 0), ("writing", 3, 3)]


def test_the_command_prints_one_json_document(path, capsys):
    call_command("import_release", "re2math", str(path), "--release", "r1", "--json")
    assert json.loads(capsys.readouterr().out)["instances"] == 3


def test_the_command_refuses_with_line_and_field(tmp_path):
    bad = write_lines(tmp_path / "bad.jsonl", gap(0), gap(1, z__doi=7))
    with pytest.raises(CommandError, match=r"line 2, field z\.doi") as error:
        call_command("import_release", "re2math", str(bad), "--release", "r1", stdout=io.StringIO())
    assert error.value.returncode == 1
    assert nothing_was_left()


def test_what_the_publisher_documents_as_optional_may_be_null_empty_or_left_out(tmp_path):
    """DATASET_SCHEMA.md of Re2Math: doi, arxiv_id and locator may be null, local_context may be []."""
    bare = gap(0, z__doi=None, z__arxiv_id=None, z__locator=None, x__local_context=[])
    del bare["z"]["locator_snippet"]
    call_command(
        "import_release",
        "re2math",
        str(write_lines(tmp_path / "r.jsonl", bare)),
        "--release",
        "r1",
        stdout=io.StringIO(),
    )
    stored = Instance.objects.get()
    assert stored.payload == bare
    shown = {part.title: part.text for part in get_protocol("re2math").instance_parts(stored.payload)}
    assert shown["The proof up to the gap"] == "Nothing: it begins with the gap."
    assert release_sha256(stored.release) == stored.release.sha256


@pytest.mark.real_data
def test_the_full_release_has_860_instances_of_653_paper_ids(capsys):
    """310 of its rows have no locator_snippet. Versions of one paper have ids of their own, as published."""
    path = real_file("re2math", "benchmark_dataset_full.jsonl")
    call_command("import_release", "re2math", str(path), "--release", "full", "--json")
    document = json.loads(capsys.readouterr().out)
    assert (document["instances"], document["papers"]) == (860, 653)
    assert sorted(document["domains"].values()) == [142, 165, 168, 170, 215]
    assert Instance.objects.exclude(payload__z__has_key="locator_snippet").count() == 310


@pytest.mark.real_data
def test_eval_200_has_200_instances_of_167_papers_40_per_domain(capsys):
    path = real_file("re2math", "benchmark_dataset_eval200.jsonl")
    for changed in (True, False):
        call_command("import_release", "re2math", str(path), "--release", "eval200", "--json")
        document = json.loads(capsys.readouterr().out)
        assert (document["instances"], document["papers"], document["changed"]) == (200, 167, changed)
        assert set(document["domains"].values()) == {40}
        assert len(document["domains"]) == 5
    assert (Instance.objects.count(), Paper.objects.count()) == (200, 167)
    # 134 papers with one instance and 33 with two, as the publisher's summary says
    sizes = [paper.instances.count() for paper in Paper.objects.all()]
    assert (sizes.count(1), sizes.count(2)) == (134, 33)
    release = Release.objects.get()
    assert release_sha256(release) == release.sha256


@pytest.mark.real_data
def test_a_corrupted_line_of_eval_200_is_refused_by_number_and_field(tmp_path):
    lines = real_file("re2math", "benchmark_dataset_eval200.jsonl").read_bytes().splitlines()
    record = json.loads(lines[116])
    del record["y"]["reference_tool_latex"]
    lines[116] = json.dumps(record).encode()
    with pytest.raises(BadFile) as refusal:
        imported(write_lines(tmp_path / "bad.jsonl", *lines))
    assert (refusal.value.line, refusal.value.field) == (117, "y.reference_tool_latex")
    assert nothing_was_left()


@pytest.mark.parametrize("twin", ["caf\u00e9\u200b", "cafe\u0301", "caf\u00e9 ", "caf\u00ad\u00e9"])
def test_names_that_nobody_can_tell_apart_are_refused(tmp_path, twin):
    lines = [gap(instance_id="caf\u00e9"), gap(instance_id=twin)]
    with pytest.raises(BadFile, match=r"looks like 'caf\\xe9' on line 1") as refused:
        imported(write_lines(tmp_path / "release.jsonl", *lines))
    assert [(error.line, error.field) for error in refused.value.errors] == [(2, "instance_id")]
    papers = [
        gap(0, paper__paper_id="caf\u00e9"),
        gap(1, paper__paper_id="caf\u00e9"),
        gap(2, paper__paper_id=twin),
    ]
    with pytest.raises(BadFile, match="looks like") as refused:
        imported(write_lines(tmp_path / "release.jsonl", *papers))
    assert [(error.line, error.field) for error in refused.value.errors] == [(3, "paper")]


def test_a_fault_in_the_first_line_of_an_exported_file_is_the_only_one(tmp_path, path):
    imported(path)
    rows = [instance_content(instance_record(row)) for row in Instance.objects.order_by("key")]
    lines = "\n".join(json.dumps(row) for row in rows)
    marked = tmp_path / "marked.jsonl"
    marked.write_text(f"\ufeff{lines}", "utf-8")
    with pytest.raises(BadFile, match="byte order mark") as refused:
        imported(marked, name="r2")
    assert [error.line for error in refused.value.errors] == [1]
