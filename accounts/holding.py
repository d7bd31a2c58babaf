"""A file that a process holds for as long as it works at something. The kernel lets go of it when the process dies, so
that others know that nobody will end this work."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def held(path: Path) -> Iterator[bool]:
    """Hold the file, which is there only meanwhile; False when another process holds it."""
    with path.open("ab") as file:
        is_mine = _taken(file.fileno())
        try:
            yield is_mine
        finally:
            if is_mine:
                path.unlink(missing_ok=True)


def is_held(path: Path) -> bool:
    """Whether a process holds the file."""
    try:
        with path.open("rb") as file:
            return not _taken(file.fileno())
    except FileNotFoundError:
        return False


def _taken(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
