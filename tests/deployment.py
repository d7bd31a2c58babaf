"""A deployment of its own for tests that kill processes: a fresh database, broker folder and real processes.

On the embedded way everything is in one temporary folder; where the suite runs on PostgreSQL and Redis, a
database of its own is made on the same server. The Redis is shared: a stray signal only makes a worker look.
Every deployment and every process's own test database begins with a copy of a migrated one (tools/migrated.py).
"""

import atexit
import fcntl
import hashlib
import os
import secrets
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import environ
import psycopg2

from tools.demo import free_port
from tools.migrated import DATABASE, kept

ROOT = Path(__file__).parents[1]
SQLITE = "touchstone.sqlite3"
SHARED = "TOUCHSTONE_TEST_SHARED"  # names the folder that the processes of one run of the suite share


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
        self._forking: tuple[str, dict[str, str]] | None = None

    @property
    def database_name(self) -> str:
        """The name of its database on PostgreSQL."""
        return str(environ.Env.db_url_config(self.database_url)["NAME"])

    def manage(self, *arguments: str) -> str:
        """Run a management command; raises CalledProcessError with its output."""
        command = [*self.program(), *arguments]
        done = subprocess.run(
            command, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=True, timeout=300
        )
        return done.stdout

    def program(self) -> list[str]:
        """What `manage.py` is here: commands are forks of one process, for each environment (tests/forking.py)."""
        if self._forking is None or self._forking[1] != self.environment:
            share_a_folder()
            address = str(
                Path(os.environ[SHARED]) / secrets.token_hex(4)
            )  # the path of a socket must be short
            process = self.start("tests.forking", "--serve", address)
            self._forking = address, dict(self.environment)
            while not Path(address).exists():
                assert process.poll() is None, self.logs()
                time.sleep(0.02)
        return [sys.executable, "-S", "-E", str(ROOT / "tests" / "forking.py"), self._forking[0]]

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start `python -m ...` in a process group of its own, its output in a log next to the database."""
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

    def web(self, first_port: int) -> str:
        """Start a web server on the next free port and wait until it listens; returns its address."""
        port = free_port(first_port)
        self.environment["TOUCHSTONE_SITE_URL"] = address = f"http://127.0.0.1:{port}"
        self.start("gunicorn", "config.wsgi", "--bind", f"127.0.0.1:{port}", "--threads", "4")
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                return address
            except OSError:
                time.sleep(0.1)
        raise AssertionError(self.logs())

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

    def stop(self) -> None:
        for process in self.processes:
            self.kill(process)

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
    migrated = migrated_once(os.environ.get("DATABASE_URL", ""))
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
        deployment.stop()
        _drop(os.environ.get("DATABASE_URL", ""), deployment.database_url)


def share_a_folder() -> None:
    """For the process that starts the others: what they share is there until it ends."""
    if SHARED not in os.environ:
        os.environ[SHARED] = tempfile.mkdtemp(prefix="touchstone-shared-")
        atexit.register(_forget_what_is_shared, Path(os.environ[SHARED]))


@cache
def migrated_once(server: str) -> Deployment:
    """What every database of this run on this server is a copy of; `server` is empty for SQLite."""
    share_a_folder()
    folder = Path(os.environ[SHARED]) / hashlib.sha256(server.encode()).hexdigest()[:16]
    folder.mkdir(exist_ok=True)
    url = _database_named(server, f"touchstone_{folder.parent.name[-8:]}_{folder.name}")
    migrated = Deployment(folder, url, TOUCHSTONE_DEMO="1")  # needs no keys to migrate
    finished = folder / "server"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not finished.exists():
            if not server:
                with kept(".sqlite3") as (path, is_there):
                    if not is_there:
                        _migrate(migrated)
                        unfinished = path.with_name("unfinished.sqlite3")
                        shutil.copyfile(migrated.folder / SQLITE, unfinished)
                        unfinished.rename(path)
                    shutil.copyfile(path, migrated.folder / SQLITE)
            elif not _has_migrated_database(server):
                _administer(server, f"CREATE DATABASE {migrated.database_name}")
                _migrate(migrated)
            finished.write_text(server, encoding="utf-8")
    if server and _has_migrated_database(server):
        migrated.database_url = _database_named(server, DATABASE)
    return migrated


def _migrate(deployment: Deployment) -> None:
    deployment.manage("migrate", "--verbosity", "0")
    deployment.stop()


def _has_migrated_database(server: str) -> bool:
    with closing(connect(server)) as connection, closing(connection.cursor()) as cursor:
        cursor.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE])
        return cursor.fetchone() is not None


def _forget_what_is_shared(folder: Path) -> None:
    for migrated in folder.glob("*/server"):
        server = migrated.read_text(encoding="utf-8")
        with suppress(OSError, psycopg2.Error):  # a server of tests/chaos is gone before the process
            _drop(server, migrated_once(server).database_url)
    shutil.rmtree(folder, ignore_errors=True)


def connect(url: str) -> Any:
    """A connection to the PostgreSQL database at `url`, outside of Django."""
    config = environ.Env.db_url_config(url)
    names = {"dbname": "NAME", "user": "USER", "password": "PASSWORD", "host": "HOST", "port": "PORT"}
    given = {word: config[name] for word, name in names.items() if config[name]}
    return psycopg2.connect(**{**given, **config.get("OPTIONS", {})})  # a socket's folder comes as an option


def _own_postgresql(template_url: str) -> str:
    """The address of a new copy of the database at `template_url`; without DATABASE_URL, the empty one of SQLite."""
    server = os.environ.get("DATABASE_URL", "")
    url = _database_named(server, f"touchstone_{secrets.token_hex(4)}")
    if url:
        template = _name(template_url) if template_url else "template1"
        _administer(server, f"CREATE DATABASE {_name(url)} TEMPLATE {template}")
    return url


def _database_named(server: str, name: str) -> str:
    head, _, query = server.partition("?")
    return f"{head.rpartition('/')[0]}/{name}" + (f"?{query}" if query else "") if server else ""


def _drop(server: str, url: str) -> None:
    if url:
        _administer(server, f"DROP DATABASE {_name(url)} WITH (FORCE)")


def _name(url: str) -> str:
    return str(environ.Env.db_url_config(url)["NAME"])


def _administer(url: str, sql: str) -> None:
    with closing(connect(url)) as connection:
        connection.autocommit = True
        with closing(connection.cursor()) as cursor:
            cursor.execute(sql)
