"""A thousand judgments while everything around them dies.

A Celery worker with two children and beat, which a supervisor starts again when they end, and nothing else is done
by hand. Meanwhile children, the worker and beat are killed (SIGKILL), the worker is stopped (SIGTERM), the broker is
emptied and taken away, and the database is stopped without ceremony and started again. Right is: every question has
exactly one verdict, at no more than 1.05 calls each.

A killed process takes its calls in flight with it, and replies that it has not stored: these are asked again, and
nothing else is. So the calls above one per verdict are at most IN_FLIGHT for a killed child, PROCESSES times as
many for a killed worker, and the replies not yet stored; with the default kills (three of each kind)
3 * 4 + 3 * 2 * 4 = 36 in flight. SIGTERM, the broker and the database may cost nothing.
`tests/judging/test_survival.py` is the short version.
"""

import json
import os
import random
import signal
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from redis import Redis, RedisError

from tests.chaos.plan import Deed, Findings, carry_out, check_rules
from tests.chaos.services import Servers, children
from tests.deployment import Deployment, deployed
from tests.judging.many import ask_many, count_verdicts, distinct_verdicts
from tests.llm.server import Server, serving

PROCESSES, IN_FLIGHT = 2, 4  # a killed process loses its calls in flight
CALLS_PER_VERDICT = 1.05


@dataclass(frozen=True)
class Size:
    """How much is judged, and how often what strikes."""

    judgments: int = 1_000
    latency: float = 0.3  # seconds of a call
    kills: int = 9  # a third each: SIGKILL of a child, SIGKILL and SIGTERM of the worker
    outage: float = 60.0  # seconds without broker
    patience: float = 900.0


class Judging:
    """The worker and beat of a deployment, what may happen to them, and the supervisor that starts what ended."""

    def __init__(
        self, deployment: Deployment, server: Server, servers: Servers, *, clock: Path | None = None
    ) -> None:
        """clock: the file by which the worker has another clock (tests.chaos.other_clock)."""
        self.deployment, self.server, self.servers = deployment, server, servers
        self.before = ("tests.chaos.other_clock", str(clock)) if clock else ()
        self.worker = deployment.worker(*self.before)
        self.beat = deployment.beat()
        self.restarts = 0
        self.exposed = 0  # calls that were in flight in a process when it was killed, at most
        self.broker_returns = 0.0

    def supervise(self) -> None:
        if self.worker.poll() is not None:
            self.worker = self.deployment.worker(*self.before)
            self.restarts += 1
        if self.beat.poll() is not None:
            self.beat = self.deployment.beat()
            self.restarts += 1
        if self.broker_returns and time.monotonic() > self.broker_returns:
            self.servers.broker.start()
            self.broker_returns = 0.0

    def kill_a_child(self) -> None:
        """Of a worker that is there: one that was just killed is started again first."""
        while not (found := children(self.worker.pid)):
            self.supervise()
            time.sleep(0.2)
        self.exposed += min(IN_FLIGHT, self.server.in_flight)
        os.kill(random.choice(found), signal.SIGKILL)

    def kill_the_worker(self) -> None:
        self.exposed += self.server.in_flight
        self.deployment.kill(self.worker)

    def kill_beat(self) -> None:
        self.deployment.kill(self.beat)

    def kill_workers_and_beat(self) -> None:
        """Nobody is left to judge, nor to ask for it."""
        self.kill_beat()
        self.kill_the_worker()

    def stop_the_worker(self) -> None:
        self.worker.send_signal(signal.SIGTERM)

    def flush_the_broker(self) -> None:
        with suppress(RedisError):  # away just now: then it comes back empty anyway
            Redis.from_url(self.servers.broker_url).flushall()

    def take_the_broker_away(self, seconds: float) -> None:
        self.servers.broker.stop(signal.SIGKILL)
        self.broker_returns = time.monotonic() + seconds


def judge_under_fire(servers: Servers, size: Size) -> Findings:
    """Ask, strike, count."""
    begun = time.monotonic()
    with (
        serving(latency=size.latency) as server,
        tempfile.TemporaryDirectory(dir="/tmp") as folder,
        deployed(Path(folder), **settings(server)) as deployment,
    ):
        ask_many(deployment, size.judgments)
        judging = Judging(deployment, server, servers)
        share = share_of(deployment, size.judgments)
        faults = carry_out(_deeds(judging, size), share, judging.supervise, size.patience)
        findings = Findings("judgments", faults)
        conclude(findings, judging, size.judgments)
    findings.seconds = time.monotonic() - begun
    return findings


def settings(server: Server) -> dict[str, str]:
    """The environment in which judges call this server, and a dead worker's tasks return after ten seconds."""
    endpoint = {"base_url": server.url, "private": True, "max_concurrency": IN_FLIGHT}
    return {
        "TOUCHSTONE_JUDGE_ENDPOINTS": json.dumps({"local": endpoint}),
        "TOUCHSTONE_JUDGE_LEASE_SECONDS": "10",
        "TOUCHSTONE_RECONCILE_SECONDS": "3",
    }


def share_of(deployment: Deployment, judgments: int) -> Callable[[], float]:
    """How much of the judging is done."""
    return lambda: count_verdicts(deployment) / judgments


def _deeds(judging: Judging, size: Size) -> list[Deed]:
    violence = [
        ("SIGKILL of a child of the worker", judging.kill_a_child),
        ("SIGKILL of every worker and of beat", judging.kill_workers_and_beat),
        ("SIGTERM of the worker", judging.stop_the_worker),
    ]
    restart = judging.servers.restart_the_database
    return [
        Deed(0.30, "Redis emptied", judging.flush_the_broker),
        Deed(0.70, "Redis emptied", judging.flush_the_broker),
        Deed(
            0.50,
            f"Redis killed, back after {size.outage:g} s",
            lambda: judging.take_the_broker_away(size.outage),
        ),
        Deed(0.15, "SIGKILL of beat", judging.kill_beat),
        *(Deed(share, "PostgreSQL stopped and started", restart) for share in (0.2, 0.45, 0.8)),
        *(Deed(random.uniform(0.05, 0.95), *violence[number % 3]) for number in range(size.kills)),
    ]


def conclude(findings: Findings, judging: Judging, judgments: int, limit: float = CALLS_PER_VERDICT) -> None:
    """Count verdicts and calls, of which there may be `limit` for each; let the site check its own rules."""
    deployment, calls = judging.deployment, judging.server.calls
    rows, distinct = count_verdicts(deployment), distinct_verdicts(deployment)
    findings.acknowledged += rows
    findings.lost += judgments - distinct
    findings.doubled += rows - distinct
    per_verdict = calls / judgments
    findings.notes.append(
        f"{per_verdict:.3f} calls per verdict: {calls - judgments} more than verdicts, "
        f"{judging.exposed} in flight at the kills at most"
    )
    findings.notes.append(f"{judging.restarts} processes started again by the supervisor")
    if per_verdict > limit:
        findings.wrong.append(f"more than {limit:.3f} calls per verdict")
    check_rules(findings, deployment)
