"""What every process waits for when it starts: a web worker, a Celery worker, a management command."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.no_database
ROOT = Path(__file__).parents[2]
SLOW = {"scipy", "sympy", "pypdf", "weasyprint", "sentry_sdk", "mcp"}  # 0.1 to 1 s of the processor each
START = """
import os, sys
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
import django
django.setup()
import config.celery, config.urls
print(*sys.modules)
"""


@pytest.mark.slow
def test_a_process_starts_without_the_libraries_that_few_requests_need() -> None:
    started = subprocess.run(
        [sys.executable, "-c", START], cwd=ROOT, capture_output=True, text=True, timeout=120, check=True
    )
    loaded = set(started.stdout.split())
    assert "reports.published.views" in loaded  # all views are there, as in a web worker
    assert loaded & SLOW == set()


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("DATABASE_URL", "hunter2", "DATABASE_URL: expected an address such as postgres://"),
        (
            "DATABASE_URL",
            "postgres://me:hunter2/word@here/touchstone",
            "%, /, ? and # are written %25, %2F, %3F",
        ),
        (
            "DATABASE_URL",
            "mysql://me:hunter2@here/touchstone",
            "DATABASE_URL: expected an address such as postgres://",
        ),
        (
            "TOUCHSTONE_RUNTIME_DIR",
            "/dev/null/site",
            "TOUCHSTONE_RUNTIME_DIR: /dev/null/site is missing and cannot",
        ),
        (
            "TOUCHSTONE_UPLOAD_DIR",
            "/dev/null/up",
            "TOUCHSTONE_UPLOAD_DIR: /dev/null/up is missing and cannot be made",
        ),
    ],
)
def test_a_process_that_cannot_start_names_the_variable_and_no_password(
    variable: str, value: str, said: str
) -> None:
    command = [sys.executable, "manage.py", "check"]
    environment = {**os.environ, variable: value}
    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)
    last = ended.stderr.splitlines()[-1]
    assert last.startswith("django.core.exceptions.ImproperlyConfigured: ")
    assert said in last
    assert "hunter2" not in ended.stderr
