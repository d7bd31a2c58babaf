"""How fast one worker process judges, against the local server, on a PostgreSQL that syncs its writes.

Run it from the project's root: python -m bench.judge_bench [--profile FILE]

- latency: 2,000 judgments at 1 s each with 200 in flight; ideal is 10 s, the target 11 s after start-up;
- rate: 8,000 judgments without latency; target 400 verdicts a second, server and database on the same cores;
- memory: the worker's resident size after a quarter and at the end of those; target: no growth beyond 20 %;
- baseline: the same worker with one call in flight.
"""

import argparse
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

from tools.servers import postgresql

SAMPLE = Path("sample") / "re2math"
PREDICATES = 2
ATTEMPTS = 1000  # the most that one instance may have
WORKER = """
import json, os, threading, time
begun = time.monotonic()
import django; django.setup()
from django.db import connection
from judging.worker import drain
connection.ensure_connection(); connection.close()
ready = time.monotonic()

def resident():
    pages = int(open("/proc/self/statm").read().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20

sizes, over = [], threading.Event()

def watch():
    while not over.wait(0.25):
        sizes.append(round(resident(), 1))

watcher = threading.Thread(target=watch); watcher.start()
stored = drain(shift_seconds=900)
took = time.monotonic() - ready
over.set(); watcher.join()
cpu = time.process_time()
quarter = sizes[len(sizes) // 4] if sizes else resident()
print(json.dumps({"stored": stored, "seconds": took, "startup": ready - begun, "cpu": cpu,
                  "mb_quarter": quarter, "mb_end": round(resident(), 1)}))
"""
ASK = """
from benchmark.models import Release
from judging.actions import ask
from judging.queries import newest_judge
ask(actor=None, judge=newest_judge({judge!r}), release=Release.objects.get(name={release!r}))
"""


class Site:
    """A database and a model server of its own; commands run against both."""

    def __init__(self, folder: Path, database_url: str, server_url: str) -> None:
        self.folder = folder
        declared = {"base_url": server_url, "private": True}
        self.environment = os.environ | {
            "DATABASE_URL": database_url,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "TOUCHSTONE_DEMO": "1",
            "TOUCHSTONE_RUNTIME_DIR": str(folder),
            "TOUCHSTONE_JUDGE_ENDPOINTS": json.dumps(
                {"wide": {**declared, "max_concurrency": 200}, "single": {**declared, "max_concurrency": 1}}
            ),
        }

    def manage(self, *arguments: str) -> None:
        command = [sys.executable, "manage.py", *arguments]
        subprocess.run(command, env=self.environment, check=True, stdout=subprocess.DEVNULL)

    def queue(self, name: str, endpoint: str, judgments: int) -> None:
        """A release of its own with so many judgments waiting."""
        release, outputs = _files(self.folder, judgments // PREDICATES)
        self.manage("import_release", "re2math", str(release), "--release", name)
        self.manage("import_outputs", str(outputs), "--release", name, "--system", "aurora")
        judge = ["create_judge", name, "--protocol", "re2math", "--model", "m", "--endpoint", endpoint]
        self.manage(*judge)
        self.manage("shell", "-c", ASK.format(judge=name, release=name))

    def work(self, *wrapper: str) -> dict[str, Any]:
        """One worker process until the queue is empty; what it measured."""
        command = [*wrapper, sys.executable, "-c", WORKER]
        done = subprocess.run(command, env=self.environment, check=True, stdout=subprocess.PIPE, text=True)
        return dict(json.loads(next(line for line in done.stdout.splitlines() if line.startswith("{"))))


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
def _model(latency: float) -> Iterator[str]:
    command = [sys.executable, "-m", "tests.llm.server", "--latency", str(latency)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield server.stdout.readline().strip()
        finally:
            server.terminate()


@contextmanager
def _site(latency: float) -> Iterator[Site]:
    packages = Path(sysconfig.get_path("purelib"))
    with (
        tempfile.TemporaryDirectory() as cluster,
        tempfile.TemporaryDirectory() as files,
        postgresql(packages, Path(cluster), durable=True) as database_url,
        _model(latency) as server_url,
    ):
        site = Site(Path(files), database_url, server_url)
        site.manage("migrate", "-v0")
        yield site


def main() -> None:
    """Run the three measurements and print one line each."""
    parser = argparse.ArgumentParser(description="Throughput of one judging worker.")
    parser.add_argument(
        "--profile", help="write a py-spy flame graph of the run without latency to this file"
    )
    profile = parser.parse_args().profile
    wrapper = ["py-spy", "record", "--rate", "200", "--output", profile, "--"] if profile else []
    with _site(1.0) as site:
        site.queue("latency", "wide", 2_000)
        slow = site.work()
    print(
        f"1 s latency, 200 in flight: 2,000 in {slow['seconds']:.2f} s = {slow['seconds'] / 10:.2f} x ideal, "
        f"{slow['startup']:.1f} s start-up, {slow['cpu']:.1f} s of processor"
    )
    with _site(0.0) as site:
        site.queue("rate", "wide", 8_000)
        fast = site.work(*wrapper)
        site.queue("baseline", "single", 400)
        naive = site.work()
    rate, base = fast["stored"] / fast["seconds"], naive["stored"] / naive["seconds"]
    print(
        f"no latency: {fast['stored']:,} in {fast['seconds']:.1f} s = {rate:.0f} verdicts/s, "
        f"{fast['cpu']:.1f} s of processor; one in flight {base:.0f}/s, ratio {rate / base:.1f}"
    )
    print(f"memory: {fast['mb_quarter']} MB after a quarter, {fast['mb_end']} MB at the end")


if __name__ == "__main__":
    main()
