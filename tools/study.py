"""`make study`: a small real study on one machine, from one command: no database server, no broker, no settings file.

Everything of the study is in one folder: SQLite, uploads, the secret key (made at first start), logs, and a copy of
the database for each of the last fourteen days. Web server, workers and beat are started again whenever one ends.
"""

import argparse
import datetime as dt
import fcntl
import os
import secrets
import signal
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

from tools.console import ROOT, Refused, run_main, say
from tools.debian import ensure_pango_or_say
from tools.demo import FIRST_PORT, NOT_FOR_THE_DEMO, free_port, programs, serve
from tools.environment import PYTHON, ensure_environment
from tools.processes import Parent

KEPT_COPIES = 14
A_DAY = 24 * 3600.0
LOOPBACK = {"127.0.0.1", "localhost", "::1"}


def main() -> int:
    """Runs until it is interrupted; 0 after a clean stop."""
    parser = argparse.ArgumentParser(prog="make study", description=__doc__)
    parser.add_argument("folder", help="where everything of the study is kept")
    parser.add_argument("--owner", default="", help="who owns the study: a link for this address is printed")
    parser.add_argument(
        "--site", default="", help="https://... as others see it, if a proxy or tunnel is in front"
    )
    parser.add_argument(
        "--port", type=int, default=0, help="on loopback; by default the first free one from 8000"
    )
    options = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    parent = Parent()
    folder = Path(options.folder).expanduser().resolve()
    port = options.port or free_port(FIRST_PORT)
    address = f"http://127.0.0.1:{port}"
    environment = study_environment(dict(os.environ), folder, options.site or address)
    with only_study(folder):
        ensure_environment("run")
        ensure_pango_or_say()
        words = _prepare(environment, folder, options.owner)
        copies = Copies(folder)
        words = f"{words}Ctrl-C stops it."
        return serve(
            environment, programs(address), address, folder / "logs", parent, words, copies.make_if_due
        )


def study_environment(outer: dict[str, str], folder: Path, site: str) -> dict[str, str]:
    """The environment of the study's processes; raises Refused for a site that sends passwords in the clear."""
    seen = urlsplit(site)
    private = seen.hostname in LOOPBACK
    if seen.scheme not in ("http", "https") or not seen.hostname or (seen.scheme == "http" and not private):
        raise Refused(f"{site} must begin with https://: passwords and proofs would travel in the clear.")
    kept = {
        name: value for name, value in outer.items() if name not in {*NOT_FOR_THE_DEMO, "TOUCHSTONE_DEMO"}
    }
    secure = seen.scheme == "https"
    return kept | {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "PYTHONUNBUFFERED": "1",
        "TOUCHSTONE_RUNTIME_DIR": str(folder),
        "TOUCHSTONE_SECRET_KEY": secret_key(folder),
        "TOUCHSTONE_SITE_URL": site,
        "TOUCHSTONE_ALLOWED_HOSTS": ",".join(sorted({seen.hostname, "127.0.0.1", "localhost"})),
        "TOUCHSTONE_SECURE_COOKIES": str(int(secure)),
        "TOUCHSTONE_BEHIND_TLS_PROXY": str(int(secure)),
        "TOUCHSTONE_TRUSTED_PROXIES": outer.get("TOUCHSTONE_TRUSTED_PROXIES", str(int(secure))),
    }


def secret_key(folder: Path) -> str:
    """The key of the study, made at its first start; only its owner can read it."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / "secret-key"
    if not path.exists():
        with tempfile.NamedTemporaryFile("w", dir=folder, encoding="ascii") as file:  # with mode 600
            file.write(secrets.token_urlsafe(50))
            file.flush()
            # whole or not at all: an empty key would prevent every later start
            with suppress(FileExistsError):
                os.link(file.name, path)
    return path.read_text(encoding="ascii").strip()


@contextmanager
def only_study(folder: Path) -> Iterator[None]:
    """Holds the lock of this study. The kernel lets go of it with the process, however that ends."""
    with (folder / "study.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Refused(f"The study in {folder} is already running; Ctrl-C there stops it.") from None
        yield


def _prepare(environment: dict[str, str], folder: Path, owner: str) -> str:
    """Tables and static files, after a copy of what is there; the owner's link where one is asked for."""
    logs = folder / "logs"
    logs.mkdir(exist_ok=True)
    is_new = not (folder / "touchstone.sqlite3").exists()
    if not is_new:
        try:
            copy_database(folder)
        except (OSError, sqlite3.Error) as error:  # no copy, no migration
            raise Refused(
                f"{folder / 'touchstone.sqlite3'} could not be copied before the start: {error}"
            ) from None
    say("Preparing the database ...")
    _manage(environment, logs, "migrate", "--no-input")
    _manage(environment, logs, "createcachetable")
    _manage(environment, logs, "collectstatic", "--no-input", "--ignore", "rest_framework")
    if owner:
        try:
            return f"{_manage(environment, logs, 'create_owner', owner)}\n\n"
        except Refused as refusal:  # they have an account already
            return f"{str(refusal).splitlines()[0]}\n\n"
    if is_new:
        return "Nobody has an account yet: stop this and start it again with --owner you@example.org.\n\n"
    return ""


def _manage(environment: dict[str, str], logs: Path, *arguments: str) -> str:
    done = subprocess.run(  # nosec B603 # our own commands
        [PYTHON, "manage.py", *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    (logs / "prepare.log").write_text(done.stderr, encoding="utf-8")  # standard output may hold a link
    if done.returncode != 0:
        tail = "\n".join(done.stderr.strip().splitlines()[-3:])
        raise Refused(f"{tail}\n`manage.py {arguments[0]}` failed; see {logs / 'prepare.log'}")
    return done.stdout.strip()


def copy_database(folder: Path) -> Path:
    """A consistent copy of the database, made while it is in use.

    Kept are the last fourteen, and the first of each of the last fourteen days: a service manager that starts a broken
    study again and again must not push out the copies from before.
    """
    copies = folder / "backups"
    copies.mkdir(mode=0o700, exist_ok=True)
    _forget_unfinished(copies)
    made = copies / f"touchstone-{dt.datetime.now(dt.UTC):%Y%m%d-%H%M%S}.sqlite3"
    unfinished = made.with_suffix(".part")
    try:
        with (
            closing(sqlite3.connect(folder / "touchstone.sqlite3")) as source,
            closing(sqlite3.connect(unfinished)) as target,
        ):
            source.backup(target)
        unfinished.chmod(0o600)
        unfinished.replace(made)
    finally:
        _forget_unfinished(copies)
    found = sorted(copies.glob("touchstone-*.sqlite3"))
    first_of_days = {path.name[: len("touchstone-YYYYMMDD")]: path for path in reversed(found)}
    kept = {made, *found[-KEPT_COPIES:], *sorted(first_of_days.values())[-KEPT_COPIES:]}
    for old in set(found) - kept:  # the new one is not the last one after the clock was set back
        old.unlink()
    return made


def _forget_unfinished(copies: Path) -> None:
    """What is left of a copy that was not finished: the disk was full, or the process died."""
    for left in copies.glob("touchstone-*.part*"):
        left.unlink()


class Copies:
    """A copy of the database once a day."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.due = time.monotonic() + A_DAY

    def make_if_due(self) -> None:
        if time.monotonic() < self.due:
            return
        self.due = time.monotonic() + A_DAY
        try:
            copy_database(self.folder)
        except (OSError, sqlite3.Error) as error:  # a full disk must not stop the study
            say(f"The daily copy of the database could not be made: {error}")


if __name__ == "__main__":
    run_main(main)
