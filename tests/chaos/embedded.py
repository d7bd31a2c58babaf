"""The embedded way to run: its programs are killed, its message files are cut short and its tables broken.

The programs are those of `make demo`, and so is what starts them again (tools.processes.Family): web server, worker,
renderer, beat, on SQLite and the file-system broker. Reviewers grade and a judge judges meanwhile.
"""

import json
import os
import signal
import sys
import tempfile
import time
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from tests.chaos.grading import conclude, seeded, started_at
from tests.chaos.judging import settings, share_of
from tests.chaos.plan import Deed, Findings, carry_out
from tests.chaos.services import children
from tests.deployment import ROOT, Deployment, deployed
from tests.judging.many import ask_many, count_verdicts, distinct_verdicts
from tests.llm.server import serving
from tools.demo import programs
from tools.processes import STEADY_SECONDS, Family
from tools.servers import free_port

TABLES = ("celery.exchange", "celery.pidbox.exchange")  # those that every worker binds


@dataclass(frozen=True)
class Size:
    """How much is judged and written."""

    judgments: int = 200
    writers: int = 4
    labels: int = 30  # of each writer
    patience: float = 600.0


@contextmanager
def on_the_embedded_way() -> Iterator[None]:
    """Whatever servers the environment names, what is deployed meanwhile has SQLite and the file-system broker."""
    with patch.dict(os.environ, {"DATABASE_URL": "", "CELERY_BROKER_URL": "", "TOUCHSTONE_DEMO": "1"}):
        yield


def embedded_under_fire(size: Size) -> Findings:
    """Ask, write, break and kill, count."""
    begun = time.monotonic()
    with (
        on_the_embedded_way(),
        serving(latency=0.3) as server,
        tempfile.TemporaryDirectory(dir="/tmp") as folder,
        deployed(Path(folder), **settings(server)) as deployment,
    ):
        seed = seeded(deployment, size.writers, size.labels)
        ask_many(deployment, size.judgments)
        url = f"http://127.0.0.1:{free_port()}"
        family = Family(ROOT, deployment.environment)
        try:
            for name, arguments in programs(url).items():
                family.start(name, [sys.executable, "-m", *arguments], Path(folder) / f"process-{name}.log")
            _wait_until_steady(url, family, size.patience)
            writers = started_at(url, seed, size.labels, pause=0.3)
            judged = share_of(deployment, size.judgments)

            def share() -> float:
                """Of the judging; the end is when the last reviewer has ended too."""
                done = judged()
                return min(done, 0.999) if any(writer.is_alive() for writer in writers) else done

            faults = carry_out(_deeds(family, Path(folder)), share, family.revive, size.patience)
            wrong = _broken_for_long(Path(folder) / "queue", family, size.patience)
        finally:
            family.stop()
        findings = Findings("the embedded way", faults)
        conclude(findings, deployment, writers)
        _count(findings, deployment, size.judgments, server.calls)
        findings.wrong += wrong
    findings.seconds = time.monotonic() - begun
    return findings


def _wait_until_steady(url: str, family: Family, patience: float) -> None:
    """Until the site answers and each program has run for so long that its end counts as a fall."""
    begun, answers = time.monotonic(), False
    while not answers or time.monotonic() - begun < STEADY_SECONDS + 1:
        if time.monotonic() - begun > patience:
            raise TimeoutError("the site does not answer")
        with suppress(OSError):
            urllib.request.urlopen(f"{url}/health/", timeout=20).close()
            answers = True
        family.revive()
        time.sleep(0.2)


def _deeds(family: Family, folder: Path) -> list[Deed]:
    messages, control = folder / "queue" / "messages", folder / "queue" / "control"

    def cut_short() -> None:
        """What a full disk or a killed process of another program leaves: the first half of a message."""
        whole = json.dumps({"body": "e30=", "headers": {}, "properties": {}, "content-type": "a"})
        for number, queue in enumerate(("celery", "rendering")):
            (messages / f"{number:020}_{uuid.uuid4()}_half.{queue}.msg").write_text(whole[: len(whole) // 2])

    def break_tables() -> None:
        for name in TABLES:
            (control / name).write_text('[["celery", "", ')

    return [
        Deed(0.10, "two message files half written", cut_short),
        Deed(0.20, "tables of exchanges broken", break_tables),
        Deed(0.35, "SIGKILL of every worker and of beat", _killer(family, "worker", "renderer", "beat")),
        Deed(0.50, "SIGKILL of the web server", _killer(family, "web")),
        Deed(0.60, "two message files half written", cut_short),
        Deed(0.65, "tables of exchanges broken", break_tables),
        Deed(0.70, "SIGKILL of beat", _killer(family, "beat")),
        Deed(0.80, "SIGKILL of every worker", _killer(family, "worker", "renderer")),
    ]


def _killer(family: Family, *names: str) -> Callable[[], None]:
    """SIGKILL to these programs with their children; waits for one that is just being started again."""

    def kill() -> None:
        for child in family.children:
            if child.name in names:
                while not child.is_running:
                    family.revive()
                    time.sleep(0.1)
                assert child.process is not None
                for pid in (child.process.pid, *children(child.process.pid)):
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                child.process.wait(timeout=30)

    return kill


def _count(findings: Findings, deployment: Deployment, judgments: int, calls: int) -> None:
    rows, distinct = count_verdicts(deployment), distinct_verdicts(deployment)
    findings.acknowledged += rows
    findings.lost += judgments - distinct
    findings.doubled += rows - distinct
    findings.notes.append(f"{calls} calls for {judgments} verdicts")


def _broken_for_long(queue: Path, family: Family, patience: float) -> list[str]:
    """What the programs have not repaired when patience ends: they look at a message when they next fetch one, and at
    the tables when a worker starts."""
    end = time.monotonic() + patience
    while (broken := _broken(queue)) and time.monotonic() < end:
        family.revive()
        time.sleep(0.5)
    return broken


def _broken(queue: Path) -> list[str]:
    """Each broken message is set aside, and tables can be read again."""
    aside = len(list((queue / "messages").glob("*_half.*.unreadable")))
    found = [] if aside == 4 else [f"{aside} of 4 broken messages were set aside"]
    for name in TABLES:
        try:
            json.loads((queue / "control" / name).read_text())
        except ValueError:
            found.append(f"{name} is still broken")
    return found
