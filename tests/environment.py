"""The environment of a test run; a pytest plugin, because Django reads its settings before any conftest.

Every process of the run (xdist starts several) has its own runtime folder, and its own database of a Redis.
"""

import gc
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from tests.deployment import share_a_folder

WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
RUNTIME_DIR = tempfile.mkdtemp(prefix="touchstone-test-")
# The same coins fall in every run: handles, orders and sides are derived from the key.
(Path(RUNTIME_DIR) / "secret-key").write_text("k9Vx-the-key-of-all-tests-4Qm7ZtRw2LcYd8HnBs6JpGf")

os.environ["TOUCHSTONE_DEMO"] = "1"
os.environ["TOUCHSTONE_RUNTIME_DIR"] = RUNTIME_DIR
os.environ["TOUCHSTONE_STATIC_STORAGE"] = "django.contrib.staticfiles.storage.StaticFilesStorage"
os.environ["TOUCHSTONE_CACHE"] = "memory"
os.environ["TOUCHSTONE_EMAIL_URL"] = "memorymail://"
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")  # Playwright's synchronous interface runs a loop
share_a_folder()  # before xdist starts the others
# Speed is for bench/: a machine that is busy with something else must not fail a test of what is right.
hypothesis_settings.register_profile("any_speed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
hypothesis_settings.load_profile("any_speed")
if os.environ.get("CELERY_BROKER_URL", "").startswith("redis://"):
    os.environ["CELERY_BROKER_URL"] = os.environ["CELERY_BROKER_URL"].rsplit("/", 1)[0] + f"/{WORKER}"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--of-postgresql", action="store_true", help="read no file that runs on SQLite alone")
    parser.addoption("--rounds", type=int, help="rounds of 200 reviewers who ask at once")


def pytest_collection_finish() -> None:
    """Thousands of collected tests live until the end: no collection of garbage needs to look at them again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure() -> None:
    """The runtime folder goes with the process that made it."""
    shutil.rmtree(RUNTIME_DIR, ignore_errors=True)
