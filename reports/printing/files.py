"""Where printed reports lie: one private folder, names that cannot be guessed, nothing that a server publishes."""

import hashlib
import os
import secrets
import time
from pathlib import Path

from django.conf import settings

MAX_BYTES = 200_000_000
_STALE = 24 * 3600  # seconds after which a file that no row names was left by a dead worker


def new_path(ending: str) -> Path:
    """A name for a file that does not exist yet; the folder is made for this user alone."""
    folder = Path(settings.REPORT_DIR)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder / f"{secrets.token_hex(16)}{ending}"


def path_of(name: str) -> Path:
    """The file of a stored name. Raises ValueError for a name that this module did not give."""
    stem, _, ending = name.partition(".")
    if ending not in ("pdf", "zip") or not all(c in "0123456789abcdef" for c in stem):
        raise ValueError(f"{name!r} is not a report")
    return Path(settings.REPORT_DIR) / name


def sealed(path: Path) -> tuple[str, int]:
    """SHA-256 and size of a finished file, which from now on only this user reads."""
    os.chmod(path, 0o600)
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return digest, path.stat().st_size


def remove(name: str) -> None:
    """Remove the file of a stored name, if it is still there."""
    path_of(name).unlink(missing_ok=True)


def remove_strays(known: set[str]) -> int:
    """Remove files that no row names and that are a day old; returns how many."""
    folder = Path(settings.REPORT_DIR)
    if not folder.is_dir():
        return 0
    old = time.time() - _STALE
    made = (path for path in folder.iterdir() if path.suffix in (".pdf", ".zip"))
    strays = [path for path in made if path.name not in known and path.stat().st_mtime < old]
    for path in strays:
        path.unlink(missing_ok=True)
    return len(strays)
