"""What every process waits for when it starts: a web worker, a Celery worker, a management command."""

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
