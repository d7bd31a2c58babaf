"""The drill of docs/deploy.md: back up a study, lose the database, restore it, and miss nothing."""

import sqlite3
import subprocess
import sysconfig
from contextlib import closing
from pathlib import Path

from tests.deployment import Deployment, deployed, empty_deployment
from tools.servers import INSTALL, WHEEL

PROGRAMS = Path(sysconfig.get_path("purelib")) / WHEEL / INSTALL / "bin"
MAKE = """
import os
from django.core.management import call_command as call
quiet = open(os.devnull, "w")
call("import_release", "re2math", "sample/re2math/release.jsonl", release="sample-re2math", sample=True, stdout=quiet)
call("import_outputs", "sample/re2math/outputs-aurora.jsonl", release="sample-re2math", system="aurora", no_render=True,
     stdout=quiet)
call("import_outputs", "sample/re2math/outputs-basalt.jsonl", release="sample-re2math", system="basalt", no_render=True,
     stdout=quiet)
call("import_outputs", "sample/re2math/outputs-cobalt.jsonl", release="sample-re2math", system="cobalt", no_render=True,
     stdout=quiet)
for labels in ("labels-judge.csv", "labels-experts.csv"):
    call("import_labels", f"sample/re2math/{labels}", release="sample-re2math", stdout=quiet)
call("freeze", release="sample-re2math", stdout=quiet)
"""
LOOK = """
from hashlib import sha256
from io import StringIO
from django.core.management import call_command as call
from reports.history.chain import head
labels = StringIO()
call("export_labels", release="sample-re2math", stdout=labels)
assert labels.getvalue().count("\\n") > 100, labels.getvalue()
print(sha256(labels.getvalue().encode()).hexdigest(), head())
"""
CHECK = """
from io import StringIO
from django.core.management import call_command as call
from django.db import IntegrityError, transaction
from benchmark.models import Instance
call("check_invariants", stdout=StringIO())
call("verify_history", head=["HEAD"], stdout=StringIO())
call("migrate", check=True, stdout=StringIO())
try:
    with transaction.atomic():
        Instance.objects.update(domain="other")
    print("a frozen instance was changed")
except IntegrityError as refusal:
    print(refusal)
"""


def back_up(deployment: Deployment, target: Path) -> None:
    if deployment.database_url:
        command = [PROGRAMS / "pg_dump", "--format=custom", "--file", target, deployment.database_url]
        subprocess.run(command, check=True, capture_output=True)
        return
    with closing(sqlite3.connect(deployment.folder / "touchstone.sqlite3")) as source:
        source.execute("VACUUM INTO ?", (str(target),))


def restore(backup: Path, deployment: Deployment) -> None:
    """Into a deployment whose database is new and empty."""
    if deployment.database_url:
        command = [PROGRAMS / "pg_restore", "--no-owner", "--single-transaction"]
        subprocess.run(
            [*command, "--dbname", deployment.database_url, backup], check=True, capture_output=True
        )
        return
    backup.rename(deployment.folder / "touchstone.sqlite3")


def test_a_restored_study_has_the_same_labels_history_and_guards(tmp_path: Path) -> None:
    backup = tmp_path / "backup"
    with deployed(tmp_path / "first") as first:
        first.manage("shell", "-v0", "-c", MAKE)
        first.manage("verify_history", "--seal")
        labels, head = first.manage("shell", "-v0", "-c", LOOK).split()
        back_up(first, backup)
    with empty_deployment(tmp_path / "second") as second:
        restore(backup, second)
        assert second.manage("shell", "-v0", "-c", LOOK).split() == [labels, head]
        said = second.manage("shell", "-v0", "-c", CHECK.replace("HEAD", head))
        assert "its release is frozen" in said
