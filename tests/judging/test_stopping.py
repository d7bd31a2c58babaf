"""A worker that is told to stop answers for what it has asked."""

import json
import signal
import time
from pathlib import Path

import pytest

from tests.deployment import deployed
from tests.judging.many import ask_many, count_verdicts
from tests.llm.server import Server

ASKED = 20


@pytest.mark.slow
def test_calls_in_flight_at_sigterm_are_waited_for_and_stored_and_nothing_more_is_asked(
    tmp_path: Path, server: Server
):
    """Five at once for each of two children, of twenty; all are told, as an init system does with a whole service."""
    server.latency = 6.0  # longer than a busy machine needs to deliver a signal
    endpoints = {"local": {"base_url": server.url, "private": True, "max_concurrency": 5}}
    with deployed(tmp_path, TOUCHSTONE_JUDGE_ENDPOINTS=json.dumps(endpoints)) as deployment:
        ask_many(deployment, ASKED)
        worker = deployment.worker()
        deadline = time.monotonic() + 60
        while server.in_flight < 5:
            assert time.monotonic() < deadline, deployment.logs()
            time.sleep(0.05)
        deployment.kill(worker, signal.SIGTERM)
        # The second child may have begun or not; what was asked after the signal would be above the peak.
        assert count_verdicts(deployment) == server.calls == server.peak
        assert server.peak in (5, 10)
        waiting = deployment.query("SELECT count(*) FROM judging_judgetask WHERE state = 'waiting'")
        assert waiting == [(ASKED - server.peak,)]
