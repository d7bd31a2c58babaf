"""`make lint` refuses code that opens a hole: planted lines are found by the rules this project has set."""

import subprocess
import sys

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
