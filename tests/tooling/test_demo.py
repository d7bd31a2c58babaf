"""The demo keeps to itself: its own database, its own port, one at a time, nothing left behind."""

import json
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tools import demo
from tools.console import Refused
from tools.processes import Family, Parent

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]
STUBBORN = [
    sys.executable,
    "-c",
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(60)",
]


@pytest.fixture
def family(tmp_path: Path) -> Iterator[Family]:
    made = Family(tmp_path, dict(os.environ))
    yield made
    made.stop(patience=1)


def _until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_the_demo_never_touches_the_database_of_a_study() -> None:
    outer = {"DATABASE_URL": "postgres://study", "CELERY_BROKER_URL": "redis://study", "HOME": "/home/ada"}
    inner = demo.demo_environment(outer, 8001, 8201)
    assert "DATABASE_URL" not in inner
    assert "CELERY_BROKER_URL" not in inner
    assert inner["HOME"] == "/home/ada"
    assert inner["TOUCHSTONE_SITE_URL"] == "http://127.0.0.1:8001"


def test_the_demo_has_the_scripted_model_and_every_endpoint_that_was_declared() -> None:
    outer = {"TOUCHSTONE_JUDGE_ENDPOINTS": '{"own": {"base_url": "http://127.0.0.1:1/v1", "private": true}}'}
    declared = json.loads(demo.demo_environment(outer, 8001, 8201)["TOUCHSTONE_JUDGE_ENDPOINTS"])
    assert list(declared) == ["own", "scripted"]
    assert declared["scripted"]["base_url"] == "http://127.0.0.1:8201/v1"


def test_a_taken_port_is_passed_over() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert demo.free_port(port) > port


def test_a_second_demo_of_the_same_folder_is_told_where_the_first_one_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(demo, "RUNTIME", tmp_path)
    monkeypatch.setattr(demo, "ADDRESS", tmp_path / "demo.address")
    with demo._only_demo():
        demo.ADDRESS.write_text("http://127.0.0.1:8000")
        with pytest.raises(Refused, match=r"already running at http://127.0.0.1:8000"), demo._only_demo():
            pass
    with demo._only_demo():
        assert not demo.ADDRESS.exists()


def test_stopping_ends_every_child(family: Family, tmp_path: Path) -> None:
    family.start("one", SLEEP, tmp_path / "one.log")
    family.start("two", SLEEP, tmp_path / "two.log")
    family.stop()
    assert not any(child.is_running for child in family.children)


def test_a_child_that_does_not_listen_is_ended_all_the_same(family: Family, tmp_path: Path) -> None:
    log = tmp_path / "deaf.log"
    family.start("deaf", STUBBORN, log)
    _until(lambda: "deaf" in log.read_text())
    family.stop(patience=0.3)
    assert not family.children[0].is_running


def test_a_child_that_fell_after_a_while_is_started_again(family: Family, tmp_path: Path) -> None:
    family.start("worker", SLEEP, tmp_path / "worker.log")
    child = family.children[0]
    assert child.process is not None
    first = child.process.pid
    os.kill(first, signal.SIGKILL)
    _until(lambda: not child.is_running)
    child.started -= 60
    family.revive()
    assert child.is_running
    assert child.process.pid != first


def test_a_child_that_was_steady_is_started_again_however_often_it_ends_after_growing_pauses(
    family: Family, tmp_path: Path
) -> None:
    family.start("worker", [sys.executable, "-c", "import time; time.sleep(60)"], tmp_path / "worker.log")
    (child,) = family.children
    child.started -= 60
    family.revive()
    for pause in (1, 2, 4, 8):
        child.process.kill()
        _until(lambda: not child.is_running)
        child.started = time.monotonic() - pause + 0.5
        family.revive()
        assert not child.is_running, "the pause is not over"
        child.started -= 0.6
        family.revive()
        assert child.is_running


def test_a_child_that_cannot_stay_up_is_a_refusal_that_names_its_log(family: Family, tmp_path: Path) -> None:
    log = tmp_path / "web.log"
    family.start("web", [sys.executable, "-c", "raise SystemExit(1)"], log)
    _until(lambda: not family.children[0].is_running)
    with pytest.raises(Refused, match=r"web does not stay up.*web\.log"):
        family.revive()


def test_a_parent_that_lives_has_not_given_up() -> None:
    assert not Parent().has_given_up()
