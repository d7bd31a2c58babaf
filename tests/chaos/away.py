"""The database is away for a minute while reviewers submit: they are told when to come back, and nothing is lost."""

import signal
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tests.chaos.grading import conclude, seeded, started
from tests.chaos.plan import Deed, Findings, carry_out
from tests.chaos.services import Servers
from tests.chaos.site import Site
from tests.deployment import deployed


@dataclass(frozen=True)
class Size:
    """How much is written, and how long there is no database."""

    writers: int = 12
    labels: int = 40  # of each writer
    away: float = 60.0
    patience: float = 600.0


def grade_without_database(servers: Servers, size: Size) -> Findings:
    """Seed, write, take the database away and bring it back, compare."""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(dir="/tmp") as folder, deployed(Path(folder)) as deployment:
        seed = seeded(deployment, size.writers, size.labels)
        site = Site(deployment)
        writers = started(site, seed, size.labels, pause=0.1)

        def told() -> int:
            return sum(len(writer.acknowledged) for writer in writers)

        def share() -> float:
            alive = any(writer.is_alive() for writer in writers)
            return min(told() / (size.writers * size.labels), 0.999) if alive else 1.0

        def be_away() -> None:
            servers.database.stop(signal.SIGQUIT)
            time.sleep(size.away)
            servers.database.start()

        faults = carry_out(
            [Deed(0.3, f"database away for {size.away:g} s", be_away)], share, site.supervise, size.patience
        )
        findings = Findings("grades without a database", faults)
        conclude(findings, deployment, writers)
    replies = sum((writer.client.replies for writer in writers), Counter[int]())
    findings.notes.append(f"{replies[503]} requests were answered 503")
    if not replies[503]:
        findings.wrong.append("nobody was told that the database is away")
    if others := {status: count for status, count in replies.items() if status >= 500 and status != 503}:
        findings.wrong.append(f"requests were answered by other errors: {others}")
    if silent := sum(writer.client.no_time_to_return for writer in writers):
        findings.wrong.append(f"{silent} answers of 503 did not say when to come back")
    findings.seconds = time.monotonic() - begun
    return findings
