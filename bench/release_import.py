"""Time and memory of importing a release, each size into a fresh SQLite file.

Two sizes show that memory does not grow with the file.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.frame import Figure, Spread, demo

SIZES = (10_000, 40_000)
TARGET = 10.0  # seconds for the first size
TEXT = "Let $X$ be a compact space and $f\\colon X\\to\\mathbb{R}$ continuous. Show that $f$ is bounded. "
MEASURE = """
import json, resource, sys, time
import django
django.setup()
from django.core.management import call_command

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

before, start = peak(), time.perf_counter()
call_command("import_release", "proofs", sys.argv[1], release="bench", verbosity=0)
print(json.dumps({"seconds": time.perf_counter() - start, "bytes": peak() - before}))
"""


def write_release(path: Path, instances: int) -> None:
    """A proofs release of `instances` problems of 3 kB each, one paper to two problems."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(instances):
            problem = {
                "instance_id": f"bench-{number:07d}",
                "domain": f"domain-{number % 5}",
                "title": f"Problem {number}",
                "statement": TEXT * 15,
                "reference_solution": TEXT * 15,
                "guidance": {"target_claim": "bounded", "objects": ["X", "f"], "common_issues": []},
                "paper": {"key": f"paper-{number // 2}", "title": "On compactness", "year": 2020},
                "split": "test",
            }
            file.write(json.dumps(problem) + "\n")


def measure(instances: int) -> dict[str, float]:
    """Seconds of one import and the memory it added, in a process and a database of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "release.jsonl"
        write_release(path, instances)
        environment = demo(folder, DATABASE_URL="")
        subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], env=environment, check=True)
        done = subprocess.run(
            [sys.executable, "-c", MEASURE, str(path)], env=environment, check=True, stdout=subprocess.PIPE
        )
        found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
        return found


def figures() -> Iterator[Figure]:
    """Seconds and added memory of each size."""
    for size in SIZES:
        found = measure(size)
        target = TARGET if size == SIZES[0] else None
        yield Figure(f"import {size:,} instances of 3 kB", Spread.of([found["seconds"]]), target=target)
        yield Figure(f"memory added by {size:,} instances", Spread.of([found["bytes"]]), unit="B")
