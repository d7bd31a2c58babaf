"""Outputs to judge, a judge to ask, and a local server that speaks the protocol."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchmark.models import Release
from judging.actions import create_judge
from judging.models import Judge
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
    instance = json.loads((SAMPLE / "release.jsonl").read_text("utf-8").splitlines()[0])
    answer = json.loads((SAMPLE / "outputs-aurora.jsonl").read_text("utf-8").splitlines()[0])

    def make(n_outputs: int) -> Release:
        benchmark = BenchmarkFactory(slug="re2math", name="Re2Math", protocol="re2math")
        run = RunFactory(release=ReleaseFactory(benchmark=benchmark))
        problem = InstanceFactory(release=run.release, payload=instance)
        for attempt in range(1, n_outputs + 1):
            text = f"Statement {attempt}: {answer['statement']}"
            OutputFactory(run=run, instance=problem, attempt=attempt, payload=answer, text=text)
        return run.release

    return make
