"""The broker of the embedded way: no file is seen half written, and one that is broken stops no worker."""

import errno
import json
import multiprocessing
import threading
import time
from pathlib import Path
from queue import Empty

import pytest
from kombu import Connection

from tests.deployment import deployed

pytestmark = pytest.mark.no_database
GOOD = {"body": "e30=", "headers": {}, "properties": {}, "content-type": "a", "content-encoding": "b"}
BROKEN = [
    b"",
    b"{",
    json.dumps(GOOD).encode()[:-9],
    b"null",
    b"[]",
    b'"text"',
    b"{}",
    b'{"body": "e30="}',
    b"\xff\xfe\x00",
    b"[" * 100_000,
    b'{"body": NaN, "body": 1',
]


def options(folder: Path) -> dict[str, str]:
    messages, control = folder / "messages", folder / "control"
    messages.mkdir(parents=True, exist_ok=True)
    control.mkdir(exist_ok=True)
    return {"data_folder_in": str(messages), "data_folder_out": str(messages), "control_folder": str(control)}


def channel_in(folder: Path):
    connection = Connection(
        "filesystem://", transport="config.file_broker:Transport", transport_options=options(folder)
    )
    return connection.default_channel


def test_a_message_that_cannot_be_read_is_set_aside_and_the_next_is_delivered(tmp_path, caplog):
    channel = channel_in(tmp_path)
    for number, content in enumerate(BROKEN):
        (tmp_path / "messages" / f"{number:020}_x.celery.msg").write_bytes(content)
    channel._put("celery", GOOD)
    assert channel._get("celery") == GOOD
    kept = sorted((tmp_path / "messages").glob("*.unreadable"))
    assert sorted(path.read_bytes() for path in kept) == sorted(BROKEN)
    assert caplog.text.count("cannot be read; it is set aside") == len(BROKEN)
    with pytest.raises(Empty):
        channel._get("celery")


def test_a_message_that_does_not_fit_on_the_disk_leaves_nothing(tmp_path, monkeypatch):
    def full(path: Path, *_: object, **__: object) -> None:
        path.touch()
        raise OSError(errno.ENOSPC, "No space left on device")

    channel = channel_in(tmp_path)
    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OSError, match="No space left"):
        channel._put("celery", GOOD)
    assert list((tmp_path / "messages").iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"[", b"null", b"{}", b'[["a"]]'])
def test_a_broken_table_of_an_exchange_is_made_again(tmp_path, content):
    channel = channel_in(tmp_path)
    (tmp_path / "control" / "celery.exchange").write_bytes(content)
    channel._queue_bind("celery", "celery", "", "celery")
    assert [tuple(row) for row in channel.get_table("celery")] == [("celery", "", "celery")]


def write_many(folder: Path, letter: str) -> None:
    channel = channel_in(folder)
    for number in range(200):
        channel._queue_bind("celery", f"{letter}{number}", "", "celery")
        channel._put("celery", {**GOOD, "body": letter * 50_000 + str(number)})


@pytest.mark.slow
def test_messages_and_tables_of_many_writers_are_read_whole_and_once(tmp_path):
    options(tmp_path)
    writers = [
        multiprocessing.get_context("spawn").Process(target=write_many, args=(tmp_path, letter))
        for letter in "ab"
    ]
    for writer in writers:
        writer.start()
    read: list[str] = []

    def reader() -> None:
        channel, deadline = channel_in(tmp_path), time.monotonic() + 60
        while len(read) < 400 and time.monotonic() < deadline:
            try:
                read.append(channel._get("celery")["body"])
            except Empty:
                time.sleep(0.001)

    readers = [threading.Thread(target=reader) for _ in range(3)]
    for thread in readers:
        thread.start()
    for worker in [*readers, *writers]:
        worker.join()
    assert sorted(read) == sorted(letter * 50_000 + str(number) for letter in "ab" for number in range(200))
    assert not list((tmp_path / "messages").iterdir())
    assert len(channel_in(tmp_path).get_table("celery")) == 400


@pytest.mark.slow
def test_a_running_worker_survives_broken_files_and_goes_on(tmp_path):
    with deployed(tmp_path / "site", CELERY_BROKER_URL="filesystem://", DATABASE_URL="") as site:
        messages, control = site.folder / "queue" / "messages", site.folder / "queue" / "control"
        control.mkdir(parents=True)
        (control / "celery.exchange").write_bytes(b"[[")
        messages.mkdir()
        worker = site.start("celery", "-A", "config", "worker", "--concurrency", "1", "--loglevel", "INFO")
        for number, content in enumerate(BROKEN):
            (messages / f"{number:020}_x.celery.msg").write_bytes(content)
        call = "from config.celery import app; app.send_task('reports.reconcile')"
        site.manage("shell", "--command", call)
        deadline = time.monotonic() + 60
        while "succeeded" not in site.logs() and time.monotonic() < deadline:
            time.sleep(0.2)
        assert "succeeded" in site.logs()
        assert worker.poll() is None
        assert len(list(messages.glob("*.unreadable"))) == len(BROKEN)
