"""Twelve reviewers submit while web workers, the web server and PostgreSQL die under them.

PostgreSQL is stopped "immediately" (no checkpoint, clients cut off) and started again, and once killed with all
its processes (SIGKILL). It runs with the durable settings of production. What is shown: a commit that was answered
had left the process for the operating system, and recovery finds it. A loss of power is not shown: killing
processes does not empty the operating system's cache; what protects against that is fsync and the check that refuses to
start on a database that does not sync (config/checks.py).
"""

import json
import signal
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.chaos.plan import Deed, Findings, carry_out, check_rules
from tests.chaos.services import Servers
from tests.chaos.site import Site
from tests.chaos.writers import Client, Writer, compare, stored_labels
from tests.deployment import ROOT, Deployment, deployed


@dataclass(frozen=True)
class Size:
    """How much is written, and how often each fault strikes."""

    writers: int = 12
    labels: int = 150  # of each writer
    restarts: int = 3
    database_kills: int = 1
    worker_kills: int = 6
    site_kills: int = 1
    patience: float = 600.0


def grade_under_fire(servers: Servers, size: Size) -> Findings:
    """Seed, write, strike, compare."""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(dir="/tmp") as folder, deployed(Path(folder)) as deployment:
        seed = seeded(deployment, size.writers, size.labels)
        site = Site(deployment)
        writers = started(site, seed, size.labels)
        faults = carry_out(
            _deeds(servers, site, size), lambda: _share(writers, size), site.supervise, size.patience
        )
        findings = Findings("grades over HTTP", faults)
        conclude(findings, deployment, writers)
    findings.seconds = time.monotonic() - begun
    return findings


def seeded(deployment: Deployment, reviewers: int, items: int) -> dict[str, Any]:
    """What tests.chaos.seed_writers prints."""
    command = [sys.executable, "-m", "tests.chaos.seed_writers", str(reviewers), str(items)]
    environment = {**deployment.environment, "DJANGO_SETTINGS_MODULE": "config.settings"}
    done = subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE)
    seed: dict[str, Any] = json.loads(done.stdout)
    return seed


def started(site: Site, seed: dict[str, Any], labels: int, pause: float = 0.0) -> list[Writer]:
    """One writer for each token of the seed, at work."""
    return started_at(site.url, seed, labels, pause)


def started_at(
    url: str, seed: dict[str, Any], labels: int, pause: float, tls: ssl.SSLContext | None = None
) -> list[Writer]:
    """The same, wherever the site is."""
    writers = [
        Writer(Client(url, token, tls=tls), seed["campaign"], seed["rubric_sha256"], labels, pause)
        for token in seed["tokens"]
    ]
    for writer in writers:
        writer.start()
    return writers


def _share(writers: Sequence[Writer], size: Size) -> float:
    """How much of the writing is over: all of it when no writer is left."""
    done = sum(len(writer.acknowledged) for writer in writers) / (size.writers * size.labels)
    return 1.0 if not any(writer.is_alive() for writer in writers) else min(done, 0.999)


def _deeds(servers: Servers, site: Site, size: Size) -> list[Deed]:
    restart = servers.restart_the_database
    return [
        *_spread(size.restarts, "PostgreSQL stopped and started", restart, 0.10, 0.85),
        *_spread(size.database_kills, "SIGKILL of PostgreSQL", lambda: restart(signal.SIGKILL), 0.45, 0.65),
        *_spread(size.worker_kills, "SIGKILL of a web worker", site.kill_a_worker, 0.05, 0.92),
        *_spread(size.site_kills, "SIGKILL of the web server", site.kill, 0.60, 0.80),
    ]


def _spread(count: int, kind: str, do: Callable[[], None], first: float, last: float) -> list[Deed]:
    """`count` deeds at the middles of equal parts of [first, last]."""
    return [Deed(first + (last - first) * (number + 0.5) / count, kind, do) for number in range(count)]


def conclude(findings: Findings, deployment: Deployment, writers: Sequence[Writer]) -> None:
    """Compare what writers were told, who have ended, with what is there; let the site check its own rules."""
    for writer in writers:
        findings.wrong += writer.wrong
    told = [label for writer in writers for label in writer.acknowledged]
    difference = compare(told, stored_labels(deployment))
    findings.acknowledged += len(told)
    findings.lost += len(difference.lost)
    findings.doubled += len(difference.doubled)
    findings.wrong += [f"{key} holds something else than was sent" for key in difference.altered]
    findings.wrong += [f"{key} was acknowledged to nobody" for key in difference.unheard]
    unsettled = sum(writer.client.unsettled for writer in writers)
    findings.notes.append(f"{unsettled} requests had no answer or one from 500 on, and were sent again")
    check_rules(findings, deployment)
