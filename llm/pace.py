"""A bound on requests per minute: turns are handed out evenly, so a minute never starts with a burst."""

import asyncio
import time
from typing import Protocol


class Turns(Protocol):
    """Hands out turns; each request waits for its own."""

    async def turn(self) -> None:
        """Returns when it is the caller's turn."""


class Pace:
    """Turns at least 60/requests_per_minute seconds apart, in order of asking; None sets no bound."""

    def __init__(self, requests_per_minute: int | None) -> None:
        self._gap = 60.0 / requests_per_minute if requests_per_minute else 0.0
        self._next = 0.0

    async def turn(self) -> None:
        """Returns when it is the caller's turn."""
        if not self._gap:
            return
        now = time.monotonic()
        mine = max(now, self._next)
        self._next = mine + self._gap
        await asyncio.sleep(mine - now)
