"""Solving in the scripted world: attempts of RMA with killed workers, the exact law, and schedules at caps.

Targets are counts: attempts that differ from plain loops, figures of the law that differ, and caps that were exceeded;
and the time of a worker. The model is a process of its own. By default 1,000 attempts run on both databases and are
killed 20 times on each; BENCH_SOLVING_ATTEMPTS and BENCH_SOLVING_SCHEDULES give other sizes.
"""

import json
import os
import subprocess  # nosec B404
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from bench.frame import Figure, Spread
from tests.deployment import Deployment, deployed
from tests.llm.server import serving
from tests.solving.begin import BEGIN
from tests.solving.world import Shape, World, exact, exact_best_of, key_of, reference
from tools.servers import postgresql

SEED, KILLS, IN_FLIGHT, WIDE = 7, 20, 16, 200
ATTEMPTS = int(os.environ.get("BENCH_SOLVING_ATTEMPTS", "1000"))
SCHEDULES = int(os.environ.get("BENCH_SOLVING_SCHEDULES", "1000"))
WORLD, SHAPE = World(), Shape()
SAMPLE = 20_000  # attempts for each row of the law
AGENTS = 200  # of 28 questions, in the measurement of the worker alone
CHAIN = Shape(
    rounds=10, proposers=1, verifiers=1
)  # 20 questions, each asked after the reply to the one before
_MODEL = """
import sys
from tests.llm.server import serving
from tests.solving.world import World, answer
with serving() as server:
    server.keyed = lambda request, key: answer(World(), int(sys.argv[1]), request, key)
    server.latency = float(sys.argv[2])
    print(server.url, flush=True)
    sys.stdin.read()
"""
_WORK = """
import json, resource, threading, time
from pathlib import Path
from solving.models import Attempt, SolveCall
from work.worker import drain
began, before, held = time.monotonic(), time.process_time(), []
def weigh():
    while True:
        held.append(int(Path("/proc/self/statm").read_text().split()[1]))
        time.sleep(0.2)
threading.Thread(target=weigh, daemon=True).start()
while Attempt.objects.exclude(state="ended").exists():
    drain(shift_seconds=60)
seconds, used, calls = time.monotonic() - began, time.process_time() - before, SolveCall.objects.count()
print(json.dumps([1000 * used / calls, seconds, max(held) / held[len(held) // 4]]))
"""
_PAGE = """
import json, time
from django.test import Client
from solving.models import SolveRun
from tests.factories import RoleFactory
client, seconds = Client(SERVER_NAME="localhost"), []
client.force_login(RoleFactory(name="coordinator").user)
for _ in range(7):
    began = time.perf_counter()
    reply = client.get(f"/solving/runs/{SolveRun.objects.get().pk}/")
    seconds.append(time.perf_counter() - began)
    assert reply.status_code == 200, reply.status_code
print(json.dumps(sorted(seconds)[len(seconds) // 2]))
"""
_LAW = [
    (Shape(), "0.905868"), (Shape(early_stop=True), "0.887860"), (Shape(stateless=True), ".4480"),
    *((Shape(rounds=n), of) for n, of in ((1, ".1000"), (4, ".8409"), (5, ".9059"), (7, ".9605"))),
    *((Shape(verifiers=n), of) for n, of in ((0, ".5306"), (1, ".8078"), (3, ".9059"), (4, ".9198"))),
    *((Shape(proposers=n), of) for n, of in ((1, ".5306"), (2, ".8037"), (3, ".9059"), (4, ".9504"))),
]  # fmt: skip
_BEST_OF = {1: ".1000", 4: ".3033", 7: ".4351", 13: ".5962", 28: ".7702"}
_SCHEDULES = """
import json
from tests.solving import site
from tests.solving.schedules import schedule
from tests.solving.world import Shape
from work import claims
from solving.runs import actions, settlement
claims._just_started = lambda: False
actions.ring = settlement.ring = lambda: None
release = site.problems()
solver = site.solver(settings=site.rma(Shape(rounds=2, proposers=2, verifiers=1)))
outcomes = [schedule(seed, release, solver) for seed in range({first}, {end})]
print(json.dumps([sum(one.over_attempt > 0 or one.over_run > 0 for one in outcomes), len(outcomes)]))
"""


def figures() -> Iterator[Figure]:
    """The law, runs with killed workers on both databases, and schedules."""
    yield _count("figures of the exact law that differ from the specification, of 21", _wrong_figures(), 0)
    yield _count(
        f"standard errors between law and {SAMPLE:,} attempts, the most of {len(_LAW)}", _farthest(), 4
    )
    for name, server in (("SQLite", _no_server), ("PostgreSQL", _server)):
        with server():
            alone = _undisturbed(SHAPE, AGENTS)
            task = f"a worker's processor time for a call, {WIDE} in flight, {name}, ms"
            yield Figure(task, Spread.of([alone.processor]), target=2.0, unit="")
            yield Figure(f"{AGENTS} agents of 28 questions, {name}", Spread.of([alone.seconds]))
            differing, calls, seconds = _killed(SHAPE, ATTEMPTS, KILLS, IN_FLIGHT)
            yield _count(
                f"attempts of {ATTEMPTS:,} that differ from plain loops, {KILLS} kills, {name}", differing, 0
            )
            yield _count(f"calls per step, {IN_FLIGHT} in flight, {name}", calls, 1.05)
            yield Figure(f"{ATTEMPTS * 28:,} steps with {KILLS} kills, {name}", Spread.of([seconds]))
            differing, calls, _ = _killed(
                CHAIN, 50, 6, 2
            )  # each of the two processes of a worker has two in flight
            yield _count(f"calls per step, 1,000 steps, 6 kills, 4 in flight, {name}", calls, 1.05)
            yield _count(f"schedules of {SCHEDULES:,} that exceed a hard cap, {name}", _exceeding(), 0)
    with _server(durable=True):
        quick = _undisturbed(CHAIN, AGENTS, latency=1.0)
        task = f"{AGENTS} agents of 20 questions of 1 s, {WIDE} in flight, PostgreSQL that syncs"
        yield Figure(task, Spread.of([quick.seconds]), target=1.25 * 20)
        long = _undisturbed(CHAIN, 5 * AGENTS, latency=1.0)
        task = f"{5 * AGENTS:,} agents of 20 questions of 1 s, {WIDE} in flight, PostgreSQL that syncs"
        yield Figure(task, Spread.of([long.seconds]), target=110)
        yield _count("most memory of that worker, in times of that at a quarter", long.memory, 1.2)
        yield Figure(f"the page of that run of {5 * AGENTS:,} attempts", Spread.of([long.page]), target=0.15)


def _count(task: str, found: float, target: float) -> Figure:
    return Figure(task, Spread.of([found]), target=target, unit="")


def _wrong_figures() -> int:
    wrong = int(exact(WORLD, Shape(rounds=2, proposers=2, verifiers=1))[0] != Fraction(1809, 5000))
    stopped = exact(WORLD, Shape(early_stop=True))
    wrong += (round(float(stopped[1]), 4), round(float(stopped[2]), 4)) != (3.1428, 16.8568)
    printed = [(exact(WORLD, shape)[0], said) for shape, said in _LAW]
    printed += [(exact_best_of(WORLD, n), said) for n, said in _BEST_OF.items()]
    return wrong + sum(round(float(law), len(said.partition(".")[2])) != float(said) for law, said in printed)


def _farthest() -> float:
    """How far the share of right results in plain loops is from the law, in standard errors, where it is farthest."""

    def distance(shape: Shape) -> float:
        law = float(exact(WORLD, shape)[0])
        names = (key_of("sampled", SEED, "p1", number) for number in range(SAMPLE))
        right = sum(reference(WORLD, shape, SEED, name)[1] for name in names)
        return abs(right / SAMPLE - law) / sqrt(law * (1 - law) / SAMPLE)

    return max(distance(shape) for shape, _ in _LAW)


@contextmanager
def _no_server() -> Iterator[None]:
    os.environ.pop("DATABASE_URL", None)
    yield


@contextmanager
def _server(durable: bool = False) -> Iterator[None]:
    packages = Path(next(path for path in sys.path if path.endswith("site-packages")))
    with (
        tempfile.TemporaryDirectory(prefix="pg") as folder,
        postgresql(packages, Path(folder), durable=durable) as url,
    ):
        os.environ["DATABASE_URL"] = url
        try:
            yield
        finally:
            del os.environ["DATABASE_URL"]


@contextmanager
def _model(latency: float = 0.0) -> Iterator[str]:
    """Base URL of the scripted model, which takes so many seconds to answer."""
    command = [sys.executable, "-c", _MODEL, str(SEED), str(latency)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as model:
        try:
            assert model.stdout is not None
            yield model.stdout.readline().strip()
        finally:
            model.terminate()


def _calls(url: str) -> int:
    """The calls that the model has answered."""
    with urlopen(url.removesuffix("/v1") + "/control", timeout=30) as reply:  # nosec B310 # our own server
        return int(json.load(reply)["calls"])


@contextmanager
def _deployment(url: str, width: int = IN_FLIGHT) -> Iterator[Deployment]:
    local = {"base_url": url, "private": True, "max_concurrency": width}
    settings = {
        "TOUCHSTONE_DEMO": "1",  # needs no keys
        "TOUCHSTONE_JUDGE_ENDPOINTS": json.dumps({"local": local}),
        "TOUCHSTONE_JUDGE_LEASE_SECONDS": "4",
        "TOUCHSTONE_RECONCILE_SECONDS": "2",
    }
    with tempfile.TemporaryDirectory() as folder, deployed(Path(folder), **settings) as deployment:
        yield deployment


@dataclass(frozen=True)
class _Alone:
    """Milliseconds of processor for a call, seconds in all, the most memory in times of that at a quarter, and the
    seconds of the page of the run afterwards."""

    processor: float
    seconds: float
    memory: float
    page: float


def _undisturbed(shape: Shape, attempts: int, latency: float = 0.0) -> _Alone:
    """One worker with nothing else to do."""
    with _model(latency) as url, _deployment(url, WIDE) as deployment:
        deployment.manage("shell", "-c", BEGIN.format(shape=shape, attempts=attempts, seed=SEED))
        worked = deployment.manage("shell", "-c", _WORK)
        deployment.manage("collectstatic", "--noinput", "--verbosity", "0")
        deployment.manage("createcachetable", "--verbosity", "0")
        shown = deployment.manage("shell", "-c", _PAGE)
        return _Alone(*_told(worked), _told(shown))


def _told(printed: str) -> Any:
    return json.loads(printed.strip().splitlines()[-1])


def _killed(shape: Shape, attempts: int, kills: int, width: int) -> tuple[int, float, float]:
    """(attempts that differ, calls per step, seconds)."""
    steps = attempts * int(exact(WORLD, shape)[2])
    with _model() as url:
        with _deployment(url, width) as deployment:
            deployment.manage("shell", "-c", BEGIN.format(shape=shape, attempts=attempts, seed=SEED))
            solver = deployment.query("SELECT sha256 FROM solving_solver")[0][0]
            began = time.monotonic()
            deployment.beat()
            worker = deployment.worker()
            for kill in range(1, kills + 1):
                _wait(deployment, "step WHERE state = 'done'", steps * kill // (kills + 1))
                deployment.kill(worker)
                worker = deployment.worker()
            _wait(deployment, "attempt WHERE state = 'ended'", attempts)
            seconds = time.monotonic() - began
            rows = deployment.query("SELECT number, result FROM solving_attempt ORDER BY number")
            deployment.manage("check_invariants")
        differing = 0
        for number, stored in rows:
            result = json.loads(stored) if isinstance(stored, str) else stored
            token, _, _ = reference(WORLD, shape, SEED, key_of(solver, SEED, "p1", number))
            differing += token not in result["proof_latex"]
        return differing, _calls(url) / steps, seconds


def _wait(deployment: Deployment, what: str, number: int) -> None:
    counting = f"SELECT count(*) FROM solving_{what}"  # nosec B608 # names from this file
    while int(deployment.query(counting)[0][0]) < number:
        time.sleep(0.2)


def _exceeding() -> int:
    """Each 50 on a site of their own, because a command may take five minutes."""
    exceeding = 0
    for first in range(0, SCHEDULES, 50):
        end = min(first + 50, SCHEDULES)
        with serving() as server, _deployment(server.url) as deployment:
            found, made = _told(deployment.manage("shell", "-c", _SCHEDULES.format(first=first, end=end)))
        if made != end - first:
            raise RuntimeError(f"{made} schedules were made")
        exceeding += found
    return exceeding
