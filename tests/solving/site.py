"""Runs on a site: a release of problems, a solver with a scripted model, and working until nothing is left."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from benchmark.models import Release
from solvers.keys import idempotency_key
from solving.models import Attempt, Solver, SolveRun
from solving.runs.actions import Order, System, begin, make_solver, reconcile_solving
from tests.factories import BenchmarkFactory, InstanceFactory, ReleaseFactory
from tests.llm.server import Server, serving
from tests.solving.world import Shape, World, answer
from work.models import RunState
from work.worker import drain

SEED = 7
WORLD, DEFAULT = World(), Shape()


@contextmanager
def world_server(settings: Any, seed: int = SEED, **endpoint: Any) -> Iterator[Server]:
    """The scripted model behind the declared endpoint `local`."""
    with serving() as running:
        running.keyed = lambda request, key: answer(WORLD, seed, request, key)
        local = {"base_url": running.url, "private": True, "max_concurrency": 8, **endpoint}
        settings.JUDGE_ENDPOINTS = json.dumps({"local": local})
        yield running


def problems(count: int = 1) -> Release:
    """A release of whole proofs."""
    release = ReleaseFactory(benchmark=BenchmarkFactory(protocol="proofs"))
    for number in range(1, count + 1):
        payload = {"title": f"Problem {number}", "statement": f"Show that ${number} = {number}$."}
        InstanceFactory(release=release, key=f"p{number}", payload=payload)
    return release


def rma(shape: Shape = DEFAULT, **more: Any) -> dict[str, Any]:
    """RMA's settings for the scripted world: no modules, no checks by program, the last base as the result."""
    return {
        "rounds": shape.rounds, "proposers": shape.proposers, "verifiers": shape.verifiers,
        "early_stop": shape.early_stop, "memory": "stateless" if shape.stateless else "full",
        "analysis": "off", "literature": False, "knowledge": False, "repairs": 0, "select": "last",
        "draft_tokens": 500, "review_tokens": 500, **more,
    }  # fmt: skip


def solver(recipe: str = "rma", settings: Mapping[str, Any] | None = None, **more: Any) -> Solver:
    system = System(f"some-{recipe.replace('_', '-')}", recipe, "local", "scripted", settings or {}, **more)
    return make_solver(actor=None, system=system)


def start(by: Solver, release: Release, **more: Any) -> SolveRun:
    bounds = {"attempt_tokens": 10_000_000} if not {"attempt_tokens", "attempt_seconds"} & set(more) else {}
    return begin(actor=None, solver=by, order=Order(release, seed=SEED, **bounds, **more))


def work(run: SolveRun) -> SolveRun:
    """Work until the run is no longer running."""
    for _ in range(50):
        drain(shift_seconds=60)
        reconcile_solving()
        run.refresh_from_db()
        if run.state != RunState.RUNNING:
            return run
    raise AssertionError(f"{run} does not end")


def name_of(attempt: Attempt) -> Any:
    """The key that is sent of a step's key."""
    by, run = attempt.run.solver, attempt.run
    return lambda step: idempotency_key(by.sha256, run.seed, attempt.instance.key, attempt.number, step)
