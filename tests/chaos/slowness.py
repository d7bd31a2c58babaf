"""Judging while nothing is dead but everything is late: a slow disk, servers that hang, a slow broker, wrong clocks.

The disk is slow in that PostgreSQL waits before each flush of its log (commit_delay, at most 0.1 s); the database and
the broker hang in that all their processes are held (SIGSTOP) and let go again; the broker is slow behind a proxy
that delivers each piece late. The clock of the worker jumps six hours ahead, and back while tasks are leased, and
the worker is killed after either jump: leases are counted by the clock of the database, so that its tasks return
after one lease and nobody takes them back before. Beat keeps its clock: Celery's beat waits for a clock that was
put back, and rings for nobody meanwhile.
"""

import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from tests.chaos.judging import Judging, conclude, settings, share_of
from tests.chaos.plan import Deed, Findings, carry_out
from tests.chaos.services import Servers
from tests.chaos.slow_proxy import slow_proxy
from tests.deployment import Deployment, connect, deployed
from tests.judging.many import ask_many
from tests.llm.server import serving

HOURS = 6 * 3600


@dataclass(frozen=True)
class Size:
    """How much is judged, and how late things are."""

    judgments: int = 400
    latency: float = 0.3  # seconds of a call
    flush: float = 0.1  # seconds before each flush of the database's log; PostgreSQL allows no more
    piece: float = 0.3  # seconds for each piece to and from the broker
    hang: float = 5.0  # seconds without a sign of life; less than half a lease
    patience: float = 600.0


def judge_slowly(servers: Servers, size: Size) -> Findings:
    """Ask, be late, count."""
    begun = time.monotonic()
    port = urlsplit(servers.broker_url).port or 6379
    with (
        serving(latency=size.latency) as server,
        slow_proxy(port) as proxy,
        tempfile.TemporaryDirectory(dir="/tmp") as folder,
        deployed(
            Path(folder),
            CELERY_BROKER_URL=f"redis://127.0.0.1:{proxy.port}/0",
            **settings(server),
        ) as deployment,
    ):
        ask_many(deployment, size.judgments)
        clock = Path(folder) / "clock"
        clock.write_text("0")
        judging = Judging(deployment, server, servers, clock=clock)

        def be_late() -> None:
            proxy.delay = size.piece

        deeds = [
            Deed(
                0.05, f"disk slow: {size.flush:g} s before each flush", lambda: _delay(deployment, size.flush)
            ),
            Deed(0.20, f"PostgreSQL hangs for {size.hang:g} s", lambda: servers.database.hold(size.hang)),
            Deed(0.25, f"broker slow: {size.piece:g} s for each piece", be_late),
            Deed(0.35, f"Redis hangs for {size.hang:g} s", lambda: servers.broker.hold(size.hang)),
            Deed(0.45, "clock of the worker jumps six hours ahead", _jump(clock, HOURS)),
            Deed(0.55, "SIGKILL of the worker with a wrong clock", judging.kill_the_worker),
            Deed(0.65, "clock of the worker jumps six hours back", _jump(clock, 0)),
            Deed(0.70, "SIGKILL of the worker after its clock jumped", judging.kill_the_worker),
            Deed(0.80, "clock of the worker jumps six hours back", _jump(clock, -HOURS)),
        ]
        faults = carry_out(deeds, share_of(deployment, size.judgments), judging.supervise, size.patience)
        findings = Findings("slowness and clocks", faults)
        conclude(findings, judging, size.judgments, limit=_most_calls(size))
    findings.seconds = time.monotonic() - begun
    return findings


def _most_calls(size: Size) -> float:
    """Calls per verdict that two killed workers may cost: two processes with four calls each, and as many unstored."""
    return 1 + 2 * 2 * (4 + 4) / size.judgments


def _jump(clock: Path, seconds: float) -> Callable[[], None]:
    """Set the clock by a rename, so that no reader finds half a number."""

    def jump() -> None:
        new = clock.with_suffix(".new")
        new.write_text(str(seconds))
        new.replace(clock)

    return jump


def _delay(deployment: Deployment, seconds: float) -> None:
    with closing(connect(deployment.database_url)) as connection:
        connection.autocommit = True
        with closing(connection.cursor()) as cursor:
            cursor.execute(f"ALTER SYSTEM SET commit_delay = {round(seconds * 1e6)}")
            cursor.execute("ALTER SYSTEM SET commit_siblings = 0")
            cursor.execute("SELECT pg_reload_conf()")
