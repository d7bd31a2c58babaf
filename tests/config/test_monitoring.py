"""What monitoring asks: whether requests can be served, and measures that tell nothing of anybody."""

from pathlib import Path

import pytest
from django.db import DatabaseError
from django.test import Client

from tests.deployment import deployed

TOKEN = "a-token-of-a-monitoring-system"
ASK = f"""
from django.conf import settings
from django.test import Client
settings.ALLOWED_HOSTS += ["testserver"]
client = Client()
client.get("/health/"); client.get("/nowhere/at-all/"); client.get("/grading/items/some-handle/")
wrong = {{"Authorization": "Bearer wrong"}}
print(client.get("/metrics/").status_code, client.get("/metrics/", headers=wrong).status_code)
answer = client.get("/metrics/", headers={{"Authorization": "Bearer {TOKEN}"}})
print(answer.status_code, answer["Content-Type"])
print(answer.content.decode())
"""


@pytest.mark.django_db
def test_a_site_that_can_serve_says_so(client: Client) -> None:
    answer = client.get("/ready/")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


@pytest.mark.django_db
def test_a_site_whose_migrations_are_missing_is_not_ready(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "config.views.MigrationExecutor.migration_plan", lambda *_: [("accounts", "0099_later")]
    )
    answer = client.get("/ready/")
    assert answer.status_code == 503
    assert answer.json()["reason"] == "migrations of this version are not applied"


@pytest.mark.django_db
def test_a_site_without_its_database_is_not_ready_and_says_no_more(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> None:
        raise DatabaseError("host 10.0.0.1 refused user touchstone")

    monkeypatch.setattr("config.views.MigrationExecutor", away)
    answer = client.get("/ready/")
    assert answer.json() == {"status": "unavailable", "reason": "the database does not answer"}


@pytest.mark.django_db
def test_without_a_token_there_are_no_measures(client: Client) -> None:
    assert client.get("/metrics/", headers={"Authorization": "Bearer "}).status_code == 404


@pytest.mark.slow
def test_measures_name_addresses_and_states_and_nothing_else(tmp_path: Path) -> None:
    with deployed(tmp_path, TOUCHSTONE_METRICS_TOKEN=TOKEN) as deployment:
        refused, kind, said = deployment.manage("shell", "-v0", "-c", ASK).split("\n", 2)
    assert refused == "404 404"
    assert kind.startswith("200 text/plain")
    assert 'touchstone_request_seconds_count{method="GET",status="2xx",view="health"} 1.0' in said
    assert 'status="4xx",view="none"' in said
    assert "touchstone_judge_wait_seconds 0.0" in said
    assert "some-handle" not in said
    assert "at-all" not in said
