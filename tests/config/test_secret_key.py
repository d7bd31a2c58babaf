"""The key of the demo, which the processes of one `make demo` make and read at the same time."""

import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from config.secrets import demo_secret_key, is_guessable

pytestmark = pytest.mark.no_database


def test_processes_that_start_at_once_have_one_key_and_never_an_empty_one(tmp_path: Path) -> None:
    """200 new folders: where the file was there before the key, one round in a few read it empty."""
    together = threading.Barrier(8)

    def start(folder: Path) -> str:
        together.wait()
        return demo_secret_key(folder)

    with ThreadPoolExecutor(8) as processes:
        for number in range(200):
            folder = tmp_path / str(number)
            keys = set(processes.map(start, [folder] * 8))
            assert len(keys) == 1
            assert not is_guessable(keys.pop())
            assert [path.name for path in folder.iterdir()] == ["secret-key"]


def test_the_key_stays_and_is_its_owner_s_alone(tmp_path: Path) -> None:
    key = demo_secret_key(tmp_path)
    assert demo_secret_key(tmp_path) == key
    assert stat.S_IMODE((tmp_path / "secret-key").stat().st_mode) == 0o600
