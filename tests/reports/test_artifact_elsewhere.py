"""An artifact made here (PostgreSQL in the second run of the suite) against a copy of the code on SQLite."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmark.releases.freezing import freeze_release
from reports.artifact.freezing import freeze_artifact
from tests.deployment import SQLITE, migrated_once
from tests.reports.conftest import SYSTEMS

ROOT = Path(__file__).parents[2]

_SAME_PROJECT = """
import os, sys
sys.path.insert(0, os.getcwd())
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
import django
from django.core.management import call_command as call
django.setup()
assert django.db.connection.vendor == "sqlite"
quiet = open(os.devnull, "w")
call("import_release", "re2math", "sample/re2math/release.jsonl", release="sample-re2math", sample=True, stdout=quiet)
for system in {systems}:
    file = f"sample/re2math/outputs-{{system}}.jsonl"
    call("import_outputs", file, release="sample-re2math", system=system, stdout=quiet)
for labels in ("labels-judge.csv", "labels-experts.csv"):
    call("import_labels", f"sample/re2math/{{labels}}", release="sample-re2math", stdout=quiet)
call("freeze", release="sample-re2math", stdout=quiet)
call("artifact", release="sample-re2math")
"""


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A second copy of the code, without git and without this run's settings."""
    copy = tmp_path_factory.mktemp("elsewhere") / "clone"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".*", "__pycache__", "tests", "docs", "bench"))
    return copy


def run_in(clone: Path, *command: str) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if not key.endswith("_URL")}
    environment |= {"TOUCHSTONE_RUNTIME_DIR": str(clone / "runtime"), "TOUCHSTONE_DEMO": "1"}
    return subprocess.run(
        [sys.executable, *command], cwd=clone, env=environment, capture_output=True, text=True, check=False
    )


@pytest.fixture
def artifact(gaps):
    freeze_release(actor=None, release=gaps)
    gaps.refresh_from_db()
    return freeze_artifact(actor=None, release=gaps)


@pytest.mark.slow
def test_it_verifies_in_another_copy_of_the_code_that_has_no_stored_release(artifact, clone):
    (clone / "artifact.json").write_text(artifact.content, "utf-8")
    answer = run_in(clone, "manage.py", "verify_artifact", "artifact.json", "--json")
    assert answer.returncode == 0, answer.stderr
    found = json.loads(answer.stdout)
    assert found == {"verified": True, "sha256": artifact.sha256, "differences": [], "notes": []}


@pytest.mark.slow
def test_another_number_in_it_is_refused_there_with_its_place(artifact, clone):
    (clone / "other.json").write_text(
        artifact.content.replace('"seed":20261121', '"seed":20261122', 1), "utf-8"
    )
    answer = run_in(clone, "manage.py", "verify_artifact", "other.json")
    assert answer.returncode == 1
    assert "inputs.seed: expected 20261121, found 20261122" in answer.stderr


@pytest.mark.slow
def test_the_same_files_imported_there_give_the_same_bytes(artifact, clone):
    (clone / "runtime").mkdir(exist_ok=True)
    shutil.copyfile(migrated_once("").folder / SQLITE, clone / "runtime" / SQLITE)
    answer = run_in(clone, "-c", _SAME_PROJECT.format(systems=SYSTEMS))
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.removesuffix("\n") == artifact.content
