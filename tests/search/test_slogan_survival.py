"""Workers die at any moment while slogans are written; none is lost and none is doubled."""

import json
import time
from pathlib import Path

import pytest

from tests.deployment import Deployment, deployed
from tests.llm.server import Server, serving

TOTAL = 300
IN_FLIGHT, PROCESSES = 10, 2
_ASK = """
from search.corpora.queries import corpus_named
from search.slogans.actions import Order, ask_for_slogans
ask_for_slogans(
    actor=None, corpus=corpus_named("many"), order=Order("body", "local", "writer"), max_tokens=100_000_000
)
"""


@pytest.fixture
def server():
    with serving(lambda _: "Small things are small.", latency=0.1) as running:
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


def written(deployment: Deployment) -> int:
    return int(deployment.query("SELECT count(*) FROM search_slogan")[0][0])


def wait_for(deployment: Deployment, number: int, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while (found := written(deployment)) < number:
        assert time.monotonic() < deadline, f"{found} of {number}\n{deployment.logs()[-3000:]}"
        time.sleep(0.1)


@pytest.mark.slow
def test_every_statement_has_one_slogan_though_two_workers_are_killed(deployment, server):
    corpus = deployment.folder / "corpus.jsonl"
    lines = [
        {"key": f"s{number}", "document": "d", "body": f"Statement {number} holds."}
        for number in range(TOTAL)
    ]
    corpus.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    deployment.manage("import_corpus", str(corpus), "--corpus", "many")
    deployment.manage("shell", "-c", _ASK)
    deployment.beat()
    worker = deployment.worker()
    for share in (0.2, 0.5):
        wait_for(deployment, round(TOTAL * share), seconds=120)
        deployment.kill(worker)
        assert written(deployment) < TOTAL, "the worker was killed too late to prove anything"
        worker = deployment.worker()
    wait_for(deployment, TOTAL, seconds=120)
    distinct = deployment.query("SELECT count(DISTINCT statement_id) FROM search_slogan WHERE fault = ''")
    assert int(distinct[0][0]) == written(deployment) == TOTAL
    # Killed workers repeat what was in flight and what was not stored yet, and nothing else.
    assert TOTAL <= server.calls <= TOTAL + 2 * PROCESSES * 2 * IN_FLIGHT
