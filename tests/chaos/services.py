"""PostgreSQL and Redis that can be stopped hard, held for a while, and started again as they were."""

import os
import signal
import subprocess
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

from redis import Redis

from tools.migrated import migrated_cluster
from tools.servers import postgresql, redis

AWAY_SECONDS = 2.0


@dataclass
class Service:
    """A server process with its children."""

    pid: int
    arguments: list[str]
    log: Path
    started: list["subprocess.Popen[bytes]"] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.command = [os.readlink(f"/proc/{self.pid}/exe"), *self.arguments]
        self.user = os.stat(f"/proc/{self.pid}").st_uid

    def stop(self, how: signal.Signals) -> None:
        """Signal the server, its children too if it is SIGKILL, and wait until all of them are gone."""
        if how == signal.SIGKILL:
            os.kill(self.pid, signal.SIGSTOP)  # it starts no child any more
        family = [self.pid, *children(self.pid)]
        for pid in family if how == signal.SIGKILL else family[:1]:
            with suppress(ProcessLookupError):
                os.kill(pid, how)
        while any(lives(pid) for pid in family):
            time.sleep(0.05)
        with suppress(ChildProcessError):
            os.waitpid(self.pid, 0)  # PostgreSQL does not start while its predecessor is a zombie

    def hold(self, seconds: float) -> None:
        """SIGSTOP to all its processes, and SIGCONT after so long: it neither answers nor hangs up."""
        family = [self.pid, *children(self.pid)]
        for how in (signal.SIGSTOP, signal.SIGCONT):
            for pid in family:
                with suppress(ProcessLookupError):
                    os.kill(pid, how)
            time.sleep(seconds if how == signal.SIGSTOP else 0)

    def start(self) -> None:
        is_root = os.geteuid() == 0  # nobody else may say as whom a process runs
        with self.log.open("ab") as log:
            child = subprocess.Popen(
                self.command,
                user=self.user if is_root else None,
                extra_groups=[] if is_root else None,
                cwd="/",
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.started.append(child)
        self.pid = child.pid

    def end(self) -> None:
        for child in self.started:
            child.send_signal(signal.SIGINT)  # for PostgreSQL: without waiting for clients
            child.wait()


def children(pid: int) -> list[int]:
    """Its child processes; none when there is no such process."""
    with suppress(OSError):
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def lives(pid: int) -> bool:
    """Whether there is such a process; one that only waits to be buried does not live."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


@dataclass(frozen=True)
class Servers:
    """What a deployment needs; the environment names it while `own_servers` lasts."""

    database: Service
    broker: Service
    broker_url: str

    def restart_the_database(self, how: signal.Signals = signal.SIGQUIT) -> None:
        """Stop it, "immediately" (SIGQUIT: no checkpoint, clients are cut off) or by SIGKILL, and start it again."""
        self.database.stop(how)
        time.sleep(AWAY_SECONDS)
        self.database.start()


@contextmanager
def own_servers() -> Iterator[Servers]:
    """A PostgreSQL that syncs its writes and a Redis, for nobody else."""
    packages = Path(sysconfig.get_path("purelib"))
    with ExitStack() as stack:
        folders = [Path(stack.enter_context(tempfile.TemporaryDirectory(dir="/tmp"))) for _ in range(2)]
        database_url = stack.enter_context(
            postgresql(packages, folders[0], durable=True, like=migrated_cluster(packages))
        )
        broker_url = stack.enter_context(redis(packages, folders[1]))
        servers = Servers(_database(folders[0]), _broker(broker_url, folders[1]), broker_url)
        stack.callback(servers.database.end)
        stack.callback(servers.broker.end)
        settings = {
            "DATABASE_URL": database_url,
            "CELERY_BROKER_URL": broker_url,
            "TOUCHSTONE_DEMO": "1",
            "TOUCHSTONE_CACHE": "memory",  # holds limits on signing in, and nobody signs in here
            "TOUCHSTONE_STATIC_STORAGE": "django.contrib.staticfiles.storage.StaticFilesStorage",
        }
        stack.enter_context(patch.dict(os.environ, settings))
        yield servers


def _database(folder: Path) -> Service:
    pid = int((folder / "data" / "postmaster.pid").read_text().split()[0])
    arguments = Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")[1:-1]
    return Service(pid, arguments, folder / "postgres.log")


def _broker(url: str, folder: Path) -> Service:
    told = Redis.from_url(url).info()
    bound = ["--port", str(told["tcp_port"]), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    return Service(int(told["process_id"]), bound, folder / "redis.log")
