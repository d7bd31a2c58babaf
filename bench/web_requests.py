"""Next item, submit and list over HTTP with 10^3, 10^5 and 10^6 labels present; two workers, PostgreSQL that syncs.

"Next" is one more item with its texts, in one request on both sites. The third number of a spread is the 95th
percentile. The processor is that of web server and database together, for each pair. A person's first place in a
campaign is timed by itself: what it needs to know of all items is read once.
"""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench._http import Visitor
from bench.frame import Figure, Spread, demo
from tools.servers import free_port, postgresql

LABELS = (1_000, 100_000, 1_000_000)
PEOPLE = 20
ONE, EIGHT, LISTS = 60, 30, 30  # rounds of one client, of each of eight, and requests of the list
ROWS = 100
LEAST_OUTPUTS, LABELS_PER_OUTPUT = 2000, 10
ANSWERS = {"answers": {"correctness": "correct"}}


@dataclass
class Site:
    """Processes over one database, and the environment that they share."""

    environment: dict[str, str]
    postmaster: int

    def run(self, *arguments: str) -> str:
        command = [sys.executable, *arguments]
        done = subprocess.run(command, env=self.environment, check=True, stdout=subprocess.PIPE, text=True)
        return done.stdout

    @contextmanager
    def serving(self, application: str, answers: str) -> Iterator[tuple[int, int]]:
        """Port and process id of the production server with two workers; `answers` is an address that does."""
        port = free_port()
        options = ["--workers", "2", "--threads", "4", "--no-control-socket", "--keep-alive", "30"]
        command = [sys.executable, "-m", "gunicorn", application, "--bind", f"127.0.0.1:{port}", *options]
        server = subprocess.Popen(command, env=self.environment, stderr=subprocess.DEVNULL)
        try:
            _wait(f"http://127.0.0.1:{port}{answers}")
            yield port, server.pid
        finally:
            server.terminate()
            server.wait(timeout=60)


@contextmanager
def site() -> Iterator[Site]:
    """A migrated site on a PostgreSQL of its own that syncs its writes."""
    packages = Path(sysconfig.get_path("purelib"))
    with (
        tempfile.TemporaryDirectory() as cluster,
        tempfile.TemporaryDirectory() as files,
        postgresql(packages, Path(cluster), durable=True) as database_url,
    ):
        postmaster = int((Path(cluster) / "data" / "postmaster.pid").read_text().split()[0])
        made = Site(demo(files, DATABASE_URL=database_url), postmaster)
        made.run("manage.py", "migrate", "-v0")
        made.run("manage.py", "createcachetable", "-v0")
        made.run("manage.py", "collectstatic", "--noinput", "-v0")
        yield made


def _wait(address: str) -> None:
    for _ in range(600):
        try:
            urllib.request.urlopen(address, timeout=60).close()
        except urllib.error.HTTPError:
            return  # an answer, if not to this request
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError(f"{address} does not answer")


def processor(*roots: int) -> float:
    """Processor seconds of these processes and of all below them, those that have ended included."""
    parents, ticks = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it ended while we looked
        parents[int(folder.name)] = int(words[1])
        ticks[int(folder.name)] = sum(map(int, words[11:15]))
    ours = set(roots)
    while more := {pid for pid, parent in parents.items() if parent in ours} - ours:
        ours |= more
    return sum(ticks.get(pid, 0) for pid in ours) / os.sysconf("SC_CLK_TCK")


@dataclass
class Times:
    """Seconds of every next and every submit, of the whole, and of the processor for a pair."""

    next: list[float] = field(default_factory=list)
    submit: list[float] = field(default_factory=list)
    pair: float = 0.0
    processor: float = 0.0


Client = Callable[[Times], Coroutine[Any, Any, None]]


def measured(clients: list[Client], *roots: int) -> Times:
    """All clients at once until each has made its rounds."""

    async def together() -> None:
        await asyncio.gather(*[client(times) for client in clients])

    times = Times()
    worked, start = processor(*roots), time.perf_counter()
    asyncio.run(together())
    times.pair = (time.perf_counter() - start) / len(times.submit)
    times.processor = (processor(*roots) - worked) / len(times.submit)
    return times


def expect(status: int, wanted: int, reply: Any) -> None:
    """Raise RuntimeError unless the server said what it should: a refusal is fast and would flatter."""
    if status != wanted:
        raise RuntimeError(f"{status} instead of {wanted}: {str(reply)[:300]}")


def reviewer(port: int, session: str, seed: dict[str, Any], rounds: int) -> Client:
    """A person who takes an item, reads it and submits, again and again."""

    async def work(times: Times) -> None:
        visitor = Visitor(port, session)
        for _ in range(rounds):
            start = time.perf_counter()
            status, item = await visitor.json("POST", "/api/v1/queue/", {"campaign": seed["campaign"]})
            expect(status, 201, item)
            address = f"/api/v1/assignments/{item['handle']}/"
            middle = time.perf_counter()
            body = {"content": ANSWERS, "rubric_sha256": seed["rubric"], "active_seconds": 60}
            status, reply = await visitor.json("POST", address, body, key=item["handle"])
            expect(status, 201, reply)
            times.next.append(middle - start)
            times.submit.append(time.perf_counter() - middle)
        visitor.close()

    return work


def plain_annotator(port: int, user: int, rounds: int) -> Client:
    """The same on the naive site."""

    async def work(times: Times) -> None:
        visitor = Visitor(port)
        for _ in range(rounds):
            start = time.perf_counter()
            status, task = await visitor.json("GET", f"/next?user={user}")
            expect(status, 200, task)
            middle = time.perf_counter()
            status, reply = await visitor.json(
                "POST", "/submit", {"task": task["id"], "user": user, "value": ANSWERS}
            )
            expect(status, 201, reply)
            times.next.append(middle - start)
            times.submit.append(time.perf_counter() - middle)
        visitor.close()

    return work


def listing(port: int, session: str, path: str) -> list[float]:
    """Seconds of requests of one list, the first not counted."""

    async def ask() -> list[float]:
        visitor, found = Visitor(port, session), []
        for _ in range(LISTS + 1):
            start = time.perf_counter()
            status, reply = await visitor.request("GET", path)
            expect(status, 200, reply)
            found.append(time.perf_counter() - start)
        visitor.close()
        return found[1:]

    return asyncio.run(ask())


def fill_queue(port: int, session: str, seed: dict[str, Any]) -> None:
    """Let a person take items until a hundred wait."""

    async def take() -> None:
        visitor = Visitor(port, session)
        for _ in range(ROWS):
            status, reply = await visitor.json("POST", "/api/v1/queue/", {"campaign": seed["campaign"]})
            expect(status, 201, reply)
        visitor.close()

    asyncio.run(take())


def p95(seconds: list[float]) -> Spread:
    """Smallest, middle, and 95th percentile."""
    high = statistics.quantiles(seconds, n=20)[-1]
    return Spread(min(seconds), statistics.median(seconds), high, len(seconds))


@dataclass
class Stage:
    """One site with one number of labels: everybody's first pair, then those of one person and of eight."""

    first: Times
    one: Times
    eight: Times
    lists: dict[str, list[float]]


def ours(made: Site, labels: int) -> Stage:
    seed = json.loads(made.run("bench/_many_labels.py", str(labels), str(PEOPLE)))
    with made.serving("config.wsgi", "/health/") as (port, server):
        sessions = seed["sessions"]
        roots = (server, made.postmaster)
        measured([reviewer(port, session, seed, 3) for session in sessions[:2]], *roots)  # warms both workers
        first = measured([reviewer(port, session, seed, 1) for session in sessions[2:11]], *roots)
        one = measured([reviewer(port, sessions[2], seed, ONE)], *roots)
        eight = measured([reviewer(port, session, seed, EIGHT) for session in sessions[3:11]], *roots)
        reader = sessions[11]
        fill_queue(port, reader, seed)
        paths = {"REST": "/api/v1/queue/", "page": "/grading/"}
        return Stage(first, one, eight, {name: listing(port, reader, path) for name, path in paths.items()})


def naive(made: Site, labels: int) -> Stage:
    tasks = max(LEAST_OUTPUTS, labels // LABELS_PER_OUTPUT) + ONE + 8 * EIGHT + 9
    made.run("bench/_plain_site.py", str(tasks), str(labels // 2))
    with made.serving("bench._plain_site", "/list") as (port, server):
        roots = (server, made.postmaster)
        measured([plain_annotator(port, user, 3) for user in (1, 2)], *roots)
        first = measured([plain_annotator(port, user, 1) for user in range(3, 12)], *roots)
        one = measured([plain_annotator(port, 3, ONE)], *roots)
        eight = measured([plain_annotator(port, user, EIGHT) for user in range(4, 12)], *roots)
        return Stage(first, one, eight, {"list": listing(port, "", "/list")})


def figures(sizes: tuple[int, ...] = LABELS) -> Iterator[Figure]:
    """Each number of labels with the naive site at the same size."""
    for labels in sizes:
        with site() as made:
            mine, plain = ours(made, labels), naive(made, labels)
        yield from _compared(f"{labels:,} labels", mine, plain)


def _compared(size: str, mine: Stage, plain: Stage) -> Iterator[Figure]:
    way = "plain Django"
    first = f"a person's first item, 9 clients, {size}"
    yield Figure(first, p95(mine.first.next), p95(plain.first.next), way)
    for name, clients, target in (("1 client", "one", 0.012), ("8 clients", "eight", 0.060)):
        times, naive_times = getattr(mine, clients), getattr(plain, clients)
        task = f"next item, {name}, {size}"
        yield Figure(task, p95(times.next), p95(naive_times.next), way, target)
    yield Figure(f"submit, 1 client, {size}", p95(mine.one.submit), p95(plain.one.submit), way, 0.010)
    for name, clients, target in (("1 client", "one", None), ("8 clients", "eight", 1 / 80)):
        times, naive_times = getattr(mine, clients), getattr(plain, clients)
        pair = Spread.of([times.pair], processor=[times.processor])
        naive_pair = Spread.of([naive_times.pair], processor=[naive_times.processor])
        yield Figure(f"a pair of next and submit, {name}, {size}", pair, naive_pair, way, target)
        worked = Spread.of([times.processor]), Spread.of([naive_times.processor])
        yield Figure(f"the same, processor time, {size}", *worked, way, target)
    for name, seconds in mine.lists.items():
        task = f"list of {ROWS} rows, {name}, {size}"
        yield Figure(task, p95(seconds), p95(plain.lists["list"]), way, 0.025)
