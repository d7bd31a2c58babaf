"""`make study`: what a small real study is given, and that nothing of it is lost or sent in the clear."""

import sqlite3
import stat
import time
from pathlib import Path

import pytest

from config.secrets import is_guessable
from tools import study
from tools.console import Refused

OUTER = {"DATABASE_URL": "postgres://other", "TOUCHSTONE_DEMO": "1", "PATH": "/usr/bin:/bin"}


def database(folder: Path, rows: int) -> None:
    with sqlite3.connect(folder / "touchstone.sqlite3") as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS grade (n)")
        connection.executemany("INSERT INTO grade VALUES (?)", [(n,) for n in range(rows)])


def test_the_secret_key_is_made_once_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    key = study.secret_key(folder)
    assert not is_guessable(key)
    assert study.secret_key(folder) == key
    assert stat.S_IMODE((folder / "secret-key").stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert study.secret_key(tmp_path / "other") != key


def test_a_secret_key_that_could_not_be_written_is_made_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(length: int) -> str:
        raise OSError("No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(study.secrets, "token_urlsafe", full)
        with pytest.raises(OSError, match="No space left"):
            study.secret_key(tmp_path)
    assert not is_guessable(study.secret_key(tmp_path))


def test_a_study_is_no_demo_and_uses_its_own_database(tmp_path: Path) -> None:
    inner = study.study_environment(OUTER, tmp_path, "http://127.0.0.1:8000")
    assert not {"DATABASE_URL", "TOUCHSTONE_DEMO"} & inner.keys()
    assert inner["TOUCHSTONE_RUNTIME_DIR"] == str(tmp_path)
    assert inner["TOUCHSTONE_SECURE_COOKIES"] == "0"


def test_behind_a_proxy_cookies_travel_over_https_only(tmp_path: Path) -> None:
    inner = study.study_environment(OUTER, tmp_path, "https://proofs.example.org")
    assert inner["TOUCHSTONE_SECURE_COOKIES"] == inner["TOUCHSTONE_BEHIND_TLS_PROXY"] == "1"
    assert inner["TOUCHSTONE_ALLOWED_HOSTS"] == "127.0.0.1,localhost,proofs.example.org"


@pytest.mark.parametrize(
    "site", ["http://proofs.example.org", "ftp://127.0.0.1", "proofs.example.org", "https://"]
)
def test_a_site_in_the_clear_is_refused(tmp_path: Path, site: str) -> None:
    with pytest.raises(Refused, match="must begin with https://"):
        study.study_environment(OUTER, tmp_path, site)


@pytest.mark.slow
@pytest.mark.parametrize("site", ["http://127.0.0.1:8000", "https://proofs.example.org"])
def test_the_settings_accept_what_a_study_is_given(tmp_path: Path, site: str) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    environment = study.study_environment(OUTER, tmp_path / "data", site)
    assert "no issues" in study._manage(environment, logs, "check")


@pytest.mark.slow
def test_a_command_that_fails_is_a_refusal_that_names_it(tmp_path: Path) -> None:
    environment = study.study_environment(OUTER, tmp_path / "data", "http://127.0.0.1:8000")
    with pytest.raises(Refused, match=r"`manage\.py nonesuch` failed"):
        study._manage(environment, tmp_path, "nonesuch")


def test_a_study_runs_once(tmp_path: Path) -> None:
    with (
        study.only_study(tmp_path),
        pytest.raises(Refused, match="already running"),
        study.only_study(tmp_path),
    ):
        pass


def test_a_copy_holds_what_was_committed_while_somebody_writes(tmp_path: Path) -> None:
    database(tmp_path, 3)
    writing = sqlite3.connect(tmp_path / "touchstone.sqlite3")
    writing.execute("PRAGMA journal_mode=WAL")
    writing.execute("BEGIN IMMEDIATE")
    writing.execute("INSERT INTO grade VALUES (99)")
    made = study.copy_database(tmp_path)
    writing.rollback()
    writing.close()
    with sqlite3.connect(made) as copy:
        assert [n for (n,) in copy.execute("SELECT n FROM grade")] == [0, 1, 2]
    assert stat.S_IMODE(made.stat().st_mode) == 0o600
    assert not list(made.parent.glob("*.part"))


def test_the_last_fourteen_copies_are_kept(tmp_path: Path) -> None:
    database(tmp_path, 1)
    (tmp_path / "backups").mkdir()
    for day in range(1, 21):
        (tmp_path / "backups" / f"touchstone-202001{day:02}-000000.sqlite3").touch()
    newest = study.copy_database(tmp_path)
    kept = sorted(path.name for path in (tmp_path / "backups").iterdir())
    assert len(kept) == study.KEPT_COPIES
    assert (kept[0], kept[-1]) == ("touchstone-20200108-000000.sqlite3", newest.name)


def test_starts_in_a_row_leave_the_copies_of_earlier_days(tmp_path: Path) -> None:
    database(tmp_path, 1)
    (tmp_path / "backups").mkdir()
    earlier = [f"touchstone-202001{day:02}-000000.sqlite3" for day in range(1, 14)]
    today = [f"touchstone-20200114-0000{start:02}.sqlite3" for start in range(30)]
    for name in earlier + today:
        (tmp_path / "backups" / name).touch()
    newest = study.copy_database(tmp_path)
    kept = sorted(path.name for path in (tmp_path / "backups").iterdir())
    assert kept == [*earlier[1:], today[0], *today[-13:], newest.name]


def test_a_copy_is_kept_after_the_clock_was_set_back(tmp_path: Path) -> None:
    database(tmp_path, 1)
    (tmp_path / "backups").mkdir()
    for day in range(1, 21):
        (tmp_path / "backups" / f"touchstone-210001{day:02}-000000.sqlite3").touch()
    assert study.copy_database(tmp_path).exists()


@pytest.mark.parametrize("content", [b"SQLite format 3\0", b"no database at all"])
def test_a_copy_that_fails_leaves_nothing_and_is_explained_at_a_start(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "touchstone.sqlite3").write_bytes(content * 4096)
    (tmp_path / "backups").mkdir()
    for killed in ("touchstone-20200101-000000.part", "touchstone-20200101-000000.part-journal"):
        (tmp_path / "backups" / killed).touch()
    with pytest.raises(Refused, match=r"touchstone\.sqlite3 could not be copied before the start: "):
        study._prepare({}, tmp_path, "")
    assert not list((tmp_path / "backups").iterdir())


@pytest.mark.slow
def test_a_copy_is_made_once_a_day_and_a_full_disk_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    database(tmp_path, 1)
    copies = study.Copies(tmp_path)
    copies.make_if_due()
    assert not (tmp_path / "backups").exists()
    copies.due = time.monotonic() - 1
    copies.make_if_due()
    copies.make_if_due()
    assert len(list((tmp_path / "backups").iterdir())) == 1

    def full(folder: Path) -> Path:
        raise OSError("No space left on device")

    monkeypatch.setattr(study, "copy_database", full)
    copies.due = time.monotonic() - 1
    copies.make_if_due()
    assert "could not be made: No space left on device" in capsys.readouterr().out
