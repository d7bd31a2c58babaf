"""The role of blinded requests is read strictly: a value that cannot hold stops the start."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.database import read_blind_role

POSTGRESQL, SQLITE = "django.db.backends.postgresql", "django.db.backends.sqlite3"


@pytest.mark.parametrize(
    ("role", "engine", "reason"),
    [
        ("touchstone_blind", SQLITE, "needs PostgreSQL"),
        ('x"; DROP TABLE y', POSTGRESQL, "lower case"),
        ("Blind", POSTGRESQL, "lower case"),
        ("a" * 64, POSTGRESQL, "lower case"),
    ],
)
def test_a_role_that_cannot_be_is_refused(
    monkeypatch: pytest.MonkeyPatch, role: str, engine: str, reason: str
):
    monkeypatch.setenv("SOME_ROLE", role)
    with pytest.raises(ImproperlyConfigured, match=reason):
        read_blind_role("SOME_ROLE", engine)


def test_a_role_is_taken_as_it_is_and_none_is_none(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SOME_ROLE", "touchstone_blind")
    assert read_blind_role("SOME_ROLE", POSTGRESQL) == "touchstone_blind"
    monkeypatch.delenv("SOME_ROLE")
    assert read_blind_role("SOME_ROLE", SQLITE) == ""
