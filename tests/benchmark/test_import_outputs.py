"""Importing a system's outputs: one run, complete or not at all, and only once."""

import io
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from accounts.models import AuditEvent
from accounts.refusal import Refused
from benchmark.importing.outputs import import_outputs
from benchmark.importing.survey import BadFile
from benchmark.models import IdentityScan, Output, Release, Run, System
from benchmark.protocols import get_protocol
from benchmark.releases.actions import import_release
from benchmark.releases.freezing import freeze_run
from benchmark.releases.integrity import run_sha256
from tests.benchmark.files import PROBLEM, PROOF, write_lines
from tests.stats.real_data import DATA, real_file

pytestmark = pytest.mark.django_db


def proof(instance: str = "p1", **changes):
    return PROOF | {"instance_id": instance, **changes}


def imported(release: Release, path: Path, **options):
    return import_outputs(**{"actor": None, "path": path, "release": release, "system": "aurora", **options})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Two attempts at p1, an abstention on p2, nothing for p3."""
    return write_lines(
        tmp_path / "outputs.jsonl",
        proof(budget={"tokens": 200000}),
        proof(attempt=2, text="Obvious.", format="latex"),
        proof("p2", state="abstained", text=""),
    )


def test_outputs_become_one_run_of_a_system(small_release, path, coordinator):
    report = imported(small_release, path, actor=coordinator, system_name="Aurora", family="large")
    run = Run.objects.get()
    assert (run.system.slug, run.system.name, run.system.family) == ("aurora", "Aurora", "large")
    assert (run.track, run.condition, run.sha256) == ("raw", "", report.sha256)
    assert report.states == {"abstained": 1, "answered": 2}
    assert (report.outputs, report.without_output, report.changed) == (3, 1, True)
    row = run.outputs.get(attempt=2)
    assert (row.text, row.text_format, row.payload) == ("Obvious.", "latex", {})
    assert run.outputs.get(instance__key="p1", attempt=1).payload == {"budget": {"tokens": 200000}}
    assert run_sha256(run) == run.sha256
    assert AuditEvent.objects.get(verb="import_outputs").actor == coordinator


def test_a_system_whose_name_differs_in_capital_letters_only_is_refused(small_release, path):
    imported(small_release, path)
    with pytest.raises(
        Refused, match="There is a system aurora, and Aurora differs from it in capital letters only"
    ):
        imported(small_release, path, system="Aurora", dry_run=True)


def test_what_was_not_released_is_marked_and_is_no_output(small_release, tmp_path):
    withheld = {"instance_id": "p2", "state": "not_released"}
    path = write_lines(tmp_path / "outputs.jsonl", proof(), withheld)
    report = imported(small_release, path)
    assert report.states == {"answered": 1, "not_released": 1}
    assert (report.outputs, report.without_output) == (1, 1)  # p3 is missing
    run = Run.objects.get()
    assert [mark.instance.key for mark in run.unreleased.all()] == ["p2"]
    assert [output.instance.key for output in run.outputs.all()] == ["p1"]
    assert run_sha256(run) == run.sha256
    assert not imported(small_release, path).changed
    less = write_lines(tmp_path / "less.jsonl", proof())
    with pytest.raises(Refused, match="1 missing from the file"):
        imported(small_release, less)


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        (({"state": "not_released", "text": "Clear."},), "neither text nor budget"),
        (({"state": "not_released", "budget": {"tokens": 1}},), "neither text nor budget"),
        (({"state": "not_released", "attempt": 2},), "no content and no attempts"),
        (({"text": "Clear."}, {"state": "not_released", "attempt": 1}), "is already on line 1"),
        (({"text": "Clear.", "attempt": 2}, {"state": "not_released"}), "see line 1"),
        (({"state": "not_released"}, {"text": "Clear.", "attempt": 2}), "see line 1"),
    ],
)
def test_an_output_is_released_or_it_is_not(small_release, tmp_path, lines, fault):
    rows = [{"instance_id": "p1", **line} for line in lines]
    with pytest.raises(BadFile, match=fault):
        imported(small_release, write_lines(tmp_path / "outputs.jsonl", *rows))
    assert not Run.objects.exists()


def test_a_budget_is_shown_to_staff_and_not_to_graders(small_release, path, tmp_path, client, coordinator):
    spent = {"tokens": 200000, "hours": 1.5, "rounds": 5}
    imported(small_release, write_lines(tmp_path / "spent.jsonl", proof(budget=spent)))
    client.force_login(coordinator)
    page = client.get(reverse("instance", args=[small_release.name, "p1"])).content.decode()
    for name, amount in spent.items():
        assert f"<dt>Budget, {name}</dt><dd>{amount}</dd>" in page
    output = Output.objects.get()
    shown = get_protocol("proofs").output_parts(output.payload, output.text, output.text_format)
    assert [part.title for part in shown] == ["Proof"]
    assert not any("200000" in part.text for part in shown)


@pytest.mark.parametrize(
    ("budget", "field"),
    [({"tokens": -1}, "budget.tokens"), ({"hours": "six"}, "budget.hours"), ({"money": 3}, "budget.money")],
)
def test_a_budget_that_cannot_be_is_refused_by_field(small_release, tmp_path, budget, field):
    file = write_lines(tmp_path / "spent.jsonl", proof(budget=budget))
    with pytest.raises(Refused, match=rf"line 1, field {field}"):
        imported(small_release, file)
    assert not Run.objects.exists()


def test_the_same_outputs_again_change_nothing_even_when_frozen(small_release, path):
    imported(small_release, path)
    freeze_run(run=Run.objects.get())
    assert not imported(small_release, path).changed
    assert Output.objects.count() == 3


def test_the_same_outputs_again_are_scanned_if_the_first_import_was_broken_off(
    small_release, path, monkeypatch
):
    def broken_off(**asked):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("benchmark.importing.outputs.scan_identities", broken_off)
        with pytest.raises(KeyboardInterrupt):
            imported(small_release, path)
    assert not IdentityScan.objects.exists()
    assert not imported(small_release, path, dry_run=True).changed
    assert not IdentityScan.objects.exists()
    assert not imported(small_release, path).changed
    assert IdentityScan.objects.count() == 2


def test_other_outputs_for_the_same_run_are_refused_with_what_differs(tmp_path, small_release, path):
    imported(small_release, path)
    other = write_lines(tmp_path / "other.jsonl", proof(text="Different."), proof("p3"))
    with pytest.raises(Refused) as refusal:
        imported(small_release, other)
    assert "1 changed (p1/1)" in str(refusal.value)
    assert "2 missing from the file (p1/2, p2/1)" in str(refusal.value)
    assert Output.objects.count() == 3


def test_another_track_or_condition_is_another_run(small_release, path):
    imported(small_release, path)
    imported(small_release, path, track="assisted")
    imported(small_release, path, condition="oracle")
    assert Run.objects.count() == 3
    assert System.objects.count() == 1


def test_a_system_is_not_renamed_by_an_import(small_release, path):
    imported(small_release, path, system_name="Aurora")
    with pytest.raises(Refused, match="known with name 'Aurora', not 'Borealis'"):
        imported(small_release, path, track="assisted", system_name="Borealis")
    assert Run.objects.count() == 1


def test_bad_lines_are_named_and_nothing_is_left(tmp_path, small_release):
    bad = write_lines(
        tmp_path / "bad.jsonl", proof(), proof("p9"), proof(text=""), proof(), proof("p2", format="docx")
    )
    with pytest.raises(BadFile) as refusal:
        imported(small_release, bad)
    assert [(error.line, error.field) for error in refusal.value.errors] == [
        (2, "instance_id"),
        (3, ""),
        (4, "attempt"),
        (5, "format"),
    ]
    assert not System.objects.exists()


def test_a_dry_run_writes_nothing(small_release, path):
    assert imported(small_release, path, dry_run=True).changed
    assert not Run.objects.exists()
    assert not System.objects.exists()


def test_an_error_in_the_middle_of_writing_leaves_nothing(small_release, path, monkeypatch):
    def crash_after_the_first_batch(phase, done, total):
        if phase == "writing":
            assert (done, Output.objects.count()) == (1, 1)
            raise RuntimeError("pulled the plug")

    monkeypatch.setattr("benchmark.importing.batches.BATCH", 1)
    with pytest.raises(RuntimeError):
        imported(small_release, path, progress=crash_after_the_first_batch)
    assert not any(model.objects.exists() for model in (System, Run, Output))


def test_a_folder_of_documents_is_read(tmp_path, small_release):
    folder = tmp_path / "outputs"
    folder.mkdir()
    (folder / "p1.tex").write_text("One.")
    (folder / "p1.2.tex").write_text("Two.")
    (folder / "p2.md").write_text("Three.")
    assert imported(small_release, folder).outputs == 3
    assert Output.objects.get(text="Two.").attempt == 2


def test_a_bad_document_is_named_and_nothing_is_left(tmp_path, small_release):
    (tmp_path / "outputs").mkdir()
    (tmp_path / "outputs" / "p1.tex").write_bytes(b"\xff")
    (tmp_path / "outputs" / "p7.md").write_text("Fine.")
    with pytest.raises(BadFile) as refusal:
        imported(small_release, tmp_path / "outputs")
    assert [str(error) for error in refusal.value.errors] == [
        "line 1, field p1.tex: not UTF-8; save it as UTF-8",
        "field instance_id: the release has no instance 'p7'",
    ]
    assert not System.objects.exists()


def test_new_outputs_may_join_a_frozen_release(small_release, path):
    call_command("freeze", "--release", "small", stdout=io.StringIO())
    assert imported(small_release, path).changed


def test_the_command_prints_one_json_document_and_refuses_unknown_releases(small_release, path, capsys):
    call_command("import_outputs", str(path), "--release", "small", "--system", "aurora", "--json")
    document = json.loads(capsys.readouterr().out)
    assert (document["outputs"], document["states"]["abstained"]) == (3, 1)
    with pytest.raises(CommandError, match="no release 'nonesuch'; there are: small"):
        call_command("import_outputs", str(path), "--release", "nonesuch", "--system", "aurora")


@pytest.mark.slow
@pytest.mark.real_data
def test_the_first_proof_documents_are_imported_from_their_folder(tmp_path):
    folder = DATA / "first-proof-aletheia"
    keys = sorted(file.stem for file in folder.glob("*.tex"))
    problems = [PROBLEM | {"instance_id": key} for key in keys]
    import_release(
        actor=None, protocol="proofs", path=write_lines(tmp_path / "r.jsonl", *problems), name="first-proof"
    )
    report = imported(Release.objects.get(), folder)
    assert (report.outputs, report.without_output) == (14, 0)
    text = real_file("first-proof-aletheia", "FP2_A.tex").read_text("utf-8")
    assert Output.objects.get(instance__key="FP2_A").text == text
    assert run_sha256(Run.objects.get()) == report.sha256


@pytest.mark.slow
@pytest.mark.real_data
def test_the_deepseek_proofs_are_imported_as_markdown(tmp_path):
    rows = [
        json.loads(line)
        for file in sorted((DATA / "deepseek-math-v2" / "outputs").glob("*.jsonl"))
        for line in file.read_text("utf-8").splitlines()
    ]
    problems = [
        PROBLEM
        | {
            "instance_id": row["problem_idx"],
            "title": row["problem_idx"],
            "statement": row["question"],
            "reference_solution": row.get("solution", ""),
        }
        for row in rows
    ]
    proofs = [proof(row["problem_idx"], text=row["model_prediction"]["proof"]) for row in rows]
    release = write_lines(tmp_path / "r.jsonl", *problems)
    import_release(actor=None, protocol="proofs", path=release, name="olympiads")
    report = imported(Release.objects.get(), write_lines(tmp_path / "o.jsonl", *proofs))
    assert (report.outputs, report.states, report.without_output) == (84, {"answered": 84}, 0)
