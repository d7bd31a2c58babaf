"""The role of blinded requests is read strictly: a value that cannot hold stops the start."""

import pytest
from django.apps import apps
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from config.blind_role import WITHHELD_APPS
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


def test_an_app_that_reviewers_do_not_use_is_withheld_from_them_whole():
    """A new app is, until its tables are named one by one like those of the five that reviewers use."""
    ours = {config.label for config in apps.get_app_configs() if list(config.get_models())}
    ours = {label for label in ours if (settings.BASE_DIR / label / "migrations").is_dir()}
    assert ours - {"accounts", "annotation", "benchmark", "reports", "search"} == set(WITHHELD_APPS)
