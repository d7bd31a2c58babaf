"""What `check --deploy` finds missing in a real deployment, each by its own number."""

import datetime as dt
import tempfile
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.db import DatabaseError, connection
from django.utils import timezone

from config import deployment
from config.env import read_mail, read_sender
from reports.status.state import beat_heart

pytestmark = pytest.mark.django_db
TABLES = "django.core.cache.backends.db.DatabaseCache"


@pytest.fixture(autouse=True)
def complete(settings: Any, tmp_path: Path) -> None:
    """A deployment that lacks nothing, but that its table of the cache is asked for by one test only."""
    tmp_path.chmod(0o700)
    settings.DEMO = False
    settings.SECURE_COOKIES = settings.SECURE_SSL_REDIRECT = True
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    settings.SITE_URL = "https://study.test"
    settings.ALLOWED_HOSTS = ["study.test"]
    settings.CSRF_TRUSTED_ORIGINS = []
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    settings.RUNTIME_DIR = settings.UPLOAD_DIR = settings.REPORT_DIR = tmp_path
    settings.STATIC_ROOT = tmp_path
    settings.EMAIL_LEAVES = True
    settings.DEFAULT_FROM_EMAIL = "touchstone@study.test"
    settings.DATABASE_URL = "postgres://somewhere/touchstone"
    settings.CELERY_BROKER_URL = "redis://somewhere/0"
    cache.clear()
    beat_heart()


def said() -> list[str]:
    return [message.id.removeprefix("platform.") for message in deployment.check_deployment()]


def test_a_complete_deployment_lacks_nothing() -> None:
    assert said() == []


@pytest.mark.parametrize(
    ("name", "value", "ids"),
    [
        ("SITE_URL", "http://study.test", ["W006"]),
        ("SITE_URL", "https://other.test", ["W007"]),
        ("CSRF_TRUSTED_ORIGINS", ["http://other.test"], ["W008"]),
        ("CSRF_TRUSTED_ORIGINS", ["https://other.test"], []),
        ("SECURE_PROXY_SSL_HEADER", None, ["W009"]),
        ("EMAIL_LEAVES", False, ["W012"]),
        ("DEFAULT_FROM_EMAIL", "touchstone@localhost", ["W013"]),
        ("DEFAULT_FROM_EMAIL", "Touchstone <touchstone@localhost>", ["W013"]),
        ("DATABASE_URL", "", ["W014"]),
        ("CELERY_BROKER_URL", "filesystem://", ["W015"]),
        ("DEMO", True, []),
    ],
)
def test_a_setting_that_does_not_fit_is_named(
    settings: Any, name: str, value: object, ids: list[str]
) -> None:
    setattr(settings, name, value)
    assert said() == ids


@pytest.mark.parametrize(
    "sender", ["Proofs, a study <proofs@study.test>", "proofs", "a@study.test, b@study.test"]
)
def test_a_sender_that_no_message_can_carry_prevents_the_start(
    monkeypatch: pytest.MonkeyPatch, sender: str
) -> None:
    monkeypatch.setenv("SENDER", sender)
    with pytest.raises(ImproperlyConfigured, match="SENDER="):
        read_sender("SENDER", "")
    monkeypatch.setenv("SENDER", '"Proofs, a study" <proofs@study.test>')
    assert read_sender("SENDER", "") == '"Proofs, a study" <proofs@study.test>'


@pytest.mark.parametrize(
    "address", ["smtp+tls://user:hunter#2@host:587", "smtp+tls://user:hunter/2@host:587", "host:25"]
)
def test_an_address_of_a_mail_server_that_does_not_parse_is_named_without_its_password(
    monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv("MAIL", address)
    with pytest.raises(ImproperlyConfigured, match=r"^MAIL: expected an address such as .* %23") as raised:
        read_mail("MAIL", "consolemail://")
    assert "hunter" not in str(raised.value)
    assert raised.value.__suppress_context__


@pytest.mark.parametrize(
    ("address", "tls", "ssl"),
    [
        ("smtp+tls://u:p%23@host:587", True, False),
        ("smtp+tls://u:p%23@host:465", False, True),
        ("smtps://u:p%23@host:465", False, True),
        ("smtp+ssl://u:p%23@host:465", False, True),
    ],
)
def test_tls_begins_with_the_first_byte_on_its_own_port(
    monkeypatch: pytest.MonkeyPatch, address: str, tls: bool, ssl: bool
) -> None:
    monkeypatch.setenv("MAIL", address)
    config = read_mail("MAIL", "consolemail://")
    assert (config.get("EMAIL_USE_TLS", False), config.get("EMAIL_USE_SSL", False)) == (tls, ssl)
    assert config["EMAIL_HOST_PASSWORD"] == "p#"


def test_a_demo_is_no_deployment_whatever_it_lacks(settings: Any) -> None:
    settings.DEMO, settings.EMAIL_LEAVES, settings.DATABASE_URL = True, False, ""
    assert said() == []


def test_static_files_that_were_not_collected_are_named(settings: Any, tmp_path: Path) -> None:
    storage = "config.static_files.CompressedHashedFiles"
    settings.STORAGES = {**settings.STORAGES, "staticfiles": {"BACKEND": storage}}
    assert said() == ["W010"]
    (tmp_path / "staticfiles.json").write_text("{}")
    assert said() == []


def test_a_folder_that_everybody_can_read_is_named_unless_one_above_it_is_closed(settings: Any) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        settings.UPLOAD_DIR = Path(folder) / "uploads"
        settings.UPLOAD_DIR.mkdir(mode=0o755)
        assert said() == []  # mkdtemp lets nobody else in
        Path(folder).chmod(0o755)
        assert said() == ["W011"]
        settings.UPLOAD_DIR.chmod(0o700)
        assert said() == []


def test_a_missing_table_of_the_cache_and_a_database_that_is_away_are_named(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.CACHES = {"default": {"BACKEND": TABLES, "LOCATION": "cache_entry"}}
    assert said() == ["W016"]
    call_command("createcachetable", verbosity=0)
    beat_heart()
    assert said() == []

    def away(*arguments: Any) -> None:
        raise DatabaseError("nobody listens")

    monkeypatch.setattr(connection.introspection, "table_names", away)
    assert said() == ["W017"]


def test_workers_that_were_not_seen_or_not_lately_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    cache.clear()
    assert said() == ["W018"]
    beat_heart()
    assert said() == []
    later = timezone.now() + dt.timedelta(minutes=3)
    monkeypatch.setattr(timezone, "now", lambda: later)
    assert said() == ["W018"]


def test_it_is_part_of_the_deployment_check_and_of_no_other(settings: Any) -> None:
    settings.EMAIL_LEAVES = False
    ids = [[m.id for m in run_checks(include_deployment_checks=deploy)] for deploy in (True, False)]
    assert ["platform.W012" in found for found in ids] == [True, False]
