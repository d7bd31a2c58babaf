"""A deployment of its own for tests that kill processes: a fresh database, broker folder and real processes.

On the embedded way everything is in one temporary folder; where the suite runs on PostgreSQL and Redis, a
database of its own is made on the same server. The Redis is shared: a stray signal only makes a worker look.
Migrating costs seconds, so a test process migrates one database and every deployment begins with a copy of it.
"""

import atexit
import os
import secrets
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import environ
import psycopg2

ROOT = Path(__file__).parents[1]
SQLITE = "touchstone.sqlite3"


class Deployment:
    """Commands and processes that share one environment; `query` reads the database directly."""

    def __init__(self, folder: Path, database_url: str, **extra: str) -> None:
        """`database_url` is empty for SQLite in the folder."""
        self.folder = folder
        self.processes: list[subprocess.Popen[bytes]] = []
        self.database_url = database_url
        self.environment = {
            **os.environ,
            "TOUCHSTONE_RUNTIME_DIR": str(folder),
            "DATABASE_URL": self.database_url,
            **extra,
        }

    def manage(self, *arguments: str) -> str:
        """Run a management command; raises CalledProcessError with its output."""
        command = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(
            command, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=True, timeout=300
        )
        return done.stdout

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start `python -m ...` in a process group of its own, its output in a log beside the database."""
        with (self.folder / f"process-{len(self.processes)}.log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", *arguments],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.processes.append(process)
        return process

    def worker(self, *before: str) -> subprocess.Popen[bytes]:
        """`before`: a module with its arguments that runs the rest of the command."""
        command = ("celery", "-A", "config", "worker", "--concurrency", "2", "--loglevel", "WARNING")
        return self.start(*before, *command)

    def beat(self) -> subprocess.Popen[bytes]:
        pidfile = str(self.folder / "beat.pid")
        return self.start("celery", "-A", "config", "beat", "--pidfile", pidfile, "--loglevel", "WARNING")

    def kill(self, process: subprocess.Popen[bytes], how: signal.Signals = signal.SIGKILL) -> None:
        """Signal a process with all its children."""
        if process.poll() is None:
            os.killpg(process.pid, how)
        process.wait(timeout=30)

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        with closing(self._connection()) as connection, closing(connection.cursor()) as cursor:
            cursor.execute(sql)
            return list(cursor.fetchall())

    def _connection(self) -> Any:
        if not self.database_url:
            return sqlite3.connect(self.folder / SQLITE, timeout=20)
        return connect(self.database_url)

    def logs(self) -> str:
        return "\n".join(
            log.read_text("utf-8", "replace") for log in sorted(self.folder.glob("process-*.log"))
        )


@contextmanager
def deployed(folder: Path, **extra: str) -> Iterator[Deployment]:
    """A migrated deployment; all its processes are killed at the end."""
    migrated = _migrated(os.environ.get("DATABASE_URL", ""))
    with _deployment(folder, migrated.database_url, **extra) as deployment:
        if not deployment.database_url:
            shutil.copyfile(migrated.folder / SQLITE, folder / SQLITE)
        yield deployment


@contextmanager
def empty_deployment(folder: Path, **extra: str) -> Iterator[Deployment]:
    """The same with a database that has no table yet."""
    with _deployment(folder, "", **extra) as deployment:
        yield deployment


@contextmanager
def _deployment(folder: Path, template_url: str, **extra: str) -> Iterator[Deployment]:
    folder.mkdir(exist_ok=True)
    deployment = Deployment(folder, _own_postgresql(template_url), **extra)
    try:
        yield deployment
    finally:
        for process in deployment.processes:
            deployment.kill(process)
        _drop(os.environ.get("DATABASE_URL", ""), deployment.database_url)


@cache
def _migrated(server: str) -> Deployment:
    """What every deployment of this process on this server is a copy of; gone when the process ends."""
    folder = Path(tempfile.mkdtemp(prefix="touchstone-migrated-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    migrated = Deployment(folder, _own_postgresql(), TOUCHSTONE_DEMO="1")  # needs no keys to migrate
    atexit.register(_drop_if_there, server, migrated.database_url)
    migrated.manage("migrate", "--verbosity", "0")
    return migrated


def connect(url: str) -> Any:
    """A connection to the PostgreSQL database at `url`, outside of Django."""
    config = environ.Env.db_url_config(url)
    names = {"dbname": "NAME", "user": "USER", "password": "PASSWORD", "host": "HOST", "port": "PORT"}
    given = {word: config[name] for word, name in names.items() if config[name]}
    return psycopg2.connect(**{**given, **config.get("OPTIONS", {})})  # a socket's folder comes as an option


def _own_postgresql(template_url: str = "") -> str:
    url = os.environ.get("DATABASE_URL", "")
    if not url:
        return ""
    name = f"touchstone_{secrets.token_hex(4)}"
    _administer(
        url, f"CREATE DATABASE {name} TEMPLATE {_name(template_url) if template_url else 'template1'}"
    )
    head, _, query = url.partition("?")
    return f"{head.rpartition('/')[0]}/{name}" + (f"?{query}" if query else "")


def _drop(server: str, url: str) -> None:
    if url:
        _administer(server, f"DROP DATABASE {_name(url)} WITH (FORCE)")


def _drop_if_there(server: str, url: str) -> None:
    with suppress(OSError, psycopg2.Error):  # a server of tests/chaos is gone before the process
        _drop(server, url)


def _name(url: str) -> str:
    return str(environ.Env.db_url_config(url)["NAME"])


def _administer(url: str, sql: str) -> None:
    with closing(connect(url)) as connection:
        connection.autocommit = True
        with closing(connection.cursor()) as cursor:
            cursor.execute(sql)
