"""`make lint` refuses code that opens a hole: planted lines are found by the rules this project has set."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import HERE

HOLES = {
    "S102": "exec(text)",
    "S108": "open('/tmp/known-name', 'w')",
    "S301": "import pickle\npickle.loads(data)",
    "S307": "eval(text)",
    "S324": "import hashlib\nhashlib.md5(data)",
    "S501": "import requests\nrequests.get('https://example.org', verify=False, timeout=1)",
    "S602": "import subprocess\nsubprocess.run(text, shell=True)",
    "S608": "cursor.execute(f'SELECT * FROM users WHERE name = {name}')",
}


@pytest.mark.no_database
@pytest.mark.parametrize("rule", HOLES)
def test_code_that_opens_a_hole_is_refused(rule: str) -> None:
    command = [sys.executable, "-m", "ruff", "check", "--stdin-filename", "reports/planted.py", "-"]
    found = subprocess.run(command, input=HOLES[rule], cwd=HERE.parent, capture_output=True, text=True)
    assert found.returncode == 1
    assert rule in found.stdout


# What bandit finds: the names of calls as ruff does, and what reaches them.
BANDIT_HOLES = {
    "B102": "exec(text)",
    "B202": "import tarfile\ntarfile.open(name).extractall()",
    "B301": "import pickle\npickle.loads(data)",
    "B314": "import xml.etree.ElementTree as tree\ntree.parse(data)",
    "B602": "import subprocess\nsubprocess.run(text, shell=True)",
    "B608": "cursor.execute(f'SELECT * FROM users WHERE name = {name}')",
    "B703": "from django.utils.safestring import mark_safe\ndef shown(text):\n    return mark_safe(text)",
}


@pytest.mark.no_database
def test_bandit_finds_each_planted_hole_by_the_project_s_settings(tmp_path: Path) -> None:
    for rule, hole in BANDIT_HOLES.items():
        (tmp_path / f"{rule}.py").write_text(hole, encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "bandit",
        "--quiet",
        "--configfile",
        "pyproject.toml",
        "--format",
        "json",
    ]
    done = subprocess.run(
        [*command, "--recursive", tmp_path], cwd=HERE.parent, capture_output=True, text=True
    )
    assert done.returncode == 1
    found = {
        (Path(result["filename"]).stem, result["test_id"]) for result in json.loads(done.stdout)["results"]
    }
    assert {(rule, rule) for rule in BANDIT_HOLES} <= found


@pytest.mark.no_database
def test_make_lint_runs_bandit_over_all_code() -> None:
    assert (
        "-m bandit --quiet --configfile pyproject.toml --recursive ."
        in (HERE.parent / "Makefile").read_text()
    )
