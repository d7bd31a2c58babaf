"""Workers are killed at any moment while attempts are made; what comes out is what plain loops come to."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.deployment import Deployment, deployed
from tests.llm.server import Server, serving
from tests.solving.begin import BEGIN
from tests.solving.site import SEED, WORLD
from tests.solving.world import Shape, answer, key_of, reference

ATTEMPTS, IN_FLIGHT, PROCESSES, KILLS = 20, 8, 2, 4
SHAPE = Shape(rounds=4)
STEPS = ATTEMPTS * (4 + 3 * 6)


@pytest.fixture
def server():
    with serving(latency=0.05) as running:
        running.keyed = lambda request, key: answer(WORLD, SEED, request, key)
        yield running


@pytest.fixture
def deployment(tmp_path: Path, server: Server):
    endpoints = {"local": {"base_url": server.url, "private": True, "max_concurrency": IN_FLIGHT}}
    settings = {
        "TOUCHSTONE_JUDGE_ENDPOINTS": json.dumps(endpoints),
        "TOUCHSTONE_JUDGE_LEASE_SECONDS": "4",
        "TOUCHSTONE_RECONCILE_SECONDS": "2",
    }
    with deployed(tmp_path, **settings) as deployment:
        yield deployment


def count(deployment: Deployment, table: str, where: str) -> int:
    return int(deployment.query(f"SELECT count(*) FROM solving_{table} WHERE {where}")[0][0])


def wait_for(deployment: Deployment, table: str, where: str, number: int, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while (found := count(deployment, table, where)) < number:
        assert time.monotonic() < deadline, f"{found} of {number}\n{deployment.logs()[-3000:]}"
        time.sleep(0.1)


def begin(deployment: Deployment, shape: Shape, attempts: int) -> None:
    deployment.manage("shell", "-c", BEGIN.format(shape=shape, attempts=attempts, seed=SEED))


def outcomes(deployment: Deployment) -> dict[int, Any]:
    """The proof of each attempt by its number."""
    rows = deployment.query("SELECT number, result FROM solving_attempt WHERE outcome = 'answered'")
    return {
        number: (json.loads(result) if isinstance(result, str) else result)["proof_latex"]
        for number, result in rows
    }


@pytest.mark.slow
def test_runs_come_to_the_reference_though_workers_are_killed_four_times(deployment, server):
    begin(deployment, SHAPE, ATTEMPTS)
    (solver,) = deployment.query("SELECT sha256 FROM solving_solver")[0]
    deployment.beat()
    worker = deployment.worker()
    for kill in range(1, KILLS + 1):
        wait_for(deployment, "step", "state = 'done'", STEPS * kill // (KILLS + 1), seconds=120)
        deployment.kill(worker)
        assert count(deployment, "step", "state = 'done'") < STEPS, "killed too late to prove anything"
        worker = deployment.worker()
    wait_for(deployment, "attempt", "state = 'ended'", ATTEMPTS, seconds=120)

    found = outcomes(deployment)
    for number in range(1, ATTEMPTS + 1):
        token, _, _ = reference(WORLD, SHAPE, SEED, key_of(solver, SEED, "p1", number))
        assert token in found[number]
    assert count(deployment, "step", "state = 'done'") == STEPS
    assert count(deployment, "solvecall", "adopted") == STEPS
    # Killed workers repeat what was in flight and what was not stored yet, and nothing else.
    assert STEPS <= server.calls <= STEPS + KILLS * PROCESSES * 2 * IN_FLIGHT
    assert len(server.keys) == STEPS
    deployment.manage("check_invariants")
