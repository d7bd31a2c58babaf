"""Outputs to judge, a judge to ask, and a local server that speaks the protocol."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchmark.models import Release
from benchmark.protocols import get_protocol
from judging.models import Judge
from judging.runs.actions import create_judge
from tests.factories import (
    BenchmarkFactory,
    InstanceFactory,
    OutputFactory,
    ReleaseFactory,
    RunFactory,
)
from tests.llm.server import Server, serving

SAMPLE = Path(__file__).parents[2] / "sample" / "re2math"


def yes(_: object) -> str:
    return json.dumps({"label": "yes", "reason": "It says so.", "confidence": 0.9, "evidence": None})


@pytest.fixture(autouse=True)
def _a_database_that_has_run_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    """The suite may have started it a moment ago, and then no lease would be returned."""
    monkeypatch.setattr("work.claims._just_started", lambda: False)


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(yes) as running:
        yield running


@pytest.fixture
def endpoint(server: Server, settings) -> str:
    settings.JUDGE_ENDPOINTS = json.dumps(
        {"local": {"base_url": server.url, "private": True, "max_concurrency": 50, "max_attempts": 1}}
    )
    return "local"


@pytest.fixture
def judge(db: None, endpoint: str) -> Judge:
    return create_judge(actor=None, slug="strict", protocol="re2math", model="some-model", endpoint=endpoint)


@pytest.fixture
def release_with() -> Callable[[int], Release]:
    """A re2math release with so many answered outputs of one system."""
    protocol = get_protocol("re2math")
    instance = next(iter(protocol.read_release(SAMPLE / "release.jsonl")))
    answer = next(iter(protocol.read_outputs(SAMPLE / "outputs-aurora.jsonl")))

    def make(n_outputs: int) -> Release:
        benchmark = BenchmarkFactory(slug="re2math", name="Re2Math", protocol="re2math")
        run = RunFactory(release=ReleaseFactory(benchmark=benchmark))
        problem = InstanceFactory(release=run.release, payload=instance.payload)
        for attempt in range(1, n_outputs + 1):
            text = f"Statement {attempt}: {answer.text}"
            OutputFactory(run=run, instance=problem, attempt=attempt, payload=answer.payload, text=text)
        return run.release

    return make
