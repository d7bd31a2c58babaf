"""A thousand judgments while everything around them dies: python -m tests.chaos [--seed N] [--judgments N] ...

Real processes on a PostgreSQL that syncs its writes and a Redis of their own: a Celery worker with two children
and beat, which a supervisor starts again when they end, and nothing else is done by hand. Meanwhile children
and the whole worker are killed (SIGKILL), the worker is stopped (SIGTERM), the broker is emptied and taken
away, and the database is stopped without ceremony and started again. Prints what happened; exit code 1 unless
every question has exactly one verdict at no more than 1.05 calls each.

A killed process takes its calls in flight with it, and replies that it has not stored: these are asked again, and
nothing else is. So the calls above one per verdict are at most IN_FLIGHT for a killed child, PROCESSES times as
many for a killed worker, and the replies not yet stored; with the default kills (three of each kind)
3 * 4 + 3 * 2 * 4 = 36 in flight. SIGTERM, the broker and the database may cost nothing.
`tests/judging/test_survival.py` is the short version.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

from redis import Redis, RedisError

from tests.deployment import Deployment, deployed
from tests.judging.many import ask_many, count_verdicts, distinct_verdicts
from tests.llm.server import Server, serving
from tools.servers import postgresql, redis

PROCESSES, IN_FLIGHT = 2, 4  # a killed process loses its calls in flight
CALLS_PER_VERDICT = 1.05


@dataclass
class Service:
    """A server process that can be stopped hard and started again as it was."""

    pid: int
    arguments: list[str]
    started: list["subprocess.Popen[bytes]"] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.command = [os.readlink(f"/proc/{self.pid}/exe"), *self.arguments]
        self.user = os.stat(f"/proc/{self.pid}").st_uid

    def stop(self, how: signal.Signals) -> None:
        os.kill(self.pid, how)
        while _lives(self.pid):
            time.sleep(0.05)

    def start(self) -> None:
        quiet = subprocess.DEVNULL
        child = subprocess.Popen(
            self.command,
            user=self.user,
            extra_groups=[],
            cwd="/",
            stdout=quiet,
            stderr=quiet,
            start_new_session=True,
        )
        self.started.append(child)
        self.pid = child.pid

    def end(self) -> None:
        for child in self.started:
            child.terminate()
            child.wait()


def _lives(pid: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


class Chaos:
    """The deployment, what may happen to it, and the supervisor that only starts what has ended."""

    def __init__(
        self, deployment: Deployment, server: Server, broker_url: str, database: Service, broker: Service
    ) -> None:
        self.deployment = deployment
        self.server = server
        self.broker_url = broker_url
        self.database = database
        self.broker = broker
        self.worker = deployment.worker()
        self.beat = deployment.beat()
        self.restarts = 0
        self.exposed = 0  # calls that were in flight in a process when it was killed, at most
        self.broker_returns = 0.0

    def supervise(self) -> None:
        if self.worker.poll() is not None:
            self.worker = self.deployment.worker()
            self.restarts += 1
        if self.beat.poll() is not None:
            self.beat = self.deployment.beat()
            self.restarts += 1
        if self.broker_returns and time.monotonic() > self.broker_returns:
            self.broker.start()
            self.broker_returns = 0.0

    def kill_a_child(self) -> None:
        """Of a worker that is there: one that was just killed is started again first."""
        while not (children := self._children()):
            self.supervise()
            time.sleep(0.2)
        self.exposed += min(IN_FLIGHT, self.server.in_flight)
        os.kill(int(random.choice(children)), signal.SIGKILL)

    def _children(self) -> list[str]:
        with suppress(OSError):
            return Path(f"/proc/{self.worker.pid}/task/{self.worker.pid}/children").read_text().split()
        return []

    def kill_the_worker(self) -> None:
        self.exposed += self.server.in_flight
        self.deployment.kill(self.worker)

    def stop_the_worker(self) -> None:
        self.worker.send_signal(signal.SIGTERM)

    def flush_the_broker(self) -> None:
        with suppress(RedisError):  # away just now: then it comes back empty anyway
            Redis.from_url(self.broker_url).flushall()

    def restart_the_database(self) -> None:
        self.database.stop(signal.SIGQUIT)  # "immediate": no checkpoint, clients are cut off
        time.sleep(2)
        self.database.start()

    def take_the_broker_away(self, seconds: float) -> None:
        self.broker.stop(signal.SIGKILL)
        self.broker_returns = time.monotonic() + seconds


def plan(chaos: Chaos, outage: float, kills: int) -> list[tuple[float, str, Callable[[], None]]]:
    """(share of verdicts stored, name, deed), in order."""
    deeds = [
        (0.30, "FLUSHALL", chaos.flush_the_broker),
        (0.70, "FLUSHALL", chaos.flush_the_broker),
        (0.50, f"broker down for {outage:g} s", lambda: chaos.take_the_broker_away(outage)),
        *((share, "database restarted", chaos.restart_the_database) for share in (0.2, 0.45, 0.8)),
    ]
    violence = [
        ("SIGKILL of a child", chaos.kill_a_child),
        ("SIGKILL of the worker", chaos.kill_the_worker),
        ("SIGTERM of the worker", chaos.stop_the_worker),
    ]
    deeds += [(random.uniform(0.05, 0.95), *violence[number % 3]) for number in range(kills)]
    return sorted(deeds, key=lambda deed: deed[0])


def run(
    chaos: Chaos, judgments: int, deeds: list[tuple[float, str, Callable[[], None]]], patience: float
) -> None:
    """Do each deed when its share of the verdicts is stored; returns when all are, raises TimeoutError."""
    begun = time.monotonic()
    stored = 0
    while stored < judgments:
        if time.monotonic() - begun > patience:
            raise TimeoutError(f"{stored} of {judgments} verdicts after {patience:g} s")
        chaos.supervise()
        with suppress(Exception):  # the database may be coming back
            stored = count_verdicts(chaos.deployment)
        while deeds and stored >= deeds[0][0] * judgments:
            _, name, deed = deeds.pop(0)
            calls = f"{chaos.server.calls:5} calls {stored:5} verdicts"
            print(f"{time.monotonic() - begun:6.1f} s  {calls}  {name}", flush=True)
            deed()
        time.sleep(0.1)
    print(f"{time.monotonic() - begun:6.1f} s  {stored:5} verdicts  done")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--judgments", type=int, default=1_000)
    parser.add_argument("--latency", type=float, default=0.3, help="seconds of a call")
    parser.add_argument("--kills", type=int, default=9, help="a third of each kind")
    parser.add_argument("--outage", type=float, default=60.0, help="seconds without broker")
    parser.add_argument("--patience", type=float, default=900.0, help="seconds until giving up")
    options = parser.parse_args()
    random.seed(options.seed)
    packages = Path(sysconfig.get_path("purelib"))
    with ExitStack() as stack:
        folders = [Path(stack.enter_context(tempfile.TemporaryDirectory(dir="/tmp"))) for _ in range(3)]
        database_url = stack.enter_context(postgresql(packages, folders[0], durable=True))
        broker_url = stack.enter_context(redis(packages, folders[1]))
        database = _database(folders[0])
        broker = _broker(broker_url)
        stack.callback(database.end)
        stack.callback(broker.end)
        os.environ |= {"DATABASE_URL": database_url, "CELERY_BROKER_URL": broker_url, "TOUCHSTONE_DEMO": "1"}
        server = stack.enter_context(serving(latency=options.latency))
        deployment = stack.enter_context(deployed(folders[2], **_settings(server)))
        ask_many(deployment, options.judgments)
        chaos = Chaos(deployment, server, broker_url, database, broker)
        run(chaos, options.judgments, plan(chaos, options.outage, options.kills), options.patience)
        return report(chaos, options.judgments)


def _database(folder: Path) -> Service:
    pid = int((folder / "data" / "postmaster.pid").read_text().split()[0])
    return Service(pid, Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")[1:-1])


def _broker(url: str) -> Service:
    told = Redis.from_url(url).info()
    bound = ["--port", str(told["tcp_port"]), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    return Service(int(told["process_id"]), bound)


def _settings(server: Server) -> dict[str, str]:
    endpoint = {"base_url": server.url, "private": True, "max_concurrency": IN_FLIGHT}
    return {
        "TOUCHSTONE_JUDGE_ENDPOINTS": json.dumps({"local": endpoint}),
        "TOUCHSTONE_JUDGE_LEASE_SECONDS": "10",
        "TOUCHSTONE_RECONCILE_SECONDS": "3",
    }


def report(chaos: Chaos, judgments: int) -> int:
    """Print the count of everything that could be wrong; the exit code."""
    deployment, calls = chaos.deployment, chaos.server.calls
    rows, distinct = count_verdicts(deployment), distinct_verdicts(deployment)
    per_verdict = calls / judgments
    print(f"{rows} verdicts, {distinct} distinct, {calls} calls, {per_verdict:.3f} calls per verdict")
    print(
        f"{calls - judgments} calls more than verdicts; {chaos.exposed} were in flight at the kills at most"
    )
    print(f"{chaos.restarts} processes started again by the supervisor; nothing else was done by hand")
    deployment.manage("check_invariants")
    return 0 if rows == distinct == judgments and per_verdict <= CALLS_PER_VERDICT else 1


if __name__ == "__main__":
    sys.exit(main())
