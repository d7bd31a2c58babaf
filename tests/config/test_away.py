"""While the database is away every address answers 503 and when to come back, in the shape its caller expects."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import OperationalError

from reports.management.commands import write_records

ASK = """
import json, logging, os
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
import django
django.setup()
from django.conf import settings
settings.ALLOWED_HOSTS += ["testserver"]
from django.test import Client
asked = [
    ("get", "/health/", {}), ("get", "/ready/", {}), ("get", "/", {}), ("get", "/grading/", {}),
    ("post", "/accounts/login/", {}), ("get", "/api/v1/me/", {}),
    ("get", "/api/v1/queue/", {"Authorization": "Bearer abc"}),
    ("post", "/api/v1/queue/", {"Authorization": "Bearer abc"}),
]
answers, logged = {}, []
logging.getLogger("django.request").addFilter(lambda entry: logged.append(entry) or True)
for method, address, headers in asked:
    client = Client(raise_request_exception=False)
    if address != "/ready/":  # monitoring has no session
        client.cookies["sessionid"] = "abcdefgh" * 4
    logged.clear()
    answer = getattr(client, method)(address, headers=headers)
    text = answer.content.decode()
    told = [answer.headers.get(name) for name in ("Retry-After", "Refresh")]
    answers[f"{method} {address}"] = [answer.status_code, *told, text, len(logged)]
print(json.dumps(answers))
"""


def answers_with(database_url: str, runtime: Path) -> dict[str, tuple[int, str | None, str | None, str, int]]:
    ran = subprocess.run(
        [sys.executable, "-c", ASK],
        env={**os.environ, "DATABASE_URL": database_url, "TOUCHSTONE_RUNTIME_DIR": str(runtime)},
        cwd=settings.BASE_DIR,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


@pytest.mark.slow
@pytest.mark.parametrize(
    "address", ["postgres://nobody@/nothing?host={}/no-socket&port=5432", "sqlite:////{}/no-folder/database"]
)
def test_every_address_says_that_the_database_is_away_and_when_to_come_back(tmp_path, address):
    answers = answers_with(address.format(str(tmp_path).lstrip("/")), tmp_path)
    ready = answers.pop("get /ready/")
    assert (ready[0], json.loads(ready[3])["reason"]) == (503, "the database does not answer")
    for asked, (status, again, refresh, text, logged) in answers.items():
        assert (status, again) == (503, "5"), asked
        assert logged == 1, "one fault, one traceback"
        assert (refresh == "10") == asked.startswith("get"), "a form must not be lost"
        if "/api/" in asked:
            assert json.loads(text)["code"] == "unavailable"
        else:
            assert "Back in a moment" in text


@pytest.mark.slow
def test_a_fault_of_ours_is_still_a_fault(tmp_path):
    answers = answers_with(f"sqlite:////{tmp_path}/empty.sqlite3", tmp_path)
    status, again, _, text, _ = answers["get /api/v1/queue/"]
    assert (status, again) == (500, None), "no such table: nobody has migrated, and waiting does not help"
    assert json.loads(text)["code"] == "fault", "a program hears it in the shape of every refusal"
    assert "Something went wrong" in answers["get /"][3]


def test_a_command_says_in_a_sentence_that_the_database_cannot_serve_it(monkeypatch):
    def locked():
        raise OperationalError("database is locked")

    monkeypatch.setattr(write_records, "write_missing", locked)
    with pytest.raises(CommandError, match="could not do this: database is locked"):
        call_command("write_records")


@pytest.mark.django_db
def test_an_address_that_rest_does_not_have_is_refused_in_the_shape_of_every_refusal(client):
    for address in ("/api/v1/nonesuch/", "/api/nonesuch", "/api/v1/queue/nonesuch/"):
        answer = client.get(address)
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found"), address
    assert "Page not found" in client.get("/nonesuch/").content.decode()


@pytest.mark.django_db
def test_a_write_to_an_address_without_its_slash_is_refused_and_not_led_to_a_page_that_only_shows(
    client, algebraist
):
    client.force_login(algebraist)
    written = client.post("/api/v1/comment-bank", {"text": "As in (1)."}, content_type="application/json")
    assert (written.status_code, written.json()["code"]) == (404, "not_found")
    assert client.get("/api/v1/comment-bank").headers["Location"] == "/api/v1/comment-bank/"
