"""Workers die at any moment; no verdict is lost and none is doubled."""

import json
import time
from pathlib import Path

import pytest

from tests.deployment import Deployment, deployed
from tests.judging.conftest import SAMPLE
from tests.llm.server import Server

N_OUTPUTS, N_PREDICATES = 500, 2
ASK = """
from benchmark.models import Release
from judging.actions import ask
from judging.queries import newest_judge
ask(actor=None, judge=newest_judge("strict"), release=Release.objects.get(name="many"))
"""


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


def prepare(deployment: Deployment) -> None:
    release = deployment.folder / "release.jsonl"
    release.write_text((SAMPLE / "release.jsonl").read_text("utf-8").splitlines()[0] + "\n", "utf-8")
    answer = json.loads((SAMPLE / "outputs-aurora.jsonl").read_text("utf-8").splitlines()[0])
    outputs = deployment.folder / "outputs.jsonl"
    with outputs.open("w", encoding="utf-8") as file:
        for attempt in range(1, N_OUTPUTS + 1):
            file.write(json.dumps({**answer, "attempt": attempt}) + "\n")
    deployment.manage("import_release", "re2math", str(release), "--release", "many")
    deployment.manage("import_outputs", str(outputs), "--release", "many", "--system", "aurora")
    deployment.manage(
        "create_judge", "strict", "--protocol", "re2math", "--model", "m", "--endpoint", "local"
    )
    deployment.manage("shell", "-c", ASK)


def verdicts(deployment: Deployment) -> int:
    return deployment.query("SELECT count(*) FROM judging_verdict")[0][0]


def wait_for(deployment: Deployment, number: int, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while verdicts(deployment) < number:
        assert time.monotonic() < deadline, f"{verdicts(deployment)} of {number}\n{deployment.logs()[-3000:]}"
        time.sleep(0.1)


def test_a_thousand_judgments_survive_two_killed_workers(deployment, server):
    server.latency = 0.05
    prepare(deployment)
    total = N_OUTPUTS * N_PREDICATES
    deployment.beat()
    worker = deployment.worker()
    for share in (0.25, 0.6):
        wait_for(deployment, round(total * share), seconds=120)
        deployment.kill(worker)
        assert verdicts(deployment) < total, "the worker was killed too late to prove anything"
        worker = deployment.worker()
    wait_for(deployment, total, seconds=90)

    distinct = 'SELECT DISTINCT judge_id, output_id, predicate, "order", vote FROM judging_verdict'
    assert deployment.query(f"SELECT count(*) FROM ({distinct}) AS keys")[0][0] == total
    assert verdicts(deployment) == total
    # Every verdict has the raw call it was read from, and killed workers repeat only what was in flight.
    assert deployment.query("SELECT count(*) FROM judging_verdict WHERE call_id IS NULL")[0][0] == 0
    assert (
        total <= server.calls <= total + 2 * 2 * 20 + 2 * 100
    )  # kills x processes x in flight, and unflushed
    deployment.manage("check_invariants")
