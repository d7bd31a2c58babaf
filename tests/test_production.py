"""The production way to run: what leaves the server, and what Django's own deployment check says."""

import json
import os
import re
import subprocess
import sys

import pytest
from django.conf import settings

PRODUCTION = {
    "TOUCHSTONE_DEMO": "0",
    "TOUCHSTONE_DEBUG": "0",
    "TOUCHSTONE_SECRET_KEY": "an-example-of-a-key-that-is-long-enough-0123456789",
    "TOUCHSTONE_ALLOWED_HOSTS": "study.test",
}
ASK = """
import json, os
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
import django
django.setup()
from django.test import Client
pages = {}
for scheme in ("http", "https"):
    answer = Client(headers={"Host": "study.test"}).get("/accounts/login/", secure=scheme == "https")
    cookies = {name: dict(morsel) for name, morsel in answer.cookies.items()}
    pages[scheme] = {"status": answer.status_code, "headers": dict(answer.headers), "cookies": cookies}
print(json.dumps(pages))
"""


def in_production(runtime_dir: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python with the production settings, and without what only the browser tests need."""
    environment = {name: value for name, value in os.environ.items() if name != "DJANGO_ALLOW_ASYNC_UNSAFE"}
    return subprocess.run(
        [sys.executable, *arguments],
        env={**environment, **PRODUCTION, "TOUCHSTONE_RUNTIME_DIR": runtime_dir},
        cwd=settings.BASE_DIR,
        capture_output=True,
        text=True,
    )


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict:
    asked = in_production(str(tmp_path_factory.mktemp("runtime")), "-c", ASK)
    assert asked.returncode == 0, asked.stderr
    return json.loads(asked.stdout)


@pytest.mark.slow
def test_plain_http_is_sent_to_https(answers: dict) -> None:
    assert answers["http"]["status"] == 301
    assert answers["http"]["headers"]["Location"] == "https://study.test/accounts/login/"


def test_browsers_are_told_to_stay_on_https(answers: dict) -> None:
    headers = answers["https"]["headers"]
    assert headers["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains; preload"


def test_cookies_travel_over_https_and_not_from_other_sites(answers: dict) -> None:
    cookie = answers["https"]["cookies"]["csrftoken"]
    assert (cookie["secure"], cookie["samesite"]) == (True, "Lax")


@pytest.mark.slow
def test_the_deployment_check_says_what_an_empty_deployment_lacks_and_nothing_else(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`make production` is one that lacks nothing."""
    for variable in ("TOUCHSTONE_CACHE", "TOUCHSTONE_STATIC_STORAGE"):  # which tests set otherwise
        monkeypatch.delenv(variable, raising=False)
    checked = in_production(str(tmp_path), "manage.py", "check", "--deploy", "--fail-level", "INFO")
    said = set(re.findall(r"\((\w+\.\w\d+)\)", checked.stderr))
    addresses, files, mail, cache = (
        "platform.W006 platform.W007",
        "platform.W010",
        "platform.W012",
        "platform.W016",
    )
    embedded = set() if os.environ.get("DATABASE_URL") else {"platform.W014", "platform.W015"}
    assert said == {*addresses.split(), files, mail, cache} | embedded
