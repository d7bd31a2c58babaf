"""Publishing: a finished run becomes a system's run, as if its outputs had come as a file from elsewhere."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from accounts.models import User
from accounts.refusal import Refused
from benchmark.importing.outputs import import_outputs
from benchmark.models import IdentityScan, Output, Release, Run
from benchmark.releases.actions import import_release
from benchmark.releases.freezing import freeze_release
from solving.models import Attempt, SolveRun
from solving.publishing.actions import outputs_file, publish
from solving.runs.actions import steer
from tests.llm.server import Server
from tests.solving import site
from tests.solving.world import Shape
from work.models import RunState

pytestmark = pytest.mark.django_db(transaction=True)
SMALL = Shape(rounds=2, proposers=2, verifiers=1)


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("actions", "settlement"):
        monkeypatch.setattr(f"solving.runs.{module}.ring", lambda: None)


@pytest.fixture
def server(settings: Any) -> Iterator[Server]:
    with site.world_server(settings) as running:
        yield running


@pytest.fixture
def release(db: None, tmp_path: Path) -> Release:
    """Three frozen problems, as a file brings them."""
    path = tmp_path / "release.jsonl"
    lines = [
        {"instance_id": f"p{number}", "domain": "algebra", "title": "One", "statement": "Show that it holds."}
        for number in range(1, 4)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    import_release(actor=None, path=path, protocol="proofs", name="three")
    made = Release.objects.get(name="three")
    freeze_release(actor=None, release=made)
    made.refresh_from_db()
    return made


def finished(release: Release, attempts: int = 2) -> SolveRun:
    return site.work(site.start(site.solver(settings=site.rma(SMALL)), release, attempts=attempts))


@pytest.mark.slow
def test_a_published_run_is_the_run_that_its_outputs_file_makes(
    server: Server, release: Release, tmp_path: Path
) -> None:
    run = finished(release)
    report = publish(actor=None, run=run, dry_run=True)
    assert (report.outputs, report.dry_run, Run.objects.count()) == (6, True, 0)
    report = publish(actor=None, run=run)
    run.refresh_from_db()
    made = run.published
    assert made is not None
    assert (made.system.slug, made.sha256, report.outputs) == ("some-rma-v1", report.sha256, 6)
    assert made.config["recipe_sha256"] == run.solver.recipe_sha256
    proofs = Attempt.objects.order_by("instance__key", "number").values_list("result__proof_latex", flat=True)
    texts = Output.objects.order_by("instance__key", "attempt").values_list("text", flat=True)
    assert list(proofs) == list(texts)
    path = tmp_path / "outputs.jsonl"
    path.write_bytes(outputs_file(run))
    elsewhere = import_outputs(actor=None, path=path, release=release, system="another", track="raw")
    assert elsewhere.sha256 == made.sha256
    with pytest.raises(Refused, match="published already"):
        publish(actor=None, run=run)


@pytest.mark.slow
def test_a_text_that_names_a_model_of_its_solver_is_found_by_the_identity_scan(
    server: Server, release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the solver's own name was looked for, so a reviewer could read which model had written a proof."""
    roles = {"verifier": {"model": "other/borealis-7b"}}
    run = site.work(site.start(site.solver(settings=site.rma(SMALL), roles=roles), release))
    texts = ["It holds.", "Borealis-7b approves.", "It holds as well."]
    lines = [json.loads(line) for line in outputs_file(run).splitlines()]
    named = [line | {"text": text} for line, text in zip(lines, texts, strict=True)]
    content = "".join(json.dumps(line) + "\n" for line in named).encode()
    monkeypatch.setattr("solving.publishing.actions.outputs_file", lambda _: content)
    publish(actor=None, run=run)
    certain = IdentityScan.objects.order_by("output__instance__key").values_list("certain", flat=True)
    assert list(certain) == [0, 1, 0]


def test_a_run_that_is_not_over_or_was_cancelled_is_not_published(server: Server) -> None:
    release = site.problems()
    by = site.solver(settings=site.rma(SMALL))
    run = site.start(by, release)
    with pytest.raises(Refused, match="1 attempt has not ended yet"):
        publish(actor=None, run=run)
    site.work(run)
    with pytest.raises(Refused, match="Freeze the release"):
        publish(actor=None, run=run)
    other = site.start(by, release, attempts=2)
    steer(actor=None, run=other, to=RunState.CANCELLED)
    with pytest.raises(Refused, match="cancelled run"):
        publish(actor=None, run=other)


def test_attempts_that_abstain_or_fail_are_published_as_such(server: Server, release: Release) -> None:
    server.keyed = None
    server.script = [{"kind": "text", "text": '{"abstain": true, "reason": "It is open."}'}]
    server.rule = lambda request: "no"
    run = finished(release, attempts=1)
    publish(actor=None, run=run)
    assert sorted(Output.objects.values_list("state", flat=True)) == ["abstained", "failed", "failed"]


@pytest.mark.slow
def test_the_console_solves_watches_and_publishes(
    server: Server, release: Release, owner: User, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command(
        "solve", "--release", release.name, "--solver", "single", "--recipe", "single", "--endpoint", "local",
        "--model", "scripted", "--attempt-tokens", "100000",
    )  # fmt: skip
    assert "state: done" in capsys.readouterr().out
    run = SolveRun.objects.get()
    call_command("api", "GET", f"solving/runs/{run.pk}/")
    told = json.loads(capsys.readouterr().out)
    assert (told["solver"], told["state"], told["progress"]["ended"]) == ("single-v1", "done", 3)
    call_command("api", "POST", f"solving/runs/{run.pk}/publish/")
    assert json.loads(capsys.readouterr().out)["outputs"] == 3


@pytest.mark.parametrize(
    "given",
    [
        *(("--prompt-price", wrong) for wrong in ("NaN", "Infinity", "1e400", "1000000", "0.0000001")),
        *(("--attempt-cost", wrong) for wrong in ("NaN", "1e10")),
        *(("--attempt-tokens", "1" + "0" * 30), ("--attempt-seconds", "1" + "0" * 30)),
        *(("--model", "m" * 201), ("--family", "f" * 101)),
    ],
)
def test_what_no_column_holds_is_refused_on_the_command_line(
    given: tuple[str, str], server: Server, release: Release
) -> None:
    with pytest.raises(CommandError, match=r"invalid|at most"):
        call_command(
            "solve", "--release", release.name, "--solver", "single", "--recipe", "single", "--endpoint", "local",
            "--model", "scripted", "--attempt-tokens", "100000", "--max-tokens", "100000", "--no-wait", *given,
        )  # fmt: skip
    assert not SolveRun.objects.exists()


def test_a_solver_whose_version_is_no_number_is_not_there(server: Server, release: Release) -> None:
    with pytest.raises(CommandError, match="There is no solver 'single-v²'"):
        call_command("solve", "--release", release.name, "--solver", "single-v²")
