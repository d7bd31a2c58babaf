"""While a disk takes nothing, a page says so and that nothing was stored, in the shape its caller expects."""

import errno
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import InternalError, OperationalError
from django.test import Client

from accounts.models import User

pytestmark = pytest.mark.django_db


@pytest.fixture
def client(client: Client, owner: User) -> Client:
    client.force_login(owner)
    client.raise_request_exception = False
    return client


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS])
def test_a_file_that_finds_no_room_is_refused_in_words(
    client: Client, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def full(*_: Any) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr("benchmark.importing.upload_handler.CappedFileHandler.new_file", full)
    answer = client.post("/analyse/", {"file": SimpleUploadedFile("labels.csv", b"a,b\n1,2\n")})
    assert answer.status_code == 507
    assert "What you just sent was not stored" in answer.content.decode()


def test_a_folder_of_uploads_that_is_gone_is_not_called_a_fault_of_the_form(
    client: Client, settings: Any, tmp_path: Path
) -> None:
    settings.UPLOAD_DIR = tmp_path / "gone"
    settings.FILE_UPLOAD_TEMP_DIR = str(settings.UPLOAD_DIR)
    answer = client.post("/analyse/", {"file": SimpleUploadedFile("labels.csv", b"a,b\n1,2\n")})
    assert answer.status_code == 507


def test_a_program_hears_it_too(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite and PostgreSQL call it an operational error, as they do when they are away; but waiting does not help."""

    def full(*_: Any, **__: Any) -> None:
        raise OperationalError("database or disk is full") from sqlite3.OperationalError()

    monkeypatch.setattr("django.db.models.query.QuerySet._fetch_all", full)
    answer = client.get("/api/v1/me/")
    assert (answer.status_code, "Retry-After" in answer) == (507, False)
    assert answer.json()["code"] == "disk"


def test_a_database_that_takes_no_writes_is_not_called_a_fault_of_ours(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    class ReadOnly(Exception):
        pgcode = "25006"

    def refuses(*_: Any, **__: Any) -> None:
        raise InternalError("cannot execute INSERT in a read-only transaction") from ReadOnly()

    monkeypatch.setattr("django.db.models.query.QuerySet._fetch_all", refuses)
    answer = client.get("/api/v1/me/")
    assert (answer.status_code, answer.json()["code"]) == (507, "disk")


def test_signing_in_does_not_speak_of_many_attempts_while_none_can_be_counted(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Django's cache says only that it stored nothing, and not that the database refused."""
    client.logout()
    monkeypatch.setattr("django.core.cache.backends.locmem.LocMemCache.add", lambda *_, **__: False)
    answer = client.post("/accounts/login/", {"login": "ada@study.test", "password": "a password"})
    assert answer.status_code == 507
    assert "Too many attempts" not in answer.content.decode()


def test_a_command_says_in_a_sentence_that_its_file_found_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/srv/indexes/1")

    monkeypatch.setattr("search.management.commands.build_index.corpus_named", full)
    with pytest.raises(CommandError, match=r"could not do this: No space left on device \(/srv/indexes/1\)"):
        call_command("build_index", corpus="any")
