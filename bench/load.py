"""200 reviewers at once over HTTP on two cores, 100,000 outputs and 1,000,000 answers present: errors and percentiles.

Each reviewer looks at their queue, takes an item, opens its page, saves what they type twice and submits, round after
round: once with pauses as short as a few seconds, once without any, which is more than people can do. The third number
of a spread is the 95th percentile. Production server with two workers, PostgreSQL that syncs; all on loopback.
"""

import asyncio
import json
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from bench._http import Visitor
from bench.frame import Figure, Spread
from bench.web_requests import ANSWERS, p95, processor, site

LABELS, PEOPLE, ROUNDS = 1_000_000, 200, 3
LONGEST = 300.0  # seconds after which reviewers begin no new round
PAUSES = {"pauses of 2 to 8 s": (2.0, 8.0), "no pauses": (0.0, 0.0)}
TARGETS = {"submit": 1.0, "take the next item": 1.0, "autosave": 1.0}  # with pauses: nobody waits longer


@dataclass
class Met:
    """What all reviewers met: seconds by kind of request, and what was not answered as it should."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)


@dataclass
class Reviewer:
    """One person with a kept connection; `pause` bounds the seconds between two requests."""

    visitor: Visitor
    seed: dict[str, Any]
    pause: tuple[float, float]
    chance: random.Random
    met: Met

    async def works(self) -> None:
        end = time.monotonic() + LONGEST
        await asyncio.sleep(self.chance.uniform(0, self.pause[1]))
        for _ in range(ROUNDS):
            if time.monotonic() < end:
                await self.grades_one()
        self.visitor.close()

    async def grades_one(self) -> None:
        await self.asks("queue", 200, "GET", "/grading/")
        taking = {"campaign": self.seed["campaign"]}
        item = await self.asks("take the next item", 201, "POST", "/api/v1/queue/", taking)
        if item is None:
            return
        handle = json.loads(item)["handle"]
        address = f"/api/v1/assignments/{handle}/"
        await self.asks("open the page", 200, "GET", f"/grading/items/{handle}/")
        for version in (0, 1):
            typed = {"version": version, "content": {"note": "x" * (version + 1)}}
            await self.asks("autosave", 200, "PUT", address, typed)
        sent = {
            "content": ANSWERS,
            "rubric_sha256": self.seed["rubric"],
            "active_seconds": 60,
            "draft_version": 2,
        }
        await self.asks("submit", 201, "POST", address, sent, key=handle)

    async def asks(
        self, kind: str, wanted: int, method: str, path: str, body: Any = None, key: str = ""
    ) -> bytes | None:
        """The reply; None, and an error noted, when it is not what was wanted."""
        await asyncio.sleep(self.chance.uniform(*self.pause))
        start = time.perf_counter()
        try:
            status, reply = await self.visitor.request(method, path, body, key=key)
        except (OSError, EOFError) as failure:
            self.met.errors.append(f"{kind}: {failure!r}")
            return None
        self.met.seconds.setdefault(kind, []).append(time.perf_counter() - start)
        if status != wanted:
            self.met.errors.append(f"{kind}: {status} {reply[:200]!r}")
            return None
        return reply


def crowd(port: int, seed: dict[str, Any], pause: tuple[float, float], draw: int) -> Met:
    """All reviewers at once until each has made their rounds."""
    met = Met()

    async def together() -> None:
        people = [
            Reviewer(Visitor(port, session), seed, pause, random.Random(f"{draw}-{number}"), met)
            for number, session in enumerate(seed["sessions"])
        ]
        await asyncio.gather(*[person.works() for person in people])

    asyncio.run(together())
    return met


def figures() -> Iterator[Figure]:
    """Errors, requests a second, and the spread of each kind of request."""
    with site() as made:
        seed = json.loads(made.run("bench/_many_labels.py", str(LABELS), str(PEOPLE)))
        with made.serving("config.wsgi", "/health/") as (port, server):
            roots = (server, made.postmaster)
            for draw, (words, pause) in enumerate(PAUSES.items()):
                worked, start = processor(*roots), time.perf_counter()
                met = crowd(port, seed, pause, draw)
                took, worked = time.perf_counter() - start, processor(*roots) - worked
                yield from _told(words, met, took, worked)


def _told(words: str, met: Met, took: float, worked: float) -> Iterator[Figure]:
    asked = sum(map(len, met.seconds.values()))
    for error in met.errors[:3]:
        print(f"  {error}")
    yield Figure(f"errors among {asked:,} requests, {words}", Spread.of([len(met.errors)]), target=0, unit="")
    yield Figure(
        f"each request, {words}: {asked / took:.0f} a second",
        Spread.of([took / asked], processor=[worked / asked]),
    )
    for kind, seconds in met.seconds.items():
        target = TARGETS.get(kind) if words != "no pauses" else None
        yield Figure(f"{kind}, {words}", p95(seconds), target=target)
