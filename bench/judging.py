"""Judging against the local model server, by one worker process, on a PostgreSQL that syncs its writes.

Model server and database share the machine with the worker, and so may other work: the figures in processor
seconds say what a verdict costs whatever else runs.
"""

import json
import os
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.frame import Figure, Spread, demo
from tools.servers import postgresql

SAMPLE = Path("sample") / "re2math"
PREDICATES = 2
ATTEMPTS = 1000  # the most that one instance may have
IN_FLIGHT, LATENCY = 200, 1.0
JUDGMENTS = 2_000  # with latency; ideal is JUDGMENTS / IN_FLIGHT * LATENCY seconds
MANY, FEW = 8_000, 400  # without latency: 200 in flight, one in flight
RUNS, SLOW_RUNS = 3, 5
PER_VERDICT = 1 / 400  # seconds
WORKER = """
import json, os, threading, time
import django
django.setup()
from work.worker import drain

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

sizes, over = [resident()], threading.Event()

def watch():
    while not over.wait(0.1):
        sizes.append(resident())

watcher = threading.Thread(target=watch)
watcher.start()
processor, start = time.process_time(), time.perf_counter()
stored = drain(shift_seconds=900)
seconds, processor = time.perf_counter() - start, time.process_time() - processor
over.set()
watcher.join()
print(json.dumps({"stored": stored, "seconds": seconds, "processor": processor,
                  "growth": resident() / sizes[len(sizes) // 4]}))
"""
BARE = """
import asyncio, json, os, time
import django
django.setup()
from django.conf import settings
from work.endpoints import declared_endpoints
from judging.models import Call
from llm import Client

async def ask(endpoint, request, times):
    async with Client(endpoint) as client:
        async def lane():
            for _ in range(times // endpoint.max_concurrency):
                await client.complete(request["messages"], model=request["model"])
        processor, start = time.process_time(), time.perf_counter()
        await asyncio.gather(*[lane() for _ in range(endpoint.max_concurrency)])
        return {"seconds": time.perf_counter() - start, "processor": time.process_time() - processor}

endpoint = declared_endpoints(settings.JUDGE_ENDPOINTS)["wide"]
print(json.dumps(asyncio.run(ask(endpoint, Call.objects.first().request, %d))))
"""
ASK = """
from benchmark.models import Release
from judging.runs.actions import ask, create_judge
judge = create_judge(actor=None, slug={name!r}, protocol="re2math", model="m", endpoint={endpoint!r})
ask(actor=None, judge=judge, release=Release.objects.get(name={name!r}))
"""


class Site:
    """A database and a model server of its own; commands run against both."""

    def __init__(self, folder: Path, database_url: str, server_url: str) -> None:
        self.folder = folder
        declared = {"base_url": server_url, "private": True}
        endpoints = {
            "wide": {**declared, "max_concurrency": IN_FLIGHT},
            "one": {**declared, "max_concurrency": 1},
        }
        self.environment = demo(
            folder, DATABASE_URL=database_url, TOUCHSTONE_JUDGE_ENDPOINTS=json.dumps(endpoints)
        )

    def manage(self, *arguments: str) -> None:
        command = [sys.executable, "manage.py", *arguments]
        subprocess.run(command, env=self.environment, check=True, stdout=subprocess.DEVNULL)

    def queue(self, name: str, endpoint: str, judgments: int) -> None:
        """A release of its own with so many judgments waiting."""
        release, outputs = _files(self.folder, judgments // PREDICATES)
        self.manage("import_release", "re2math", str(release), "--release", name)
        self.manage("import_outputs", str(outputs), "--release", name, "--system", "aurora")
        self.manage("shell", "-c", ASK.format(name=name, endpoint=endpoint))

    def work(self) -> dict[str, float]:
        """One worker process until the queue is empty; what it measured."""
        return self._python(WORKER)

    def ask_without_queue(self, times: int) -> dict[str, float]:
        """The client alone, the same question again and again in as many lanes, nothing read or stored."""
        return self._python(BARE % times)

    def _python(self, program: str) -> dict[str, float]:
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, env=self.environment, check=True, stdout=subprocess.PIPE, text=True)
        return dict(json.loads(done.stdout.splitlines()[-1]))


def _files(folder: Path, outputs: int) -> tuple[Path, Path]:
    """A release, and so many outputs for it: the sample's first problem and answer, again and again."""
    problem, answer = (
        json.loads((SAMPLE / name).read_text("utf-8").splitlines()[0])
        for name in ("release.jsonl", "outputs-aurora.jsonl")
    )
    keys = [f"bench-{number}" for number in range(-(-outputs // ATTEMPTS))]
    problems = [{**problem, "instance_id": key} for key in keys]
    answers = [
        {**answer, "instance_id": keys[number // ATTEMPTS], "attempt": number % ATTEMPTS + 1}
        for number in range(outputs)
    ]
    return _jsonl(folder / "release.jsonl", problems), _jsonl(folder / "outputs.jsonl", answers)


def _jsonl(path: Path, records: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path


@contextmanager
def _model(latency: float) -> Iterator[tuple[int, str]]:
    """Process id and base URL of a model server."""
    command = [sys.executable, "-m", "tests.llm.server", "--latency", str(latency)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield server.pid, server.stdout.readline().strip()
        finally:
            server.terminate()


@contextmanager
def _site(latency: float) -> Iterator[tuple[Site, list[int]]]:
    """A site, and the processes other than the worker: model server and database."""
    packages = Path(sysconfig.get_path("purelib"))
    with (
        tempfile.TemporaryDirectory() as cluster,
        tempfile.TemporaryDirectory() as files,
        postgresql(packages, Path(cluster), durable=True) as database_url,
        _model(latency) as (model, server_url),
    ):
        site = Site(Path(files), database_url, server_url)
        site.manage("migrate", "-v0")
        postmaster = int((Path(cluster) / "data" / "postmaster.pid").read_text().split()[0])
        yield site, [model, postmaster]


def _processor(pids: list[int]) -> float:
    """Processor seconds of these processes and of their children that have ended."""
    ticks = 0
    for pid in pids:
        after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += sum(map(int, after_name[11:15]))  # user, system, and both of the children
    return ticks / os.sysconf("SC_CLK_TCK")


def _measure(site: Site, beside: list[int], endpoint: str, judgments: int, run: int) -> dict[str, float]:
    site.queue(f"{endpoint}-{run}", endpoint, judgments)
    before = _processor(beside)
    worked = site.work()
    if worked["stored"] != judgments:
        raise RuntimeError(f"{worked['stored']} verdicts of {judgments} were stored")
    return {**worked, "beside": _processor(beside) - before}


def _spread(runs: list[dict[str, float]]) -> Spread:
    return Spread.of([run["seconds"] for run in runs], processor=[run["processor"] for run in runs])


def figures() -> Iterator[Figure]:
    """Calls that take a second, then calls that take no time."""
    slow, bare = [], []
    with _site(LATENCY) as (site, beside):
        for run in range(SLOW_RUNS):
            slow.append(_measure(site, beside, "wide", JUDGMENTS, run))
            bare.append(site.ask_without_queue(JUDGMENTS))
    ideal = JUDGMENTS / IN_FLIGHT * LATENCY
    yield Figure(
        f"{JUDGMENTS:,} judgments of {LATENCY:g} s, {IN_FLIGHT} in flight, ideally {ideal:g} s",
        _spread(slow),
        _spread(bare),
        "the client alone: no queue, nothing stored",
        1.10 * ideal,
    )
    over = [worked["seconds"] / client["seconds"] for worked, client in zip(slow, bare, strict=True)]
    yield Figure("their time over that of the client alone right after", Spread.of(over), unit="x")
    with _site(0.0) as (site, beside):
        fast = [_measure(site, beside, "wide", MANY, run) for run in range(RUNS)]
        one = [_measure(site, beside, "one", FEW, run) for run in range(RUNS)]
    each = Spread.of([worked["seconds"] / MANY for worked in fast])
    single = Spread.of([worked["seconds"] / FEW for worked in one])
    task = f"{MANY:,} judgments of no latency: per verdict stored"
    yield Figure(task, each, single, "one in flight", PER_VERDICT)
    worker = Spread.of([worked["processor"] / MANY for worked in fast])
    yield Figure("processor time of the worker per verdict", worker, target=PER_VERDICT)
    beside_it = Spread.of([worked["beside"] / MANY for worked in fast])
    yield Figure("processor time of model server and database per verdict", beside_it, target=PER_VERDICT)
    growth = Spread.of([worked["growth"] for worked in fast])
    yield Figure("memory of the worker at the end over that after a quarter", growth, target=1.2, unit="x")
