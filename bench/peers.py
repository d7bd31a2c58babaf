"""The rows that are measured of annotation tools: import of 10,000 texts, export and agreement of 30,000 labels.

On PostgreSQL that syncs its writes, each in a process of its own, without the start of Python. What Label Studio,
doccano and a plain Django site need for the same is in docs/performance.md.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.frame import Figure, Spread
from bench.release_import import write_release
from bench.scores import commanded, write_labels
from bench.web_requests import Site, site

TEXTS, LABELS, RUNS = 10_000, 30_000, 3
IMPORT_TARGET, MEMORY_TARGET = TEXTS / 6000, 250e6
EXPORT_TARGET, AGREEMENT_TARGET = 2.0, 0.3

OURS = """
import json, resource, sys, time
import django
django.setup()
from django.core.management import call_command
from benchmark.models import Release
from reports.labels.exporting import csv_lines
from reports.labels.rows import label_rows

def import_texts(path):
    call_command("import_release", "proofs", path, release="peers", verbosity=0)

def export_labels(name):
    return sum(map(len, csv_lines(label_rows(Release.objects.get(name=name)))))
"""
PLAIN = """
import csv, io, json, resource, sys, time
from bench._plain_site import Label, Task
from django.db import connection

def import_texts(path):
    rows = [json.loads(line) for line in open(path, encoding="utf-8")]
    Task.objects.bulk_create(Task(text=row["statement"] + row["reference_solution"]) for row in rows)

def export_labels(name):
    text = io.StringIO()
    writer = csv.writer(text)
    for label in Label.objects.select_related("task"):
        writer.writerow([label.pk, label.task.pk, label.annotator, label.value])
"""
MEASURE = """
start = time.perf_counter(), time.process_time()
globals()[sys.argv[1]](sys.argv[2])
print(json.dumps({
    "seconds": time.perf_counter() - start[0],
    "processor": time.process_time() - start[1],
    "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
}))
"""


def measured(made: Site, script: str, work: str, argument: str) -> dict[str, float]:
    """Seconds, processor seconds and peak bytes of `work` of a script."""
    command = [sys.executable, "-c", script + MEASURE, work, argument]
    done = subprocess.run(command, env=made.environment, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def spread(found: list[dict[str, Any]]) -> Spread:
    return Spread.of([each["seconds"] for each in found], processor=[each["processor"] for each in found])


def figures() -> Iterator[Figure]:
    """Import, export, agreement."""
    with tempfile.TemporaryDirectory() as folder:
        yield from _imports(str(Path(folder) / "release.jsonl"))
        yield from _exports()
        labels = Path(folder) / "labels.csv"
        write_labels(labels, LABELS)
        agreement = commanded(folder, 5, "analyse", "agreement", str(labels), "--json")
        yield Figure(f"agreement of {LABELS:,} labels, CSV to document", agreement, target=AGREEMENT_TARGET)


def _imports(path: str) -> Iterator[Figure]:
    write_release(Path(path), TEXTS)
    ours, plain = [], []
    for _ in range(RUNS):
        with site() as made:
            ours.append(measured(made, OURS, "import_texts", path))
            made.run("bench/_plain_site.py", "1", "1")
            plain.append(measured(made, PLAIN, "import_texts", path))
    task = f"import of {TEXTS:,} texts of 3 kB"
    yield Figure(task, spread(ours), spread(plain), "plain Django, bulk_create", IMPORT_TARGET)
    for name, found, target in (("peak memory", ours, MEMORY_TARGET), ("the plain site's", plain, None)):
        yield Figure(f"{name}, {task}", Spread.of([each["peak"] for each in found]), target=target, unit="B")


def _exports() -> Iterator[Figure]:
    with site() as made:
        made.run("bench/_many_labels.py", str(LABELS), "20")
        made.run("bench/_plain_site.py", str(LABELS // 5 + 1), str(LABELS))
        ours = [measured(made, OURS, "export_labels", "load") for _ in range(RUNS)]
        plain = [measured(made, PLAIN, "export_labels", "") for _ in range(RUNS)]
    task = f"export of {LABELS:,} labels as CSV"
    yield Figure(task, spread(ours), spread(plain), "plain Django, objects at once", EXPORT_TARGET)
    yield Figure(f"peak memory, {task}", Spread.of([each["peak"] for each in ours]), unit="B")
