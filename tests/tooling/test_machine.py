"""What the machine lacks is installed where that is allowed, and named with its command elsewhere."""

import subprocess
from typing import Any

import pytest

from tools import debian
from tools.console import Refused


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOUCHSTONE_CHROMIUM", raising=False)
    monkeypatch.setattr(debian.shutil, "which", lambda name: None)
    monkeypatch.setattr(debian, "pango_is_there", lambda: False)


@pytest.mark.usefixtures("bare")
def test_an_ordinary_user_without_chromium_reads_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(debian, "may_install", lambda: False)
    with pytest.raises(Refused, match="Type: sudo apt-get install chromium"):
        debian.ensure_chromium()


@pytest.mark.usefixtures("bare")
def test_the_demo_goes_on_without_pango_and_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(debian, "may_install", lambda: False)
    debian.ensure_pango_or_say()
    said = capsys.readouterr().out
    assert "sudo apt-get install libpango-1.0-0" in said
    assert said.count("\n") == 1


@pytest.mark.usefixtures("bare")
def test_a_failing_apt_get_is_a_refusal_with_the_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.setattr(debian, "may_install", lambda: True)
    monkeypatch.setattr(debian, "RUNTIME", tmp_path_factory.mktemp("runtime"))
    calls: list[list[str]] = []

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[bytes]:
        calls.append(command)
        return subprocess.CompletedProcess(command, 100)

    monkeypatch.setattr(debian.subprocess, "run", run)
    with pytest.raises(Refused, match="apt-get install chromium"):
        debian.ensure_chromium()
    assert [command[1] for command in calls] == ["update", "install"]


def test_a_named_chromium_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_CHROMIUM", "/bin/true")
    assert debian.chromium_path() == "/bin/true"


def test_a_named_chromium_that_is_not_there_is_not_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_CHROMIUM", "/nowhere/chromium")
    assert debian.chromium_path() is None
