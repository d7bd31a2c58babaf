"""Pages of public records over HTTP: two workers, eight clients on the same machine, and the memory of the workers.

The target is 500 pages a second, and no more than 8 MB of memory for 60,000 requests after the first 2,000.
"""

import asyncio
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench._http import Visitor
from bench.frame import Figure, Spread, demo
from bench.web_requests import Site, expect, processor

CLIENTS, WARM, PAGES, ROUNDS = 8, 2_000, 4_000, 5
FILES = {
    "page": "/records/sample-proofs/1/",
    "page of a problem": "/records/sample-proofs/1/problems/1.html",
    "archive": "/records/sample-proofs/1/sample-proofs-1.zip",
}


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as files:
        environment = demo(files, DATABASE_URL="", CELERY_BROKER_URL="")
        made = Site(environment, postmaster=os.getpid())
        for command in ("migrate", "createcachetable", "collectstatic", "seed_demo"):
            options = ["--noinput"] if command == "collectstatic" else []
            made.run("manage.py", command, "-v0", *options)
        with made.serving("config.wsgi", "/health/") as (port, server):
            fetched(port, FILES["page"], WARM)
            before = memory(server)
            for name, path in FILES.items():
                seconds, worked = [], []
                for _ in range(ROUNDS):
                    busy, start = processor(server), time.perf_counter()
                    fetched(port, path, PAGES)
                    seconds.append((time.perf_counter() - start) / PAGES)
                    worked.append((processor(server) - busy) / PAGES)
                target = 1 / 500 if name == "page" else None
                yield Figure(
                    f"{name}, {CLIENTS} clients", Spread.of(seconds, processor=worked), target=target
                )
            grown = max(0, memory(server) - before)
            task = f"memory of the workers, grown over {len(FILES) * ROUNDS * PAGES:,} requests"
            yield Figure(task, Spread.of([float(grown)]), target=8e6, unit="B")


def fetched(port: int, path: str, pages: int) -> None:
    """Ask for a path so often, by all clients at once."""

    async def client() -> None:
        visitor = Visitor(port)
        visitor.cookie = ""
        for _ in range(pages // CLIENTS):
            status, reply = await visitor.request("GET", path)
            expect(status, 200, reply[:200])
        visitor.close()

    async def together() -> None:
        await asyncio.gather(*[client() for _ in range(CLIENTS)])

    asyncio.run(together())


def memory(root: int) -> int:
    """Bytes of memory of a process and its children that no other process shares."""
    found = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if root not in (int(folder.name), parent):
                continue
            lines = (folder / "smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        found += sum(1024 * int(line.split()[1]) for line in lines if line.startswith("Private_"))
    return found
