"""Uploaded archives on disk until they are added: one private file for each, under a name that nobody can guess."""

import os
import re
import secrets
import time
from collections.abc import Collection
from pathlib import Path

from django.conf import settings

_HANDLE = re.compile(r"[0-9a-f]{64}")


def upload_folder() -> Path:
    """The folder of the files; made on first use, readable by this process's user only."""
    folder = Path(settings.UPLOAD_DIR) / "sources"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def path_of(handle: str) -> Path:
    """The path of a stored file."""
    return upload_folder() / (handle or "none")


def keep(path: Path) -> str:
    """Take over a file on the same disk; returns its handle."""
    handle = secrets.token_hex(32)
    os.replace(path, path_of(handle))
    path_of(handle).chmod(0o600)
    return handle


def forget_orphans(known: Collection[str], *, older_than: float) -> int:
    """Delete stored files that no row names, once they are so many seconds old; returns how many."""
    before, gone = time.time() - older_than, 0
    for path in upload_folder().iterdir():
        if _HANDLE.fullmatch(path.name) and path.name not in known and path.stat().st_mtime < before:
            path.unlink(missing_ok=True)
            gone += 1
    return gone
