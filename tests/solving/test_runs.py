"""Runs through the queue: they come to what the reference comes to, and every token is accounted for."""

from collections.abc import Iterator
from typing import Any

import pytest

from solving.models import Attempt, MemoryEntry, SolveCall, Step
from tests.llm.server import Server
from tests.solving import site
from tests.solving.world import Shape, is_right, reference

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("actions", "settlement"):
        monkeypatch.setattr(f"solving.runs.{module}.ring", lambda: None)
    monkeypatch.setattr("work.claims._just_started", lambda: False)


@pytest.fixture
def server(settings: Any) -> Iterator[Server]:
    with site.world_server(settings) as running:
        yield running


@pytest.mark.slow
@pytest.mark.parametrize("shape", [Shape(), Shape(early_stop=True), Shape(rounds=2, stateless=True)], ids=str)
def test_attempts_come_to_what_plain_loops_come_to(shape: Shape, server: Server) -> None:
    release = site.problems(2)
    run = site.work(site.start(site.solver(settings=site.rma(shape)), release, attempts=3))
    assert run.state == "done"
    attempts = Attempt.objects.select_related("run__solver", "instance").order_by("pk")
    assert len(attempts) == 6
    steps = 0
    for attempt in attempts:
        token, truth, taken = reference(site.WORLD, shape, site.SEED, site.name_of(attempt))
        proof = attempt.result["proof_latex"]
        assert (token in proof, is_right(site.SEED, proof), attempt.steps.count()) == (True, truth, taken)
        assert attempt.outcome == "answered"
        steps += taken
    assert server.calls == steps == SolveCall.objects.filter(adopted=True).count()
    assert run.tokens_spent == sum(attempts.values_list("tokens_spent", flat=True)) > 0
    booked = sum(call.prompt_tokens + call.completion_tokens for call in SolveCall.objects.all())
    assert booked == run.tokens_spent == sum(Step.objects.values_list("tokens_spent", flat=True))
    assert MemoryEntry.objects.exists()
