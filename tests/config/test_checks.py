"""The platform does not start on packages with known holes, nor on a database that forgets."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as now
from django.core.checks import ERROR, WARNING, run_checks
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import connection

from config import checks

PIN = re.compile(r"^([\w-]+)(?:\[\w+\])?==(\S+)$", re.MULTILINE)


def test_what_is_installed_is_at_or_above_every_floor() -> None:
    assert [message for message in run_checks() if message.id.startswith("platform.")] == []


def test_a_package_below_its_floor_stops_every_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(checks.FLOORS, "Django", ("99.0", "a hole that somebody found"))
    with pytest.raises(SystemCheckError, match=r"Django 5\.\d+\.\d+ is too old: a hole that somebody found"):
        call_command("check")


def test_what_we_pin_is_at_or_above_every_floor() -> None:
    """A floor that is raised needs its pin raised with it."""
    pins = dict(PIN.findall((now.BASE_DIR / "requirements.txt").read_text()))
    for name, (floor, _) in checks.FLOORS.items():
        assert checks.Version(pins[name]) >= checks.Version(floor)


@pytest.mark.parametrize(
    ("folders", "words"),
    [
        (["katex-0.18.1"], ["KaTeX 0.18.1 is too old."]),
        (["katex-0.18.2"], []),
        (["katex-0.18.2", "katex-0.9.0"], ["KaTeX 0.9.0 is too old."]),
        ([], ["KaTeX is not in static/vendor."]),
    ],
)
def test_a_vendored_katex_with_known_holes_is_named(
    tmp_path: Path, folders: list[str], words: list[str]
) -> None:
    for name in folders:
        (tmp_path / name).mkdir()
    assert [message.msg for message in checks.katex_below_its_floor(tmp_path)] == words


# How each database is made to answer before a commit is on disk, and how that is undone.
FORGET = {
    "postgresql": ("SET synchronous_commit = off", "SET synchronous_commit = on", "synchronous_commit = off"),
    "sqlite": ("PRAGMA synchronous = OFF", "PRAGMA synchronous = FULL", "synchronous = 0"),
}


@pytest.mark.django_db(transaction=True)  # SQLite takes the setting outside of a transaction only
@pytest.mark.parametrize(("demo", "level"), [(False, ERROR), (True, WARNING)])
def test_a_database_that_forgets_is_an_error_outside_of_a_demo(settings: Any, demo: bool, level: int) -> None:
    settings.DEMO = demo
    forget, remember, words = FORGET[connection.vendor]

    def found() -> list[tuple[Any, int]]:
        messages = run_checks(databases=["default"], tags=["database"])
        return [(message.id, message.level) for message in messages if words in message.msg]

    with connection.cursor() as cursor:
        cursor.execute(remember)
        assert found() == []
        cursor.execute(forget)
        try:
            assert found() == [("platform.E003", level)]
        finally:
            cursor.execute(remember)


def test_every_setting_that_matters_to_postgresql_is_read() -> None:
    """https://www.postgresql.org/docs/18/runtime-config-wal.html"""
    read = {reading.removeprefix("SHOW ") for reading in checks.DURABLE["postgresql"]}
    assert read == {"synchronous_commit", "fsync", "full_page_writes"}
