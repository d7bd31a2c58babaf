"""Exports: a million labels as CSV and JSON lines, and a report of 200 items.

Uses the database that DATABASE_URL names (a test database next to it), else SQLite.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.frame import Figure, Spread, demo

LABELS = (100_000, 1_000_000)
NAIVE = 50_000  # rows that fit into memory as objects
RATE = 40_000  # rows a second
ITEMS, SUBMISSIONS, REPORT_SECONDS = 200, 40, 60.0


def measured(*arguments: str) -> dict[str, Any]:
    """What a process of its own measured, by name: seconds with the processor's share, counts, bytes."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(Path(__file__).with_name("_exporting.py")), *arguments]
        done = subprocess.run(command, env=demo(folder), check=True, stdout=subprocess.PIPE)
        found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return found


def spread(seconds: list[float], *, scaled: float = 1) -> Spread:
    """One measurement by the clock, with what the processor worked."""
    return Spread.of(seconds[:1], scaled=scaled, processor=seconds[1:])


def figures() -> Iterator[Figure]:
    """Seconds and memory of the exports, then of the report."""
    for rows in LABELS:
        found = measured("labels", str(rows), str(NAIVE))
        naive = spread(found["naive"], scaled=rows / NAIVE)
        for form in ("csv", "jsonl"):
            yield Figure(
                f"{rows:,} labels as {form}",
                spread(found[form]),
                naive,
                "ORM objects, all at once",
                target=rows / RATE,
            )
        yield Figure(f"memory added by {rows:,} labels", Spread.of([found["bytes"]]), unit="B")
    found = measured("report", str(ITEMS))
    pages = f"{ITEMS} items, {found['characters'] / 1e6:.1f} million characters, {found['pages']:.0f} pages"
    yield Figure(f"report of {pages}", spread(found["seconds"]), target=REPORT_SECONDS)
    yield Figure("the same again, texts rendered before", spread(found["again"]), target=REPORT_SECONDS)
    yield Figure("peak memory of the process", Spread.of([found["peak"]]), unit="B")
    found = measured("bundle", str(SUBMISSIONS))
    pages = f"{SUBMISSIONS} long submissions, a file for each: {found['pages']:.0f} pages"
    yield Figure(pages, spread(found["seconds"]), target=REPORT_SECONDS)
    yield Figure("the same again, texts rendered before", spread(found["again"]), target=REPORT_SECONDS)
