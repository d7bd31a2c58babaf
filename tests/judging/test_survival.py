"""Workers die at any moment; no verdict is lost and none is doubled."""

import json
import time
from pathlib import Path

import pytest

from tests.deployment import Deployment, deployed
from tests.judging.many import ask_many, count_verdicts, distinct_verdicts
from tests.llm.server import Server

TOTAL = 1_000


@pytest.fixture
def deployment(tmp_path: Path, server: Server):
    endpoints = {"local": {"base_url": server.url, "private": True, "max_concurrency": 20}}
    settings = {
        "TOUCHSTONE_JUDGE_ENDPOINTS": json.dumps(endpoints),
        "TOUCHSTONE_JUDGE_LEASE_SECONDS": "4",
        "TOUCHSTONE_RECONCILE_SECONDS": "2",
    }
    with deployed(tmp_path, **settings) as deployment:
        yield deployment


def wait_for(deployment: Deployment, number: int, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while count_verdicts(deployment) < number:
        assert time.monotonic() < deadline, (
            f"{count_verdicts(deployment)} of {number}\n{deployment.logs()[-3000:]}"
        )
        time.sleep(0.1)


@pytest.mark.slow
def test_a_thousand_judgments_survive_two_killed_workers(deployment, server):
    server.latency = 0.05
    ask_many(deployment, TOTAL)
    deployment.beat()
    worker = deployment.worker()
    for share in (0.25, 0.6):
        wait_for(deployment, round(TOTAL * share), seconds=120)
        deployment.kill(worker)
        assert count_verdicts(deployment) < TOTAL, "the worker was killed too late to prove anything"
        worker = deployment.worker()
    wait_for(deployment, TOTAL, seconds=90)

    assert distinct_verdicts(deployment) == count_verdicts(deployment) == TOTAL
    # Every verdict has the raw call it was read from, and killed workers repeat only what was in flight.
    assert deployment.query("SELECT count(*) FROM judging_verdict WHERE call_id IS NULL")[0][0] == 0
    assert (
        TOTAL <= server.calls <= TOTAL + 2 * 2 * 20 + 2 * 100
    )  # kills x processes x in flight, and unflushed
    deployment.manage("check_invariants")


@pytest.mark.slow
def test_judging_ends_though_the_broker_is_emptied_while_no_worker_listens(deployment, server):
    """Without beat's rounds nobody would ring again: the first signal is gone, and so is every later one."""
    ask_many(deployment, 40)
    empty_the_broker(deployment)
    worker = deployment.worker()
    deployment.beat()
    wait_for(deployment, 10, seconds=60)
    deployment.kill(worker)
    empty_the_broker(deployment)
    deployment.worker()
    wait_for(deployment, 40, seconds=60)

    assert distinct_verdicts(deployment) == count_verdicts(deployment) == 40
    deployment.manage("check_invariants")


def empty_the_broker(deployment: Deployment) -> None:
    purge = deployment.start("celery", "-A", "config", "purge", "--force")
    assert purge.wait(timeout=60) == 0
